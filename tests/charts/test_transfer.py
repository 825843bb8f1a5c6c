"""The matrix of costs: its numbers, its colours, its names, on screens and in plain series."""

import dataclasses
import itertools
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import vl_convert
from simulated_results import World, simulate

from reporting.charts.picture import Words
from reporting.charts.transfer import (
    BETTER,
    BLANK,
    INK,
    ON_PAPER,
    ON_SCREEN,
    SHADES,
    WORSE,
    Matrix,
    matrices,
    question,
    transfer_figure,
)
from reporting.criteria.catalogue import read_criterion
from reporting.engine.study import Primary
from reporting.frames import TRANSFER
from reporting.measures.sweep import AUC
from reporting.measures.threshold import BALANCED_ACCURACY, FAR, HTER
from reporting.wording.view import views

SAID = Words("A caption.", "An alternative text.")
SMALL = World(models=("A", "B"), n_target=20, n_nontarget=30, alphas=3, pictures=False)
EER = read_criterion("eer")
MIN_HTER = read_criterion("min_hter")


def row(model, dev, test, value, own, **more):
    cost = None if None in (value, own) else value - own
    key = {"model": model, "run": "0", "dev_dataset": dev, "test_dataset": test}
    asked = {"over": "threshold", "criterion": "min_hter", "measure": "hter"}
    return key | asked | {"value": value, "value_own": own, "cost": cost, "status": None} | more


def frame_of(names, values, **more):
    """A frame of model A: ``values[i][j]`` of thresholds of dataset i on test of j; the diagonal is own."""
    return TRANSFER.build(
        [
            row("A", dev, test, values[i][j], values[j][j], **more)
            for (i, dev), (j, test) in itertools.product(enumerate(names), enumerate(names))
        ]
    )


def scope_of(names=("d0", "d1")):
    return views(simulate(dataclasses.replace(SMALL, datasets=tuple(names))))[0]


def show(one):
    return f"{100 * one.cost:.1f}"


def drawn(names, values, measure=HTER):
    view, frame = scope_of(names), frame_of(names, values, measure=str(measure))
    (matrix,) = matrices(view, frame, measure, MIN_HTER)
    return matrix, transfer_figure(view, matrix, show, SAID)


def cells(figure):
    """The drawn cells by column and by line from the top."""
    rows = figure.spec["datasets"][f"{figure.name}_cells"]
    n = int(figure.x_axis.high)
    return {(one["x"], n - 1 - one["y"]): one for one in rows}


def svg_texts(figure):
    svg = vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1")
    return [element.text for element in ET.fromstring(svg).iter() if element.text]


VALUES = [[0.10, 0.30, 0.25], [0.125, 0.20, 0.45], [0.05, 0.21, 0.15]]
NAMES = ("x", "y", "z")


def test_every_cost_stands_in_its_cell_under_its_names():
    matrix, figure = drawn(NAMES, VALUES)
    found = cells(figure)
    assert len(found) == 9
    for (i, dev), (j, test) in itertools.product(enumerate(NAMES), enumerate(NAMES)):
        one = found[j, i]
        assert one["text"] == f"{100 * (VALUES[i][j] - VALUES[j][j]):.1f}"
        assert (one["middle_x"], test) in figure.x_axis.ticks
        assert (one["middle_y"], dev) in figure.y_axis.ticks
        assert one["x"] < one["middle_x"] < one["x2"] == one["x"] + 1
        assert one["y"] < one["middle_y"] < one["y2"] == one["y"] + 1
    shown = svg_texts(figure)
    assert sorted(t for t in shown if t in {one["text"] for one in found.values()}) == sorted(
        one["text"] for one in found.values()
    )
    assert [shown.count(name) for name in NAMES] == [2, 2, 2]
    assert {"Judged on test of", "Thresholds chosen on dev of"} <= set(shown)
    assert figure.spec["description"] == SAID.alt
    assert matrix.worst == pytest.approx(0.30)


def luminance(colour):
    parts = np.frombuffer(bytes.fromhex(colour[1:]), np.uint8) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def test_numbers_are_legible_on_every_colour():
    values = [[0.5 if i == j else j / 12 for j in range(12)] for i in range(12)]
    _, figure = drawn([f"d{k:02}" for k in range(12)], values)
    for fill in {one["fill"] for one in cells(figure).values()} | {BLANK}:
        assert (luminance(fill) + 0.05) / (luminance(INK) + 0.05) >= 4.5


