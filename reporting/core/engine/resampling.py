"""All resampling of one part of the test data, drawn once and looked up by every frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import Executor
from reporting.base.execution.array_store import StoredArrays
from reporting.base.records import dataclass, field, replace
from reporting.base.remembering import keeps_latest
from reporting.core.counts.outcomes import outcomes
from reporting.core.counts.ranks import Ranks
from reporting.core.curves.epc import ThresholdResult
from reporting.core.engine.error_rates import ErrorRates
from reporting.core.engine.folds import folds_of, is_folded, over_folds
from reporting.core.engine.model_runs import have_runs
from reporting.core.engine.operations import JudgedModel, minimum
from reporting.core.engine.parts import Part
from reporting.core.engine.probability_cells import narrow_sweep, probability_sweep, tolerates_binning
from reporting.core.engine.rechoosing import ThresholdBootstrap, UnitsOfPart, moving_bins, units_of
from reporting.core.engine.study import Study
from reporting.core.engine.swapping import Swapping, held_at, imbalance, moved
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import fixed_rate
from reporting.core.resampling.best_cut import HeldReader, best_cuts, held_name
from reporting.core.resampling.bins import EVEN, RATE_STEP, around, sees_blocks_of_bins
from reporting.core.resampling.bootstrap import BinnedCells, ModelId, Replicates, Sweep, Task, ThresholdKey
from reporting.core.resampling.cached import Outcomes, cached_outcomes, cached_resample
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.settings import Estimand, sees_bins
from reporting.core.resampling.shelved import ShelvedErrors, some_at_once
from reporting.core.resampling.units import Units
from reporting.core.stats.placements import trial_placements
from reporting.core.stats.precision_bands import PrecisionReader
from reporting.core.stats.roc_bands import Kind, curve_readers
from reporting.core.stats.staircase import NarrowBins, bin_starts, bins_of, cumulate, truth_runs

ON_TEST: ThresholdKey = ((), "test")
ON_DEV: ThresholdKey = ((), "dev")
"""The places of what exchanges move on either split."""

PRECISIONS = "log odds of precision"
"""The name under which resamples of the precision-recall curve are kept."""


def reselected(place: ThresholdKey) -> ThresholdKey:
    """Return where errors at the thresholds are kept that every resample chooses anew."""
    model, name = place
    return model, f"re-selected {name}"


@dataclass(frozen=True, eq=False)
class Resampling:
    """The resamples of one dataset: errors by model and operation, and sweep measures by model.

    Without any, closed forms alone are known of its trials.
    """

    ranks: Ranks
    units: Units
    collapsed: bool = True
    """Errors of a pair at fixed thresholds are drawn from its joint outcomes, not from weights on units."""
    errors: Mapping[ThresholdKey, Replicates] = field(default_factory=dict)
    """By weights that all models share: at re-selected thresholds, and at fixed ones where needed."""
    outcomes: Mapping[ThresholdKey, Replicates] = field(default_factory=dict)
    """At fixed thresholds, of each model drawn from its outcomes alone; empty unless ``collapsed``."""
    sweeps: Mapping[ModelId, Mapping[Measure | str, FloatArray]] = field(default_factory=dict)
    sweeps_redrawn: bool = False
    coarse: frozenset[ModelId] = frozenset()
    """Models whose thresholds are re-selected among coarse bins of the development set only."""
    binned: frozenset[tuple[str, str]] = frozenset()
    """Models of whose test scores resamples of the sweep see bins only."""
    swapped: Mapping[ThresholdKey, Replicates] = field(default_factory=dict)
    """Errors of both models of a pair, in turn, after every exchange of their scores (``swapping``).

    And which trials changed sides, ``ON_TEST`` and ``ON_DEV``.
    """
    cache: Cache = NO_CACHE
    """Where results that pairs follow from are remembered."""

    @cached_property
    def error_rates(self) -> ErrorRates:
        """Shares of the trials at thresholds that are given."""
        return ErrorRates(self.ranks, self.units)

    @property
    def clustered(self) -> bool:
        """True where clusters are resampled."""
        return self.units.clustered

    def class_units(self, model: JudgedModel) -> tuple[int, int]:
        """Independent units of non-targets and of targets: trials, or the clusters of the rarer class."""
        n_target, n_nontarget = model.test.trials
        return (self.units.fewest,) * 2 if self.clustered else (n_nontarget, n_target)

    def moved_by_one(self, surplus: FloatArray | None = None) -> tuple[float, float]:
        """Return the weight that moves with one more disagreement, on non-targets and on targets.

        ``surplus``: what one model decides less what another does (shape (N,)); None: they decide alike.
        """
        if not self.clustered and self.ranks.weight is None:
            return 1.0, 1.0
        return self._moved_when_alike if surplus is None else self._moved(surplus)

    @cached_property
    def _moved_when_alike(self) -> tuple[float, float]:
        return self._moved(np.zeros(self.ranks.n_trials))

    def _moved(self, surplus: FloatArray) -> tuple[float, float]:
        label, weight = self.ranks.label, self.ranks.weight
        nontargets, targets = (CountedTrials.among(of, self.units, weight) for of in (~label, label))
        return nontargets.moved_by_one(surplus), targets.moved_by_one(surplus)

    def at(
        self,
        model: JudgedModel,
        operation: ThresholdResult,
        estimand: Estimand = "given_thresholds",
        *,
        shared: bool = False,
    ) -> Replicates:
        """The errors of a model at the thresholds of one of its operations, in their order.

        ``shared``: by weights that all models share.
        """
        place = model.place(operation)
        if estimand == "procedure":
            return self.errors[reselected(place)]
        return (self.outcomes if self.collapsed and not shared else self.errors)[place]

    @property
    def joint(self) -> bool:
        """Whether errors at fixed thresholds are those of weights that all models share, too."""
        return not (self.collapsed and self.outcomes.keys().isdisjoint(self.errors))

    @cached_property
    def imbalance(self) -> FloatArray:
        """Z of every exchange (``stats.swap``) by class and split: shape (M, B)."""
        return imbalance(self.swapped[side] for side in (ON_TEST, ON_DEV))

    def rechosen(self, model: JudgedModel, operation: ThresholdResult) -> bool:
        """Return whether the thresholds of an operation were re-selected in every resample."""
        return reselected(model.place(operation)) in self.errors

    def estimand(self, model: JudgedModel, operation: ThresholdResult, wanted: Estimand) -> Estimand:
        """Return the wanted estimand; thresholds that no dev set chose are always given."""
        return wanted if self.rechosen(model, operation) else "given_thresholds"

    def of_interval(self, model: JudgedModel, operation: ThresholdResult, study: Study) -> Estimand:
        """Return the estimand of one model's interval: thresholds of folds are re-selected in any case.

        Held, they covered in 63 to 91% of tables, re-selected in 96 to 99%
        (``tests/research/studies/folding.md``).
        """
        wanted = "procedure" if operation.chosen.source == "cv" else study.inference.intervals
        return self.estimand(model, operation, wanted)

    def by_placements(self, measure: Measure) -> bool:
        """Return whether the noise of a measure is that of placements: an area of independent trials.

        Models that are paired by block alone have no placements of one trial.
        """
        together = self.clustered or self.ranks.in_blocks
        return measure.of_area is not None and not together and self.ranks.weight is None

    def placements(self, model: JudgedModel) -> FloatArray:
        """The placement of every trial of a model among the other class."""
        return _latest_placements(self.ranks, model)


@keeps_latest(3)
def _latest_placements(ranks: Ranks, model: JudgedModel) -> FloatArray:
    """The placements looked at last: those of a baseline are looked at in every pair."""
    return trial_placements(model.test.n_target, model.test.n_nontarget, model.rank, ranks.label)


def resample_part(part: Part, study: Study, rechoosing: ThresholdBootstrap, pool: Executor) -> Resampling:
    """Draw what the frames of one dataset or group need, by methods, decision (vi).

    Errors at thresholds come from the collapsed bootstrap where trials are independent and weigh the
    same, and from weights on units otherwise; measures over the sweep, and errors at thresholds that are
    re-selected in every resample, always from weights. Joint corrections need weights too.
    """
    units, settings = units_of(part, study), study.inference
    independent = units.test.name == "trial" and part.ranks.weight is None
    collapsed = independent and settings.correction != "maxt"
    thresholds = rechoosing.thresholds(part, units)
    ranked = study.ranked and not part.group
    with_errors = not collapsed or have_runs(part.models) or ranked or part.ranks.in_blocks
    at_once = some_at_once(part.models, settings.replicates)
    many = len(at_once) > 1
    errors, outcomes = (
        ShelvedErrors(part.shelf) if many else dict[ThresholdKey, Replicates]() for _ in range(2)
    )
    sweeps, redrawn = dict[ModelId, Mapping[Measure | str, FloatArray]](), False
    for models in at_once:
        some = replace(part, models=models)
        task = _weighted(some, units.test, study, thresholds, pool, with_errors=with_errors)
        drawn = cached_resample(task, settings.replicates, pool, rechoosing.cache)
        errors.update(drawn.errors)
        outcomes.update(_collapsed(some, study, pool, rechoosing.cache) if collapsed else {})
        redrawn |= drawn.redrawn
        for model, values in drawn.sweeps.items():
            shelved = ((name, part.shelf.keep(value)) for name, value in values.items())
            sweeps[model] = StoredArrays(dict(shelved)) if many else values
        del drawn  # before the next are drawn
    coarse = {model for names, model in rechoosing.coarse if names == units.names}
    swapped = exchanged_errors(part, units, study, rechoosing, pool)
    if is_folded(part):
        rechosen, swapped, coarse = _across_folds(part, study, rechoosing, pool)
        errors.update(rechosen)
    alone = units.test.dealt is None
    binned = frozenset(m.id for m in part.models if alone and sees_test_bins(m, study))
    return Resampling(
        part.ranks,
        units.test,
        collapsed,
        errors,
        outcomes,
        sweeps,
        redrawn,
        frozenset(coarse),
        binned,
        swapped,
        rechoosing.cache,
    )


def _across_folds(
    part: Part, study: Study, rechoosing: ThresholdBootstrap, pool: Executor
) -> tuple[dict[ThresholdKey, Replicates], dict[ThresholdKey, Replicates], set[ModelId]]:
    """Return the errors of all folds together, re-selected and after exchanges, and the coarse models."""
    rechosen, swapped, coarse = [], [], set()
    for of_fold, units in folds_of(part, study):
        thresholds = rechoosing.thresholds(of_fold, units)
        moving = {
            place: binned
            for model in of_fold.models
            for place, binned in _moving(model, of_fold, units.test, thresholds).items()
        }
        task = Task(units.test, moving, {}, study.inference.seed)
        rechosen.append(cached_resample(task, study.inference.replicates, pool, rechoosing.cache).errors)
        swapped.append(exchanged_errors(of_fold, units, study, rechoosing, pool))
        coarse |= {model for names, model in rechoosing.coarse if names == units.names}
    return over_folds(rechosen), over_folds(swapped), coarse


def exchanged_errors(
    part: Part, units: UnitsOfPart, study: Study, rechoosing: ThresholdBootstrap, pool: Executor
) -> Mapping[ThresholdKey, Replicates]:
    """Return the errors of both models, in turn, of every pair that exchanges its scores."""
    swapping = Swapping(part, units.test, units.dev, study, pool)
    thresholds = rechoosing.swapped(part, units, swapping)
    if not thresholds:
        return {}
    cells, settings = swapping.on_test(thresholds), study.inference
    task = Task(swapping.trials.units, cells, {}, settings.seed)
    exchanged = cached_resample(task, settings.replicates, pool, rechoosing.cache).errors
    on_test = moved(swapping.trials, settings.replicates, settings.seed, pool, rechoosing.cache)
    return {**exchanged, ON_TEST: on_test, ON_DEV: rechoosing.moved(part, units, swapping)}


def _weighted(
    part: Part,
    units: Units,
    study: Study,
    thresholds: Mapping[ThresholdKey, FloatArray],
    pool: Executor,
    *,
    with_errors: bool,
) -> Task:
    def tables(with_errors: bool, model: JudgedModel) -> tuple[_Bins, _Bins, tuple[Sweep, ...]]:
        fixed = _fixed(model, part.ranks, units) if with_errors else {}
        return fixed, _moving(model, part, units, thresholds), _sweeps(model, units, part, study)

    # Trials are many and quickly counted: they stay here.
    of_models = pool.here.run(tables, with_errors, part.models)
    fixed, moving, sweeps = zip(*of_models, strict=True)
    return Task(
        units=units,
        bins={place: binned for bins in (*fixed, *moving) for place, binned in bins.items()},
        sweeps={model.id: of_model for model, of_model in zip(part.models, sweeps, strict=True)},
        seed=study.inference.seed,
    )


_Bins = dict[ThresholdKey, BinnedCells]


def _fixed(model: JudgedModel, ranks: Ranks, units: Units) -> _Bins:
    """The test trials of a model between the thresholds of each of its operations."""
    by_place: _Bins = {}
    for operation in model.operations:
        binned = model.binned(operation.name)
        of_trial, n = binned.bins.of_trial, binned.bins.n_bins
        cells = cells_of(units, ranks.label, ranks.weight, of_trial, n, mix=ranks.mix)
        by_place[model.place(operation)] = BinnedCells(cells, binned.index)
    return by_place


def _moving(
    model: JudgedModel, part: Part, units: Units, thresholds: Mapping[ThresholdKey, FloatArray]
) -> _Bins:
    """The test trials of a model between the thresholds that its resamples chose."""
    chosen = {at: thresholds[at] for at in map(model.place, model.operations) if at in thresholds}
    if not chosen:
        return {}
    binned = moving_bins(model, units, part.ranks, chosen, part.shelf)
    return {reselected(place): cells for place, cells in binned.items()}


def _sweeps(model: JudgedModel, units: Units, part: Part, study: Study) -> tuple[Sweep, ...]:
    """What is read off a model's truth-state runs, or bins, and what needs every distinct score."""
    measures = [m for m in sweep_measures(study) if np.isfinite(model.value(m).number)]
    smooth, plain = [m for m in measures if m.smooth], [m for m in measures if not m.smooth]
    sweeps, start = [], block_starts(model, units, plain, study)
    if start is None and (
        in_cells := narrow_sweep(model, units, part, [m for m in plain if tolerates_binning(m)])
    ):
        sweeps.append(in_cells)
        plain = [m for m in plain if m not in in_cells.read]
    on_runs = [m for m in plain if m.over == "sweep" and m.sees_runs]
    if on_scores := [m for m in plain if m not in on_runs]:
        sweeps.append(_on_scores(model, units, part, on_scores, start))
    kind = "none" if model.key.group else study.bands
    if on_runs or kind != "none" or _has_precisions(model, study):
        sweeps.append(_on_runs(model, units, part, study, on_runs, kind, start))
    if of_probabilities := probability_sweep(model, units, part, study, smooth):
        sweeps.append(of_probabilities)
    return tuple(sweep for sweep in sweeps if sweep.read or sweep.curves)


