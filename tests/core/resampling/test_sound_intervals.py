"""Laws of the interval of one number, over all methods and measures: it holds the value, within the bounds."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import (
    NO_INTERVAL,
    UNSOUND,
    Influence,
    ModelInterval,
    estimate_by,
    interval_within,
    know_nothing,
    spread_interval,
)
from reporting.core.resampling.settings import IntervalMethod
from reporting.core.stats.intervals import Interval, within
from reporting.core.stats.paired import influences_of_one
from reporting.core.stats.special import logit

METHODS: tuple[IntervalMethod, ...] = ("auto", "percentile", "centred", "basic", "studentized", "bca")
OF_KINDS = {key for key, measure in MEASURES.items() if measure.mixed} | {"tdcf", "mintdcf"}
AT_A_THRESHOLD = [m for m in MEASURES.values() if m.over == "threshold" and m.key not in OF_KINDS]
OTHERS = [m for m in MEASURES.values() if m.over != "threshold" and m.key not in OF_KINDS]
REPLICATES = 59


def is_sound(interval, value, bounds):
    """Whether limits are finite, hold the value and lie within the bounds, or there are none at all."""
    if interval.method is None:
        return interval.low is None and interval.high is None
    finite = math.isfinite(interval.low) and math.isfinite(interval.high)
    return finite and bounds[0] - 1e-12 <= interval.low <= value <= interval.high <= bounds[1] + 1e-12


def test_limits_beyond_the_bounds_are_cut_off():
    """A studentized limit of a rate, of two trials that differ, was 329,096,953."""
    far = ModelInterval(-4.5, 329_096_953.0, "studentized", 99, 0.2)
    assert far.of(0.25, (0.0, 1.0)) == ModelInterval(0.0, 1.0, "studentized", 99, 0.2)
    assert far.of(0.25, (-math.inf, math.inf)) == far


def test_replicates_beyond_the_bounds_are_cut_off_with_the_limits():
    """Of readers: noise between them is added to their mean. A gate reads quantiles of any level off them."""
    of_readers = ModelInterval(-1.5, 2.9, "percentile", 4, values=np.array([-1.5, 0.2, 0.9, 2.9]))
    assert of_readers.of(0.77, (0.0, 1.0)).values.tolist() == [0.0, 0.2, 0.9, 1.0]


def test_an_interval_beside_its_value_is_withheld_with_the_reason():
    below = ModelInterval(0.1, 0.2, "percentile", 99)
    assert below.of(0.25, (0.0, 1.0)) == UNSOUND
    assert UNSOUND.withheld == "interval_unsound"


def test_rounding_is_not_taken_for_a_bias():
    third = ModelInterval(1 / 3 + 5e-17, 0.5, "wilson")
    assert third.of(1 / 3, (0.0, 1.0)).low == 1 / 3


@pytest.mark.parametrize("limits", [(-math.inf, 1.0), (0.1, math.inf), (math.nan, math.nan)])
def test_no_limit_is_infinite(limits):
    assert ModelInterval(*limits, "log_t").of(0.5, (-math.inf, math.inf)) == UNSOUND
    assert NO_INTERVAL.of(0.5, (0.0, 1.0)) == NO_INTERVAL


def test_a_value_near_its_bound_has_a_finite_limit_or_none():
    """exp(1.96 SE / (V - a)) is beyond all numbers from 362 standard errors on."""
    near = within(1e-9, 1.0, (0.0, math.inf), 0.95)
    assert near == Interval(0.0, math.inf)
    assert within(1 - 1e-9, 1.0, (-math.inf, 1.0), 0.95) == Interval(-math.inf, 1.0)
    assert interval_within(1e-9, 1.0, (0.0, math.inf), 0.95, None).of(1e-9, (0.0, math.inf)) == UNSOUND
    low, high = within(2.0, 0.5, (0.0, math.inf), 0.95)
    assert (low * high, math.log(high / 2)) == (pytest.approx(4), pytest.approx(1.959963984540054 / 4))


def test_a_spread_of_rounding_is_none():
    """An area that is the same in every replicate, but for the order of its sum, is worth no trials at all."""
    same = 0.011961722488038277 + np.array([0.0, 1.7e-18, -1.7e-18, 0.0])
    assert know_nothing(same, 10)
    assert know_nothing(np.zeros(4), 10)
    assert not know_nothing(same + np.array([0.0, 0.0, 1e-9, 0.0]), 10)
    assert not know_nothing(np.array([1.0, 2.0, math.inf]), 10)


TABLES = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=4, max_size=14).filter(
    lambda trials: len({label for label, _ in trials}) == 2
)


@settings(max_examples=25)
@given(TABLES, st.integers(0, 2**32 - 1), st.sampled_from(METHODS), st.none() | st.integers(1, 4))
def test_every_method_at_a_threshold(trials, seed, method, df):
    label, score = (np.array(column) for column in zip(*trials, strict=True))
    weight = np.random.default_rng(seed).multinomial(
        len(label), np.full(len(label), 1 / len(label)), REPLICATES
    )
    of_trials = [
        side.astype(np.int64) for side in (label & (score < 2), ~label & (score >= 2), label, ~label)
    ]
    observed = tuple(int(side.sum()) for side in of_trials)
    drawn = tuple(weight @ side for side in of_trials)
    for measure in AT_A_THRESHOLD:
        formula = partial(measure.formula, **measure.arguments)
        value, values = float(formula(*observed)), np.asarray(formula(*drawn), dtype=np.float64)
        if not math.isfinite(value):
            continue
        psi = Influence(
            partial(influences_of_one, formula, observed), partial(influences_of_one, formula, drawn)
        )
        with np.errstate(all="ignore"):
            interval = estimate_by(method, value, values, 0.9, len(label), psi)
        assert is_sound(interval.of(value, measure.bounds), value, measure.bounds), measure
        by_spread = spread_interval(value, values, measure.bounds, 0.9, Design(0.9, df))
        assert is_sound(by_spread.of(value, measure.bounds), value, measure.bounds), measure


@settings(max_examples=15)
@given(TABLES, st.integers(0, 2**32 - 1), st.sampled_from(METHODS), st.none() | st.integers(1, 4))
def test_every_method_of_what_needs_no_threshold(trials, seed, method, df):
    label, score = (np.array(column) for column in zip(*trials, strict=True))
    distinct, place = np.unique(score, return_inverse=True)
    weight = np.random.default_rng(seed).multinomial(
        len(label), np.full(len(label), 1 / len(label)), REPLICATES
    )
    cell = np.eye(len(distinct), dtype=np.int64)[place]
    counts = [
        np.vstack((side.sum(axis=0), weight @ side))
        for side in (cell * label[:, None], cell * ~label[:, None])
    ]
    probability = (distinct + 1) / 6
    scores = {"": distinct, "llr": distinct - 2.0, "probability": probability, "log_odds": logit(probability)}
    misses = np.pad(np.cumsum(counts[0], axis=1), ((0, 0), (1, 0)))
    alarms = counts[1].sum(axis=1, keepdims=True) - np.pad(np.cumsum(counts[1], axis=1), ((0, 0), (1, 0)))
    for measure in OTHERS:
        inputs = (misses, alarms) if measure.over == "sweep" else (scores[measure.needs], *counts)
        with np.errstate(all="ignore"):
            value, *values = np.asarray(measure.formula(*inputs, **measure.arguments), dtype=np.float64)
            if not math.isfinite(value):
                continue
            interval = estimate_by(method, float(value), np.array(values), 0.9, len(label))
        assert is_sound(interval.of(float(value), measure.bounds), value, measure.bounds), measure
        by_spread = spread_interval(float(value), np.array(values), measure.bounds, 0.9, Design(0.9, df))
        assert is_sound(by_spread.of(float(value), measure.bounds), value, measure.bounds), measure
