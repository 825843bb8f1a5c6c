"""The report's own intervals and headline test on simulated tables, and the truth that each should hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache as once
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.cache.cache import NO_CACHE, Arrays, Cache
from reporting.base.cache.fingerprint import fingerprint
from reporting.base.execution import Executor, SerialExecutor
from reporting.base.records import dataclass, replace
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts
from reporting.core.curves.epc import errors_at
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import mix_of, parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.sample import primary_question
from reporting.core.engine.study import Study
from reporting.core.engine.values import value_over
from reporting.core.resampling.cached import name_key
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.metrics import MetricRow
from reporting.errors import ConfigError, DataError
from reporting.features.passport.world import World, world_of

MOST_REPLICATES = 399
"""Resamples of a simulated table at most, unless a family of comparisons needs more: the Monte Carlo error
of percentile limits lowers coverage by about .002."""
BLOCK = 20
"""Tables that are simulated, and remembered, together."""

Named = tuple[str, ...]
"""A headline number: dataset and model, of a difference also the baseline."""


class Headline(NamedTuple):
    """The headline numbers of one table: values and differences with intervals, the latter tested."""

    rows: Mapping[Named, MetricRow | ComparisonRow]
    truth: Mapping[Named, float]
    """Of the population, at the thresholds of the table; empty without one."""


COLUMNS = ("estimate", "low", "high", "p", "p_adjusted", "truth")
"""What is kept of a headline number in a simulated table; p_adjusted is p where nothing adjusts it."""


class Population(Protocol):
    """Where the truth is read off: very many trials of every model."""

    def population(self, dataset: str, model: tuple[str, str], fold: int | None = None) -> Cuts:
        """Return the test trials of a model and run on a dataset, by score, and those of a fold alone."""
        ...


def headline(
    counts: Counts, study: Study, pool: Executor, cache: Cache = NO_CACHE, world: Population | None = None
) -> Headline:
    """Return the headline numbers of counts, as the frames metrics and comparisons have them."""
    from reporting.features.frames import recipe_of  # which knows this question's frame, too

    rechoosing = ThresholdBootstrap(study, pool, cache)
    of_values, of_pairs = recipe_of("metrics"), recipe_of("comparisons")
    values, compared, truth = list[MetricRow](), list[ComparisonRow](), dict[Named, float]()
    for part in parts(counts, study):
        judged = JudgedPart(part, study.of_mix(mix_of(part)), pool, rechoosing)
        values += [row for make in of_values.parts for row in make(judged)]
        compared += [row for make in of_pairs.parts for row in make(judged)]
        if world is not None:
            truth |= _truths(part.models, study, world)
    rows = _first_of(values, of_pairs.finish(compared, study), study)
    for dataset, model, *baseline in rows:
        for other in baseline:
            both = (truth.get((dataset, each), math.nan) for each in (model, other))
            truth[dataset, model, other] = next(both) - next(both)
    return Headline(rows, truth)


def _first_of(
    values: Iterable[MetricRow], compared: Iterable[ComparisonRow], study: Study
) -> dict[Named, MetricRow | ComparisonRow]:
    """Return the rows of the primary question: of several runs their mean, which comes after them."""
    primary = primary_question(study)
    first = str(primary.measure), None if primary.criterion is None else str(primary.criterion)
    rows: dict[Named, MetricRow | ComparisonRow] = {
        (row.dataset, row.model): row
        for row in values
        if (row.measure, row.criterion, row.split) == (*first, "test")
    }
    for row in compared:
        if (row.measure, row.criterion) == first and row.parameter is None and row.family != "descriptive":
            rows[row.dataset, row.model, row.baseline] = row
    return rows


def _truths(models: Sequence[JudgedModel], study: Study, world: Population) -> dict[Named, float]:
    """Return the mean over runs of each model's value in the population, at the thresholds chosen here."""
    by_model: dict[Named, list[float]] = {}
    for model in models:
        truth = _truth(model, study, world)
        by_model.setdefault((model.key.dataset, model.key.model), []).append(truth)
    return {key: float(np.mean(values)) for key, values in by_model.items()}


def _truth(model: JudgedModel, study: Study, world: Population) -> float:
    question = primary_question(study)
    population = world.population(model.key.dataset, model.id)
    if question.criterion is None:
        return value_over(question.measure, population, model.scaling).number
    operation = model.single.get(question.criterion)
    if operation is None:
        return math.nan
    # New trials meet the thresholds of their own fold, or where folds are dealt those of all equally often.
    chosen, place = operation.chosen, (model.key.dataset, model.id)
    numbers = range(len(chosen.threshold)) if chosen.by_fold else ()
    folds = [world.population(*place, fold) for fold in numbers] or [population]
    rows = zip(folds, np.atleast_2d(chosen.threshold), strict=True)
    each = [errors_at(of, cut_at(of.score, threshold)) for of, threshold in rows]
    misses, alarms = (sum(errors.misses for errors in each), sum(errors.false_alarms for errors in each))
    targets, nontargets = (sum(of.totals[of_class] for of in folds) for of_class in (0, 1))
    measure = question.measure
    return float(np.ravel(measure.formula(misses, alarms, targets, nontargets, **measure.arguments))[0])


def headline_alone(study: Study, n_models: int) -> Study:
    """Return a study of its headline alone; of a family of all comparisons, with all that are in it.

    Resamples suffice for an adjusted p of half the error rate.
    """
    n_pairs = n_models - 1 if study.baseline else math.comb(n_models, 2)
    needed = 0 if study.many else math.ceil(2 * n_pairs / (1 - study.inference.level)) - 1
    settings = replace(
        study.inference,
        replicates=min(study.inference.replicates, max(MOST_REPLICATES, needed)),
        tests=(),
        margin=None,
        bands="none",
    )
    primary = study.primary
    every = settings.family == "all"
    placed = primary.measure.over == "threshold"
    return replace(
        study.alone(),
        measures=study.measures if every else (primary.measure,),
        criteria=study.criteria if every else (primary.criterion,) if placed else (),
        inference=settings,
        question_keys={},
    )


