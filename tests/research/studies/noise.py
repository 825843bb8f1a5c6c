"""Coverage of intervals of counts with noise: rates at a given threshold, precision and AUC.

    python -m tests.research.studies.noise [--runs N]

Scores are normal and fall into 64 bins; counts get discrete Laplace noise, drawn by NumPy because that is quick
(``tests/core/counts/test_noise.py`` holds OpenDP's to the same law), and become whole numbers as in ``reporting counts
--noise``. The truth is that of the bins, so that it has no error of binning. Cells: coverage of the report's interval,
of one that ignores the noise, and how many times as wide the report's is.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.app.run.noising import possible_counts
from reporting.base.arrays import FloatArray, IntArray
from reporting.core.counts.noise import BinNoise, noise_variance
from reporting.core.stats.confusion import Share, precision
from reporting.core.stats.effective_size import EffectiveRate, wilson_limits
from reporting.core.stats.intervals import logit_interval, quantile
from reporting.core.stats.placements import placement_values

EPSILONS = 0.1, 0.5, 1.0, 2.0
SIZES = 200, 1_000, 10_000
RATES = 0.01, 0.05, 0.2, 0.5
AREAS = 0.7, 0.95
BINS, WIDTH, LEVEL = 64, 0.15, 0.95
FAR = Share("fp", "nontarget")
MODEL = ("model", "0")
Z = quantile(LEVEL, None)


class Coverage(NamedTuple):
    """In which share of intervals the truth was held, that of those without the noise, and the ratio of widths."""

    covered: float
    ignoring: float
    width: float
    given: float
    """The share of runs that have an interval: none has one where the counts are 0, or separated."""

    def __str__(self) -> str:
        cell = f"{self.covered:.3f}, {self.ignoring:.3f}, {self.width:.2f}"
        return cell if self.given == 1 else f"{cell} (of {self.given:.0%})"


def grid(threshold: float) -> FloatArray:
    """Return the lowest scores of the bins, one of which is the threshold."""
    first = threshold - WIDTH * math.ceil((threshold + 4) / WIDTH)
    return first + WIDTH * np.arange(BINS)


def masses(edges: FloatArray, mean: float) -> FloatArray:
    """Return the share of normal scores in every bin; the outer ones hold all beyond."""
    return np.diff(np.concatenate([[0.0], ndtr(edges[1:] - mean), [1.0]]))


def noisy_counts(
    rng: np.random.Generator, share: FloatArray, n: int, epsilon: float, runs: int, models: int = 1
) -> IntArray:
    """Return counts with noise (shape (runs, models, B)) of n trials; models score independently."""
    counts = rng.multinomial(n, share, (runs, models))
    stop = -math.expm1(-epsilon)
    counts += rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape)
    return np.array([possible_counts(table) for table in counts])


Limits = tuple[tuple[float, float], tuple[float, float]]


def judged(limits: list[Limits], truth: float, runs: int) -> Coverage:
    """Return the coverage of pairs of intervals, the report's and that without noise."""
    both = np.array(limits)
    covered = ((both[..., 0] <= truth) & (truth <= both[..., 1])).mean(axis=0)
    width = (both[..., 1] - both[..., 0]).mean(axis=0)
    return Coverage(float(covered[0]), float(covered[1]), float(width[0] / width[1]), len(limits) / runs)


def of_rate(rate: float, n: int, epsilon: float, runs: int, models: int = 1) -> Coverage:
    """Coverage of FAR at a given threshold, of the first of so many models."""
    edges = grid(float(-ndtri(rate)))
    threshold = float(edges[np.argmin(abs(edges + ndtri(rate)))])
    noise = BinNoise(noise_variance(epsilon), {(str(model), "0"): edges for model in range(models)})
    rng = np.random.default_rng([round(1000 * rate), n, round(10 * epsilon), models])
    limits = []
    for counts in noisy_counts(rng, masses(edges, 0.0), n, epsilon, runs, models)[:, 0]:
        if total := int(counts.sum()):
            observed = EffectiveRate(float(counts[edges >= threshold].sum()) / total, total)
            limits.append(_limits(observed, noise, ("0", "0"), threshold, FAR))
    return judged(limits, rate, runs)


