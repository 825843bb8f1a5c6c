"""The axis of intervals in table rows: within the range of its measure, and not stretched by one far value."""

from reporting.document.blocks import Column, IntervalMark
from reporting.document.charts.axes import interval_axis
from reporting.render.layout import mark

SPREAD = [(value, value - 0.02, value + 0.02) for value in (0.90, 0.92, 0.94, 0.96, 0.985)]


def test_an_axis_ends_where_its_measure_does():
    assert interval_axis(SPREAD, (0.0, 1.0))[1] == 1.0
    assert interval_axis(SPREAD, (0.0, 2.0))[1] > 1.0


def test_one_value_far_from_all_others_is_left_outside_and_set_as_an_arrow():
    axis = interval_axis([*SPREAD, (0.33, 0.3, 0.36)], (0.0, 1.0))
    assert axis == interval_axis(SPREAD, (0.0, 1.0))
    column = Column("", "drawn", axis=axis)
    outside = mark(column, IntervalMark(0.33, 0.3, 0.36))
    assert outside is not None
    assert (outside.dot, outside.low_end, outside.high_end) == ("", "", "")
    assert float(outside.arrow.split(",")[0]) < 10
    inside = mark(column, IntervalMark(0.92, 0.9, 0.94))
    assert inside is not None
    assert inside.arrow == ""


def test_few_rows_are_all_on_the_axis():
    axis = interval_axis([(0.33, 0.3, 0.36), (0.9, 0.88, 0.92)], (0.0, 1.0))
    assert axis[0] <= 0.3
    assert interval_axis([], (0.0, 1.0)) == (0.0, 1.0)


def test_zero_is_held_where_it_is_wanted():
    assert interval_axis([(2.0, 1.0, 3.0)], (-100.0, 100.0), [0.0])[0] <= 0
