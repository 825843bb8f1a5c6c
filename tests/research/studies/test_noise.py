"""Intervals of counts with noise, in few runs: they cover, those that ignore the noise do not."""

import math

import pytest

from tests.research.studies.noise import of_area, of_precision, of_rate

RUNS = 200
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize(
    "coverage",
    [
        of_rate(0.05, 1_000, 0.5, RUNS),
        of_rate(0.2, 200, 0.5, RUNS, models=3),
        of_precision(0.05, 1_000, 0.5, RUNS),
        of_area(0.95, 200, 0.5, RUNS),
    ],
    ids=["rate", "rate of three models", "precision", "AUC"],
)
def test_only_intervals_with_the_noise_cover(coverage):
    assert coverage.covered >= LEAST
    assert coverage.ignoring < LEAST
    assert coverage.width > 1.5