def test_what_is_lost_is_orange_and_what_is_gained_blue():
    _, figure = drawn(NAMES, VALUES)
    fills = {place: bytes.fromhex(one["fill"][1:]) for place, one in cells(figure).items()}
    assert {fills[k, k] for k in range(3)} == {b"\xff\xff\xff"}
    for place, worse in (((1, 0), True), ((2, 1), True), ((0, 1), True), ((0, 2), False)):
        red, _, blue = fills[place]
        assert (red > blue) == worse
    assert luminance("#" + fills[2, 1].hex()) < luminance("#" + fills[1, 0].hex())


def test_where_higher_is_better_a_lower_value_is_lost():
    _, lower = drawn(NAMES, VALUES)
    turned = [[1 - v for v in line] for line in VALUES]
    _, higher = drawn(NAMES, turned, BALANCED_ACCURACY)
    assert {k: one["fill"] for k, one in cells(lower).items()} == {
        k: one["fill"] for k, one in cells(higher).items()
    }
    assert cells(higher)[1, 0]["text"] == "-10.0"


def covers(figure, column, base):
    """Bands over the middle of a cell, by style."""
    found = {}
    for band in (s for s in figure.series if s.kind == "band"):
        at = 2 * column
        assert band.x[at : at + 2] == (column, column + 1)
        low, high = band.y[at], band.y_high[at]
        if low <= base < high:
            assert (low, high) == (base, base + 1)
            found[band.style] = found.get(band.style, 0) + 1
    return found


def test_paper_shows_the_same_shades_in_steps():
    values = [[0.10, 0.326, 0.15], [0.146, 0.20, 0.65], [0.05, 0.23, 0.15]]
    matrix, figure = drawn(NAMES, values)
    for (i, dev), (j, test) in itertools.product(enumerate(NAMES), enumerate(NAMES)):
        share = matrix.share((dev, test))
        steps = max(1, round(SHADES * abs(share))) if share else 0
        expected = {WORSE if share > 0 else BETTER: steps} if steps else {}
        assert covers(figure, j, 2 - i) == expected
    for series in figure.series:
        assert np.isfinite((*series.x, *series.y, *series.y_high)).all()
        assert len(series.x) == len(series.y)
        assert len(series.y_high) in (0, len(series.x))


@pytest.mark.parametrize("n", [2, 3, 12])
def test_the_own_cells_are_framed(n):
    names = [f"d{k:02}" for k in range(n)]
    _, figure = drawn(names, [[0.1] * n] * n)
    (outline,) = (s for s in figure.series if s.kind == "guide")
    path = list(zip(outline.x, outline.y, strict=True))
    assert path[0] == path[-1]
    sides = {frozenset(pair) for pair in itertools.pairwise(path)}
    for k in range(n):
        corners = [(k, n - k), (k + 1, n - k), (k + 1, n - k - 1), (k, n - k - 1)]
        square = {frozenset(pair) for pair in itertools.pairwise([*corners, corners[0]])}
        assert square <= sides
    assert len(sides) == 4 * n


def test_all_zero_and_rounding_noise_have_no_colour():
    noise = [[0.3, 0.1 + 0.2], [0.3, 0.30000000000000004]]
    _, figure = drawn(("a", "b"), [[0.3, 0.3], [0.1 + 0.2, 0.3]])
    assert {one["fill"] for one in cells(figure).values()} == {"#FFFFFF"}
    _, figure = drawn(("a", "b"), noise)
    assert not [s for s in figure.series if s.kind == "band"]


def test_an_undefined_cost_is_a_rule_on_grey_and_a_missing_pair_too():
    view = scope_of(("x", "y"))
    rows = [
        row("A", a, b, None if b == "y" else 0.25, None if b == "y" else 0.2) for a, b in ("xx", "xy", "yx")
    ]
    (matrix,) = matrices(
        view, TRANSFER.build([*rows, row("A", "y", "y", 0.1, 0.1, over="area")]), HTER, MIN_HTER
    )
    figure = transfer_figure(view, matrix, show, SAID)
    told = {place: (one["text"], one["fill"]) for place, one in cells(figure).items()}
    assert told[1, 0] == told[1, 1] == ("—", BLANK)
    assert told[0, 1][0] == "5.0"
    svg_texts(figure)


