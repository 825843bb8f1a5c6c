"""How a measure's interval and test are made, what they assume, and how often the interval held the truth.

The figures are those of the study of coverage (``tests/studies/coverage.py``), which writes ``covered.csv``.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reporting.measures.measure import Measure
from reporting.wording.codes import CI_METHODS, P_METHODS

LEVEL = 0.95
"""Of the intervals of the study."""
PERCENTILE = CI_METHODS["percentile"].name
BY_BOUNDS = ("t", "log_t", "logit_t")
SKEWED = ("normal", "log_normal", "logit_normal")
"""How clusters are read, by how many ends the range has."""
CLUSTERS = "trials that are independent, or whose clusters are declared"
SMOOTH = "a measure that moves little with each trial"


class Covered(NamedTuple):
    """In which share of simulated tables intervals held the truth: the lowest and the highest of all kinds.

    ``runs`` is the fewest tables of a kind.
    """

    lowest: float
    lowest_of: str
    highest: float
    highest_of: str
    runs: int

    @property
    def span(self) -> str:
        """``91% to 98%``."""
        return f"{self.lowest:.0%} to {self.highest:.0%}"


@cache
def _figures() -> dict[str, Covered]:
    with Path(__file__).with_name("covered.csv").open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    return {
        measure: Covered(float(low), low_of, float(high), high_of, int(runs))
        for measure, low, low_of, high, high_of, runs in lines
    }


def covered(measure: Measure) -> Covered | None:
    """Return how often intervals of a measure held the truth; None where the study did not ask."""
    return _figures().get(str(measure))


def interval_of(measure: Measure) -> str:
    """Return how the interval of a value is made, unless the config asks for another."""
    if measure.least_cost is not None:
        way = f"{CI_METHODS['best_cut'].name}, corrected for optimism"
        return f"{way}; clusters by effective sizes and Student's t"
    if measure.optimum is not None:
        few = f"; none with fewer than {measure.optimum.least_errors:g} errors of a class where FAR = FRR"
        return f"{CI_METHODS['held_cut'].name}{few if measure.optimum.least_errors else ''}"
    if measure.of_area is not None:
        return (
            f"{CI_METHODS['logit_delong'].name}; clusters: {CI_METHODS['logit_clustered'].name}, Student's t"
        )
    if measure.bayes_costs is not None:
        way = f"{CI_METHODS['square_and_add'].name} of those of FAR and FRR, mean over costs"
        return f"{way}; of recalibrated scores: {PERCENTILE}"
    if measure.highest is not None:
        return f"{CI_METHODS['wilson_effective'].name}, {CI_METHODS['clopper_pearson'].name} of none or all"
    again = f"; thresholds re-selected: {PERCENTILE}"
    if measure.counted is not None:
        exact = f"{CI_METHODS['wilson'].name} ({CI_METHODS['clopper_pearson'].name} without errors)"
        return f"{exact}; clusters: {CI_METHODS['wilson_effective'].name}, Student's t{again}"
    if measure.mixed is not None:
        return f"{CI_METHODS['square_and_add'].name} of those of FRR and of both FARs{again}"
    if measure.rate_weights() is not None:
        return f"{CI_METHODS['square_and_add'].name} of those of FAR and FRR{again}"
    if measure.raised:
        return CI_METHODS["lowered"].name
    bounded = sum(map(math.isfinite, measure.bounds))
    independent = CI_METHODS[SKEWED[bounded]].name if measure.skewed else PERCENTILE
    pairs = "; none of pair trials" if measure.unknown_of_pairs else ""
    return f"{independent}; clusters: {CI_METHODS[BY_BOUNDS[bounded]].name}{pairs}"


def comparison_of(measure: Measure) -> str:
    """Return how a difference of two models is tested, unless the config asks for another way."""
    if measure.of_area is not None:
        return f"{P_METHODS['delong'].name}; clusters: {P_METHODS['t'].name}"
    student = P_METHODS["t"].name
    if measure.over == "threshold":
        return f"{P_METHODS['swap'].name}, thresholds re-selected; pair trials: {student}"
    return f"{P_METHODS['normal'].name}; clusters: {student}"


def assumed_by(measure: Measure) -> str:
    """Return what interval and test rest on."""
    closed = measure.counted or measure.of_area or measure.least_cost
    return CLUSTERS if closed else f"{CLUSTERS}; {SMOOTH}"


def coverage_of(measure: Measure) -> str:
    """Return in which share of simulated tables 95% intervals held the truth; empty where it is not known."""
    figures = covered(measure)
    if figures is None:
        return ""
    return (
        f"{figures.lowest:.1%} ({figures.lowest_of}) to {figures.highest:.1%} ({figures.highest_of}) of"
        f" simulated tables, {figures.runs} or more of each kind, at level {LEVEL:g}"
    )