def _stated(model: JudgedModel, measure: Measure) -> FloatArray | None:
    """The distinct test scores on the scale that a measure of the scores needs; None over the sweep."""
    return model.scaling.scores_for(measure, model.test.score) if measure.over == "scores" else None


def block_starts(
    model: JudgedModel, units: Units, measures: Sequence[Measure], study: Study
) -> IntArray | None:
    """Return the test thresholds at which bins begin, narrow around what measures are read at; None: no bins.

    A score that is infinite on the scale of a measure is in no bin with others.
    """
    test, seen = model.test, study.inference.replicate_on
    if study.bands == "threshold" or not sees_blocks_of_bins(units, len(test.score), seen):
        return None
    windows = NarrowBins.at_all(map(fixed_rate, measures), test.staircase, RATE_STEP)
    ends = [np.zeros(1, dtype=np.int64)]
    for measure in measures:
        if measure.least_cost and all(test.totals):
            for best in best_cuts(measure, test.staircase):
                cut = int(best.rejected.sum())
                windows += around(test.staircase, cut)
        stated = _stated(model, measure)
        if stated is not None:
            ends.append(np.searchsorted(stated, [-np.inf, np.inf], side="right").clip(max=len(stated) - 1))
            ends.append(np.searchsorted(stated, [np.inf]).clip(max=len(stated) - 1))
    return np.unique(np.concatenate((bin_starts(test.staircase, windows, 2 * EVEN), *ends)))


