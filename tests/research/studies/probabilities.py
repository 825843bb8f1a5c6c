"""Coverage of what is read off probabilities: indices of the smooth calibration curve, its band, net benefits.

    python -m tests.research.studies.probabilities [--runs N] [--part band|smooth|utility|catalogue]

Every model is judged as a report does: counts, cells, replicates, intervals. Probabilities are those of ``Model``:
logits of cases are normal, and a model states them stretched or bent, so that the frequency of targets at every stated
probability is known, and no truth is smoothed. ``smooth`` asks how often intervals of the indices hold it, and of the
smooth curve how often its intervals hold it, on the average of its points, and how often the band holds it at all of them.
``band`` asks the latter of the formulas alone, which is ten times as quick, and how often the true Emax is less than the
least that the band holds, below which no interval of Emax begins. ``utility`` asks how often limits hold of net benefits and of precision along recall; a second model, whose logits are noisy, is compared
with the first. ``catalogue`` asks for the indices on the tables of
``coverage.py``, and prints the lines of ``reporting/document/words/covered.csv``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.core.curves.scores import THRESHOLD_PROBABILITIES
from reporting.core.engine.parts import parts
from reporting.core.engine.probability_cells import ENDS, EXACT, MOST_CELLS, POINTS
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.study import ModelEntry, Study
from reporting.core.resampling.settings import Inference
from reporting.core.stats.curve_limits import LimitsOfCurve, frequency_limits
from reporting.core.stats.precision_bands import RECALLS, precision_of
from reporting.core.stats.smooth_calibration import CurveReader, smoothing_bias, table_of
from reporting.core.stats.special import expit, logit
from reporting.document.frames.judged import JudgedPart
from reporting.features.calibration_and_benefit.calibration_frame import calibration_of
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    net_benefit_differences_of,
    net_benefit_of,
)
from reporting.features.curves.precision_bands import precision_bands_of
from reporting.features.operating_points.frame import metric_rows
from tests.research.studies import coverage
from tests.research.studies.models import SERIAL, Drawn, Scored, counts_of, runs, study_of

INDICES = "ici", "e50", "e90", "emax", "eci"
REPLICATES = 199
LEVEL = 0.95
SEED = 40
CRITERION = "fixed(threshold=0.5)"


@dataclass(frozen=True)
class Model:
    """Cases whose logits are N(centre, 1.2) before the outcome is drawn; ``slope`` stretches what is stated.

    With ``bend`` the outcome has the logit o + bend (o - centre)^2, so that no logistic line corrects what is
    stated. Cases are in ``clusters``, if any, whose effects have .3 of the variance of the logits.
    """

    n: int
    centre: float = -1.0
    slope: float = 1.0
    shift: float = 0.0
    clusters: int = 0
    bend: float = 0.0

    def chance(self, odds: FloatArray) -> FloatArray:
        """The frequency of targets at logits."""
        return np.asarray(expit(odds + self.bend * (odds - self.centre) ** 2))

    def stated(self, odds: FloatArray) -> FloatArray:
        """The probabilities that the model states."""
        return np.asarray(expit(self.slope * odds + self.shift))

    def frequency(self, probability: FloatArray) -> FloatArray:
        """The frequency of targets at stated probabilities."""
        return self.chance((logit(probability) - self.shift) / self.slope)

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table of cases; both classes occur."""
        noise, unit = rng.standard_normal(self.n), None
        if self.clusters:
            unit = np.arange(self.n, dtype=np.uint32) % self.clusters
            noise = math.sqrt(0.3) * rng.standard_normal(self.clusters)[unit] + math.sqrt(0.7) * noise
        odds = self.centre + 1.2 * noise
        label = rng.random(self.n) < self.chance(odds)
        label[:2] = True, False
        return Scored(label, self.stated(odds)[None], unit)

    def population(self, points: int = 20_001) -> tuple[FloatArray, FloatArray]:
        """Stated probabilities that as many cases share, and the frequency of targets at each."""
        from scipy.special import ndtri

        odds = self.centre + 1.2 * ndtri((np.arange(points) + 0.5) / points)
        return self.stated(odds), self.chance(odds)


BENT = "too low at both ends"
MODELS = {
    "calibrated": {},
    "overconfident, slope 1.5": {"slope": 1.5},
    "rare, calibrated": {"centre": -3.0},
    "rare, overconfident": {"centre": -3.0, "slope": 1.5},
    BENT: {"bend": 0.2},
}
SIZES = 100, 500, 2000


