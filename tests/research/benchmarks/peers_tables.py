"""Twenty random tables full of ties, thresholds for each, and what our measures say of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, ndtri

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.counts.cuts import Cuts, count_cuts
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.curves.epc import alpha_grid, choose, judge
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.measures.measure import Measure
from reporting.core.stats.staircase import cut_at

SEED, TABLES = 20, 20
SMALLEST, LARGEST = 8, 400


@dataclass(frozen=True, eq=False)
class Table:
    """Scores that are natural-log likelihood ratios on a grid, labels, and thresholds to judge them at."""

    score: FloatArray
    label: BoolArray

    @cached_property
    def probability(self) -> FloatArray:
        """The scores as probabilities of the target at even odds."""
        return np.asarray(expit(self.score))

    @cached_property
    def cuts(self) -> Cuts:
        """Counts at every distinct score."""
        return count_cuts(self.score, self.label)[0]

    @cached_property
    def thresholds(self) -> FloatArray:
        """Accept all and reject all, each in two ways; three scores; and one place between two scores."""
        distinct = self.cuts.score
        low, middle, high = (distinct[int(share * (len(distinct) - 1))] for share in (0.25, 0.5, 0.75))
        between = (distinct[-2] + distinct[-1]) / 2
        ends = (-math.inf, distinct[0], distinct[-1] + 1, math.inf)
        return np.array([*ends, low, middle, high, distinct[-1], between])

    def accepted(self, threshold: float) -> BoolArray:
        """The decisions at a threshold."""
        return (self.score >= threshold) & (threshold < math.inf)


def tables() -> list[Table]:
    """Draw the tables; half the steps of the grids are 1/2, half 1/4; some rank worse than chance."""
    rng = np.random.default_rng(SEED)
    sizes = np.geomspace(SMALLEST, LARGEST, TABLES).round().astype(int)
    return [_tied(rng, int(n), 4 if i % 2 else 2) for i, n in enumerate(sizes)]


def _tied(rng: np.random.Generator, n: int, steps: int) -> Table:
    """Draw until scores are shared within each class and across the two."""
    while True:
        targets = int(np.clip(round(n * rng.uniform(0.15, 0.85)), 3, n - 3))
        label = rng.permutation(np.arange(n) < targets)
        score = rng.normal(rng.uniform(-1, 1), rng.uniform(1, 2), n) + label * rng.uniform(-1, 2.5)
        table = Table(np.round(score * steps) / steps, label)
        cuts = table.cuts
        if min(cuts.n_target.max(), cuts.n_nontarget.max()) > 1 and (cuts.n_target * cuts.n_nontarget).any():
            return table


def ours(name: str, table: Table, following: Table) -> FloatArray:
    """Our values of a measure: one per threshold, or a single one (shape (1,)); or of another ``NUMBERS``."""
    if name in NUMBERS:
        return np.ravel(NUMBERS[name](table, following))
    return np.ravel(of_measure(read_measure(name), table))


def of_measure(measure: Measure, table: Table) -> FloatArray:
    """A measure of a table."""
    cuts = table.cuts
    if measure.over == "threshold":
        return at(measure, table, cut_at(cuts.score, table.thresholds))
    if measure.over == "sweep":
        counts = cuts.staircase.misses, cuts.staircase.false_alarms
        return np.asarray(measure.formula(*counts, **measure.arguments))
    score = expit(cuts.score) if measure.needs == "probability" else cuts.score
    return np.asarray(measure.formula(score, cuts.n_target, cuts.n_nontarget, **measure.arguments))


def at(measure: Measure, table: Table, cut: object) -> FloatArray:
    """A measure at cuts of a table."""
    misses, false_alarms = table.cuts.errors(cut)
    return np.asarray(measure.formula(misses, false_alarms, *table.cuts.totals, **measure.arguments))


def _prevalence(table: Table) -> float:
    return float(table.label.mean())


def _dcf(key: str) -> Callable[[Table, Table], FloatArray]:
    def at_the_sample(table: Table, _: Table) -> FloatArray:
        costs = MEASURES[key].at(p_target=_prevalence(table), c_miss=5.0, c_fa=2.0, normalised=False)
        return of_measure(costs, table)

    return at_the_sample


def _sar(table: Table, _: Table) -> FloatArray:
    accuracy, rmse, auc = (of_measure(MEASURES[key], table) for key in ("accuracy", "rmse", "auc"))
    return np.asarray((accuracy + (1 - rmse) + auc) / 3)


def _roc(table: Table, _: Table) -> FloatArray:
    every = np.arange(len(table.cuts.score), -1, -1)
    return np.concatenate([at(MEASURES["far"], table, every), at(MEASURES["recall"], table, every)])


def _det(table: Table, _: Table) -> FloatArray:
    inner = det_cuts(table)
    return np.concatenate([at(MEASURES["far"], table, inner), at(MEASURES["frr"], table, inner)])


def det_cuts(table: Table) -> object:
    """The cuts from the last without a miss to the first without a false alarm."""
    staircase = table.cuts.staircase
    first = np.flatnonzero(staircase.misses == 0)[-1]
    return np.arange(first, np.flatnonzero(staircase.false_alarms == 0)[0] + 1)


def _precision(table: Table, _: Table) -> FloatArray:
    return at(MEASURES["precision"], table, np.arange(len(table.cuts.score) + 1))


def _quantiles(table: Table, _: Table) -> FloatArray:
    far = _roc(table, table)
    return np.asarray(ndtri(far[(far > 0) & (far < 1)]))


def _ends(table: Table, _: Table) -> FloatArray:
    """Zero misses, or no false alarm, can always be had: by accepting or rejecting all."""
    return np.zeros(1)


ALPHAS = 11


def _along(which: slice) -> Callable[[Table, Table], FloatArray]:
    def on_the_next(dev: Table, test: Table) -> FloatArray:
        criterion = read_criterion("weighted_error")
        chosen = choose(dev.cuts, criterion, "balanced", "midpoint", alpha_grid(ALPHAS))
        errors = judge(chosen, dev.cuts, test.cuts, "balanced", "midpoint").test
        hter = MEASURES["hter"].formula(errors.misses, errors.false_alarms, *test.cuts.totals)
        return np.asarray(hter)[which]

    return on_the_next


NUMBERS: dict[str, Callable[[Table, Table], FloatArray]] = {
    "dcf, p_target the sample's, c_miss=5, c_fa=2, not normalised": _dcf("dcf"),
    "mindcf, p_target the sample's, c_miss=5, c_fa=2, not normalised": _dcf("mindcf"),
    "(accuracy + 1 - rmse + auc) / 3": _sar,
    "far and recall at every cut": _roc,
    "far and frr at the cuts between the DET curve's ends": _det,
    "precision at every cut": _precision,
    "normal quantile of the rates (DET axes)": _quantiles,
    "least weighted error at alpha 0": _ends,
    "least weighted error at alpha 1": _ends,
    "hter along the EPC, alpha 0.1 to 0.9": _along(slice(1, -1)),
    "hter along the EPC, alpha 0 and 1": _along(slice(None, None, ALPHAS - 1)),
}
"""What is compared and is no measure at the table's thresholds; the second table is the test split."""


def in_turn(drawn: list[Table]) -> Iterator[tuple[Table, Table]]:
    """Yield every table with the one that follows it, the last with the first."""
    yield from zip(drawn, [*drawn[1:], *drawn[:1]], strict=True)