def _on_scores(
    model: JudgedModel, units: Units, part: Part, measures: list[Measure], start: IntArray | None
) -> Sweep:
    """What is read off every distinct score, or off bins with the mean score of their trials.

    What that moves a measure by on the trials themselves is taken off.
    """
    ranks, test = part.ranks, model.test
    scores, shifts = {m: _stated(model, m) for m in measures}, {}
    if start is None:
        cells = cells_of(units, ranks.label, ranks.weight, model.rank, len(test.score), mix=ranks.mix)
        return Sweep(cells, scores)
    (_, trials), counts = held_at(test), test.in_bins(start)
    for measure, stated in scores.items():
        if stated is None:
            inputs: tuple[Any, ...] = cumulate(*counts)
        else:
            scores[measure] = np.add.reduceat(stated * trials, start) / np.add.reduceat(trials, start)
            inputs = scores[measure], *counts
        shifts[measure] = model.value(measure).number - float(measure.formula(*inputs, **measure.arguments))
    of_trial = bins_of(start, len(test.score)).astype(np.uint32)[model.rank]
    cells = cells_of(units, ranks.label, ranks.weight, of_trial, len(start), part.shelf, ranks.mix)
    return Sweep(cells, scores, shifts=shifts)


def _on_runs(
    model: JudgedModel,
    units: Units,
    part: Part,
    study: Study,
    measures: list[Measure],
    kind: Kind,
    start: IntArray | None,
) -> Sweep:
    """What is read off runs of scores of one class; of very many scores, off bins, which ``start`` may give.

    A measure of bins misses that of all scores by less than resamples do, and by as much in each of them:
    the miss on the trials themselves is taken off.
    """
    ranks, n_target, n_nontarget = part.ranks, model.test.n_target, model.test.n_nontarget
    cell, shifts = truth_runs(n_target, n_nontarget), {}
    if start is None and sees_test_bins(model, study):
        staircase = model.test.staircase
        start = bin_starts(staircase, NarrowBins.at_all(map(fixed_rate, measures), staircase))
    if start is not None:
        n_target, n_nontarget = model.test.in_bins(start)
        cell = np.repeat(truth_runs(n_target, n_nontarget), np.diff(start, append=len(cell)))
        binned = cumulate(n_target, n_nontarget)
        shifts = {m: model.value(m).number - float(m.formula(*binned, **m.arguments)) for m in measures}
    compared = ranks.paired and len({key for key, _ in ranks.rank}) > 1
    curves = curve_readers(kind, n_target, n_nontarget, compared=compared)
    if _has_precisions(model, study):
        read, staircase = PrecisionReader(study.prevalence), model.test.staircase
        exact = read(staircase.misses, staircase.false_alarms)
        shift = exact - read(*cumulate(n_target, n_nontarget))
        curves[PRECISIONS] = PrecisionReader(study.prevalence, shift)
    if study.inference.interval == "auto":
        curves |= _held(model, measures, cell)
    of_trial, n = cell.astype(np.uint32)[model.rank], int(cell[-1]) + 1
    cells = cells_of(units, ranks.label, ranks.weight, of_trial, n, part.shelf, ranks.mix)
    return Sweep(cells, dict.fromkeys(measures), curves, shifts)


