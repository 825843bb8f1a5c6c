"""Strokes end where they leave the frame, and show the same within it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.document.blocks import Axis
from reporting.document.charts.axes import MARGIN, cut_off

X, Y = Axis("x", 0.0, 10.0, ()), Axis("y", 0.0, 1.0, ())


def test_a_stroke_out_of_the_frame_keeps_its_direction():
    x, y = cut_off([np.array([5.0, 15.0]), np.array([0.5, 1.0])], [X, Y])
    np.testing.assert_allclose(x, [5.0, 10.2, 10.2])
    np.testing.assert_allclose(y, [0.5, 0.76, 1.0])


def test_a_band_is_cut_at_the_same_places_above_and_below():
    x, low, high = cut_off([np.array([0.0, 10.0]), np.array([0.0, 0.5]), np.array([0.5, 1.5])], [X, Y, Y])
    np.testing.assert_allclose(x, [0.0, 5.2, 10.0])
    np.testing.assert_allclose(low, [0.0, 0.26, 0.5])
    np.testing.assert_allclose(high, [0.5, 1.02, 1.02])


def test_infinite_ends_are_a_frame_away():
    x, y = cut_off([np.array([-np.inf, 5.0]), np.array([0.5, 0.5])], [X, Y])
    np.testing.assert_allclose(x, [-0.2, -0.2, 5.0])
    np.testing.assert_allclose(y, 0.5)


places = st.floats(-1, 2).map(lambda v: round(v, 2))


@given(st.lists(st.tuples(places, places), min_size=2, max_size=8))
def test_what_lies_in_the_frame_is_the_same(vertices):
    x, y = np.array(vertices, dtype=float).T * np.array([[10.0], [1.0]])
    across, up = cut_off([x, y], [X, Y])
    assert across.min() >= -10 * MARGIN - 1e-9
    assert up.max() <= 1 + MARGIN + 1e-9
    for one, other in (((across, up), (x, y)), ((x, y), (across, up))):
        for point in _inside(*one):
            assert _distance(point, *other) < 1e-6


def _inside(x, y):
    """Points along a polyline, in shares of the frame, that lie within it."""
    along = np.linspace(0, len(x) - 1, 7 * (len(x) - 1) + 1)
    points = np.column_stack(
        (np.interp(along, np.arange(len(x)), x / 10), np.interp(along, np.arange(len(x)), y))
    )
    return points[((points >= 0) & (points <= 1)).all(axis=1)]


def _distance(point, x, y):
    """How far a point lies from the nearest stroke."""
    start, end = np.column_stack((x[:-1] / 10, y[:-1])), np.column_stack((x[1:] / 10, y[1:]))
    along = end - start
    length = (along**2).sum(axis=1)
    share = np.clip(((point - start) * along).sum(axis=1) / np.where(length == 0, 1, length), 0, 1)
    return np.hypot(*(start + share[:, None] * along - point).T).min()


@pytest.mark.parametrize("n", [1, 2])
def test_short_lines_are_left_alone(n):
    x, y = cut_off([np.full(n, 3.0), np.full(n, 0.5)], [X, Y])
    assert len(x) == len(y) == n
