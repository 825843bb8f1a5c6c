"""The vertical mean of DET and ROC curves: by hand, and laws of any staircases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.document.charts.rates import vertical_mean


def curve(*points):
    far, frr = zip(*points, strict=True)
    return np.array(far, float), np.array(frr, float)


def test_two_staircases_by_hand():
    one = curve((1, 0), (0.5, 0), (0.5, 0.5), (0, 0.5), (0, 1))
    two = curve((1, 0), (0.25, 0), (0.25, 1), (0, 1))
    far, frr = vertical_mean([one, two])
    assert list(zip(far.tolist(), frr.tolist(), strict=True)) == [
        (1, 0), (1, 0), (0.5, 0), (0.5, 0.25), (0.25, 0.25), (0.25, 0.75), (0, 0.75), (0, 1)
    ]  # fmt: skip


def test_ties_make_slopes_that_are_averaged_along():
    far, frr = vertical_mean([curve((1, 0), (0, 1)), curve((1, 0), (0.5, 0), (0, 0), (0, 1))])
    at_half = frr[far == 0.5]
    assert at_half == pytest.approx([0.25, 0.25])


@st.composite
def staircases(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    steps = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=8))
    far = np.clip(n - np.cumsum([0, *(a for a, _ in steps)]), 0, n)
    frr = np.clip(np.cumsum([0, *(b for _, b in steps)]), 0, m)
    return np.append(far, 0) / n, np.append(frr, m) / m


@given(st.lists(staircases(), min_size=1, max_size=4))
def test_the_mean_is_a_curve_and_its_area_is_the_mean_of_areas(curves):
    far, frr = vertical_mean(curves)
    assert (far[0], frr[-1]) == (1.0, 1.0)
    assert np.all(np.diff(far) <= 0)
    assert np.all(np.diff(frr) >= -1e-12)
    areas = [np.trapezoid(y[::-1], x[::-1]) for x, y in curves]
    assert np.trapezoid(frr[::-1], far[::-1]) == pytest.approx(np.mean(areas), abs=1e-12)


@given(staircases())
def test_the_mean_of_one_curve_with_itself_is_that_curve(one):
    far, frr = vertical_mean([one, one])
    mine = {(round(x, 12), round(y, 12)) for x, y in zip(far, frr, strict=True)}
    assert {(round(x, 12), round(y, 12)) for x, y in zip(*one, strict=True)} >= mine
