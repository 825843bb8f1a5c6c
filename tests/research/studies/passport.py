"""The coverage passport on populations whose coverage is known: how far it is off.

    python -m tests.research.studies.passport [--tables N] [--simulations N] [--only WORD]

A population is a shape of tables (``SHAPES``) and a question (``QUESTIONS``). Its true coverage is that of the
report's own intervals on tables drawn from it, against a truth read off very many of its trials. The passport
sees the first of these tables alone. Cells: true coverage, that of the passport, and their distance, of the
value of a model and of the difference of two.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, count_cuts
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.errors import DataError
from reporting.features.passport.frame import SLACK, truth_of
from reporting.features.passport.simulate import Headline, headline, simulated, simulation_of
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
        test, dev = self.drawn(rng), self.drawn(rng)
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

    def population(self, dataset: str, model: tuple[str, str]) -> Cuts:
        """Return the trials of a model."""
        return self.cuts[model]


def asked(question: str, seed: int) -> Study:
    """Return the study of a question: its measure alone, model b against a."""
    measure, criterion = QUESTIONS[question]
    inference = Inference(replicates=REPLICATES, seed=seed, bands="none")
    made = study_of((measure,), (criterion,), inference)
    return replace(made, curves=(), criteria=() if measure == "auc" else made.criteria, baseline="a")


class Covered(NamedTuple):
    """True coverage and that of the passport, of a value and of a difference."""

    true: tuple[float, float]
    passport: tuple[float, float]
    errors: tuple[float, float]
    """Monte Carlo errors of the distances."""


@cache
def _known(shape: str) -> Known:
    return Known(SHAPES[shape].population())


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


def measured(shape: str, question: str, tables: int, simulations: int, seed: int = 7) -> Covered:
    """Return the true coverage in so many tables, and that of a passport of the first of them."""
    known, limits = _known(shape), []
    for number in range(tables):
        counts = SHAPES[shape].table(np.random.default_rng([seed, number]))
        try:
            found = headline(counts, asked(question, number + 1), SERIAL, world=known)  # type: ignore[arg-type]
        except DataError:
            continue
        limits.append(_limits(found))
    first = SHAPES[shape].table(np.random.default_rng([seed, 0]))
    simulation, observed = simulation_of(first, asked(question, 1), SERIAL)
    estimands = tuple(observed.rows[name].inference for name in (VALUE, DIFFERENCE))
    true, n_true = coverage(np.array(limits), estimands)
    shown = simulated(simulation, 0, simulations, SERIAL)
    places = [simulation.names.index(name) for name in (VALUE, DIFFERENCE)]
    passport, n = coverage(shown[:, places][:, :, [1, 2, 5]], estimands)
    errors = [
        math.sqrt(a * (1 - a) / m + b * (1 - b) / k)
        for a, m, b, k in zip(true, n_true, passport, n, strict=True)
    ]
    return Covered(true, passport, (errors[0], errors[1]))


def main() -> None:
    """Print a row for every population, and how many of them are within .02."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    cells = [(shape, q) for shape in SHAPES for q in QUESTIONS if given.only in f"{shape}: {q}"][
        given.first :
    ]
    within, beyond = [0, 0], [0, 0]
    print("| population | value: true | passport | distance | difference: true | passport | distance |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    with ProcessPoolExecutor(2) as pool:
        run: Callable[..., Covered] = measured
        every = [pool.submit(run, *cell, given.tables, given.simulations, given.seed) for cell in cells]
        for (shape, question), each in zip(cells, every, strict=True):
            covered, row = each.result(), f"| {shape}: {question}"
            for at in (0, 1):
                distance = covered.passport[at] - covered.true[at]
                within[at] += abs(distance) <= 0.02
                beyond[at] += abs(distance) > 0.02 + 2 * covered.errors[at]
                row += f" | {covered.true[at]:.3f} | {covered.passport[at]:.3f} | {distance:+.3f} ({covered.errors[at]:.3f})"
            print(f"{row} |", flush=True)
    print(f"\nwithin .02: values {within[0]} of {len(cells)}, differences {within[1]} of {len(cells)}")
    print(f"beyond .02 by more than two Monte Carlo errors: values {beyond[0]}, differences {beyond[1]}")


if __name__ == "__main__":
    main()