def test_all_models_share_one_scale_of_colour():
    view = scope_of(("x", "y"))
    rows = [
        row(m, a, b, 0.2 + (a != b) * cost, 0.2)
        for m, cost in (("A", 0.1), ("B", 0.2))
        for a in "xy"
        for b in "xy"
    ]
    one, other = matrices(view, TRANSFER.build(rows), HTER, MIN_HTER)
    assert (one.model, other.model) == ("A", "B")
    assert one.share(("x", "y")) == pytest.approx(0.5)
    assert other.share(("y", "x")) == pytest.approx(1)
    assert {transfer_figure(view, m, show, SAID).name for m in (one, other)} == {
        "transfer_m1",
        "transfer_m2",
    }


HOSTILE = (
    "<script>alert(1)</script>",
    "$x^2$ \\input{a} %",
    "a'b\"c`d",
    "=1+1",
    "日本 Ω",
    "datum.x",
    "\\",
    " ",
)


def test_hostile_names_are_drawn_as_they_are_and_cut_where_they_are_long():
    n = len(HOSTILE)
    for names in (HOSTILE, HOSTILE[:2], HOSTILE[2:4]):
        _, figure = drawn(names, [[0.1 * (i != j) for j in range(len(names))] for i in range(len(names))])
        json.dumps(figure.spec, allow_nan=False)
        shown = "\n".join(svg_texts(figure))
        wanted = [name for name in names if len(name) <= ON_SCREEN[1] // n and name.strip()]
        assert all(name in shown for name in wanted), wanted
        assert "undefined" not in shown
        assert "NaN" not in shown
        for axis in (figure.x_axis, figure.y_axis):
            assert len({text for _, text in axis.ticks}) == len(names)


def test_no_name_is_left_out_where_names_are_wide():
    names = [f"WWW{k:02}" for k in range(12)]
    _, figure = drawn(names, [[0.1] * 12] * 12)
    svg = ET.fromstring(vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1"))
    texts = [one for one in svg.iter() if one.text and one.text.startswith("W")]
    assert len(texts) == 24
    assert {one.get("opacity", "1") for one in texts} == {"1"}


def test_long_names_that_begin_alike_stay_different():
    names = [
        f"evaluation-of-the-year-{year}-{kind}" for year in (2019, 2020) for kind in ("core", "core-core")
    ]
    _, figure = drawn(names, [[0.1] * 4] * 4)
    texts = [text for _, text in figure.x_axis.ticks]
    assert [text[0] for text in texts] == ["1", "2", "3", "4"]
    assert max(map(len, texts)) <= ON_PAPER[0]
    assert len(set(texts) & set(svg_texts(figure))) < 4  # on a screen there is room for more of them
    assert [place for place, _ in figure.y_axis.ticks] == [0.5, 1.5, 2.5, 3.5]
    assert [text for _, text in figure.y_axis.ticks] == texts[::-1]


def test_the_picture_answers_the_first_question_that_has_thresholds_from_dev():
    view, frame = scope_of(), frame_of(NAMES, VALUES)
    study = view.study
    assert question(study, frame) == (HTER, MIN_HTER)
    sweep = dataclasses.replace(study, primary=Primary(AUC, MIN_HTER))
    assert question(sweep, frame) == (HTER, MIN_HTER)
    given = dataclasses.replace(study, primary=Primary(FAR, read_criterion("fixed(threshold=1)")))
    both = TRANSFER.build([r | {"measure": m} for r in frame.to_dicts() for m in ("far", "hter")])
    assert question(given, both) == (FAR, MIN_HTER)
    by_eer = dataclasses.replace(study, primary=Primary(HTER, EER))
    assert question(by_eer, frame) == (HTER, MIN_HTER)
    assert question(study, frame.clear()) is None
    assert isinstance(matrices(view, frame, HTER, MIN_HTER)[0], Matrix)