@cache
def question(measures: tuple[str, ...], curves: tuple[str, ...], models: int) -> Study:
    """The study of some measures and curves of models that state probabilities."""
    made = study_of(measures, (CRITERION,), Inference(replicates=REPLICATES, level=LEVEL))
    entries = tuple(ModelEntry(name, name, "probability") for name in "ab"[:models])
    return replace(made, models=entries, curves=curves)


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


UTILITIES = {
    "net_benefit": "net benefit",
    "standardised net_benefit": "standardised net benefit",
    "net_benefit_differences": "difference in net benefit",
    "standardised net_benefit_differences": "difference in standardised net benefit",
    "precision_bands": "precision along recall",
}
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
        """The true curve of every kind at its points."""
        from scipy.special import ndtri

        odds = self.centre + 1.2 * ndtri((np.arange(4000) + 0.5) / 4000)
        noise = NOISE * ndtri((np.arange(400) + 0.5) / 400)
        chance = self.chance(odds)
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


def utilities(judged: JudgedPart) -> dict[str, pl.DataFrame]:
    """The curves of one table but the smooth one, each of one model or of the pair."""
    frames = {
        "net_benefit": next(net_benefit_of(judged)).filter(model="a"),
        "net_benefit_differences": next(net_benefit_differences_of(judged)),
    }
    curves = {
        f"{'standardised ' if flag else ''}{name}": frame.filter(pl.col("standardised") == flag)
        for name, frame in frames.items()
        for flag in (False, True)
    }
    return curves | {"precision_bands": next(precision_bands_of(judged)).filter(model="a")}


CELLS = (
    *((n, 0, name) for name in MODELS if name != BENT for n in SIZES),
    (2000, 0, BENT),
    (500, 40, "calibrated"),
)
"""Cases, their clusters if any, and the model."""
BANDS = *((n, name) for n in SIZES for name in MODELS if name != BENT), (2000, BENT)


def judged_tables(model: Model, asked: Study, seed: int, number: int) -> Iterator[JudgedPart]:
    """Yield tables of one kind, judged."""
    for rng, settled in runs(asked, seed, model.n, model.n + number):
        (part,) = parts(counts_of(model.draw(rng)), settled)
        yield JudgedPart(part, settled, SERIAL, ThresholdBootstrap(settled, SERIAL))


def holds(frame: pl.DataFrame, truth: FloatArray) -> tuple[float, bool, bool]:
    """The share of points whose interval holds the truth, whether all do, and whether the band does."""
    point, band = (
        (frame[f"{kind}_low"].to_numpy() - 1e-9 <= truth) & (truth <= frame[f"{kind}_high"].to_numpy() + 1e-9)
        for kind in ("ci", "band")
    )
    return float(point.mean()), bool(point.all()), bool(band.all())


