"""Coverage of what is read off probabilities: indices of the smooth calibration curve, its band, net benefits.

    python -m tests.studies.probabilities [--runs N] [--part indices|catalogue|level|calibration|benefits|precision]

Every model is judged as a report does (``Drawn``): counts, cells, replicates, intervals. Probabilities are those of
``Model``: logits of cases are normal, and a model states them shrunk or stretched, so that the frequency of targets at
every stated probability is known. ``catalogue`` asks for the indices on the tables of ``coverage.py``, and prints the
lines of ``reporting/wording/covered.csv``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from reporting.engine.study import ModelEntry, Study
from reporting.measures.catalogue import read_measure
from reporting.significance.settings import Inference
from reporting.stats.special import expit, logit
from reporting.stats.staircase import FloatArray
from tests.studies import coverage
from tests.studies.models import Drawn, Scored, runs, study_of

INDICES = "ici", "e50", "e90", "emax", "eci"
REPLICATES = 299
LEVEL = 0.95
SEED = 40
CRITERION = "fixed(threshold=0.5)"


@dataclass(frozen=True)
class Model:
    """Cases whose logits are N(centre, 1.2) before the outcome is drawn; ``slope`` stretches what is stated.

    ``size`` cases are in each of ``clusters``, whose effects have .3 of the variance of the logits.
    """

    n: int
    centre: float = -1.0
    slope: float = 1.0
    shift: float = 0.0
    clusters: int = 0

    def stated(self, odds: FloatArray) -> FloatArray:
        """The probabilities that the model states."""
        return np.asarray(expit(self.slope * odds + self.shift))

    def frequency(self, probability: FloatArray) -> FloatArray:
        """The frequency of targets at stated probabilities."""
        return np.asarray(expit((logit(probability) - self.shift) / self.slope))

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table of cases; both classes occur."""
        noise, unit = rng.standard_normal(self.n), None
        if self.clusters:
            unit = np.arange(self.n, dtype=np.uint32) % self.clusters
            noise = math.sqrt(0.3) * rng.standard_normal(self.clusters)[unit] + math.sqrt(0.7) * noise
        odds = self.centre + 1.2 * noise
        label = rng.random(self.n) < expit(odds)
        label[:2] = True, False
        return Scored(label, self.stated(odds)[None], unit)

    def population(self, points: int = 20_001) -> tuple[FloatArray, FloatArray]:
        """Stated probabilities that as many cases share, and the frequency of targets at each."""
        from scipy.special import ndtri

        odds = self.centre + 1.2 * ndtri((np.arange(points) + 0.5) / points)
        return self.stated(odds), np.asarray(expit(odds))


MODELS = {
    "calibrated": {},
    "overconfident, slope 1.5": {"slope": 1.5},
    "timid, slope 0.7": {"slope": 0.7},
    "too high, by 0.5 logits": {"shift": 0.5},
    "rare, calibrated": {"centre": -3.0},
    "rare, overconfident": {"centre": -3.0, "slope": 1.5},
}
SIZES = 100, 500, 2000


@cache
def question(measures: tuple[str, ...], curves: tuple[str, ...] = ()) -> Study:
    """The study of some measures of models that state probabilities."""
    made = study_of(measures, (CRITERION,), Inference(replicates=REPLICATES, level=LEVEL))
    return replace(
        made, models=(ModelEntry("a", "a", "probability"), ModelEntry("b", "b", "probability")), curves=curves
    )


@cache
def truths(model: Model) -> dict[str, float]:
    """Every index of the population, the frequencies being known and not smoothed."""
    p, frequency = model.population()
    gap = np.abs(frequency - p)
    return {
        "ici": float(gap.mean()),
        "e50": float(np.median(gap)),
        "e90": float(np.quantile(gap, 0.9)),
        "emax": float(gap[5:-5].max()),
        "eci": float(100 * (gap**2).mean()),
    }


def indices(name: str, n: int, number: int) -> dict[str, tuple[float, ...]]:
    """Of every index: its mean over runs, the truth, coverage below and above, and the share without an interval."""
    model, found = Model(n, **MODELS[name]), []
    truth = truths(model)
    for rng, asked in runs(question(INDICES), SEED + len(name), n, n + number):
        drawn = Drawn(model.draw(rng), asked)
        intervals = drawn.intervals()
        values = [drawn.models[0].value(read_measure(index)).number for index in INDICES]
        found.append([(value, *intervals[index, None]) for index, value in zip(INDICES, values, strict=True)])
    drawn_values = np.array(found)
    rows = {}
    for at, index in enumerate(INDICES):
        value, low, high = drawn_values[:, at].T
        there = ~np.isnan(low)
        rows[index] = (
            float(value.mean()),
            truth[index],
            float((low[there] - 1e-9 > truth[index]).mean()),
            float((high[there] + 1e-9 < truth[index]).mean()),
            float(1 - there.mean()),
        )
    return rows


def print_indices(number: int) -> None:
    """Print bias and coverage of every index, model by model."""
    print(
        "| index | cases | model | truth | mean estimate | coverage | truth below | truth above | no interval |"
    )
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    for n in SIZES:
        for name in MODELS:
            for index, (mean, truth, below, above, none) in indices(name, n, number).items():
                print(
                    f"| {index} | {n} | {name} | {truth:.4f} | {mean:.4f} | {1 - below - above:.3f} | {below:.3f}"
                    f" | {above:.3f} | {none:.3f} |",
                    flush=True,
                )


def catalogue(number: int) -> Iterator[str]:
    """Yield the line of every index in ``covered.csv``."""
    held: dict[str, dict[str, tuple[float, int]]] = {index: {} for index in INDICES}
    for kind, name in enumerate(coverage.KINDS):
        every = coverage.study(name, REPLICATES)
        asked = replace(every, measures=tuple(m for m in every.measures if m.key in INDICES))
        truth = {str(m): coverage.truths(name)[coverage.Question(str(m), None)] for m in asked.measures}
        seen: dict[str, list[bool]] = {measure: [] for measure in truth}
        for rng, settled in runs(asked, SEED + 20 + kind, 0, number):
            intervals = Drawn(coverage.KINDS[name].draw(rng), settled).intervals()
            for measure, value in truth.items():
                low, high = intervals[measure, None]
                if low <= high:
                    seen[measure].append(low - 1e-9 <= value <= high + 1e-9)
        for measure, covers in seen.items():
            if len(covers) >= coverage.LEAST_RUNS:
                held[measure][name] = float(np.mean(covers)), len(covers)
        print(name, {m: (round(float(np.mean(c)), 3), len(c)) for m, c in seen.items()}, flush=True)
    for measure, shares in held.items():
        low, high = (choose(shares, key=lambda name: shares[name][0]) for choose in (min, max))
        few = min(n for _, n in shares.values())
        yield f"{measure},{shares[low][0]:.3f},{low},{shares[high][0]:.3f},{high},{few}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parts: dict[str, Callable[[int], None]] = {
        "indices": print_indices,
        "catalogue": lambda number: print("\n".join(catalogue(number))),
    }
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--part", choices=tuple(parts))
    asked = parser.parse_args()
    for part, print_part in parts.items():
        if asked.part in (None, part):
            print(f"## {part.capitalize()}\n")
            print_part(asked.runs)


if __name__ == "__main__":
    main()
