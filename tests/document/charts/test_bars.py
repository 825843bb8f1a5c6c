"""Bars without a guide have the axes of the picture."""

from reporting.document.blocks import Axis
from reporting.document.charts.chart_spec import BarRows, ChartSpec, bar
from reporting.document.charts.picture import Words, render

X = Axis("Share (%)", 0.0, 100.0, ((0.0, "0"), (100.0, "100")))
Y = Axis("", 0.0, 2.0, ((0.5, "B"), (1.5, "A")))
GUIDED = ({"grid": False}, {"labels": False})


def spec_of(marks):
    bars = BarRows([bar(0, 20, 1.5, 0.3, "#123456"), bar(0, 45, 0.5, 0.3, "#654321")], (), GUIDED)
    return render(ChartSpec("shares", X, Y, marks, bars=bars), Words("caption", "alt")).spec


def test_bars_alone_are_drawn_on_the_axes_of_the_picture():
    spec = spec_of([])
    (layer,) = spec["layer"]
    assert spec["usermeta"]["layers"] == ["bars"]
    assert layer["encoding"]["x"]["title"] == "Share (%)"
    assert layer["encoding"]["x"]["axis"]["grid"] is False
    assert [row["x2"] for row in spec["datasets"]["shares_bars"]] == [20, 45]
