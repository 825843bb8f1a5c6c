"""Names beside lines cover no line, no dot and no other name, and stay in the picture."""

import numpy as np
import pytest
from curve_results import WORDS, with_curves
from simulated_results import World

from reporting.document.blocks import Axis, Series, in_context
from reporting.document.charts.labels import HIGH, MOST_CONTEXT, Pane, _path, labels, letters
from reporting.document.charts.picture import curve_picture
from reporting.document.words.view import views
from reporting.features.catalogue import CURVES

UNIT = Axis("", 0.0, 1.0, ())
SQUARE = Pane(UNIT, UNIT, 460.0, 460.0)


def line(label, y, style=1, x=(0.0, 1.0)):
    return Series(label, "line", style, x, tuple(y))


def box(label, size=13.0):
    wide = size * letters(label.text) / 460
    left = label.x - wide if label.ends else label.x
    return left, left + wide, label.y - HIGH / 2 / 460, label.y + HIGH / 2 / 460


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def test_names_are_near_the_right_ends_of_their_lines():
    found = labels([line("low", (0.2, 0.2)), line("high", (0.8, 0.8), 2)], SQUARE)
    assert [one.text for one in found] == ["low", "high"]
    for one, y in zip(found, (0.2, 0.8), strict=True):
        assert abs(one.y - y) < 0.05
        assert box(one)[1] > 0.9


@pytest.mark.parametrize("count", [2, 4, 5])
def test_no_name_covers_a_line_or_another_name(count):
    rng = np.random.default_rng(count)
    x = tuple(np.linspace(0, 1, 12))
    drawn = [line(f"model {n}", rng.uniform(0, 1, 12), in_context(n), x) for n in range(count)]
    found = labels(drawn, SQUARE)
    boxes = [box(one) for one in found]
    for n, one in enumerate(boxes):
        assert not any(overlap(one, other) for other in boxes[:n])
        assert one[0] >= 0
        assert one[1] <= 1
        for series in drawn:
            places = _path(series, SQUARE) / 460
            inside = (places[:, 0] > one[0]) & (places[:, 0] < one[1])
            assert not (inside & (places[:, 1] > one[2]) & (places[:, 1] < one[3])).any()


def test_beyond_five_grey_lines_those_in_colour_alone_are_named():
    drawn = [line(f"m{n}", (n / 20, n / 20), n if n < 3 else in_context(n)) for n in range(1, 12)]
    assert {one.text for one in labels(drawn, SQUARE)} == {"m1", "m2"}
    assert len(labels(drawn[: 2 + MOST_CONTEXT], SQUARE)) == 2 + MOST_CONTEXT


def test_a_long_name_is_whole_where_there_is_room():
    long = "patients without the condition in"
    (wide,) = labels([line(long, (0.5, 0.5))], SQUARE)
    assert wide.text == long
    (narrow,) = labels([line(long, (0.5, 0.5))], Pane(UNIT, UNIT, 210.0, 120.0))
    assert narrow.text.endswith("…")


def test_a_name_has_no_place_over_a_line():
    x = tuple(np.linspace(0, 1, 4000))
    dense = [line(f"m{n}", np.linspace(0, 1, 4000) % 0.01 * 100, n, x) for n in (1, 2)]
    assert labels(dense, SQUARE) == ()


def test_lines_that_end_in_one_place_are_named_where_they_are_apart():
    x = tuple(np.linspace(0, 1, 50))
    drawn = [line(f"m{n}", np.linspace(0, 1, 50) ** n, n, x) for n in (1, 4)]
    for one in labels(drawn, Pane(UNIT, UNIT, 460.0, 460.0, margin=True)):
        assert one.x < 1


def test_a_line_that_leaves_on_the_right_alone_may_be_named_in_the_margin():
    (found,) = labels([line("m", (0.5, 0.5))], Pane(UNIT, UNIT, 460.0, 460.0, margin=True))
    assert found.x > 0.9


def test_a_guide_has_its_name_near_its_middle_vertex_and_off_the_curves():
    guide = Series("FAR = FRR", "guide", 0, (0.0, 0.8, 1.0), (0.0, 0.8, 1.0))
    curve = line("m", (0.86, 0.72), x=(0.7, 1.0))
    found = next(one for one in labels([guide, curve], SQUARE) if not one.of_line)
    assert abs(found.x - 0.8) < 0.25
    assert not overlap(box(found), (0.7, 0.72, 0.84, 0.86))


def test_a_name_without_letters_is_not_set_and_a_long_one_is_cut():
    found = labels([line(" ", (0.1, 0.1)), line("x" * 60, (0.5, 0.5), 2)], SQUARE)
    assert [one.owner for one in found] == ["x" * 60]
    assert found[0].text.endswith("…")


def test_every_line_of_a_few_is_named_on_wide_pages():
    view = views(with_curves(World(models=("A", "B", "C"), n_target=60, n_nontarget=90, alphas=3)))[0]
    for word in WORDS:
        for figure in curve_picture(CURVES[word]).figures(view):
            named = {one.owner for one in figure.placed[0].wide if one.of_line}
            drawn = {series.label for series in figure.series if series.kind == "line"}
            missing = drawn - named
            assert len(missing) <= len(drawn) // 3, (figure.name, missing)


def test_a_name_in_capitals_is_as_wide_as_bold_type_sets_it():
    """Widths of DejaVu Sans Bold: N 0.837, D 0.830, K 0.775, A 0.774."""
    assert letters("NDKA") == pytest.approx(0.837 + 0.830 + 0.775 + 0.774, abs=0.05)
