"""Fewer vertices, at most a pixel away."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.document.blocks import Axis
from reporting.document.charts.axes import FEW, STRAIGHT, _corners, decimate, reduce, spread

UNIT = Axis("unit", 0.0, 1.0, ())
WINDOW = Axis("part of it", 0.2, 0.7, ())


def staircase(rng, n, ties):
    """A monotone curve as a ROC is: steps right, up, or both where scores tie."""
    right, up = rng.random(n) < 0.7, rng.random(n) < 0.5
    if not ties:
        up = ~right
    return np.cumsum(right) / max(1, right.sum()), np.cumsum(up) / max(1, up.sum())


@given(st.integers(0, 2**32), st.integers(3, 3000), st.booleans(), st.sampled_from([40, 300, 720]))
def test_dropped_vertices_are_within_a_pixel_of_the_kept_polyline(seed, n, ties, pixels):
    x, y = staircase(np.random.default_rng(seed), n, ties)
    for axis in (UNIT, WINDOW):
        kept = decimate(x, (y,), axis, axis, pixels)
        px, py = (
            (np.clip(v, axis.low, axis.high) - axis.low) / (axis.high - axis.low) * pixels for v in (x, y)
        )
        before = kept[np.searchsorted(kept, np.arange(n), side="right") - 1]
        after = kept[np.searchsorted(kept, np.arange(n), side="left")]
        for place in (px, py):
            assert np.max(np.abs(place - place[before])) <= 1 + 1e-9
            assert np.max(np.abs(place - place[after])) <= 1 + 1e-9


@given(st.integers(0, 2**32), st.integers(3, 500))
def test_a_zigzag_keeps_every_pixel_it_visits(seed, n):
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(n)), rng.random(n)
    kept = decimate(x, (y,), UNIT, UNIT, 50)
    visited = {tuple(cell) for cell in np.floor(np.column_stack((x, y)) * 50).astype(int).tolist()}
    assert visited == {
        tuple(cell) for cell in np.floor(np.column_stack((x, y))[kept] * 50).astype(int).tolist()
    }


@pytest.mark.parametrize("pixels", [300, 720])
def test_a_long_curve_shrinks_to_a_few_vertices_a_pixel(pixels):
    x, y = staircase(np.random.default_rng(1), 300_000, ties=False)
    kept = decimate(x, (y,), UNIT, UNIT, pixels)
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    assert len(kept) <= 4 * pixels


def test_curves_that_share_x_keep_the_vertices_of_both():
    x = np.linspace(0, 1, 1001)
    flat, jump = np.zeros(1001), np.where(np.arange(1001) == 500, 1.0, 0.0)
    kept = decimate(x, (flat, jump), UNIT, UNIT, 10)
    assert {499, 500, 501} <= set(kept.tolist())


def distances(px, py, kept):
    """How far every vertex lies from the polyline through the kept ones, in pixels."""
    after = np.clip(np.searchsorted(kept, np.arange(len(px)), side="left"), 1, len(kept) - 1)
    first, last = kept[after - 1], kept[after]
    dx, dy = px[last] - px[first], py[last] - py[first]
    length = np.where(dx**2 + dy**2 == 0, 1, dx**2 + dy**2)
    share = np.clip(((px - px[first]) * dx + (py - py[first]) * dy) / length, 0, 1)
    return np.hypot(px - px[first] - share * dx, py - py[first] - share * dy)


@given(st.integers(0, 2**32), st.integers(3, 20_000), st.booleans(), st.sampled_from([300, 720]))
def test_the_reduced_polyline_is_never_a_pixel_away(seed, n, ties, pixels):
    x, y = staircase(np.random.default_rng(seed), n, ties)
    for axis in (UNIT, WINDOW):
        kept = reduce(x, (y,), axis, axis, pixels)
        px, py = ((v - axis.low) / (axis.high - axis.low) * pixels for v in (x, y))
        inside = (px >= 0) & (px <= pixels) & (py >= 0) & (py <= pixels)
        far = distances(px, py, kept)
        assert np.max(far[inside], initial=0) < (np.sqrt(2) + 1e-9 if len(kept) <= FEW else 1)


def test_few_vertices_are_kept_as_they_are():
    x, y = staircase(np.random.default_rng(1), 100, ties=True)
    assert reduce(x, (y,), UNIT, UNIT, 720).tolist() == decimate(x, (y,), UNIT, UNIT, 720).tolist()


def test_a_straight_line_of_many_vertices_is_its_ends():
    x = np.linspace(0, 1, 5000)
    assert reduce(x, (x, 1 - x), UNIT, UNIT, 720).tolist() == [0, 4999]


def test_places_to_point_at_are_spread_along_the_curve():
    x = np.linspace(0, 1, 100_000)
    kept = spread(x, x**2, UNIT, UNIT, 60)
    assert kept[0] == 0
    assert kept[-1] == 99_999
    assert 60 <= len(kept) <= 122
    assert np.max(np.diff(x[kept])) <= 1 / 60 + 1e-4


def corners_between(x, y, first, last):
    """Return the vertices that Douglas and Peucker keep between two, one stretch after the other."""
    chord, away = (
        np.array([x[last] - x[first], y[last] - y[first]]),
        np.stack((x - x[first], y - y[first]), 1),
    )
    length = (chord * chord).sum()
    share = np.clip((away * chord).sum(axis=1) / length, 0, 1) if length else np.zeros(len(x))
    far = np.hypot(*(away - share[:, None] * chord).T)[first : last + 1]
    middle = first + int(np.argmax(far))
    if far[middle - first] <= STRAIGHT:
        return []
    return [*corners_between(x, y, first, middle), middle, *corners_between(x, y, middle, last)]


@given(st.integers(0, 2**32), st.integers(2, 300), st.booleans(), st.sampled_from([4, 40, 400]))
def test_dividing_all_stretches_at_once_keeps_the_same_corners(seed, n, ties, pixels):
    x, y = (pixels * values for values in staircase(np.random.default_rng(seed), n, ties))
    assert np.flatnonzero(_corners(x, y)).tolist() == [0, *corners_between(x, y, 0, n - 1), n - 1]


def test_a_closed_stretch_has_its_farthest_corner():
    there_and_back = np.array([0.0, 3.0, 0.0])
    assert _corners(there_and_back, np.zeros(3)).all()
