"""How a measure's interval and test are made, what they assume, and how often the interval held the truth.

The figures are those of the study of coverage (``tests/research/studies/coverage.py``),
which writes ``covered.csv``.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from reporting.core.measures.measure import Measure
from reporting.document.words.codes import CI_METHODS, P_METHODS

LEVEL = 0.95
"""Of the intervals of the study."""
PERCENTILE = CI_METHODS["percentile"].name
COMBINED = "Wilson intervals of {}, combined (square-and-add)"
BY_BOUNDS = ("t", "log_t", "logit_t")
SKEWED = ("normal", "log_normal", "logit_normal")
"""How clusters are read, by how many ends the range has."""
CLUSTERS = "trials that are independent, or whose clusters are declared"
SMOOTH = "a measure that moves little with each trial"


class Studied(NamedTuple):
    """A kind of table of the study: its trials, what is independent in it, and how fine its scores are."""

    n_target: int
    n_nontarget: int
    unit: Literal["trial", "cluster", "pair"] = "trial"
    n_units: int = 0
    """Clusters, or members of the population whose pairs the trials are."""
    grades: int = 0
    """How many distinct scores there are; 0: about as many as trials."""

    @property
    def described(self) -> str:
        """The kind in words: ``60 targets and 300 non-targets drawn independently``."""
        units = {
            "trial": " drawn independently",
            "cluster": f" in {self.n_units} clusters of equal size",
            "pair": f" of {self.n_units} paired members",
        }
        grades = f" with {self.grades} distinct scores" if self.grades else ""
        return f"{self.n_target:,} targets and {self.n_nontarget:,} non-targets{units[self.unit]}{grades}"

    def is_like(self, other: Studied) -> bool:
        """Return whether units are of one sort, and sizes at most a factor of 2 apart (of units 1.5)."""
        sizes = ((self.n_target, other.n_target, 2.0), (self.n_nontarget, other.n_nontarget, 2.0))
        units = ((self.n_units, other.n_units, 1.5),) if self.unit != "trial" else ()
        near = all(0 < mine <= most * its and its <= most * mine for mine, its, most in (*sizes, *units))
        return near and self.unit == other.unit and bool(self.grades) == bool(other.grades)


STUDIED = {
    "60/60": Studied(60, 60),
    "60/300": Studied(60, 300),
    "200/1000": Studied(200, 1000),
    "1000/10000": Studied(1000, 10_000),
    "rare costs": Studied(300, 3000),
    "five grades 60/60": Studied(60, 60, grades=5),
    "seven grades 100/100": Studied(100, 100, grades=7),
    "unequal variances 60/60": Studied(60, 60),
    "10 clusters of 5/20": Studied(50, 200, "cluster", 10),
    "20 clusters of 5/20": Studied(100, 400, "cluster", 20),
    "40 speakers": Studied(120, 4680, "pair", 40),
    "100 speakers": Studied(100, 9900, "pair", 100),
}
"""The kinds of the study by their names in ``covered.csv`` (its ``KINDS``)."""
MOST_GRADES = 10
"""A table of at most so many distinct scores is one of grades."""


class Covered(NamedTuple):
    """In which share of simulated tables intervals held the truth: the lowest and the highest of some kinds.

    ``runs`` is the smallest number of tables that a kind has.
    """

    lowest: float
    lowest_of: str
    highest: float
    highest_of: str
    runs: int

    @property
    def kinds(self) -> str:
        """The kinds that the figures are of, in words."""
        return " and of ".join(
            dict.fromkeys(STUDIED[of].described for of in (self.lowest_of, self.highest_of))
        )

    @property
    def span(self) -> str:
        """``91% to 98%``, or ``95%`` where both are the same."""
        return " to ".join(dict.fromkeys((f"{self.lowest:.0%}", f"{self.highest:.0%}")))


@cache
def _figures() -> dict[str, dict[str, tuple[float, int]]]:
    """By measure and kind: the share of tables whose interval held the truth, and how many had one."""
    figures: dict[str, dict[str, tuple[float, int]]] = {}
    with Path(__file__).with_name("covered.csv").open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    for measure, kind, share, runs in lines:
        figures.setdefault(measure, {})[kind] = float(share), int(runs)
    return figures


def covered(measure: Measure, like: Studied | None = None) -> Covered | None:
    """Return how often intervals of a measure held the truth; None where the study did not ask.

    With ``like``, only kinds that are like this table count.
    """
    kinds = {
        name: figures
        for name, figures in _figures().get(str(measure), {}).items()
        if like is None or STUDIED[name].is_like(like)
    }
    if not kinds:
        return None
    lowest, highest = min(kinds, key=lambda name: kinds[name][0]), max(kinds, key=lambda name: kinds[name][0])
    runs = min(of for _, of in kinds.values())
    return Covered(kinds[lowest][0], lowest, kinds[highest][0], highest, runs)


def interval_of(measure: Measure) -> str:
    """Return how the interval of a value is made, unless the config asks for another."""
    correlated = "; clusters: with their correlation by cluster, Student's t"
    if measure.least_cost is not None:
        way = f"{CI_METHODS['best_cut'].name}, corrected for optimism"
        return f"{way}; clusters: {CI_METHODS['best_cut_clustered'].name}, Student's t"
    if measure.optimum is not None:
        few = f"; none with fewer than {measure.optimum.least_errors:g} errors of a class where FAR = FRR"
        return f"{CI_METHODS['held_cut'].name}{few if measure.optimum.least_errors else ''}"
    if measure.of_area is not None:
        return (
            f"{CI_METHODS['logit_delong'].name}; few misplaced trials of a class:"
            f" {CI_METHODS['newcombe_delong'].name};"
            f" clusters: {CI_METHODS['logit_clustered'].name}, Student's t;"
            f" weights: {CI_METHODS['logit_weighted'].name}, Student's t"
        )
    if measure.bayes_costs is not None:
        way = f"{COMBINED.format('FAR and FRR')}, mean over costs{correlated}"
        return f"{way}; of recalibrated scores: {PERCENTILE}"
    if measure.highest is not None:
        return f"{CI_METHODS['wilson_effective'].name}, {CI_METHODS['clopper_pearson'].name} of none or all"
    again = f"; thresholds re-selected: {PERCENTILE}"
    if measure.counted is not None:
        exact = f"{CI_METHODS['wilson'].name} ({CI_METHODS['clopper_pearson'].name} without errors)"
        return f"{exact}; clusters: {CI_METHODS['wilson_effective'].name}, Student's t{again}"
    if measure.mixed is not None:
        return f"{COMBINED.format('FRR and both FARs')}{correlated}{again}"
    if measure.rate_weights() is not None:
        return f"{COMBINED.format('FAR and FRR')}{correlated}{again}"
    if measure.biased_upward:
        return CI_METHODS["lowered"].name
    bounded = sum(map(math.isfinite, measure.bounds))
    if measure.of_grades:
        return (
            f"{CI_METHODS['item_t'].name}, corrected for the skewness of 20 independent items or more; pair"
            f" trials: {CI_METHODS['t'].name}"
        )
    if measure.mean_costs is not None:
        of_clusters = CI_METHODS[BY_BOUNDS[bounded]].name
        return f"{CI_METHODS['skewed_t'].name}; clusters: {of_clusters}; weights, runs: {PERCENTILE}"
    independent = CI_METHODS[SKEWED[bounded]].name if measure.skewed else PERCENTILE
    pairs = "; none of pair trials" if measure.unknown_of_pairs else ""
    return f"{independent}; clusters: {CI_METHODS[BY_BOUNDS[bounded]].name}{pairs}"


def comparison_of(measure: Measure) -> str:
    """Return how a difference of two models is tested, unless the config asks for another way."""
    if measure.of_area is not None:
        return f"{P_METHODS['delong'].name}; clusters: {P_METHODS['t'].name}"
    student = P_METHODS["t"].name
    if measure.of_grades:
        return f"{P_METHODS['item_t'].name}; pair trials: {student}"
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
