"""What lies beyond an axis is an arrow with its number, and never a mark on the axis: on screens and on paper."""

import dataclasses
import re

import numpy as np
import pytest
from curve_results import WORDS, with_curves
from simulated_results import World

from reporting.document.blocks import Axis, Window
from reporting.document.charts.beyond import NOTE, side
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, curve_picture, render
from reporting.document.words.view import views
from reporting.features.catalogue import CURVES
from reporting.render.latex import tex_figure

WORLD = World(models=("A", "B"), n_target=60, n_nontarget=90, strength=1.5, alphas=3, baseline="A")
DOTS = ("points", "rings")


@pytest.fixture(scope="module")
def charts():
    """Every curve picture that has dots, by its word."""
    (view, *_) = views(with_curves(WORLD))
    drawn = {
        word: curve_picture(CURVES[word]).draw(view, curve_picture(CURVES[word]).cases(view)[0])
        for word in WORDS
        if curve_picture(CURVES[word]).cases(view)
    }
    return {
        word: chart
        for word, chart in drawn.items()
        if any(isinstance(mark, Mark) and mark.kind in DOTS for mark in chart.marks)
    }


def dots(chart):
    return [
        (mark, place)
        for mark in chart.marks
        if isinstance(mark, Mark) and mark.kind in DOTS
        for place in zip(*mark.vertices, strict=True)
    ]


def in_vega(figure):
    """The dots of the picture on screens."""
    roles = figure.spec["usermeta"]["layers"]
    for role, layer in zip(roles, figure.spec["layer"], strict=True):
        if role in DOTS:
            yield from ((row["x"], row["y"]) for row in figure.spec["datasets"][layer["data"]["name"]])


def texts_in_vega(figure):
    roles = figure.spec["usermeta"]["layers"]
    for role, layer in zip(roles, figure.spec["layer"], strict=True):
        if role == "names":
            yield from (row["text"] for row in figure.spec["datasets"][layer["data"]["name"]])


def in_tex(figure):
    """The dots of the picture on paper."""
    for plot in tex_figure(figure).plots:
        if "only marks" in plot.options:
            yield from (
                (float(x), float(y)) for x, y in re.findall(r"\(([^,()]+),([^,()]+)\)", plot.coordinates)
            )


@pytest.mark.parametrize("way", ["left", "right", "below", "above"])
def test_a_dot_beyond_an_axis_is_an_arrow_with_its_number_in_every_picture(charts, way):
    assert {"roc", "det", "pr", "gain", "roc_log", "reliability", "error_threshold"} <= set(charts)
    along = way in ("below", "above")
    for word, chart in charts.items():
        places = [float(place[along]) for _, place in dots(chart)]
        axis = (chart.x_axis, chart.y_axis)[along]
        upper = way in ("right", "above")
        end = (max if upper else min)(places)
        moved = 0.02 * (axis.high - axis.low)
        low, high = (axis.low - 1, end - moved) if upper else (end + moved, axis.high + 1)
        shorter = dataclasses.replace(axis, low=low, high=high)
        name = "y_axis" if along else "x_axis"
        figure = render(dataclasses.replace(chart, **{name: shorter}, windows=()), Words("Caption.", "Alt"))
        for drawn in (*in_vega(figure), *in_tex(figure)):
            assert side(drawn[along], shorter) == 0, (word, drawn)
            assert abs(drawn[along] - (high if upper else low)) > moved / 100 or drawn[along] in places, word
        number = chart.numbers[along](end)
        arrows = {label.text for label in figure.labels if label.beyond}
        assert any(re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text) for text in arrows), (
            word,
            arrows,
        )
        assert arrows <= set(texts_in_vega(figure)), word
        assert arrows <= {name.text for name in tex_figure(figure).names}, word
        assert figure.caption.endswith(NOTE)


def test_without_anything_beyond_there_is_no_arrow(charts):
    for word in ("roc", "gain", "reliability"):
        figure = render(charts[word], Words("Caption.", "Alt"))
        assert not any(label.beyond for label in figure.labels)
        assert NOTE not in figure.caption


def axis(low, high):
    return Axis("", low, high, ())


def chart(*marks, **more):
    return ChartSpec("a", axis(0, 1), axis(0, 10), marks, **more)


def point(x, y):
    return Mark.points("m", 1, np.array([x]), np.array([y]))


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ((0.5, 46.2), "↑ 46.2"),
        ((0.5, -3), "↓ −3"),
        ((2, 5), "2 →"),
        ((-2, 5), "← −2"),
        ((2, 12), "2, 12 ↗"),
        ((-2, -1), "↙ −2, −1"),
        ((0.95, 46.2), "46.2 ↑"),
    ],
)
def test_the_arrow_points_to_the_value(place, text):
    (arrow,) = chart(point(*place)).arrows()
    assert arrow.text == text
    assert 0 < arrow.x < 1
    assert 0 < arrow.y < 10


def test_a_point_at_the_end_of_an_axis_is_drawn_there():
    drawn = chart(point(1, 10))
    assert drawn.arrows() == ()
    assert drawn.series(100)[0].x == (1.0,)


def test_arrows_at_one_place_are_apart():
    heights = [arrow.y for arrow in chart(*[point(0.5, -k) for k in range(1, 5)]).arrows()]
    assert sorted(heights) == heights
    assert min(np.diff(heights)) >= 0.5 - 1e-9


def test_each_window_has_its_own_arrows():
    windows = (Window("small", axis(0, 1), axis(0, 10)), Window("large", axis(0, 4), axis(0, 10)))
    drawn = render(chart(point(2, 5), windows=windows), Words("", ""))
    assert [[label.text for label in each.wide] for each in drawn.placed] == [["2 →"], []]
    assert drawn.series == ()  # paper has the first window alone
    assert list(in_vega(drawn)) == [(2.0, 5.0)]


def test_a_line_that_never_enters_the_frame_is_an_arrow():
    line = Mark.line("m", 1, np.array([0.0, 1.0]), np.array([46.0, 40.0]))
    assert [arrow.text for arrow in chart(line).arrows()] == ["40 ↑"]
    through = Mark.line("m", 1, np.array([0.0, 1.0]), np.array([46.0, 4.0]))
    assert chart(through).arrows() == ()
