"""Scores whose truth is known, and the way from them to the replicates and comparisons of a report.

Two models share rho of their noise. They are exchangeable where both have the same d'; then every difference
between them that a test finds is an error of the test. Everything between scores and numbers is the report's
own: counts, thresholds, replicates, comparisons (``parts``, ``resample_part``, ``Difference``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from string import ascii_lowercase
from typing import Any

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, Key, count_cuts
from reporting.core.counts.ranks import Attribute, Ranks
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.curves.epc import ThresholdResult
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.pairs import Difference, difference
from reporting.core.engine.parts import Part, mix_of, parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.resampling import Resampling, resample_part
from reporting.core.engine.sample import Question
from reporting.core.engine.study import EpcPlan, Primary, Study
from reporting.core.engine.values import value_at
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.core.resampling.settings import Estimand, Inference
from reporting.core.stats.intervals import Interval
from reporting.features.catalogue import CURVES
from reporting.features.operating_points.frame import metric_rows
from reporting.inputs.blocks import BlockArray, blocks_of
from reporting.inputs.spec import ATTEMPT, SPOOF, ZERO_EFFORT, Pools

SERIAL = SerialExecutor()
NAMES = tuple(ascii_lowercase)


@dataclass(frozen=True, eq=False)
class Scored:
    """Trials of one split: labels (shape (N,)), the scores of K models (K, N), and their units, if any."""

    label: BoolArray
    score: FloatArray
    unit: RankArray | None = None
    second_unit: RankArray | None = None
    fold: IntArray | None = None
    pools: Pools = "one"
    """Whether ``unit`` and ``second_unit`` number one population, or two."""
    spoof: BoolArray | None = None
    """Which non-targets are spoofs; None where all are of one kind."""


def labels(n_nontarget: int, n_target: int) -> BoolArray:
    """Non-targets first."""
    return np.arange(n_nontarget + n_target) >= n_nontarget


def correlated(rng: np.random.Generator, shape: tuple[int, ...], rho: float) -> FloatArray:
    """Standard normal noise of two models (shape (2, *shape)) that share rho of their variance."""
    common = rng.standard_normal(shape)
    return np.asarray(np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.standard_normal((2, *shape)))


def two_models(
    rng: np.random.Generator,
    n_nontarget: int,
    n_target: int,
    d_prime: tuple[float, float] = (2.0, 2.0),
    rho: float = 0.5,
) -> Scored:
    """Independent trials: N(0, 1) for non-targets and N(d', 1) for targets."""
    label = labels(n_nontarget, n_target)
    return Scored(label, correlated(rng, label.shape, rho) + np.outer(d_prime, label))


def clusters(
    rng: np.random.Generator,
    g: int,
    n_nontarget: int,
    n_target: int,
    first: int = 0,
    share: float = 0.3,
    rho: float = 0.5,
) -> Scored:
    """G clusters of so many trials each; ``share`` of the variance is that of a cluster's class.

    Clusters are numbered from ``first``: other numbers on dev than on test are other clusters.
    """
    label = np.tile(labels(n_nontarget, n_target), g)
    unit = np.repeat(np.arange(g), n_nontarget + n_target)
    effect = correlated(rng, (2, g), rho)[:, label.astype(int), unit]
    noise = np.sqrt(share) * effect + np.sqrt(1 - share) * correlated(rng, label.shape, rho)
    return Scored(label, noise + 2.0 * label, (unit + first).astype(np.uint32))


def pair_trials(
    rng: np.random.Generator, g: int, per_cell: int = 3, effect: float = 0.7, rho: float = 0.5
) -> Scored:
    """Every ordered pair of G speakers, so many trials each; a speaker with itself makes the targets.

    Score = effect (that of the model speaker + that of the segment speaker) + noise + 3 for targets, each
    standard normal (the one of methods 8.8); two exchangeable models share rho of every part.
    """
    a, b = (np.repeat(grid.ravel(), per_cell) for grid in np.indices((g, g)))
    effects = correlated(rng, (2, g), rho)
    score = effect * (effects[:, 0, a] + effects[:, 1, b]) + correlated(rng, a.shape, rho) + 3.0 * (a == b)
    return Scored(a == b, score, a.astype(np.uint32), b.astype(np.uint32))


def study_of(
    measures: tuple[str, ...],
    criteria: tuple[str, ...],
    inference: Inference,
    epc: EpcPlan | None = None,
) -> Study:
    """The question of a simulated report."""
    read = tuple(map(read_measure, measures))
    chosen = tuple(map(read_criterion, criteria))
    curves = CURVES["roc"], CURVES["det"]
    return Study(
        "simulated", Primary(read[0], chosen[0]), chosen, read, epc, curves=curves, inference=inference
    )


def counts_of(test: Scored, dev: Scored | None = None) -> Counts:
    """Count the trials of both splits, as after the rows of a table have been read."""
    cuts: dict[Key, Cuts] = {}
    ranks: dict[tuple[str, str], Ranks] = {}
    for split, trials in (("test", test), ("dev", dev)):
        if trials is None:
            continue
        rank = {}
        for name, score in zip(NAMES, trials.score, strict=False):
            cuts[Key(name, "0", "all", split)], rank[name, "0"] = count_cuts(score, trials.label)
        attributes = {}
        if trials.spoof is not None:
            code = np.where(trials.label, 0, 1 + trials.spoof).astype(np.uint32)
            attributes[ATTEMPT] = Attribute(("", ZERO_EFFORT, SPOOF), code)
        ranks["all", split] = Ranks(
            *(trials.label, trials.unit, rank),
            paired=True,
            fold=trials.fold,
            attributes=attributes,
            unit_b=trials.second_unit,
            pools=trials.pools,
            block=_blocks(len(trials.label)),
            block_of_cluster=None
            if trials.unit is None
            else _blocks(int(trials.unit.max()) + 1)[trials.unit],
        )
    return Counts(cuts, ranks, n_clusters={}, dev_of={} if dev is None else {"all": "all"})


@cache
def _blocks(n: int) -> BlockArray:
    """The blocks of keys that are numbers."""
    return blocks_of(map(str, range(n)))


def table_of(test: Scored, dev: Scored) -> pl.DataFrame:
    """Return the trials of both splits as a user has them, in the same order; units are in ``unit``."""
    tables = []
    for split, trials in (("test", test), ("dev", dev)):
        n = len(trials.label)
        spoof = np.zeros(n, dtype=bool) if trials.spoof is None else trials.spoof
        label = np.where(trials.label, "target", np.where(spoof, "spoof", "nontarget"))
        columns = {"split": split, "trial": [f"{number:06}" for number in range(n)], "label": label}
        if trials.unit is not None:
            columns["unit"] = [f"{unit:06}" for unit in trials.unit]
        for name, score in zip(NAMES, trials.score, strict=False):
            tables.append(pl.DataFrame({"model": name, **columns, "score": score}))
    return pl.concat(tables)


@dataclass(eq=False)
class Drawn:
    """One simulated report: its models and all its replicates, drawn once for every question."""

    test: Scored
    study: Study
    dev: Scored | None = None
    part: Part = field(init=False)
    resampling: Resampling = field(init=False)

    def __post_init__(self) -> None:
        # Costs of three kinds of trials are judged last, on a part of their own.
        *_, self.part = parts(counts_of(self.test, self.dev), self.study)
        self.study = self.study.of_mix(mix_of(self.part))
        self.resampling = resample_part(self.part, self.study, ThresholdBootstrap(self.study, SERIAL), SERIAL)

    def asked(self, **settings: Any) -> Drawn:
        """The same replicates under other settings of what is read off them."""
        changed = copy(self)
        changed.study = replace(self.study, inference=replace(self.study.inference, **settings))
        return changed

    @property
    def models(self) -> list[JudgedModel]:
        """The models, first to last."""
        return self.part.models

    @property
    def pair(self) -> Pair:
        """The two models."""
        (found,) = model_pairs(self.models, self.study)
        return found

    def intervals(self, model: int = 0) -> dict[tuple[str, str | None], Interval]:
        """The intervals of one model on test, as its rows have them, by measure and criterion.

        NaN where a row has none: no truth lies in it.
        """
        rows = metric_rows(self.models[model], self.resampling, self.study)
        return {
            (row.measure, row.criterion): Interval(
                *(math.nan if limit is None else limit for limit in (row.ci_low, row.ci_high))
            )
            for row in rows
            if row.split == "test" and row.threshold_source != "oracle"
        }

    def point(self, measure: Measure, operation: ThresholdResult, model: int = 0) -> float:
        """A measure of one model on test, at the first threshold of an operation."""
        return value_at(measure, operation.test, 0, self.models[model].test)

    def difference(self, measure: Measure, operation: str, estimand: Estimand) -> Difference:
        """The difference of both models at the thresholds of an operation, by its name."""
        model = self.models[0]
        every = [
            (criterion, along) for along in (False, True) for criterion in (model.single, model.along)[along]
        ]
        asked = (Question(measure, criterion, along) for criterion, along in every)
        question = next(each for each in asked if each.operation(model).name == operation)
        return difference(self.pair, question, self.resampling, self.study, estimand)


def runs(study: Study, seed: int, first: int, last: int) -> Iterator[tuple[np.random.Generator, Study]]:
    """Yield the generator and the study of every run; data and replicates of each are its own."""
    for run in range(first, last):
        settings = replace(study.inference, seed=seed * 1_000_000 + run)
        yield np.random.default_rng([seed, run]), replace(study, inference=settings)
