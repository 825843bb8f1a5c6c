"""Thresholds re-selected on resampled dev sets: what the procedure bootstrap of every part needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import Executor
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore, Held, StoredArrays
from reporting.core.counts.ranks import Ranks
from reporting.core.curves.epc import Thresholds
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part, Side
from reporting.core.engine.study import Study
from reporting.core.engine.swapping import Swapping, can_be_rechosen, moved
from reporting.core.resampling.bootstrap import BinnedCells, ModelId, Replicates, ThresholdKey
from reporting.core.resampling.cached import cached_thresholds
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.procedure import DevCells, ReselectedThresholds, dev_cells
from reporting.core.resampling.settings import ReplicateOn
from reporting.core.resampling.shelved import some_at_once
from reporting.core.resampling.units import Units, cluster_units, shared_clusters, trial_units
from reporting.core.stats.spoofing import Mix
from reporting.core.stats.staircase import cut_at

Names = tuple[str | int | None, ...]
Chosen = tuple[Thresholds, ...]


class UnitsOfPart(NamedTuple):
    """The units of a part's test trials, and of the dev trials that choose its thresholds."""

    test: Units
    dev: Units | None
    shared: bool
    """True where clusters occur in both sets, so that they are drawn together."""
    fold: int | None = None
    """Which fold of the test set the test trials are; the dev trials are then those outside it."""

    @property
    def names(self) -> Names:
        """The key by which the dev trials differ from those of other parts."""
        return () if self.dev is None else (self.fold, *self.dev.pool.names)


def units_of(part: Part, study: Study) -> UnitsOfPart:
    """Return what is resampled, by the config; clusters that both sets share are drawn once for both.

    Within a group that is one cluster the trials are the units, and what is inferred is about that cluster.
    """
    dev = part.chosen_on.ranks if part.chosen_on else None
    group = [part.group] if part.group else []
    names, dev_names = (
        (part.dataset, "test", *group),
        (part.chosen_on.dataset if part.chosen_on else "", "dev"),
    )
    if part.ranks.unit_a is None or study.inference.unit == "trial":
        by_class = study.inference.stratify == "label"
        test = _trials(part.ranks, names, by_class=by_class)
        on_dev = None if dev is None else _trials(dev, dev_names, by_class=by_class)
        return UnitsOfPart(test, on_dev, shared=False)
    if part.group and part.ranks.unit_b is None and part.ranks.n_clusters == 1:
        within = replace(_trials(replace(part.ranks, strata=None), names), within_cluster=True)
        on_dev = None if dev is None else cluster_units([dev], dev_names)[0]
        return UnitsOfPart(within, on_dev, shared=False)
    if dev is None:
        return UnitsOfPart(cluster_units([part.ranks], names)[0], None, shared=False)
    if any(shared_clusters(part.ranks, dev)):
        together, with_them = cluster_units([part.ranks, dev], (*names, *dev_names))
        return UnitsOfPart(together, with_them, shared=True)
    return UnitsOfPart(
        cluster_units([part.ranks], names)[0], cluster_units([dev], dev_names)[0], shared=False
    )


def _trials(ranks: Ranks, names: tuple[str, ...], *, by_class: bool = False) -> Units:
    return trial_units(
        ranks.label, names, ranks.block, by_class=by_class, in_blocks=ranks.in_blocks, strata=ranks.strata
    )


