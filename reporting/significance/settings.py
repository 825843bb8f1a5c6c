"""What is asked of inference: replicates, level, unit, estimand, correction, family and seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["auto", "trial", "cluster"]
Correction = Literal["holm", "bh", "none"]
Family = Literal["primary", "all"]


@dataclass(frozen=True)
class Inference:
    """The settings of every interval and test of a report."""

    replicates: int = 10_000
    level: float = 0.95
    unit: Unit = "auto"
    comparisons: Literal["given_thresholds"] = "given_thresholds"
    intervals: Literal["given_thresholds"] = "given_thresholds"
    correction: Correction = "holm"
    family: Family = "primary"
    seed: int = 1
