"""What a page draws a chart from: no signal but those the page sets."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from reporting.document.blocks import Axis, Series
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.render import live
from reporting.render.live import SharedColumns, live_chart, live_spec
from reporting.render.pictures import vega_of

AXIS = Axis("x", 0.0, 1.0, ((0.0, "0"), (1.0, "1")))
LINE = Mark.line("A", 1, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
CHANCE = Series("chance", "guide", 0, (0.0, 0.5, 1.0), (0.0, 0.5, 1.0))


@pytest.mark.parametrize("others", [(), (CHANCE,)])
def test_a_chart_of_one_layer_listens_to_the_page_as_any_other(others: tuple[Series, ...]) -> None:
    """Its data stand at the top of the spec, where those of several layers stand in each."""
    figure = render(ChartSpec("one", AXIS, AXIS, [*others, LINE]), Words("caption", "alt"))
    chart = json.loads(live_chart(figure, vega_of(live_spec(figure)), SharedColumns()))
    assert "_pick" not in json.dumps(chart["vega"])
    assert {"off", "lit", "dev"} <= {signal["name"] for signal in chart["vega"]["signals"]}
    assert [model["name"] for model in chart["models"]] == ["A"]


def test_the_drawing_library_is_kept_and_made_again_where_it_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = live.bundle.__wrapped__()
    (kept,) = (tmp_path / "trial-reporting").iterdir()
    assert kept.read_bytes().partition(b"\n")[2].decode() == first
    monkeypatch.setattr(live.vl_convert, "javascript_bundle", lambda *_, **__: "made again")
    assert live.bundle.__wrapped__() == first
    kept.write_bytes(kept.read_bytes()[:-1])
    assert live.bundle.__wrapped__() == "(() => {made again})();"
    kept.unlink()
    kept.mkdir()  # nothing can be kept: the report is made all the same
    assert live.bundle.__wrapped__() == "(() => {made again})();"


def test_layers_are_known_by_their_roles_and_not_by_their_names():
    """The curves have a ring around what is pointed at, and names of lines come from the page's own tables."""
    figure = render(ChartSpec("one", AXIS, AXIS, [CHANCE, LINE]), Words("caption", "alt"))
    layers = [{key: value for key, value in layer.items() if key != "name"} for layer in figure.spec["layer"]]
    unnamed = dataclasses.replace(figure, spec=figure.spec | {"layer": layers})
    tables = [layer["data"]["name"] for layer in live_spec(unnamed)["layer"]]
    assert figure.spec["usermeta"]["layers"] == ["guide", "curves", "names", "names"]
    assert tables == ["one_0", "one_1", "pointed", "names", "guide_names"]
