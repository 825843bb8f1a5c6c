"""The swap test of pairs of models: which of them have it, and their cells in both sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.cache.cache import Cache
from reporting.base.cache.fingerprint import fingerprint
from reporting.base.execution import Executor
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.curves.epc import ThresholdResult, Thresholds
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.parts import Part, Side
from reporting.core.engine.study import Study
from reporting.core.resampling.bins import CommonBins, ScoredModel, common_bins, sees_blocks_of_bins
from reporting.core.resampling.bootstrap import BinnedCells, ModelId, Replicates, Task, ThresholdKey
from reporting.core.resampling.cached import cached_resample
from reporting.core.resampling.cell_tables import ExchangedTrials, pair_table
from reporting.core.resampling.procedure import DevCells, PlacedDev, common_cells
from reporting.core.resampling.units import Units, exchanging
from reporting.core.stats.staircase import ThresholdAt, bins_of, cut_at
from reporting.core.stats.swap import places

RunPair = tuple[JudgedModel, JudgedModel]
BinnedByPlace = dict[ThresholdKey, BinnedCells]


class Swapping:
    """The pairs of one part that take the swap test."""

    def __init__(self, part: Part, units: Units, on_dev: Units | None, study: Study, pool: Executor) -> None:
        self.part, self.study = part, study
        self.here = pool.here
        """Trials are many and quickly counted: they stay where they are."""
        self.trials = _exchanged(units, part.ranks)
        dev = part.chosen_on
        self.dev_trials = None if on_dev is None or dev is None else _exchanged(on_dev, dev.ranks)

    @cached_property
    def runs(self) -> dict[ModelId, RunPair]:
        """The runs that exchange their scores, of each pair that the report compares.

        Not where trials are paired with nothing or hang on two units, where runs are readers, where the
        config asks for another method or a joint correction, or where units are too few to reject whatever
        they show.
        """
        settings, ranks = self.study.inference, self.part.ranks
        wanted = settings.comparisons, settings.interval, settings.correction == "maxt"
        enough = 2.0 ** (1 - self.trials.units.n_units) < 1 - settings.level
        if (
            wanted != ("procedure", "auto", False)
            or not enough
            or not ranks.paired
            or ranks.unit_b is not None
        ):
            return {}
        pairs = [p for p in model_pairs(self.part.models, self.study) if not p.read_by(self.study)]
        return {first.id + second.id: (first, second) for p in pairs for first, second in p.run_pairs}

    @property
    def _models(self) -> list[JudgedModel]:
        return list({run.id: run for runs in self.runs.values() for run in runs}.values())

    @cached_property
    def _places(self) -> dict[ModelId, tuple[IntArray, IntArray]]:
        """The places of the distinct scores of every model, on development and on this part's test data."""
        dev, test = self.part.chosen_on, self.part.judged_on
        if dev is None or test is None:
            return {}
        by_model: dict[ModelId, tuple[IntArray, IntArray]] = {}
        for run in self._models:
            on_dev, on_test = places(held_at(dev.cuts[run.id]), held_at(test.cuts[run.id]))
            by_model[run.id] = on_dev, on_test[np.searchsorted(test.cuts[run.id].score, run.test.score)]
        return by_model

    def on_dev(self, dev: Side) -> dict[ModelId, tuple[DevCells, tuple[Thresholds, ...]]]:
        """Return the cells of every pair on development, and the thresholds that both have chosen there."""
        wanted = [(pair, runs, tuple(self._chosen(*runs))) for pair, runs in self.runs.items()]
        wanted = [(pair, runs, chosen) for pair, runs, chosen in wanted if chosen]
        bins, trials = self._bins, self.dev_trials  # once, before threads look at them
        assert trials is not None
        ranks, seen = dev.ranks.rank, self.study.inference.replicate_on

        def cells_of(dev: Side, item: tuple[ModelId, RunPair, tuple[Thresholds, ...]]) -> DevCells:
            pair, runs, chosen = item
            if pair not in bins:
                first, second = (
                    PlacedDev(self._places[run.id][0], dev.cuts[run.id], ranks[run.id]) for run in runs
                )
                return common_cells(trials, (first, second), seen, chosen)
            one, other = (
                bins_of(of.on_dev, len(dev.cuts[run.id].score))[ranks[run.id]]
                for of, run in zip(bins[pair], runs, strict=True)
            )
            number = np.arange(len(bins[pair][0].on_dev), dtype=np.float64)
            return DevCells(pair_table(trials, (one, other), len(number)), number, number, coarse=False)

        of_pairs = self.here.run(cells_of, dev, wanted)
        return {pair: (cells, chosen) for (pair, _, chosen), cells in zip(wanted, of_pairs, strict=True)}

    @cached_property
    def _bins(self) -> dict[ModelId, list[CommonBins]]:
        """The bins that two models share, where resamples see bins of the scores of blocks."""
        dev, test, seen = self.part.chosen_on, self.part.judged_on, self.study.inference.replicate_on
        if dev is None or test is None or self.dev_trials is None:
            return {}
        units = self.dev_trials.units
        large = {
            pair: runs
            for pair, runs in self.runs.items()
            if sees_blocks_of_bins(units, max(len(dev.cuts[run.id].score) for run in runs), seen)
        }

        def bins_of_pair(at: ThresholdAt, runs: RunPair) -> list[CommonBins]:
            criteria = [once.criterion for once in self._chosen(*runs)]
            scored = [
                ScoredModel(dev.cuts[run.id], test.cuts[run.id], [run.single[c].chosen for c in criteria])
                for run in runs
            ]
            return common_bins(scored, at)

        of_pairs = self.here.run(bins_of_pair, self.study.threshold_at, large.values())
        return dict(zip(large, of_pairs, strict=True))

    def _chosen(self, first: JudgedModel, second: JudgedModel) -> Iterator[Thresholds]:
        mix = self.part.ranks.mix
        for criterion in self.study.criteria:
            if criterion.mix != (mix.shares if mix else None):
                continue  # the cells of the development set are those of this part
            if criterion in first.single and criterion in second.single:
                operation = first.single[criterion]
                if can_be_rechosen(operation):
                    yield operation.chosen

    def on_test(self, thresholds: dict[ThresholdKey, FloatArray]) -> dict[ThresholdKey, BinnedCells]:
        """Return the cells of every pair on test, between all thresholds that any exchange chose.

        ``thresholds`` have shape (2 M, P): those of both models of each resample, in turn.
        """
        by_pair = {pair: {at: each for at, each in thresholds.items() if at[0] == pair} for pair in self.runs}
        wanted = [(pair, chosen) for pair, chosen in by_pair.items() if chosen]
        trials = fingerprint(self.part.ranks.label, self.part.ranks.weight)
        bins = self._bins  # made by the same threads, which would otherwise wait for one another

        def binned(trials: str, item: tuple[ModelId, dict[ThresholdKey, FloatArray]]) -> BinnedByPlace:
            pair, chosen = item
            runs = self.runs[pair]
            first, second = self._of_test(runs, bins.get(pair))
            scored = [fingerprint(at, run.rank) for at, run in zip((first, second), runs, strict=True)]
            follow = {place: (trials, *scored, each) for place, each in chosen.items()}
            return self._between(runs, (first, second), chosen, follow)

        of_pairs = self.here.run(binned, trials, wanted)
        return {place: cells for of_pair in of_pairs for place, cells in of_pair.items()}

    def _of_test(self, runs: RunPair, bins: list[CommonBins] | None) -> tuple[IntArray, IntArray]:
        """The places, or bins, of the distinct test scores of two models."""
        if bins is None:
            return self._places[runs[0].id][1], self._places[runs[1].id][1]
        first, second = (
            bins_of(cut_at(run.test.score, of.threshold), len(run.test.score))
            for run, of in zip(runs, bins, strict=True)
        )
        return first, second

    def _between(
        self,
        runs: RunPair,
        at: tuple[IntArray, IntArray],
        chosen: dict[ThresholdKey, FloatArray],
        follow: Mapping[ThresholdKey, object],
    ) -> dict[ThresholdKey, BinnedCells]:
        levels, index = np.unique(np.concatenate(list(chosen.values()), axis=1), return_inverse=True)
        # Levels between which no score of either model lies are one.
        passed = sum(cut_at(place, levels) for place in at)
        _, kept, cell = np.unique(passed, return_index=True, return_inverse=True)
        first, second = (
            np.searchsorted(levels[kept], place, side="right")[run.rank]
            for run, place in zip(runs, at, strict=True)
        )
        table = pair_table(self.trials, (first, second), len(kept) + 1)
        by_place = np.split(cell[index], np.cumsum([each.shape[1] for each in chosen.values()])[:-1], axis=1)
        return {
            place: BinnedCells(table, own.reshape(-1, 2, own.shape[1]), follow[place])
            for place, own in zip(chosen, by_place, strict=True)
        }


