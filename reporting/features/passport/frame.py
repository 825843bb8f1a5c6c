"""The ``passport`` frame: how often headline intervals hold the truth, and how often the test rejects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.base.records import dataclass, replace
from reporting.core.engine.values import defined
from reporting.core.resampling.settings import IntervalMethod
from reporting.core.stats.intervals import Interval, wilson
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.contract import Frame, PlaceRow
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.recipe import frame_of
from reporting.features.passport import simulate
from reporting.features.passport.keys import PASSPORT_KEY

OTHER_INTERVALS: tuple[IntervalMethod, ...] = ("auto", "studentized", "bca", "percentile")
"""Methods of ``significance.interval`` that are tried where coverage is too low."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PassportRow(PlaceRow):
    """A row of ``passport``: a headline value, or a difference with its test."""

    model: Annotated[str, "key of the model"]
    baseline: Annotated[str | None, "key of the model that is subtracted; null for a value"] = None
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    estimate: Annotated[float | None, "value or difference of the report; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the report"] = None
    ci_high: Annotated[float | None, "upper limit of the report"] = None
    level: Annotated[float, "confidence level of the report"]
    simulations: Annotated[int, "simulated tables, and as many with models exchanged"]
    intervals: Annotated[int, "simulated tables in which the interval is defined"]
    replicates: Annotated[int, "resamples of each simulated table"]
    seed: Annotated[int, "seed of the simulation"]
    truth: Annotated[float | None, "value in the simulated population; mean over tables"] = None
    mean_estimate: Annotated[float | None, "mean estimate over tables; null where undefined"] = None
    coverage: Annotated[float | None, "share of the intervals that hold the truth"] = None
    coverage_low: Annotated[float | None, "lower 95% Monte Carlo limit of coverage"] = None
    coverage_high: Annotated[float | None, "upper 95% Monte Carlo limit of coverage"] = None
    too_low: Annotated[float | None, "share of the intervals that lie below the truth"] = None
    too_high: Annotated[float | None, "share of the intervals that lie above the truth"] = None
    width: Annotated[float | None, "mean width of the intervals"] = None
    promise: Annotated[
        str | None,
        "kept, or broken: coverage below the level by more than Monte Carlo error; null without coverage",
    ] = None
    size: Annotated[float | None, "share of tables of exchanged models with p at most 1 - level"] = None
    size_low: Annotated[float | None, "lower 95% Monte Carlo limit of size"] = None
    size_high: Annotated[float | None, "upper 95% Monte Carlo limit of size"] = None
    family_size: Annotated[
        float | None, "share of tables of exchanged models with any adjusted p at most 1 - level"
    ] = None
    family_size_low: Annotated[float | None, "lower 95% Monte Carlo limit of family_size"] = None
    family_size_high: Annotated[float | None, "upper 95% Monte Carlo limit of family_size"] = None
    power: Annotated[float | None, "share of tables with an adjusted p of at most 1 - level"] = None
    power_low: Annotated[float | None, "lower 95% Monte Carlo limit of power"] = None
    power_high: Annotated[float | None, "upper 95% Monte Carlo limit of power"] = None
    margin: Annotated[float | None, "smallest difference of interest; null where the config has none"] = None
    margin_power: Annotated[
        float | None, "share of intervals that exclude a difference that is off the truth by the margin"
    ] = None
    more_units: Annotated[
        float | None, "coverage with twice as many test clusters, or trials; null unless broken"
    ] = None
    more_dev: Annotated[
        float | None, "coverage with twice as many clusters, or trials, on development; null unless broken"
    ] = None
    by_cluster: Annotated[
        float | None, "coverage with clusters resampled; null unless broken with trials as the unit"
    ] = None
    other_interval: Annotated[
        str | None,
        "another method of significance.interval, the one nearest to the level; null unless broken",
    ] = None
    other_coverage: Annotated[float | None, "coverage of this method"] = None


PASSPORT = Frame("passport", PassportRow, ("dataset", "split", "group", "baseline", "model"))
MONTE_CARLO = 0.95
"""Level of the Monte Carlo limits."""


