"""Models that leave a part of their decisions to review: two development thresholds and what they do on test.

Confidence is the distance of a score from the one threshold of the criterion that the report answers at. All
resamples have the weights that all models share, at thresholds that are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.cache.cache import Cache
from reporting.base.execution import Executor
from reporting.base.records import dataclass, replace
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.outcomes import Bins, bin_trials
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part
from reporting.core.engine.study import Study
from reporting.core.resampling.bootstrap import BinnedCells, ModelId, Replicates, Sweep, Task
from reporting.core.resampling.cached import cached_resample
from reporting.core.resampling.cell_tables import CellTable, cells_of
from reporting.core.resampling.units import Units
from reporting.core.stats.staircase import cut_at, threshold_of
from reporting.features.abstention import formulas
from reporting.features.abstention.keys import Abstention

Rule = Literal["dev", "chow", "no_review"]
"""What places the two thresholds: the least development cost; Chow's rule, of likelihood ratios; the least
development cost of one threshold alone."""

MOST_GROUPS = 1000
"""Groups of equal confidence that resamples see; more are merged, to about as many of each class."""
CONFIDENCE, THRESHOLDS = "confidence", "two thresholds"


@dataclass(frozen=True)
class ReviewThresholds:
    """Accept from ``upper`` on, reject below ``lower``; on the scale of the scores counted."""

    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class AbstainingModel:
    """A model with its thresholds by rule, and what they do on either set and in resamples (shape (M,)).

    ``curves`` are those of ``ConfidenceReader`` on test (shape (3, G + 1)), ``drawn_curves`` their resamples
    (shape (M, 3, G + 1)); None without a threshold that confidence is the distance from.
    """

    model: JudgedModel
    thresholds: Mapping[Rule, ReviewThresholds]
    on_dev: Mapping[Rule, formulas.Decided]
    on_test: Mapping[Rule, formulas.Decided]
    drawn: Mapping[Rule, formulas.Decided]
    curves: FloatArray | None
    drawn_curves: FloatArray | None

    def accepted_from(self, threshold: float) -> BoolArray:
        """Return which test trials score at least a threshold."""
        cut = int(cut_at(self.model.test.score, threshold))
        return np.asarray(self.model.rank >= cut)


def abstaining_models(
    part: Part, plan: Abstention, study: Study, units: Units, pool: Executor, cache: Cache
) -> dict[ModelId, AbstainingModel]:
    """Return every model of a dataset that has trials of both classes in both sets."""
    models = [m for m in part.models if m.dev is not None and all(m.dev.trials) and all(m.test.trials)]
    thresholds = {m.id: dict(_thresholds(m, plan, study)) for m in models}
    placed = {
        model_id: np.array([end for each in by_rule.values() for end in (each.lower, each.upper)])
        for model_id, by_rule in thresholds.items()
    }
    cells = {m.id: cells for m in models if (cells := ConfidenceCells.of(m, study)) is not None}
    ranks = part.ranks

    def table(of_trial: IntArray, n: int) -> CellTable:
        return cells_of(units, ranks.label, ranks.weight, of_trial, n, part.shelf)

    def binned(model: JudgedModel) -> BinnedCells:
        bins: Bins = bin_trials(model.test, model.rank, placed[model.id])
        return BinnedCells(table(bins.of_trial, bins.n_bins), bins.index(model.test, placed[model.id]))

    def swept(model: JudgedModel) -> tuple[Sweep, ...]:
        if model.id not in cells:
            return ()
        own = cells[model.id]
        of_trial = own.of_score[model.rank]
        return (Sweep(table(of_trial, 2 * own.n), {}, {CONFIDENCE: own.reader}),)

    task = Task(
        units,
        {(m.id, THRESHOLDS): binned(m) for m in models},
        {m.id: swept(m) for m in models},
        study.inference.seed,
    )
    drawn = cached_resample(task, study.inference.replicates, pool, cache)
    return {
        m.id: AbstainingModel(
            m,
            thresholds[m.id],
            _decided(_dev(m), thresholds[m.id], study),
            _decided(m.test, thresholds[m.id], study),
            _drawn(drawn.errors[m.id, THRESHOLDS], thresholds[m.id], study),
            cells[m.id].curves if m.id in cells else None,
            drawn.sweeps[m.id].get(CONFIDENCE),
        )
        for m in models
    }


def _thresholds(
    model: JudgedModel, plan: Abstention, study: Study
) -> Iterator[tuple[Rule, ReviewThresholds]]:
    dev = _dev(model)
    counted = dev.staircase.misses, dev.staircase.false_alarms, plan.costs

    def placed(cuts: formulas.TwoCuts) -> ReviewThresholds:
        lower, upper = threshold_of(dev.score, np.array(cuts), study.threshold_at)
        return ReviewThresholds(float(lower), float(upper))

    yield "dev", placed(formulas.cheapest_cuts(*counted, plan.most_reviewed, study.prevalence))
    yield "no_review", placed(formulas.cheapest_cuts(*counted, 0.0, study.prevalence))
    share = model.scaling.share_of_dev if study.prevalence is None else study.prevalence
    if plan.capacity is None and share is not None:
        ratios = model.scaling.threshold_of_llr(np.array(formulas.chow_ratios(plan.costs, share)))
        if ratios is not None:
            yield "chow", ReviewThresholds(float(ratios[0]), float(ratios[1]))


def _dev(model: JudgedModel) -> Cuts:
    """Return the trials that choose the thresholds of a model that has some."""
    assert model.dev is not None
    return model.dev


def _decided(
    cuts: Cuts, thresholds: Mapping[Rule, ReviewThresholds], study: Study
) -> dict[Rule, formulas.Decided]:
    staircase = cuts.staircase
    sizes = staircase.n_target, staircase.n_nontarget
    decided = {}
    for rule, each in thresholds.items():
        cuts_of = cut_at(cuts.score, np.array([each.lower, each.upper]))
        lower, upper = zip(staircase.misses[cuts_of], staircase.false_alarms[cuts_of], strict=True)
        decided[rule] = formulas.Decided.between(lower, upper, sizes, study.prevalence)
    return decided


def _drawn(
    replicates: Replicates, thresholds: Mapping[Rule, ReviewThresholds], study: Study
) -> dict[Rule, formulas.Decided]:
    sizes = replicates.n_target[:, 0], replicates.n_nontarget[:, 0]
    ends = [(replicates.misses[:, at], replicates.false_alarms[:, at]) for at in range(2 * len(thresholds))]
    return {
        rule: formulas.Decided.between(ends[2 * at], ends[2 * at + 1], sizes, study.prevalence)
        for at, rule in enumerate(thresholds)
    }


@dataclass(frozen=True, eq=False)
class ConfidenceCells:
    """Trials of a model by falling confidence: ``of_score`` is the cell of every distinct score.

    Cells are those of ``ConfidenceReader``, of ``n`` groups. ``curves`` are exact, whatever resamples see.
    """

    of_score: IntArray
    n: int
    curves: FloatArray
    reader: formulas.ConfidenceReader

    @classmethod
    def of(cls, model: JudgedModel, study: Study) -> ConfidenceCells | None:
        """Return the cells of the test scores; None where no criterion has a threshold."""
        operation = None if study.point_criterion is None else model.single.get(study.point_criterion)
        if operation is None:
            return None
        threshold = float(operation.chosen.threshold[0])
        score, reader = model.test.score, formulas.ConfidenceReader(study.prevalence)
        group = by_confidence(score, threshold)
        accepted = np.arange(len(score)) >= int(cut_at(score, threshold))
        exact = reader.of_cells(*_counted(model.test, 2 * group + accepted, int(group.max()) + 1))[0]
        merged = _merged(group, model.test)
        n = int(merged.max()) + 1
        seen = reader.of_cells(*_counted(model.test, 2 * merged + accepted, n))[0]
        shift = [float(each) for each in exact[:, -1] - seen[:, -1]]
        return cls(2 * merged + accepted, n, exact, replace(reader, shift=(shift[0], shift[1], shift[2])))


def distances(score: FloatArray, threshold: float) -> FloatArray:
    """Return how far scores lie from a threshold: 0 on it, infinitely far from an infinite one."""
    with np.errstate(invalid="ignore"):
        return np.where(score == threshold, 0.0, np.abs(score - threshold))


ROUNDING = 2.0**-48
"""Distances that differ by less than this, relative to the numbers they are made of, are equal."""


def by_confidence(score: FloatArray, threshold: float) -> IntArray:
    """Return the place of each score's distance from a threshold among the distinct ones, the farthest 0.

    1.25 and 1.3 are equally far from 1.275, although binary fractions put one of them first: an order made by
    rounding would decide which of two errors is the more confident one.
    """
    distance = distances(score, threshold)
    order = np.argsort(-distance, kind="stable")
    falling = distance[order]
    with np.errstate(invalid="ignore", over="ignore"):  # a threshold may be the largest number there is
        gap = falling[:-1] - falling[1:]  # NaN between two infinite ones
        is_next = np.isinf(gap) | (gap > ROUNDING * (abs(threshold) + falling[1:]))
    place = np.empty(len(score), dtype=np.int64)
    place[order] = np.concatenate(([0], np.cumsum(is_next)))
    return place


def _merged(group: IntArray, cuts: Cuts) -> IntArray:
    """Merge neighbouring groups of very many; one that is merged holds few trials of either class."""
    n = int(group.max()) + 1
    if n <= MOST_GROUPS:
        return group
    first = np.arange(n) == 0
    for of_class in (cuts.n_target, cuts.n_nontarget):
        trials = np.bincount(group, of_class.astype(np.float64), n)
        passed = np.floor((np.cumsum(trials) - trials) * MOST_GROUPS / trials.sum())
        first |= np.diff(passed, prepend=0) > 0
    return np.asarray((np.cumsum(first) - 1)[group])


def _counted(cuts: Cuts, cell: IntArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return targets and non-targets by cell (shape (1, 2 n) each); whole numbers below 2^53 are exact."""
    of_class = (cuts.n_target, cuts.n_nontarget)
    targets, nontargets = (np.bincount(cell, each.astype(np.float64), 2 * n) for each in of_class)
    return targets[None].astype(np.float64), nontargets[None].astype(np.float64)