def refuse(counts: Counts, study: Study, where: str) -> None:
    """Raise ConfigError for what no table is simulated of."""
    every = list(counts.ranks.values())
    measure = study.primary.measure
    faults = {
        "trials of two clusters each: a speaker that is drawn twice would meet itself as another": any(
            ranks.unit_b is not None for ranks in every
        ),
        "runs that are folds, each with development trials of its own": bool(counts.folds),
        "strata of a sampling design: a population here has none": any(
            ranks.strata is not None for ranks in every
        ),
        "counts with noise: what it was added to is not known": any(
            ranks.noise is not None for ranks in every
        ),
        "counts by block or cluster, which hold no single trials": any(
            ranks.in_blocks or ranks.in_clusters for ranks in every
        ),
        "costs of three kinds of trials, of which the report has no table": measure.mix is not None,
        "readers drawn from many: the few that there are show no population of readers": study.runs
        == "reader",
        "means over the values of a column": study.averaged_over is not None,
        f"'{measure}', which depends on how many trials there are": measure.key in COUNTED,
    }
    for what, present in faults.items():
        if present:
            raise ConfigError(f"{where}: no tables are simulated of {what}; leave the coverage passport out")


COUNTED = ("precision_at", "chi_squared")
"""Measures that depend on the number of trials, so that a population has none."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """What is simulated: a population, the study of a table, and which numbers are kept."""

    world: World
    study: Study
    names: tuple[Named, ...]
    exchanged: bool = False
    more: tuple[tuple[str, int], ...] = ()
    """By what the number of clusters or trials of a split is multiplied."""

    def table(self, number: int) -> FloatArray:
        """Return what a simulated table shows: shape (numbers, ``COLUMNS``), NaN where undefined."""
        settings = self.study.inference
        study = replace(self.study, inference=replace(settings, seed=settings.seed * 1_000_003 + number))
        kept = np.full((len(self.names), len(COLUMNS)), np.nan)
        try:
            counts = self.world.table(number, exchanged=self.exchanged, more=dict(self.more))
            shown_here = headline(counts, study, SerialExecutor(), world=self.world)
        except DataError:  # such as a class that was not drawn: the report would be refused
            return kept
        for at, name in enumerate(self.names):
            if (row := shown_here.rows.get(name)) is not None:
                columns = (*_shown(row), shown_here.truth.get(name))
                kept[at] = [math.nan if value is None else value for value in columns]
        return kept

    @property
    def follows_from(self) -> tuple[object, ...]:
        """All that its tables follow from."""
        world, study = self.world, self.study
        drawn = [
            (
                *(place, ranks.label, ranks.unit_a, ranks.weight, ranks.fold, ranks.paired),
                *(kernel.centre, kernel.free),
            )
            for place, ranks in sorted(world.counts.ranks.items())
            for kernel in [world.kernels[place]]
        ]
        wanted = [name_key(value) for value in (*study.measures, *study.criteria, study.primary.measure)]
        thresholds = study.thresholds.policy, study.thresholds.folds, study.thresholds.column
        rules = study.ties, study.threshold_at, study.baseline, study.prevalence, study.many, study.runs
        how = self.exchanged, self.more, world.by_places, dict(world.counts.dev_of), world.models
        return drawn, wanted, thresholds, rules, how, study.models, study.inference


def _shown(row: MetricRow | ComparisonRow) -> tuple[float | None, ...]:
    if isinstance(row, MetricRow):
        return row.value, row.ci_low, row.ci_high, None, None
    adjusted = row.p_value if row.p_adjusted is None else row.p_adjusted
    return row.difference, row.ci_low, row.ci_high, row.p_value, adjusted


def simulated(
    simulation: Simulation, first: int, last: int, pool: Executor, cache: Cache = NO_CACHE
) -> FloatArray:
    """Return what tables ``first`` to ``last`` show: shape (tables, numbers, ``COLUMNS``)."""
    blocks = [(start, min(start + BLOCK, last)) for start in range(first, last, BLOCK)]
    follows_from = (_source(), *simulation.follows_from) if cache.remembers else ()

    def make(lacking: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], Arrays]:
        tables = [number for start, end in lacking for number in range(start, end)]
        shown = iter(pool.run(Simulation.table, simulation, tables, "simulated tables"))
        return {
            (start, end): {"shown": np.stack([next(shown) for _ in range(start, end)])}
            for start, end in lacking
        }

    arrays = cache.fill("passport", blocks, lambda block: (follows_from, block), make)
    return np.concatenate([arrays[block]["shown"] for block in blocks])


@once
def _source() -> str:
    """Return the digest of the questions that make a headline: a change of their source simulates anew."""
    features = Path(__file__).parents[1]
    files = (
        path
        for name in ("comparisons", "operating_points", "passport")
        for path in sorted((features / name).glob("*.py"))
    )
    return fingerprint(*(path.read_text() for path in files))


def simulation_of(
    counts: Counts, study: Study, pool: Executor, cache: Cache = NO_CACHE, where: str = "report.passport"
) -> tuple[Simulation, Headline]:
    """Return what to simulate of a report's counts, and its own headline numbers; ConfigError for others."""
    refuse(counts, study, where)
    alone = headline_alone(study, len({key.model for key in counts.cuts}))
    observed = headline(counts, alone, pool, cache)
    return Simulation(world_of(counts, alone), alone, tuple(observed.rows)), observed
