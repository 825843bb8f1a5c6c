"""The SVG of a chart draws on as few sheets as it can."""

import altair as alt
import polars as pl

from reporting.render.pictures import _clipped_once, _without_layers, svg_of


def test_lines_of_a_layer_are_clipped_together():
    rows = pl.DataFrame({"x": [0.0, 1.0] * 3, "y": [0.1 * k for k in range(6)], "model": list("aabbcc")})
    chart = alt.Chart(rows).mark_line(clip=True, opacity=0.5).encode(x="x", y="y", color="model")
    svg = svg_of(chart.to_dict())
    assert svg.count("clip-path=") == 1
    assert svg.count('stroke-opacity="0.5"') == 6  # lines and the symbols of their legend
    assert ' opacity="0.5"' not in svg


def test_paths_of_two_paints_stay_thin_as_a_whole():
    both = '<path fill="red" stroke="blue" opacity="0.2"/>'
    assert _without_layers(both) == both
    assert _without_layers('<path fill="red" opacity="0.2"/>') == '<path fill="red" fill-opacity="0.2"/>'


def test_texts_are_no_tags():
    hostile = '<text>&lt;path fill="red" opacity="1"/&gt; role-scope a_pathgroup"</text>'
    assert _without_layers(hostile) == hostile
    assert _clipped_once(hostile) == hostile
