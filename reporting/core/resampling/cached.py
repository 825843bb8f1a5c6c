"""Resamples with a memory: what a cache has is read there, and all the rest is computed together.

Every result is remembered separately, by all that it follows from: one more model, measure or criterion
computes what is new, and draws the weights again that all models share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.cache.cache import Arrays, Cache
from reporting.base.cache.fingerprint import fingerprint
from reporting.base.contents import Named
from reporting.base.execution import Executor
from reporting.core.counts.cuts import narrow
from reporting.core.measures.measure import Measure
from reporting.core.resampling import bootstrap
from reporting.core.resampling.bootstrap import ModelId, Replicates, Resampled, Sweep, Task, ThresholdKey
from reporting.core.resampling.cell_tables import CellTable
from reporting.core.resampling.procedure import ReselectedThresholds, rechoose
from reporting.core.resampling.settings import Inference
from reporting.core.resampling.units import Units
from reporting.core.stats.paired import Discordant


def cached_thresholds(
    task: ReselectedThresholds, replicates: int, pool: Executor, cache: Cache
) -> dict[ThresholdKey, FloatArray]:
    """Return what ``rechoose`` does: thresholds of every development resample, by model and operation."""
    places = [(model, once.name) for model, (_, chosen) in task.models.items() for once in chosen]
    draws = DrawKeys(task.units, task.seed, replicates)

    def key(place: ThresholdKey) -> Any:
        dev, chosen = task.models[place[0]]
        once = next(once for once in chosen if once.name == place[1])
        how = name_key(once.criterion), once.alpha, task.ties, task.at
        return *draws.of(dev.cells), dev.low, dev.high, how

    def make(lacking: Sequence[ThresholdKey]) -> Mapping[ThresholdKey, Arrays]:
        rechosen = rechoose(_rest(task, set(lacking)), replicates, pool)
        return {place: {"threshold": threshold} for place, threshold in rechosen.items()}

    arrays = cache.fill("rechoose", places, key, make)
    return {place: arrays[place]["threshold"] for place in places}


def _rest(task: ReselectedThresholds, lacking: set[ThresholdKey]) -> ReselectedThresholds:
    models = {
        model: (dev, rest)
        for model, (dev, chosen) in task.models.items()
        if (rest := tuple(once for once in chosen if (model, once.name) in lacking))
    }
    return replace(task, models=models)


class Result(NamedTuple):
    """One of the results of a task: errors of an operation, or a measure or curve of whole sweeps."""

    kind: Literal["errors", "sweeps"]
    model: ModelId
    what: Any
    """The name of an operation or curve, or a measure."""


def cached_resample(task: Task, replicates: int, pool: Executor, cache: Cache) -> Resampled:
    """Return what ``resample`` does."""
    results, draws = list(_results(task)), DrawKeys(task.units, task.seed, replicates)

    def make(lacking: Sequence[Result]) -> Mapping[Result, Arrays]:
        resampled = bootstrap.resample(_only(task, set(lacking)), replicates, pool)
        return {result: _arrays_of(resampled, result) for result in lacking}

    arrays = cache.fill("resample", results, lambda result: _key(task, result, draws), make)
    sweeps: dict[ModelId, dict[Measure | str, FloatArray]] = {model: {} for model in task.sweeps}
    errors: dict[ThresholdKey, Replicates] = {}
    for result in results:
        if result.kind == "sweeps":
            sweeps[result.model][result.what] = arrays[result]["values"]
        else:
            errors[result.model, result.what] = _replicates(arrays[result])
    redrawn = any(each["redrawn"].item() for each in arrays.values())
    return Resampled(errors, sweeps, redrawn)


def _results(task: Task) -> Iterator[Result]:
    for model, name in task.bins:
        yield Result("errors", model, name)
    for model, sweeps in task.sweeps.items():
        for sweep in sweeps:
            yield from (Result("sweeps", model, what) for what in (*sweep.curves, *sweep.read))


def _key(task: Task, result: Result, draws: DrawKeys) -> tuple[Any, ...]:
    if result.kind == "sweeps":
        sweep = next(s for s in task.sweeps[result.model] if result.what in s.read or result.what in s.curves)
        if isinstance(result.what, str):
            return *draws.of(sweep.cells), (result.what, sweep.curves[result.what])
        how = sweep.read[result.what], sweep.shifts.get(result.what, 0.0)
        return *draws.of(sweep.cells), (*name_key(result.what), *how)
    binned = task.bins[result.model, result.what]
    if binned.follows_from is not None:
        return draws.weights, binned.follows_from
    return *draws.of(binned.cells), binned.index


def _only(task: Task, wanted: set[Result]) -> Task:
    """Return the task that gives these results alone."""

    def of_sweep(model: ModelId, sweep: Sweep) -> Sweep:
        read = {m: score for m, score in sweep.read.items() if Result("sweeps", model, m) in wanted}
        curves = {n: curve for n, curve in sweep.curves.items() if Result("sweeps", model, n) in wanted}
        return replace(sweep, read=read, curves=curves)

    sweeps = {
        model: tuple(rest for s in whole if (rest := of_sweep(model, s)).read or rest.curves)
        for model, whole in task.sweeps.items()
    }
    bins = {
        place: replace(binned, follows_from=None)
        for place, binned in task.bins.items()
        if Result("errors", *place) in wanted
    }
    return replace(task, bins=bins, sweeps=sweeps)


def _arrays_of(resampled: Resampled, result: Result) -> Arrays:
    if result.kind == "sweeps":
        values = resampled.sweeps[result.model][result.what]
        return {"values": values, "redrawn": np.array(resampled.redrawn)}
    return _arrays(resampled.errors[result.model, result.what])


def _arrays(replicates: Replicates) -> Arrays:
    return {name: np.asarray(value) for name, value in vars(replicates).items()}


def _replicates(arrays: Arrays) -> Replicates:
    return Replicates(**{**arrays, "redrawn": arrays["redrawn"].item()})


Outcomes = tuple[IntArray, IntArray, tuple[str, ...]]
"""Outcomes of a model at the thresholds of an operation, which of them is requested, names of the stream."""


def cached_outcomes(
    counted: Mapping[ThresholdKey, Outcomes], settings: Inference, pool: Executor, cache: Cache
) -> dict[ThresholdKey, Replicates]:
    """Resample the outcomes of every model and operation (``collapsed``)."""
    draws = settings.seed, settings.replicates, settings.stratify == "label"

    def make(lacking: Sequence[ThresholdKey]) -> Mapping[ThresholdKey, Arrays]:
        drawn = pool.run(_drawn_of, settings, [counted[place] for place in lacking])
        return {place: _arrays(errors) for place, errors in zip(lacking, drawn, strict=True)}

    arrays = cache.fill("collapsed", list(counted), lambda place: (counted[place], draws), make)
    return {place: _replicates(arrays[place]) for place in counted}


def _drawn_of(settings: Inference, counted: Outcomes) -> Replicates:
    outcome, index, names = counted
    by_class = settings.stratify == "label"
    drawn = bootstrap.resample_model(outcome, settings.seed, names, settings.replicates, by_class=by_class)
    return drawn.columns(index)


def cached_pair(
    outcome: IntArray,
    at: tuple[IntArray, IntArray],
    names: tuple[str, ...],
    settings: Inference,
    cache: Cache,
) -> tuple[Discordant, bool]:
    """Return what ``resample_pair`` does."""
    by_class = settings.stratify == "label"
    follows_from = outcome, at, names, settings.seed, settings.replicates, by_class

    def make(_: Sequence[str]) -> Mapping[str, Arrays]:
        drawn, redrawn = bootstrap.resample_pair(
            outcome, at, settings.seed, names, settings.replicates, by_class=by_class
        )
        counts = {name: narrow(count) for name, count in vars(drawn).items()}
        return {"pair": counts | {"redrawn": np.array(redrawn)}}

    arrays = dict(cache.fill("pair", ["pair"], lambda _: follows_from, make)["pair"])
    redrawn = arrays.pop("redrawn").item()
    return Discordant(**{name: count.astype(np.int64) for name, count in arrays.items()}), redrawn


def name_key(named: Named) -> tuple[Any, ...]:
    """What a measure or criterion computes: its key, and every parameter with its value."""
    values = ((p.name, name_key(v) if isinstance(v := p.value, Named) else v) for p in named.parameters)
    return type(named).__name__, named.key, *values


class DrawKeys:
    """What the resamples of a table of cells follow from; each table is digested once."""

    def __init__(self, units: Units, seed: int, replicates: int) -> None:
        self._drawn = units, seed, replicates
        self._known: dict[int, tuple[CellTable, str]] = {}

    @cached_property
    def weights(self) -> str:
        """The digest of what is drawn."""
        return fingerprint(*self._drawn)

    def of(self, cells: CellTable) -> tuple[str, str]:
        """Return the digests of the weights, and of the cells they are applied to."""
        if id(cells) not in self._known:
            # The cells are kept as well: their id must stay their own.
            self._known[id(cells)] = cells, fingerprint(*cells.content)
        return self.weights, self._known[id(cells)][1]