def _exchanged(units: Units, ranks: Ranks) -> ExchangedTrials:
    return ExchangedTrials(exchanging(units), ranks.label, ranks.weight)


def moved(trials: ExchangedTrials, replicates: int, seed: int, pool: Executor, cache: Cache) -> Replicates:
    """Return which trials change sides in every exchange, whatever the models, in errors of two.

    Those of a model that rejects every trial, and in turn of one that accepts all: what the first has
    accepted after an exchange has changed sides.
    """
    cells = np.zeros(len(trials.label), dtype=np.int32), np.ones(len(trials.label), dtype=np.int32)
    table = pair_table(trials, cells, 2)
    place: ThresholdKey = ((), "moved")
    task = Task(trials.units, {place: BinnedCells(table, np.array([0]))}, {}, seed)
    return cached_resample(task, replicates, pool, cache).errors[place]


def imbalance(sides: Iterable[Replicates]) -> FloatArray:
    """Return Z of every exchange: the share of the trials that stayed less that of those that changed sides.

    Shape (M, B), a column for each class of each of the ``sides`` (``moved``) that has trials.
    """
    columns = [
        staying[0::2, 0] * 2 / of[0::2, 0] - 1
        for side in sides
        for staying, of in (
            (side.misses, side.n_target),
            (side.n_nontarget - side.false_alarms, side.n_nontarget),
        )
        if of.any()
    ]
    return np.column_stack(columns)


def held_at(cuts: Cuts) -> tuple[FloatArray, IntArray]:
    """Return the distinct scores of a model, and the trials at each."""
    n_target, n_nontarget = cuts.raw or (cuts.n_target, cuts.n_nontarget)
    return cuts.score, n_target + n_nontarget


def can_be_rechosen(operation: ThresholdResult) -> bool:
    """Return whether a resample of the development set chooses anew.

    Not where all development trials must weigh the same, nor where each group of them chooses.
    """
    criterion = operation.chosen.criterion
    return operation.chosen.source in ("dev", "cv") and not (criterion.same_weights or criterion.of_each)
