"""Coverage of what is read off probabilities: indices of the smooth calibration curve, its band, net benefits.

    python -m tests.studies.probabilities [--runs N] [--part indices|catalogue|curves]

Every model is judged as a report does (``Drawn``): counts, cells, replicates, intervals. Probabilities are those of
``Model``: logits of cases are normal, and a model states them shrunk or stretched, so that the frequency of targets at
every stated probability is known. ``catalogue`` asks for the indices on the tables of ``coverage.py``, and prints the
lines of ``reporting/wording/covered.csv``. ``curves`` asks of every curve with limits how often its intervals hold the
truth, on the average of its points, and how often the band holds it at all of them; a second model, whose logits are
noisy, is compared with the first.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl

from reporting.curves.scores import THRESHOLD_PROBABILITIES
from reporting.engine.parts import parts
from reporting.engine.rechoosing import Rechoosing
from reporting.engine.study import ModelEntry, Study
from reporting.frames.calibration import calibration_of
from reporting.frames.judged import JudgedPart
from reporting.frames.net_benefit import net_benefit_differences_of, net_benefit_of
from reporting.frames.precision_bands import precision_bands_of
from reporting.measures.catalogue import read_measure
from reporting.significance.settings import Inference
from reporting.stats.precision_bands import RECALLS, precision_of
from reporting.stats.special import expit, logit
from reporting.stats.staircase import FloatArray
from tests.studies import coverage
from tests.studies.models import SERIAL, Drawn, Scored, counts_of, runs, study_of

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


CURVES = {
    "calibration": "smooth calibration curve",
    "net_benefit": "net benefit",
    "standardised net_benefit": "standardised net benefit",
    "net_benefit_differences": "difference in net benefit",
    "standardised net_benefit_differences": "difference in standardised net benefit",
    "precision_bands": "precision along recall",
}
DRAWN_CURVES = "calibration", "standardised_benefit", "benefit_difference", "pr_band"
NOISE = 0.8
"""The standard deviation of what the second model adds to the logits."""


@dataclass(frozen=True)
class Rival(Model):
    """The same cases with a second model, which sees their logits with noise."""

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table of cases with both models."""
        first = super().draw(rng)
        odds = (logit(first.score[0]) - self.shift) / self.slope
        noisy = expit(odds + NOISE * rng.standard_normal(self.n))
        return replace(first, score=np.stack((first.score[0], noisy)))

    def curves(self) -> dict[str, FloatArray]:
        """The true curve of every kind at its points, but that of ``calibration``, whose points are of the sample."""
        from scipy.special import ndtri

        odds = self.centre + 1.2 * ndtri((np.arange(4000) + 0.5) / 4000)
        noise = NOISE * ndtri((np.arange(400) + 0.5) / 400)
        chance = expit(odds)
        share, at = chance.mean(), THRESHOLD_PROBABILITIES
        both = (
            (self.stated(odds), chance),
            (expit(odds[:, None] + noise).ravel(), np.repeat(chance, len(noise))),
        )
        benefits = []
        for stated, of in both:
            order = np.argsort(stated)
            below = np.searchsorted(stated[order], at)
            hits, cases = (
                np.append(0.0, np.cumsum(each[order])) / len(of) for each in (of, np.ones(len(of)))
            )
            accepted, found = 1 - cases[below], hits[-1] - hits[below]
            benefits.append(found - (accepted - found) * at / (1 - at))
        # Stated probabilities rise with the logits: the threshold of a recall is that of the cases above.
        hits = np.cumsum(chance[::-1]) / chance.sum()
        far = np.interp(RECALLS, hits, np.cumsum(1 - chance[::-1]) / (1 - chance).sum())
        difference = benefits[1] - benefits[0]
        return {
            "net_benefit": benefits[0],
            "standardised net_benefit": benefits[0] / share,
            "net_benefit_differences": difference,
            "standardised net_benefit_differences": difference / share,
            "precision_bands": precision_of(far, RECALLS, share),
        }


def drawn_curves(model: Rival, asked: Study, rng: np.random.Generator) -> dict[str, pl.DataFrame]:
    """The curves of one table, each of one model or of the pair."""
    (part,) = parts(counts_of(model.draw(rng)), asked)
    judged = JudgedPart(part, asked, SERIAL, Rechoosing(asked, SERIAL))
    frames = {
        "calibration": next(calibration_of(judged)),
        "net_benefit": next(net_benefit_of(judged)),
        "net_benefit_differences": next(net_benefit_differences_of(judged)),
        "precision_bands": next(precision_bands_of(judged)),
    }
    of_first = {
        name: frame.filter(model="a") if name != "net_benefit_differences" else frame
        for name, frame in frames.items()
    }
    return {
        **{name: of_first[name] for name in ("calibration", "precision_bands")},
        **{
            f"{'standardised ' if flag else ''}{name}": of_first[name].filter(pl.col("standardised") == flag)
            for name in ("net_benefit", "net_benefit_differences")
            for flag in (False, True)
        },
    }


def curve_coverage(name: str, n: int, clusters: int, number: int) -> dict[str, tuple[float, float, float]]:
    """Of every curve: the share of points whose interval holds the truth, of curves that do all, and of bands."""
    model = Rival(n, clusters=clusters, **MODELS[name])
    truth, held = model.curves(), {curve: [] for curve in CURVES}
    for rng, asked in runs(question(("auc",), DRAWN_CURVES), SEED + 60 + len(name), n, n + number):
        for curve, frame in drawn_curves(model, asked, rng).items():
            at = "recall" if curve == "precision_bands" else "probability"
            frame = frame.sort(at)
            true = model.frequency(frame[at].to_numpy()) if curve == "calibration" else truth[curve]
            inside = [
                (frame[low].to_numpy() - 1e-9 <= true) & (true <= frame[high].to_numpy() + 1e-9)
                for low, high in (("ci_low", "ci_high"), ("band_low", "band_high"))
            ]
            held[curve].append((inside[0].mean(), inside[0].all(), inside[1].all()))
    return {curve: tuple(np.mean(each, axis=0)) for curve, each in held.items()}  # type: ignore[misc]


CURVE_CELLS = (
    *((n, 0, name) for n in SIZES for name in ("calibrated", "overconfident, slope 1.5", "rare, calibrated")),
    (500, 40, "calibrated"),
    (2000, 100, "calibrated"),
)
"""Cases, their clusters if any, and the model."""


def print_curves(number: int) -> None:
    """Print the coverage of every curve."""
    print("| curve | cases | model | intervals, mean over points | intervals, all points | band |")
    print("|---|--:|---|--:|--:|--:|")
    for cell in CURVE_CELLS:
        print(*curve_lines(cell, number), sep="\n", flush=True)


def curve_lines(cell: tuple[int, int, str], number: int) -> Iterator[str]:
    """Yield the rows of one kind of table."""
    n, clusters, name = cell
    cases = f"{n:,} in {clusters} clusters" if clusters else f"{n:,}"
    for curve, shares in curve_coverage(name, n, clusters, number).items():
        yield f"| {CURVES[curve]} | {cases} | {name} | {' | '.join(f'{share:.3f}' for share in shares)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parts: dict[str, Callable[[int], None]] = {
        "indices": print_indices,
        "catalogue": lambda number: print("\n".join(catalogue(number))),
        "curves": print_curves,
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
