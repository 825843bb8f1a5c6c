"""How many replicates a report draws where no number is asked for."""

import numpy as np
import pytest

from reporting.app.config.study_keys import enough_replicates, least_replicates
from reporting.core.resampling.settings import Inference
from reporting.core.stats.intervals import percentile


def test_the_default_is_enough_at_its_level():
    """.025 * .975 / (.05 * .05845)^2 = 2,854: twelve blocks of 256."""
    assert enough_replicates(0.95) == Inference().replicates == 3_072


@pytest.mark.parametrize(
    ("level", "enough"), [(0.5, 768), (0.9, 1_792), (0.99, 9_728), (0.999, 10_000), (0.9999, 19_999)]
)
def test_other_levels(level, enough):
    assert enough_replicates(level) == enough >= least_replicates(level)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("trials", [60, 10_000])
def test_limits_vary_by_a_twentieth_of_the_standard_error(level, trials):
    """Over 300 seeds, of a rate of .3 whose replicates tie: beside half a step between two rates."""
    random, m = np.random.default_rng(1), enough_replicates(level)
    sd = np.sqrt(trials * 0.21)
    limits = [percentile(random.binomial(trials, 0.3, m) / sd, level) for _ in range(300)]
    assert (np.std(limits, axis=0) < 0.05 * 1.15 + 0.5 / sd).all()
