import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.weightstats import ttost_paired

from reporting.core.resampling.margins import Normal
from reporting.core.stats import intervals
from reporting.features.further_tests.equivalence import (
    equivalence_level,
    non_inferiority,
    tost,
)

LEVEL = 0.95
Z = float(norm.ppf(LEVEL))

numbers = st.integers(-40, 40).map(lambda k: k / 8)
errors = st.integers(1, 24).map(lambda k: k / 8)
margins = st.integers(1, 60).map(lambda k: k / 8)
degrees = st.none() | st.integers(1, 30)
levels = st.sampled_from([0.9, 0.95, 0.975])


def test_by_hand():
    """D = 1, SE = 1, margin 3: the nearer bound is two standard errors off."""
    found = tost(Normal(1.0, 1.0), 3.0, LEVEL)
    assert found.verdict == "equivalent"
    assert found.p == pytest.approx(norm.sf(2.0), rel=1e-12)
    assert found.interval == pytest.approx((1 - Z, 1 + Z), rel=1e-12)
    assert tost(Normal(-1.0, 1.0), 2.6, LEVEL).verdict == "not_shown_equivalent"
    lower = non_inferiority(Normal(1.0, 1.0), 3.0, LEVEL, "lower")
    assert lower == (
        "not_inferior",
        pytest.approx(norm.sf(2.0)),
        (-math.inf, pytest.approx(1 + Z)),
    )
    higher = non_inferiority(Normal(1.0, 1.0), 3.0, LEVEL, "higher")
    assert higher == (
        "not_inferior",
        pytest.approx(norm.sf(4.0)),
        (pytest.approx(1 - Z), math.inf),
    )
    # Better by at least 3 - 1.64.
    assert non_inferiority(Normal(3.0, 1.0), 0.0, LEVEL, "higher").interval.low == pytest.approx(3 - Z)


def test_as_by_statsmodels():
    rng = np.random.default_rng(4)
    first, second = rng.normal(0.1, 1, 12), rng.normal(0, 1, 12)
    d = first - second
    p, *_ = ttost_paired(first, second, -0.9, 0.9)
    found = tost(Normal(d.mean(), d.std(ddof=1) / math.sqrt(12), 11), 0.9, LEVEL)
    assert found.p == pytest.approx(float(p), rel=1e-10)


@given(numbers, errors, margins, levels, degrees)
def test_verdict_p_interval_and_margins_agree(d, se, margin, level, df):
    found = tost(Normal(d, se, df), margin, level)
    assume(abs(found.p - (1 - level)) > 1e-9)
    assert (found.verdict == "equivalent") == (found.p < 1 - level)
    assert (found.verdict == "equivalent") == (max(map(abs, found.interval)) < margin)
    narrow = equivalence_level(level)
    same = intervals.normal(d, se, narrow, df)
    assert found.interval == pytest.approx(tuple(same), abs=1e-9)
    assert tost(Normal(-d, se, df), margin, level)[1:2] == found[1:2]
    # Equivalent is not inferior in both directions.
    both = [non_inferiority(Normal(d, se, df), margin, level, better) for better in ("lower", "higher")]
    assert found.p == max(one.p for one in both)
    assert (found.verdict == "equivalent") == all(one.verdict == "not_inferior" for one in both)


@given(numbers, errors, margins, levels, degrees)
def test_non_inferiority_swaps_with_the_sense(d, se, margin, level, df):
    lower = non_inferiority(Normal(d, se, df), margin, level, "lower")
    higher = non_inferiority(Normal(-d, se, df), margin, level, "higher")
    assert (lower.verdict, lower.p) == (higher.verdict, higher.p)
    assert higher.interval == (-lower.interval.high, math.inf)
    assume(abs(lower.p - (1 - level)) > 1e-9)
    assert (lower.verdict == "not_inferior") == (lower.p < 1 - level) == (lower.interval.high < margin)


replicates = st.lists(st.integers(-8, 8).map(lambda k: k / 10), min_size=5, max_size=120).map(np.array)


def test_nothing_is_shown_without_limits():
    found = tost(None, 1.0, LEVEL)
    assert (found.verdict, found.interval) == ("not_shown_equivalent", None)
    assert math.isnan(found.p)
    one = non_inferiority(None, 1.0, LEVEL, "lower")
    assert (one.verdict, one.interval) == ("inferior_or_unknown", None)
    assert math.isnan(one.p)


@pytest.mark.parametrize("truth", [-0.3, 0.3])
def test_size_at_the_margin_and_of_small_samples(truth):
    """At |D| = margin at most 1 - level, with t of 9 degrees where the normal test has too much."""
    rng = np.random.default_rng(6)
    d = rng.normal(truth, 0.3, (4000, 10))
    means, ses = d.mean(axis=1), d.std(axis=1, ddof=1) / math.sqrt(10)
    pairs = list(zip(means, ses, strict=True))
    by_t = np.mean([tost(Normal(m, s, 9), 0.3, LEVEL).verdict == "equivalent" for m, s in pairs])
    by_z = np.mean([tost(Normal(m, s), 0.3, LEVEL).verdict == "equivalent" for m, s in pairs])
    assert by_t == pytest.approx(0.05, abs=0.012)
    assert by_z > 0.06