def passport_rows(run: JudgedRun) -> list[PassportRow]:
    """Return the coverage of every headline interval, and size and power of every headline test."""
    n = PASSPORT_KEY.of(run.study)
    if n is None:
        return []
    simulation, observed = simulate.simulation_of(run.counts, run.study, run.pool, run.cache)
    own = simulate.simulated(simulation, 0, n, run.pool, run.cache)
    null = exchanged(simulation, n, run) if simulation.world.exchangeable else None
    return with_remedies(
        rows_of(simulation, observed, own, null, run.study.inference.margin), simulation, run
    )


def exchanged(simulation: simulate.Simulation, n: int, run: JudgedRun) -> FloatArray:
    """Return what tables show in which the models are exchanged at random."""
    return simulate.simulated(replace(simulation, exchanged=True), 0, n, run.pool, run.cache)


def rows_of(
    simulation: simulate.Simulation,
    observed: simulate.Headline,
    own: FloatArray,
    null: FloatArray | None,
    margin: float | None,
) -> list[PassportRow]:
    """Return the rows of simulated tables (shape (tables, numbers, ``COLUMNS``)), and of exchanged ones."""
    rows = []
    for at, name in enumerate(simulation.names):
        shown = Shown(own[:, at], observed.rows[name].inference)
        counted = _row(observed.rows[name], simulation, shown)
        if counted.baseline is not None:
            of_null = None if null is None else Shown(null[:, at], counted.inference)
            counted = _tested(counted, shown, of_null, margin)
        rows.append(counted)
    if null is not None:
        rows = _of_families(rows, null[:, :, simulate.COLUMNS.index("p_adjusted")])
    return [replace(row, promise=_promise(row, len(rows))) for row in rows]


SLACK = 1e-9
"""Rounding by which a limit may miss the truth."""


def truth_of(at_thresholds: FloatArray, inference: str | None) -> FloatArray:
    """Return what the interval of every table should hold, from the population's value at its thresholds.

    That value itself where thresholds are taken as given, and of measures without one; of the procedure,
    which chooses thresholds on development data, its mean over tables.
    """
    if inference != "procedure" or not np.isfinite(at_thresholds).any():
        return at_thresholds
    return np.full(len(at_thresholds), np.nanmean(at_thresholds))


class Shown:
    """What tables show of one headline number (shape (tables, ``COLUMNS``)), and the truth of each."""

    def __init__(self, shown: FloatArray, inference: str | None) -> None:
        self.estimate, self.low, self.high, self.p, self.p_adjusted, at_thresholds = shown.T
        self.truth = truth_of(at_thresholds, inference)
        self.there = np.isfinite(self.low) & np.isfinite(self.high) & np.isfinite(self.truth)

    def misses(self, value: FloatArray | None = None) -> tuple[BoolArray, BoolArray]:
        """Return which of the intervals that are there lie below the truth, or another value, and above."""
        value = self.truth if value is None else value
        return (self.high < value - SLACK)[self.there], (self.low > value + SLACK)[self.there]

    @property
    def coverage(self) -> float | None:
        """The share of intervals that hold the truth."""
        below, above = self.misses()
        return _mean(~(below | above))


def _row(row: MetricRow | ComparisonRow, simulation: simulate.Simulation, shown: Shown) -> PassportRow:
    below, above = shown.misses()
    settings = simulation.study.inference
    return PassportRow(
        dataset=row.dataset,
        split="test",
        group="",
        model=row.model,
        baseline=row.baseline if isinstance(row, ComparisonRow) else None,
        measure=row.measure,
        criterion=row.criterion,
        inference=row.inference,
        estimate=row.difference if isinstance(row, ComparisonRow) else row.value,
        ci_low=row.ci_low,
        ci_high=row.ci_high,
        level=settings.level,
        simulations=len(shown.there),
        intervals=len(below),
        replicates=settings.replicates,
        seed=settings.seed,
        truth=_mean(shown.truth),
        mean_estimate=_mean(shown.estimate),
        **_limits("coverage", ~(below | above)),
        too_low=_mean(below),
        too_high=_mean(above),
        width=_mean((shown.high - shown.low)[shown.there]),
    )


def _tested(counted: PassportRow, own: Shown, null: Shown | None, margin: float | None) -> PassportRow:
    counted = replace(counted, **_limits("power", _rejecting(own.p_adjusted, counted.level)))
    if null is not None:
        counted = replace(counted, **_limits("size", _rejecting(null.p, counted.level)))
    if margin is None:
        return counted
    below, above = own.misses(own.truth - math.copysign(margin, counted.truth or 0.0))
    return replace(counted, margin=margin, margin_power=_mean(below | above))