def of_precision(rate: float, n: int, epsilon: float, runs: int) -> Coverage:
    """Coverage of precision where the given FAR and a tenth as many targets, of which half are accepted, meet."""
    edges = grid(float(-ndtri(rate)))
    threshold = float(edges[np.argmin(abs(edges + ndtri(rate)))])
    noise = BinNoise(noise_variance(epsilon), {MODEL: edges})
    rng = np.random.default_rng([round(1000 * rate), n, round(10 * epsilon), 77])
    classes = [
        noisy_counts(rng, masses(edges, mean), size, epsilon, runs)[:, 0]
        for mean, size in ((threshold, n // 10), (0.0, n))
    ]
    limits = []
    for targets, nontargets in zip(*classes, strict=True):
        hits, alarms = (int(counts[edges >= threshold].sum()) for counts in (targets, nontargets))
        if hits + alarms:
            observed = EffectiveRate(hits / (hits + alarms), hits + alarms)
            limits.append(_limits(observed, noise, MODEL, threshold, precision))
    return judged(limits, n // 10 * 0.5 / (n // 10 * 0.5 + n * rate), runs)


def _limits(
    observed: EffectiveRate, noise: BinNoise, whose: tuple[str, str], threshold: float, share: Share
) -> Limits:
    added = noise.of_rate(whose, threshold, share, observed.rate, observed.size)
    return observed._replace(noise=added).limits(LEVEL), observed.limits(LEVEL)


def of_area(area: float, n: int, epsilon: float, runs: int) -> Coverage:
    """Coverage of the AUC of n targets and as many non-targets."""
    edges = grid(0.0)
    share = [masses(edges, mean) for mean in (math.sqrt(2) * float(ndtri(area)), 0.0)]
    below = np.cumsum(share[1]) - share[1] / 2
    truth = float(below @ share[0])
    noise = BinNoise(noise_variance(epsilon), {MODEL: edges})
    rng = np.random.default_rng([round(100 * area), n, round(10 * epsilon), 5])
    classes = [noisy_counts(rng, each, n, epsilon, runs)[:, 0] for each in share]
    limits = []
    for targets, nontargets in zip(*classes, strict=True):
        if min(targets.sum(), nontargets.sum()) < 2:
            continue
        placed = placement_values(targets, nontargets)
        value = float(placed[0] @ targets / targets.sum())
        if not 0 < value < 1:
            continue
        plain = sum(
            float(counts @ (placement - value) ** 2) / (counts.sum() - 1) / counts.sum()
            for counts, placement in zip((targets, nontargets), placed, strict=True)
        )
        added = noise.of_area(MODEL, edges, targets, nontargets, value)
        low, high = wilson_limits(value, value * (1 - value) / plain, Z, added)
        limits.append(((float(low), float(high)), logit_interval(value, math.sqrt(plain), LEVEL)))
    return judged(limits, truth, runs)


def tables(runs: int) -> Iterator[tuple[str, list[str], list[tuple[str, list[Coverage]]]]]:
    """Yield the tables: title, columns, and rows of coverage by epsilon."""
    columns = [f"epsilon {epsilon:g}" for epsilon in EPSILONS]
    yield (
        "Rates at a given threshold",
        columns,
        [
            (f"rate {rate:g}, {n:,} trials", [of_rate(rate, n, epsilon, runs) for epsilon in EPSILONS])
            for rate in RATES
            for n in SIZES
        ],
    )
    yield (
        "Rates of one of five models",
        columns,
        [
            (f"rate {rate:g}, 1,000 trials", [of_rate(rate, 1_000, epsilon, runs, 5) for epsilon in EPSILONS])
            for rate in RATES
        ],
    )
    yield (
        "Precision at a given threshold",
        columns,
        [
            (
                f"FAR {rate:g}, {n:,} non-targets",
                [of_precision(rate, n, epsilon, runs) for epsilon in EPSILONS],
            )
            for rate in RATES[:3]
            for n in SIZES
        ],
    )
    yield (
        "AUC",
        columns,
        [
            (f"AUC {area:g}, {n:,} of a class", [of_area(area, n, epsilon, runs) for epsilon in EPSILONS])
            for area in AREAS
            for n in SIZES
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    for title, columns, rows in tables(parser.parse_args().runs):
        print(f"\n## {title}\n\n| | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
        for name, cells in rows:
            print(f"| {name} | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
