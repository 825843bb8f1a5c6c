"""What a config requests of inference: resamples, level, unit, estimand, correction, family and seed."""

from __future__ import annotations

from typing import Literal

from reporting.base.records import dataclass, replace
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