def _of_families(rows: list[PassportRow], p_adjusted: FloatArray) -> list[PassportRow]:
    """Return rows with how often any comparison of their dataset is significant (p of shape (T, rows))."""
    of = {}
    for dataset in {row.dataset for row in rows}:
        compared = [row.dataset == dataset and row.baseline is not None for row in rows]
        p = p_adjusted[:, compared]
        least = np.where(np.isfinite(p), p, np.inf).min(axis=1, initial=np.inf)
        of[dataset] = _limits("family_size", _rejecting(least, rows[0].level))
    return [row if row.baseline is None else replace(row, **of[row.dataset]) for row in rows]


def _rejecting(p: FloatArray, level: float) -> BoolArray:
    return p[np.isfinite(p)] <= 1 - level + 1e-12


def _limits(name: str, which: BoolArray) -> Mapping[str, Any]:
    """The columns of a share with its Monte Carlo limits; none of no table."""
    if not len(which):
        return {}
    limits = wilson(int(which.sum()), len(which), MONTE_CARLO)
    return {name: float(which.mean()), f"{name}_low": limits.low, f"{name}_high": limits.high}


def _mean(values: FloatArray | BoolArray) -> float | None:
    known = values[np.isfinite(values)]
    return defined(float(np.mean(known))) if len(known) else None


def _promise(row: PassportRow, n_rows: int) -> str | None:
    """Broken where the upper limit of coverage, at a level for all rows together, is below the level."""
    if row.coverage is None:
        return None
    return "broken" if _joint_limits(row.coverage, row.intervals, n_rows).high < row.level else "kept"


def rejects_too_often(row: PassportRow, n_tests: int) -> bool:
    """Return whether the lower limit of size, at a level for all tests together, is above 1 - level."""
    return row.size is not None and _joint_limits(row.size, row.simulations, n_tests).low > 1 - row.level


def _joint_limits(share: float, tables: int, among: int) -> Interval:
    """Return the Monte Carlo limits of one of several shares of which one side counts, for all together."""
    return wilson(round(share * tables), tables, max(MONTE_CARLO, 1 - 2 * (1 - MONTE_CARLO) / among))


def with_remedies(
    rows: list[PassportRow], simulation: simulate.Simulation, run: JudgedRun
) -> list[PassportRow]:
    """Return rows with the coverage of what might mend broken promises, on as many tables."""
    if all(row.promise != "broken" for row in rows):
        return rows
    settings, splits = simulation.study.inference, {place[1] for place in simulation.world.places}

    def covered(tried: simulate.Simulation) -> list[float | None]:
        shown = simulate.simulated(tried, 0, rows[0].simulations, run.pool, run.cache)
        return [Shown(shown[:, at], row.inference).coverage for at, row in enumerate(rows)]

    more = {split: covered(replace(simulation, more=((split, 2),))) for split in sorted(splits)}

    def otherwise(**changes: Any) -> list[float | None]:
        study = replace(simulation.study, inference=replace(settings, **changes))
        return covered(replace(simulation, study=study))

    clustered = settings.unit == "trial" and bool(simulation.world.clusters)
    by_cluster = otherwise(unit="cluster") if clustered else [None] * len(rows)
    methods = () if clustered else (method for method in OTHER_INTERVALS if method != settings.interval)
    others = {method: otherwise(interval=method) for method in methods}
    mended = []
    for at, row in enumerate(rows):
        if row.promise == "broken":
            row = replace(row, more_units=more["test"][at], by_cluster=by_cluster[at])
            if "dev" in more and row.inference == "procedure":
                row = replace(row, more_dev=more["dev"][at])
            known = {method: share for method, of in others.items() if (share := of[at]) is not None}
            best = max(known, key=lambda method: known[method], default=None)
            if best is not None and known[best] > (row.coverage or 0.0):
                row = replace(row, other_interval=best, other_coverage=known[best])
        mended.append(row)
    return mended


RECIPES = (frame_of(PASSPORT, run=passport_rows, wanted=lambda study: PASSPORT_KEY.of(study) is not None),)
