"""The coverage passport on populations whose coverage is known: how far it is off.

    python -m tests.research.studies.passport [--tables N] [--passports P] [--simulations N] [--only WORD]

A population is a shape of tables (``SHAPES``) and a question (``QUESTIONS``). Its true coverage is that of the
report's own intervals on tables drawn from it, against a truth read off very many of its trials. A passport
sees one of these tables alone; P of them are made. Cells, of the value of a model and of the difference of
two: true coverage, the mean over passports, their distance with its standard error, and the root mean square
distance of a single passport.
"""

from __future__ import annotations

import argparse
import itertools
import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, count_cuts
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.errors import DataError
from reporting.features.passport.frame import SLACK, truth_of
from reporting.features.passport.simulate import Headline, headline, simulated, simulation_of
from reporting.inputs.spec import ThresholdPlan
from tests.research.studies.models import SERIAL, Scored, correlated, counts_of, study_of

REPLICATES, POINTS = 199, 400_000
VALUE, DIFFERENCE = ("all", "a"), ("all", "b", "a")


@dataclass(frozen=True)
class Shape:
    """Two models' scores of independent trials, or of clusters: noise of variance 1, targets ``d`` higher."""

    n: int
    """Trials of each split; of each cluster where there are some, with as many again at most."""
    targets: float = 0.5
    d: tuple[float, float] = (2.0, 1.6)
    clusters: int = 0
    share: float = 0.0
    """How much of the variance is that of a cluster's class."""
    grades: int = 0
    skewed: bool = False
    folds: int = 0
    """Folds of the test set across which thresholds are chosen; there is no development set then."""

    def drawn(self, rng: np.random.Generator, clusters: int | None = None, n: int | None = None) -> Scored:
        """Return the trials of a split."""
        if not self.clusters:
            label, unit = rng.random(n or self.n) < self.targets, None
            label[:2] = True, False
            noise = correlated(rng, label.shape, 0.5)
        else:
            sizes = rng.integers(self.n, 2 * self.n + 1, clusters or self.clusters)
            unit = np.repeat(np.arange(len(sizes)), sizes)
            label = rng.random(len(unit)) < self.targets
            effect = correlated(rng, (2, len(sizes)), 0.5)[:, label.astype(int), unit]
            own = correlated(rng, label.shape, 0.5)
            noise = math.sqrt(self.share) * effect + math.sqrt(1 - self.share) * own
        if self.skewed:
            noise = np.exp(0.7 * noise)
        score = noise + np.outer(self.d, label)
        if self.grades:
            score = np.clip(np.round(score), 0, self.grades - 1)
        return Scored(label, score, None if unit is None else unit.astype(np.uint32))

    def table(self, rng: np.random.Generator) -> Counts:
        """Return the counts of a table: clusters of development are others than those of test."""
        test = self.drawn(rng)
        if self.folds:
            unit = np.arange(len(test.label)) if test.unit is None else test.unit
            fold = rng.permutation(np.arange(int(unit.max()) + 1) % self.folds)[unit]
            return counts_of(replace(test, fold=fold))
        dev = self.drawn(rng)
        if dev.unit is not None:
            dev = replace(dev, unit=dev.unit + np.uint32(self.clusters))
        return counts_of(test, dev)

    def population(self) -> dict[tuple[str, str], Cuts]:
        """Return very many trials of every model."""
        rng = np.random.default_rng(20_001)
        drawn = self.drawn(rng, POINTS // max(self.n, 1), POINTS)
        return {
            (name, "0"): count_cuts(score, drawn.label)[0]
            for name, score in zip("ab", drawn.score, strict=True)
        }


SHAPES = {
    "60 trials": Shape(60),
    "300 trials": Shape(300),
    "300 trials, a tenth targets": Shape(300, 0.1),
    "300 trials, few errors": Shape(300, d=(4.0, 3.5)),
    "150 trials of five grades": Shape(150, grades=5),
    "150 trials, skewed": Shape(150, skewed=True),
    "10 clusters of 10 to 20": Shape(10, clusters=10, share=0.2),
    "20 clusters of 10 to 20": Shape(10, clusters=20, share=0.3),
    "40 clusters of 5 to 10": Shape(5, clusters=40, share=0.3),
    "15 clusters, strongly alike": Shape(12, clusters=15, share=0.6),
}
FOLDED = {
    "200 trials in five folds": Shape(200, folds=5),
    "30 clusters of 5 to 10 in five folds": Shape(5, clusters=30, share=0.3, folds=5),
}
QUESTIONS = {
    "HTER at a threshold of development": ("hter", "min_hter"),
    "FAR at a given threshold": ("far", "fixed(threshold=1)"),
    "AUC": ("auc", "min_hter"),
}


@dataclass(frozen=True)
class Known:
    """A population as the passport's own are asked for theirs."""

    cuts: dict[tuple[str, str], Cuts]
    models: tuple[tuple[str, str], ...] = (("a", "0"), ("b", "0"))

    def population(self, dataset: str, model: tuple[str, str], fold: int | None = None) -> Cuts:
        """Return the trials of a model; they are in no fold."""
        return self.cuts[model]


def shape_of(name: str) -> Shape:
    """Return a shape of tables by its name."""
    return (SHAPES | FOLDED)[name]


def asked(question: str, seed: int, folds: int = 0) -> Study:
    """Return the study of a question: its measure alone, model b against a."""
    measure, criterion = QUESTIONS[question]
    inference = Inference(replicates=REPLICATES, seed=seed, bands="none")
    made = study_of((measure,), (criterion,), inference)
    plan = ThresholdPlan("kfold", folds=folds) if folds else made.thresholds
    criteria = () if measure == "auc" else made.criteria
    return replace(made, curves=(), criteria=criteria, baseline="a", thresholds=plan)


@cache
def _known(shape: str) -> Known:
    return Known(shape_of(shape).population())


def _limits(found: Headline) -> FloatArray:
    """Return low, high and truth of the value and of the difference: shape (2, 3)."""
    rows = [(found.rows.get(name), found.truth.get(name, math.nan)) for name in (VALUE, DIFFERENCE)]
    return np.array(
        [
            [
                math.nan if limit is None else limit
                for limit in (row and row.ci_low, row and row.ci_high, truth)
            ]
            for row, truth in rows
        ],
        dtype=float,
    )


def coverage(
    limits: FloatArray, inference: tuple[str | None, ...]
) -> tuple[tuple[float, float], tuple[int, int]]:
    """Return the share of tables that hold the truth, and in how many there is an interval."""
    shares, tables = [], []
    for at, estimand in enumerate(inference):
        low, high, truth = limits[:, at, 0], limits[:, at, 1], truth_of(limits[:, at, 2], estimand)
        there = np.isfinite(low) & np.isfinite(high) & np.isfinite(truth)
        shares.append(float(((low <= truth + SLACK) & (truth - SLACK <= high))[there].mean()))
        tables.append(int(there.sum()))
    return (shares[0], shares[1]), (tables[0], tables[1])


def true_coverage(
    shape: str, question: str, tables: int, seed: int
) -> tuple[tuple[float, float], tuple[int, int]]:
    """Return how many of so many tables of a population have an interval that holds its truth."""
    estimands: tuple[str | None, ...] = (None, None)
    known, limits, of = _known(shape), [], shape_of(shape)
    for number in range(tables):
        counts = of.table(np.random.default_rng([seed, number]))
        try:
            found = headline(counts, asked(question, number + 1, of.folds), SERIAL, world=known)
        except DataError:
            continue
        limits.append(_limits(found))
        estimands = tuple(found.rows[name].inference for name in (VALUE, DIFFERENCE))
    return coverage(np.array(limits), estimands)


def passport_coverage(
    shape: str, question: str, simulations: int, seed: int, table: int = 0
) -> tuple[tuple[float, float], tuple[int, int]]:
    """Return the same of the passport of one table."""
    of = shape_of(shape)
    counts = of.table(np.random.default_rng([seed, table]))
    simulation, observed = simulation_of(counts, asked(question, table + 1, of.folds), SERIAL)
    shown = simulated(simulation, 0, simulations, SERIAL)
    places = [simulation.names.index(name) for name in (VALUE, DIFFERENCE)]
    estimands = tuple(observed.rows[name].inference for name in (VALUE, DIFFERENCE))
    return coverage(shown[:, places][:, :, [1, 2, 5]], estimands)


def row_of(true: float, tables: int, passports: FloatArray) -> tuple[str, float]:
    """Return the cells of a value or difference, and the distance of the mean passport from the truth."""
    distance, of_true = float(passports.mean() - true), true * (1 - true) / tables
    error = math.sqrt(of_true + passports.var(ddof=1) / len(passports))
    single = math.sqrt(np.mean((passports - true) ** 2))
    return f"{true:.3f} | {passports.mean():.3f} | {distance:+.3f} ({error:.3f}) | {single:.3f}", distance


def main() -> None:
    """Print a row for every population, and how many of the mean passports are within .02."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--passports", type=int, default=8)
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    every = [*itertools.product(SHAPES, QUESTIONS), *((shape, next(iter(QUESTIONS))) for shape in FOLDED)]
    cells = [(shape, q) for shape, q in every if given.only in f"{shape}: {q}"]
    of_kind = "true | passports | distance | rms of one"
    print(f"| population | value: {of_kind} | difference: {of_kind} |\n|---|{'--:|' * 8}")
    distances = []
    for shape, question in cells:
        true, tables = true_coverage(shape, question, given.tables, given.seed)
        shown = [
            passport_coverage(shape, question, given.simulations, given.seed, table)[0]
            for table in range(given.passports)
        ]
        of_value, of_difference = (row_of(*of) for of in zip(true, tables, np.array(shown).T, strict=True))
        distances.append((of_value[1], of_difference[1]))
        print(f"| {shape}: {question} | {of_value[0]} | {of_difference[0]} |", flush=True)
    within = (np.abs(distances) <= 0.02).sum(axis=0)
    print(f"\nmeans within .02: values {within[0]}, differences {within[1]} of {len(cells)}")


if __name__ == "__main__":
    main()
