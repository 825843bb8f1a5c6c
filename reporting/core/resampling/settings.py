"""What a config requests of inference: resamples, level, unit, estimand, correction, family and seed."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

from reporting.core.resampling.draws import BLOCK
from reporting.core.stats.roc_bands import Kind
from reporting.core.stats.staircase import MOST_BINS

Unit = Literal["auto", "trial", "cluster"]
Correction = Literal["holm", "maxt", "bh", "none"]
Family = Literal["primary", "all"]
Pairs = Literal["auto", "all"]
"""Whether all pairs of very many models without a baseline are tested; ``auto``: they are ranked alone."""
Estimand = Literal["procedure", "given_thresholds"]
"""Thresholds re-selected in every resample, or kept: \"these models\", or \"these two, thresholds fixed\"."""
Stratify = Literal["none", "label"]
Test = Literal[
    "mcnemar", "null_z", "proportion_z", "cochran_q", "delong", "venkatraman", "permutation", "equivalence",
    "non_inferiority", "fragility", "power",
]  # fmt: skip
"""The further tests that are reported next to the comparisons on request."""
WITH_MARGIN: tuple[Test, ...] = ("equivalence", "non_inferiority")
ONE_SIDED: tuple[Test, ...] = (*WITH_MARGIN, "fragility")
"""Tests that take ``level`` as that of a one-sided test, or from it an error rate of at most 1/2."""
IntervalMethod = Literal["auto", "percentile", "centred", "basic", "studentized", "bca"]
"""How resamples become an interval (methods 8.5); ``auto``: by the quantity."""

ReplicateOn = Literal["auto", "scores", "bins"]
"""What resamples see of a set of trials: every distinct score, or at most 4096 bins of them, and narrow
ones around fixed rates; ``auto``: bins where there are more distinct scores than ``EXACT_SCORES``."""
EXACT_SCORES = 2**15


def sees_bins(replicate_on: ReplicateOn, n_scores: int, n_runs: int = MOST_BINS + 1) -> bool:
    """Return whether resamples see bins of so many distinct scores, in so many runs of one class.

    What needs nothing but the runs sees no bins where these are as few.
    """
    many = n_scores > EXACT_SCORES and n_runs > MOST_BINS
    return replicate_on == "bins" or (replicate_on == "auto" and many)


LIMIT_ERROR = 0.05
"""Monte Carlo error of a percentile limit that a report allows by default, in standard errors."""
MOST_BY_DEFAULT = 10_000


def least_replicates(level: float) -> int:
    """Return how many resamples percentile limits need at least: order statistics (M + 1)(1 - level) / 2."""
    return math.ceil(2 / (1 - level) - 1 - 1e-6)


def enough_replicates(level: float) -> int:
    """Return how many resamples hold the Monte Carlo error of percentile limits to ``LIMIT_ERROR``.

    The beta quantile of M normal resamples has the error sqrt(beta (1 - beta) / M) / phi(z_beta) in
    standard errors, beta = (1 - level) / 2: 2,854 resamples at level .95, in whole blocks 3,072. It varies
    little with the data, so that no report and no model has a number of its own. At most
    ``MOST_BY_DEFAULT``, unless the limits need more.
    """
    beta, normal = (1 - level) / 2, NormalDist()
    density = normal.pdf(normal.inv_cdf(beta))
    wanted = beta * (1 - beta) / (LIMIT_ERROR * density) ** 2
    return max(min(BLOCK * math.ceil(wanted / BLOCK), MOST_BY_DEFAULT), least_replicates(level))


@dataclass(frozen=True)
class Inference:
    """The settings of every interval and test of a report."""

    replicates: int = 3_072
    level: float = 0.95
    unit: Unit = "auto"
    comparisons: Estimand = "procedure"
    intervals: Estimand = "given_thresholds"
    stratify: Stratify = "none"
    interval: IntervalMethod = "auto"
    """``auto``: by the quantity, as methods, decision (viii) has it."""
    correction: Correction = "holm"
    family: Family = "primary"
    seed: int = 1
    bands: Kind = "fixed_width"
    """Of the curves of FAR and FRR."""
    tests: tuple[Test, ...] = ()
    margin: float | None = None
    """The difference in the primary measure that does not matter, where a test asks for one."""
    power: float = 0.8
    """The power, where one asks how many trials finding a difference takes."""
    replicate_on: ReplicateOn = "auto"
    """What resamples see of many distinct scores."""
    pairs: Pairs = "auto"

    @property
    def without_intervals(self) -> Inference:
        """The same for values alone: one resample gives no percentiles, so every limit is null."""
        return replace(self, replicates=1, interval="percentile", intervals="given_thresholds")


def lacking(tests: Collection[Test], margin: float | None, level: float, power: float) -> str | None:
    """Return what is wrong with the settings of further tests; None where nothing is."""
    named = [repr(test) for test in tests if test in WITH_MARGIN]
    if named and margin is None:
        return (
            f"{' and '.join(named)} need{'s' if len(named) == 1 else ''} a margin: the difference in the"
            " primary measure that does not matter, such as margin: 0.01"
        )
    if margin is not None and not named:
        return f"no test takes the margin; ask for {' or '.join(WITH_MARGIN)} in tests, or leave it out"
    one_sided = [test for test in tests if test in ONE_SIDED]
    if one_sided and level <= 0.5:
        return f"{one_sided[0]!r} needs a level above 0.5, found {level!r}"
    if "power" in tests and power <= 1 - level:
        return f"a power of {power!r} is had without any difference at level {level!r}; ask for more"
    return None
