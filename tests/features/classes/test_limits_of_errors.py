"""Limits of calibration errors: laws on forecasts of few values, which tie, and coverage of every possible outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.base.arrays import FloatArray, IntArray
from reporting.features.classes.formulas import Forecasts, calibration_bins, limits_of_errors

Z = 1.959963984540054
Drawn = tuple[list[Forecasts], IntArray, IntArray]


@st.composite
def forecasts(draw: Callable[..., Any]) -> Drawn:
    """Draw one to three sets of probabilities .05, .15, ..., .95 with outcomes, and units and weights of their trials."""
    n = draw(st.integers(2, 12))

    def each(last: int) -> IntArray:
        return np.array(draw(st.lists(st.integers(0, last), min_size=n, max_size=n)))

    many = draw(st.integers(1, 3))
    every = [Forecasts(0.05 + each(9) / 10, each(1) == 1, 1 / many) for _ in range(many)]
    return every, np.unique(each(n - 1), return_inverse=True)[1], 1 + each(3)


def limits(drawn: Drawn, reach: float = Z, *, clustered: bool = True) -> tuple[float, float]:
    every, unit, weight = drawn
    return limits_of_errors(every, unit, weight, reach, clustered=clustered)


def turned(of: Forecasts, how: Callable[[Any], Any]) -> Forecasts:
    return Forecasts(how(of.probability), how(of.holds), of.share)


@given(forecasts())
def test_the_estimate_lies_within_limits_and_they_within_its_range(drawn: Drawn) -> None:
    low, high = limits(drawn)
    value = sum(of.share * calibration_bins(of.probability, of.holds, drawn[2]).error for of in drawn[0])
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1


@given(forecasts(), st.sampled_from([0.5, 1.0, 1.5]))
def test_a_higher_level_has_wider_limits_and_dependent_bins_a_lower_lower_one(
    drawn: Drawn, reach: float
) -> None:
    narrow, wide = limits(drawn, reach), limits(drawn)
    assert wide[0] <= narrow[0] + 1e-12
    assert narrow[1] <= wide[1] + 1e-12
    apart = limits(drawn, clustered=False)
    assert wide[0] <= apart[0] + 1e-12
    assert wide[1] == apart[1]


@given(forecasts(), st.integers(1, 5), st.randoms(use_true_random=False))
def test_order_names_of_units_and_the_sum_of_weights_do_not_count(
    drawn: Drawn, times: int, random: Any
) -> None:
    every, unit, weight = drawn
    rows, names = list(range(len(unit))), list(range(unit.max() + 1))
    random.shuffle(rows)
    random.shuffle(names)
    mixed = [turned(of, lambda values: values[rows]) for of in every]
    other = mixed, np.array(names)[unit][rows], times * weight[rows]
    assert limits(other) == pytest.approx(limits(drawn), abs=1e-12)


@given(forecasts())
def test_of_two_classes_one_errs_as_the_other(drawn: Drawn) -> None:
    every, unit, weight = drawn
    other = [Forecasts(1 - of.probability, ~of.holds, of.share) for of in every]
    assert limits((other, unit, weight)) == pytest.approx(limits(drawn), abs=1e-9)


@given(forecasts())
def test_runs_that_agree_are_one_run(drawn: Drawn) -> None:
    every, unit, weight = drawn
    twice = [of._replace(share=of.share / 2) for of in every for _ in range(2)]
    assert limits((twice, unit, weight)) == pytest.approx(limits(drawn), abs=1e-12)


@given(forecasts())
def test_trials_without_weight_are_those_that_are_left_out(drawn: Drawn) -> None:
    """As in resamples: a bin that only they fill is empty."""
    every, unit, weight = drawn
    weight = weight * (np.arange(len(unit)) > 0)
    rest = [turned(of, lambda values: values[1:]) for of in every]
    left = rest, np.unique(unit[1:], return_inverse=True)[1], weight[1:]
    assert limits((every, unit, weight)) == pytest.approx(limits(left), abs=1e-12)


def coverage(probability: float, n: int) -> FloatArray:
    """Return how often 95 % limits hold the error, by a true rate of 0, .005, ..., 1: all outcomes have their chance."""
    every = np.array([
        limits(([Forecasts(np.full(n, probability), np.arange(n) < k)], np.arange(n), np.ones(n, dtype=np.int64)),
               clustered=False)
        for k in range(n + 1)
    ])  # fmt: skip
    rate = np.linspace(0, 1, 201)
    true = np.abs(probability - rate)[:, None]
    held = (every[:, 0] <= true + 1e-12) & (true - 1e-12 <= every[:, 1])
    return np.asarray((stats.binom(n, rate[:, None]).pmf(np.arange(n + 1)) * held).sum(axis=1))


@pytest.mark.parametrize("probability", [0.5, 0.75, 0.9, 1.0])
def test_the_error_of_one_bin_is_held_whatever_its_rate(probability: float) -> None:
    """At .75, 30 right of 40 show no error at all and may hide one of .09: their upper limit counts, too."""
    for n in (10, 40, 100):
        of_rates = coverage(probability, n)
        assert of_rates.min() > 0.94
        assert of_rates.mean() > 0.97