class ThresholdBootstrap:
    """Chooses thresholds again, once for every dev set that several parts choose on."""

    def __init__(
        self, study: Study, pool: Executor, cache: Cache = NO_CACHE, *, of_pairs: bool = True
    ) -> None:
        self.study, self.pool, self.cache, self.of_pairs = study, pool, cache, of_pairs
        self._done: dict[Names, Mapping[ThresholdKey, FloatArray]] = {}
        self._swapped: dict[Names, dict[ThresholdKey, FloatArray]] = {}
        self._moved: dict[Names, Replicates] = {}
        self.coarse: set[tuple[Names, ModelId]] = set()
        """The streams of dev sets and models whose thresholds are re-selected among coarse bins only."""

    def thresholds(self, part: Part, units: UnitsOfPart) -> Mapping[ThresholdKey, FloatArray]:
        """Return the thresholds of every resample (shape (M, P)), of operations that choose on dev sets."""
        settings = self.study.inference
        wanted = units.fold is not None or "procedure" in (settings.comparisons, settings.intervals)
        if units.dev is None or not wanted:
            return {}
        if units.names not in self._done:
            stretches = some_at_once(part.models, settings.replicates)
            done: dict[ThresholdKey, Held] = {}
            shelf = part.shelf if len(stretches) > 1 else IN_MEMORY
            for some in stretches:
                task, whose = self._task(replace(part, models=some), units.dev, units.names)
                rechosen = cached_thresholds(task, settings.replicates, self.pool, self.cache)
                for (model, name), chosen in rechosen.items():
                    # A view would keep those of all operations alive.
                    done[whose[model], name] = shelf.keep(chosen.copy())
            self._done[units.names] = StoredArrays(done)
        return self._done[units.names]

    def _task(
        self, part: Part, units: Units, names: Names
    ) -> tuple[ReselectedThresholds, dict[ModelId, ModelId]]:
        """What every resample chooses on the dev set of a part; and whose thresholds these are."""
        study = self.study
        wanted = [
            (model.id, mix, side, chosen)
            for model in part.models
            for mix, side in part.chosen_on_mixes.items()
            if (chosen := _rechosen(model, mix))
        ]

        def cells_of(seen: ReplicateOn, item: tuple[tuple[str, str], Mix | None, Side, Chosen]) -> DevCells:
            model, _, side, chosen = item
            ranks, cuts, rank = side.ranks, side.cuts[model], side.ranks.rank[model]
            return dev_cells(
                units, cuts, ranks.label, ranks.weight, rank, seen, part.shelf, chosen, ranks.mix
            )

        models: dict[ModelId, tuple[DevCells, Chosen]] = {}
        whose: dict[ModelId, ModelId] = {}
        # Trials are many and quickly counted: they stay here.
        of_models = self.pool.here.run(cells_of, study.inference.replicate_on, wanted)
        for (model, mix, _, chosen), cells in zip(wanted, of_models, strict=True):
            of_mix = model if mix is None else (*model, f"{mix[0]}:{mix[1]}")
            models[of_mix], whose[of_mix] = (cells, chosen), model
            if cells.coarse:
                self.coarse.add((names, model))
        return ReselectedThresholds(
            units, models, study.ties, study.threshold_at, study.inference.seed
        ), whose

    def swapped(self, part: Part, units: UnitsOfPart, swapping: Swapping) -> dict[ThresholdKey, FloatArray]:
        """Return the thresholds of every exchange (shape (2 M, P)) of the pairs that take the swap test."""
        trials = swapping.dev_trials
        if not self.of_pairs or trials is None or part.chosen_on is None or not swapping.runs:
            return {}
        mix = part.ranks.mix
        names = part.dataset, *units.names, *(map(str, mix.shares) if mix else ())
        if names not in self._swapped:
            pairs, settings = swapping.on_dev(part.chosen_on), self.study.inference
            task = ReselectedThresholds(
                trials.units, pairs, self.study.ties, self.study.threshold_at, settings.seed
            )
            self._swapped[names] = cached_thresholds(task, settings.replicates, self.pool, self.cache)
        return self._swapped[names]

    def moved(self, part: Part, units: UnitsOfPart, swapping: Swapping) -> Replicates:
        """Return which trials of the development set change sides in every exchange (``swapping.moved``)."""
        assert swapping.dev_trials is not None
        names, settings = (part.dataset, *units.names), self.study.inference
        if names not in self._moved:
            trials = swapping.dev_trials
            self._moved[names] = moved(trials, settings.replicates, settings.seed, self.pool, self.cache)
        return self._moved[names]


def _rechosen(model: JudgedModel, mix: Mix | None) -> Chosen:
    """The thresholds of a model that resamples of one development set choose anew."""
    return tuple(
        each.chosen for each in model.operations if can_be_rechosen(each) and each.chosen.criterion.mix == mix
    )


def moving_bins(
    model: JudgedModel,
    units: Units,
    ranks: Ranks,
    thresholds: dict[ThresholdKey, FloatArray],
    shelf: ArrayStore = IN_MEMORY,
) -> dict[ThresholdKey, BinnedCells]:
    """Bin a model's test trials by all thresholds that any resample chose (shapes (M, P))."""
    at = {place: cut_at(model.test.score, chosen) for place, chosen in thresholds.items()}
    used = np.zeros(len(model.test.score) + 1, dtype=bool)
    for cuts in at.values():
        used[cuts] = True
    edges = np.flatnonzero(used)
    widths = np.diff(edges, prepend=0, append=len(used) - 1)
    cell = np.repeat(np.arange(len(edges) + 1, dtype=np.uint32), widths)
    cells = cells_of(units, ranks.label, ranks.weight, cell[model.rank], len(edges) + 1, shelf, ranks.mix)
    position = np.cumsum(used, dtype=np.int32) - 1
    kinds = None if ranks.mix is None else (ranks.mix.spoof, ranks.mix.shares)
    test = ranks.label, ranks.weight, kinds, model.rank, model.test.score
    return {
        place: BinnedCells(cells, position[cuts], follows_from=(*test, thresholds[place]))
        for place, cuts in at.items()
    }
