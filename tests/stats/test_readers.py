"""The spread of a mean over readers, over cases and over other readers."""

import numpy as np
import pytest
from scipy.special import stdtrit

from reporting.stats.crossed_units import reader_spread


def test_by_hand():
    """Cases have variance 1; readers add 3, that is 3 * 4 / 3 = 4 of four readers: V = 5, df = 25 / (16 / 3)."""
    cases = np.array([-1.0, 1.0, -1.0, 1.0]) * np.sqrt(3 / 4)
    both = cases * 2
    found = reader_spread(both, cases, 4)
    assert found.se == pytest.approx(np.sqrt(5))
    assert found.df == pytest.approx(25 * 3 / 16)


def test_readers_that_add_nothing_leave_the_normal():
    cases = np.array([-1.0, 1.0, -1.0, 1.0])
    assert reader_spread(cases / 2, cases, 3) == (pytest.approx(np.std(cases, ddof=1)), np.inf)
    assert np.isnan(reader_spread(cases, cases, 1).se)
    assert reader_spread(cases, np.zeros(4), 5).df == pytest.approx(4)


def test_it_covers_the_mean_of_other_readers():
    """Four readers of 200 cases, both random: intervals by t hold the mean of all readers in about 95 %."""
    rng = np.random.default_rng(1)
    held, runs, m = 0, 400, 200
    for _ in range(runs):
        reader, cases = rng.normal(0, 0.1, 4), rng.normal(0, 1, (200, 1)) + rng.normal(0, 0.5, (200, 4))
        value = cases + reader
        drawn = rng.multinomial(200, np.full(200, 1 / 200), size=m) / 200 @ value
        weights = rng.multinomial(4, np.full(4, 1 / 4), size=m) / 4
        found = reader_spread((drawn * weights).sum(axis=1), drawn.mean(axis=1), 4)
        quantile = 1.959964 if np.isinf(found.df) else stdtrit(found.df, 0.975)
        held += abs(value.mean()) < quantile * found.se
    assert 0.91 < held / runs < 0.99
