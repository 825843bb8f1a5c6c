"""What is asked of inference: replicates, level, unit, estimand, correction, family and seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["auto", "trial", "cluster"]
Correction = Literal["holm", "maxt", "bh", "none"]
Family = Literal["primary", "all"]
Estimand = Literal["procedure", "given_thresholds"]
"""Thresholds chosen again in every replicate, or kept: \"these models\", or \"these two tuned systems\"."""
Stratify = Literal["none", "label"]


@dataclass(frozen=True)
class Inference:
    """The settings of every interval and test of a report."""

    replicates: int = 10_000
    level: float = 0.95
    unit: Unit = "auto"
    comparisons: Estimand = "procedure"
    intervals: Estimand = "given_thresholds"
    stratify: Stratify = "none"
    correction: Correction = "holm"
    family: Family = "primary"
    seed: int = 1