def limits_of_formulas(model: Model, rng: np.random.Generator) -> tuple[FloatArray, LimitsOfCurve]:
    """Where a table's smooth curve has limits, and these, as trials drawn again one by one give them."""
    drawn, n = model.draw(rng), model.n
    order = np.argsort(drawn.score[0])
    p, y = drawn.score[0][order], drawn.label[order].astype(np.int64)
    grid = p[ENDS - 1] + (p[-ENDS] - p[ENDS - 1]) * np.arange(POINTS) / (POINTS - 1)
    start = np.arange(n)
    if n > EXACT:
        start = np.flatnonzero(np.diff(start * MOST_CELLS // n, prepend=-1))
    size, targets = np.diff(start, append=n), np.add.reduceat(y, start)
    cells, table = np.add.reduceat(p, start) / size, table_of(p, y, 1 - y)
    curve = table.curve.unbounded(grid)[0]
    shift = curve - table_of(cells, targets, size - targets).curve.unbounded(grid)[0]
    weight = rng.multinomial(n, np.full(n, 1 / n), size=REPLICATES)
    again = (np.add.reduceat(weight * label, start, axis=1) for label in (y, 1 - y))
    replicates = CurveReader(cells, None, grid, shift).of(table_of(cells, *again))
    limits = frequency_limits(curve, replicates, smoothing_bias(table, grid), n, LEVEL)
    assert limits is not None
    return grid, limits


def print_band(number: int) -> None:
    """Print the coverage of the smooth curve's limits."""
    print(
        "| cases | model | intervals, mean over points | band | width of the band | true Emax below the band's |"
    )
    print("|--:|---|--:|--:|--:|--:|")
    for n, name in BANDS:
        model, held = Model(n, **MODELS[name]), []
        for run in range(number):
            grid, limits = limits_of_formulas(model, np.random.default_rng([SEED, n, len(name), run]))
            truth, (low, high, band_low, band_high) = model.frequency(grid), limits
            point = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
            band = (band_low - 1e-9 <= truth) & (truth <= band_high + 1e-9)
            gap = max((band_low - grid).max(), (grid - band_high).max())
            held.append(
                (point.mean(), band.all(), (band_high - band_low).mean(), gap > truths(model)["emax"])
            )
        shares = " | ".join(f"{share:.3f}" for share in np.mean(held, axis=0))
        print(f"| {n:,} | {name} | {shares} |", flush=True)


def print_smooth(number: int) -> None:
    """Print the coverage of the smooth curve and of the indices, a table each."""
    curves, asked = [], question(INDICES, ("calibration",), 1)
    print(
        "| index | cases | model | truth | mean estimate | coverage | truth below | truth above | no interval |"
    )
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    for n, clusters, name in CELLS:
        model = Model(n, clusters=clusters, **MODELS[name])
        kind = f"{n:,} in {clusters} clusters | {name}" if clusters else f"{n:,} | {name}"
        found: dict[str, list[tuple[float, float, float]]] = {index: [] for index in INDICES}
        held = []
        for judged in judged_tables(model, asked, SEED + len(name), number):
            for row in metric_rows(judged.models[0], judged.drawn, judged.study):
                if row.split == "test" and row.measure in INDICES:
                    low, high = (math.nan if end is None else end for end in (row.ci_low, row.ci_high))
                    found[row.measure].append((row.value or 0.0, low, high))
            frame = next(calibration_of(judged))
            held.append(holds(frame, model.frequency(frame["probability"].to_numpy())))
        for index, values in found.items():
            value, lows, highs = np.array(values).T
            truth, there = truths(model)[index], ~np.isnan(lows)
            below, above = (lows - 1e-9 > truth)[there].mean(), (highs + 1e-9 < truth)[there].mean()
            shares = " | ".join(f"{each:.3f}" for each in (1 - below - above, below, above, 1 - there.mean()))
            print(f"| {index} | {kind} | {truth:.4f} | {value.mean():.4f} | {shares} |", flush=True)
        curves.append(f"| {kind} | {' | '.join(f'{share:.3f}' for share in np.mean(held, axis=0))} |")
        print(curves[-1], file=sys.stderr, flush=True)
    print("\n## Smooth calibration curve\n")
    print("| cases | model | intervals, mean over points | intervals, all points | band |")
    print("|--:|---|--:|--:|--:|", *curves, sep="\n")


def print_utility(number: int) -> None:
    """Print the coverage of net benefits and of precision along recall."""
    asked = question(("auc",), ("standardised_benefit", "benefit_difference", "pr_band"), 2)
    print("| curve | cases | model | intervals, mean over points | intervals, all points | band |")
    print("|---|--:|---|--:|--:|--:|")
    for n, clusters, name in CELLS:
        model = Rival(n, clusters=clusters, **MODELS[name])
        kind = f"{n:,} in {clusters} clusters | {name}" if clusters else f"{n:,} | {name}"
        truth = model.curves()
        held: dict[str, list[tuple[float, bool, bool]]] = {curve: [] for curve in UTILITIES}
        for judged in judged_tables(model, asked, SEED + 20 + len(name), number):
            for curve, frame in utilities(judged).items():
                at = "recall" if curve == "precision_bands" else "probability"
                held[curve].append(holds(frame.sort(at), truth[curve]))
        for curve, each in held.items():
            shares = " | ".join(f"{share:.3f}" for share in np.mean(each, axis=0))
            print(f"| {UTILITIES[curve]} | {kind} | {shares} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    kinds: dict[str, tuple[str, Callable[[int], None]]] = {
        "band": ("Limits of the smooth calibration curve", print_band),
        "smooth": ("Indices of the smooth calibration curve", print_smooth),
        "utility": ("Net benefit and precision", print_utility),
        "catalogue": ("Catalogue", lambda number: print("\n".join(catalogue(number)))),
    }
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--part", choices=tuple(kinds))
    asked = parser.parse_args()
    for part, (title, print_part) in kinds.items():
        if asked.part in (None, part):
            print(f"## {title}\n")
            print_part(asked.runs)
            print()


if __name__ == "__main__":
    main()