def _has_precisions(model: JudgedModel, study: Study) -> bool:
    """Return whether a band of the precision-recall curve is drawn, and there is one."""
    return "precision_bands" in study.curve_frames and all(model.test.trials)


def _held(model: JudgedModel, measures: list[Measure], cell: IntArray) -> dict[str, HeldReader]:
    """What reads optima with threshold, hull or map of the trials; ``cell`` is of every distinct score."""
    start = np.flatnonzero(np.diff(cell, prepend=-1))
    counts = model.test.n_target, model.test.n_nontarget
    errors = cumulate(*(np.add.reduceat(each, start) for each in counts))
    return {
        held_name(measure): HeldReader.of(measure, errors, model.value(measure).number)
        for measure in measures
        if measure.optimum is not None
    }


def sees_test_bins(model: JudgedModel, study: Study) -> bool:
    """Return whether resamples of measures and bands over the sweep see bins of a model's test scores.

    Limits at each threshold need the thresholds themselves.
    """
    if study.bands == "threshold":
        return False
    runs = truth_runs(model.test.n_target, model.test.n_nontarget)
    return sees_bins(study.inference.replicate_on, len(runs), int(runs[-1]) + 1)


def sweep_measures(study: Study) -> tuple[Measure, ...]:
    """The measures that need no threshold: those requested, and the minima of the operating points."""
    sweeps = (measure for measure in study.measures if measure.over != "threshold")
    return tuple(dict.fromkeys((*sweeps, *map(minimum, study.operating_points))))


def _collapsed(part: Part, study: Study, pool: Executor, cache: Cache) -> dict[ThresholdKey, Replicates]:
    operations = [(model, operation) for model in part.models for operation in model.operations]
    # Trials are many and quickly counted: they stay here.
    counted = pool.here.run(_outcomes_of, part.ranks.label, operations)
    keys = [model.place(operation) for model, operation in operations]
    return cached_outcomes(dict(zip(keys, counted, strict=True)), study.inference, pool, cache)


def _outcomes_of(label: BoolArray, item: tuple[JudgedModel, ThresholdResult]) -> Outcomes:
    model, operation = item
    binned = model.binned(operation.name)
    return outcomes(label, binned.bins), binned.index, stream_names(model)


def stream_names(*models: JudgedModel) -> tuple[str, ...]:
    """The names that key the collapsed stream of one model, or a pair in key order, at fixed thresholds.

    Criteria share it: where two of them choose the same threshold, its numbers are the same.
    """
    key = models[0].key
    return (key.dataset, key.split, key.group, *(name for m in models for name in m.id))
