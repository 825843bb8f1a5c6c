"""What simulated results are about."""

from __future__ import annotations

from dataclasses import dataclass, field

from reporting.core.measures.costs import MINDCF
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AUC, EER_ROCCH
from reporting.core.measures.threshold import FAR, FRR, HTER
from reporting.core.resampling.settings import Estimand

MEASURES = (FAR, FRR, HTER, EER_ROCCH, AUC, MINDCF)


@dataclass(frozen=True)
class World:
    """What is simulated."""

    models: tuple[str, ...] = ("TC1", "TC2")
    datasets: tuple[str, ...] = ("all",)
    names: dict[str, str] = field(default_factory=dict)
    baseline: str | None = None
    primary: Measure = HTER
    measures: tuple[Measure, ...] = MEASURES
    n_target: int = 300
    n_nontarget: int = 700
    strength: float = 2.5
    step: float = 0.3
    """How much each model separates the classes better than the one before."""
    decimals: int = 3
    cluster: str | None = None
    seed: int = 1
    alphas: int = 101
    same_scores: bool = False
    pictures: bool = True
    comparisons: Estimand = "procedure"
