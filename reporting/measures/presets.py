"""Operating points: priors and costs, and those of the evaluations that have made them known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OperatingPoint:
    """One point of interest. ``normalised`` divides the cost by that of deciding without scores."""

    name: str
    p_target: float = 0.5
    c_miss: float = 1.0
    c_fa: float = 1.0
    normalised: bool = True
