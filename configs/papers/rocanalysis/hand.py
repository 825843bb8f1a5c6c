"""Small sets, counted by hand, that decide statements of the README on ties, senses and separation."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import IntArray
from reporting.core.stats import likelihood, sweep
from reporting.core.stats.staircase import cumulate, group_ties

TARGETS = (0.5, 1.5, 1.5, 2.5, 3.5)
NONTARGETS = (-1.0, 0.0, 0.5, 0.5, 1.5, 2.0)
"""The hand set of methods 4.9; 1.5 is a score of both classes."""
TIED_AT = 1.5

DISTANCES = (-1.0, 1.0), (2.0, 3.0)
"""Signed distances of targets, small, and of non-targets, large: -d tells them apart."""

SEPARATED = (2, 1000)
"""Trials of each class in two sets that any threshold between the classes separates."""


class Rates(NamedTuple):
    """FRR and FAR."""

    frr: float
    far: float


def counted_at_ties() -> dict[str, Rates]:
    """Return the rates at the tied score by who errs there: both classes, or one under a decision rule."""
    score, p, n = _grouped(TARGETS, NONTARGETS)
    accepted = Rates(*(float(r) for r in likelihood.error_rates(score, p, n, TIED_AT)))
    beyond = float(np.nextafter(TIED_AT, math.inf))
    rejected = Rates(*(float(r) for r in likelihood.error_rates(score, p, n, beyond)))
    return {"both": Rates(rejected.frr, accepted.far), "accepted": accepted, "rejected": rejected}


def area_of_distances(inverse: bool) -> float:
    """Return the AUC of the signed distances as scores -d or, ``inverse``, 1 / d."""
    targets, nontargets = (tuple(1 / d if inverse else -d for d in ds) for ds in DISTANCES)
    _, p, n = _grouped(targets, nontargets)
    return float(sweep.auc(*cumulate(p, n)))


def separated_mincllr(trials: int, laplace: bool) -> float:
    """Return minCllr of as many targets as non-targets, all targets above all non-targets."""
    apart = np.array([0, trials])
    return float(likelihood.mincllr(*cumulate(apart, apart[::-1]), laplace=laplace))


def cllr_without_information() -> float:
    """Return Cllr of scores that are 0 whatever the trial."""
    return float(likelihood.cllr([0.0], [3], [7]))


def _grouped(targets: tuple[float, ...], nontargets: tuple[float, ...]) -> tuple[object, IntArray, IntArray]:
    score = np.array([*targets, *nontargets])
    distinct, p, n, _ = group_ties(score, np.arange(len(score)) < len(targets))
    return distinct, p, n
