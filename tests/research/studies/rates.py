"""Coverage of rates of dependent trials: how many independent ones they are worth, and what few errors do to that.

    python -m tests.research.studies.rates [--runs N] [--part pairs|clusters|measures]

Scores are normal: an effect of each speaker, or cluster, and noise with the variance 1; trials are errors
beyond a threshold, which the expected number of errors sets. Of pairs every speaker meets every other. Intervals
are those of ``CountedTrials`` and ``EffectiveRate``, on arrays; beside them what else was tried. Widths are multiples of
that of Wilson's interval by a reader who knows the variance.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, owens_t, stdtrit

from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.design import Design
from reporting.core.resampling.effective import FEW, PLUS, VERY_FEW, CountedTrials
from reporting.core.resampling.estimate import spread_interval
from reporting.core.resampling.units import cluster_units
from reporting.core.stats.effective_size import square_and_add

ERRORS = 0.5, 1.0, 2.0, 5.0, 10.0, 30.0
Z = float(ndtri(0.975))
CHOSEN = "**the report's**"
NUMBERS_AT_ONCE = 2_000_000

Limits = tuple[Any, Any]


class Tables(NamedTuple):
    """Simulated tables with one expected number of errors: arrays over the runs, and what all share."""

    truth: float
    n: int
    units: int
    errors: Any
    plug_in: Any
    """Variance of the rate by clusters or pairs."""
    doubled: Any
    """That of the double-or-nothing bootstrap (Fogliato, Patil, Perona 2024), in closed form."""
    unbiased: Any
    """``plug_in`` over what sums over the speakers themselves lack of it on average."""
    by_scores: Any
    """The design effect that the scores say."""


def pairs(speakers: int, spread: float, per_pair: int, runs: int) -> Iterator[Tables]:
    """Yield the tables of all pairs of speakers, whose effects have the standard deviation ``spread``."""
    rng = np.random.default_rng([speakers, int(10 * spread), per_pair])
    first, second = np.triu_indices(speakers, 1)
    n, own = len(first) * per_pair, (speakers - 1) * per_pair
    together = speakers * own**2 - len(first) * per_pair**2
    lacking = (speakers - 2) * (speakers - 3) / (speakers * (speakers - 1))
    cuts = [-ndtri(expected / n) * math.sqrt(1 + 2 * spread**2) for expected in ERRORS]
    found: list[list[Any]] = [[] for _ in ERRORS]
    chunk = max(1, NUMBERS_AT_ONCE // n)
    for size in [chunk] * (runs // chunk) + [runs % chunk]:
        effect = spread * rng.standard_normal((size, speakers))
        score = rng.standard_normal((size, len(first), per_pair))
        score += (effect[:, first] + effect[:, second])[..., None]

        def by_speaker(of_pair: Any) -> Any:
            square = np.zeros((len(of_pair), speakers, speakers))
            square[:, first, second] = of_pair
            return (square + square.transpose(0, 2, 1)).sum(axis=2)

        off = score - score.mean(axis=(1, 2), keepdims=True)
        alone, of_pair = (off**2).sum(axis=(1, 2)), off.sum(axis=2)
        products = ((by_speaker(of_pair) ** 2).sum(axis=1) - (of_pair**2).sum(axis=1)) / lacking - alone
        correlation = products / (together - n) / (alone / n)
        for kept, cut in zip(found, cuts, strict=True):
            wrong = (score > cut).sum(axis=2)
            rate = wrong.sum(axis=1, keepdims=True) / n
            touching = ((by_speaker(wrong) - rate * own) ** 2).sum(axis=1) / n**2
            within = ((wrong - rate * per_pair) ** 2).sum(axis=1) / n**2
            plug_in, errors = touching - within, wrong.sum(axis=1)
            effect = by_scores(errors, n, together / n - 1, correlation)
            kept.append((errors, plug_in, touching + within, plug_in / lacking, effect))
    for expected, kept in zip(ERRORS, found, strict=True):
        columns = (np.concatenate(column) for column in zip(*kept, strict=True))
        yield Tables(expected / n, n, speakers, *columns)


def clusters(g: int, size: int, spread: float, runs: int) -> Iterator[Tables]:
    """Yield the tables of G clusters of one size, whose effects have the standard deviation ``spread``."""
    rng = np.random.default_rng([g, size, int(10 * spread)])
    for expected in ERRORS:
        truth = min(expected / (g * size), 0.5)
        effect = spread * rng.standard_normal((runs, g))
        wrong = rng.binomial(size, ndtr(effect + ndtri(truth) * math.sqrt(1 + spread**2)))
        yield _of_clusters(rng, truth, size, wrong, effect)


def bursts(g: int, size: int, runs: int) -> Iterator[Tables]:
    """Yield tables in which a few clusters err in half of their trials and the others never: scores tell nothing."""
    rng = np.random.default_rng([g, size])
    for expected in ERRORS:
        truth = min(expected / (g * size), 0.25)
        wrong = rng.binomial(size, 0.5, (runs, g)) * (rng.random((runs, g)) < 2 * truth)
        yield _of_clusters(rng, truth, size, wrong, np.zeros((runs, g)))


def _of_clusters(rng: np.random.Generator, truth: float, size: int, wrong: Any, effect: Any) -> Tables:
    runs, g = wrong.shape
    mean = effect + rng.standard_normal(effect.shape) / math.sqrt(size)
    mean -= mean.mean(axis=1, keepdims=True)
    alone = size * (mean**2).sum(axis=1) + rng.chisquare(g * (size - 1), runs)
    products = g / (g - 1) * ((size * mean) ** 2).sum(axis=1) - alone
    correlation = products / (size - 1) / alone
    rate = wrong.mean(axis=1, keepdims=True) / size
    variance = g / (g - 1) * ((wrong - rate * size) ** 2).sum(axis=1) / (g * size) ** 2
    errors = wrong.sum(axis=1)
    effect = by_scores(errors, g * size, size - 1, correlation)
    return Tables(truth, g * size, g, errors, variance, variance, variance, effect)


def by_scores(errors: Any, n: int, partners: float, correlation: Any) -> Any:
    """Design effects of arrays of tables, as ``CountedTrials`` reads them off the scores."""
    rare, r = (errors + PLUS) / (n + 2 * PLUS), np.clip(correlation, 0, 0.999)
    both = rare - 2 * owens_t(ndtri(rare), np.sqrt((1 - r) / (1 + r)))
    return 1 + partners * np.where(r > 0, (both - rare**2) / (rare * (1 - rare)), 0.0)


def wilson(rate: Any, n: Any, z: float) -> Limits:
    """Limits of arrays of rates."""
    middle, half = rate + z * z / (2 * n), z * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def korn_graubard(rate: Any, n: Any, t: float) -> Limits:
    """Limits of arrays of rates, as ``EffectiveRate`` has them."""
    n = n * (Z / t) ** 2
    k = rate * n
    low = np.where(k > 0, betaincinv(np.maximum(k, 1e-9), n - k + 1, 0.025), 0.0)
    return low, betaincinv(k + 1, n - k, 0.975)


def tried(tables: Tables) -> dict[str, Limits]:
    """The limits of every interval that was tried."""
    n, rate, t = tables.n, tables.errors / tables.n, float(stdtrit(tables.units - 1, 0.975))
    none, binomial = tables.errors == 0, np.maximum(rate * (1 - rate) / n, 1e-300)
    plug_in, unbiased, doubled = (
        np.where(none, 1.0, np.maximum(each / binomial, 1e-3))
        for each in (tables.plug_in, tables.unbiased, tables.doubled)
    )
    few = np.where(none, n / (tables.units / 2), np.maximum(unbiased, 1.0))
    by_errors = np.maximum(unbiased, 1.0)
    errors = np.minimum(tables.errors, n - tables.errors)
    counts = np.minimum(1.0, FEW / np.maximum(errors, 1))
    chosen = by_errors + np.maximum(tables.by_scores - by_errors, 0.0) * counts
    ours, exact = wilson(rate, n / chosen, t), korn_graubard(rate, n / chosen, t)
    return {
        "Wilson, plug-in (cimat)": wilson(rate, n / plug_in, Z),
        "Wilson, plug-in at least 1, t": wilson(rate, n / np.maximum(plug_in, 1.0), t),
        "Wilson, double or nothing": wilson(rate, n / np.maximum(doubled, 1.0), Z),
        "units / 2 where no error, t": wilson(rate, n / few, t),
        "Wilson, scores' effect, t": ours,
        "Korn-Graubard, scores' effect, t": exact,
        CHOSEN: tuple(
            np.where(errors <= VERY_FEW, few_of, many_of) for few_of, many_of in zip(exact, ours, strict=True)
        ),
    }


def judged(tables: Tables) -> dict[str, tuple[float, float]]:
    """Coverage and width of every interval; the width as a multiple of the oracle's."""
    truth, rate = tables.truth, tables.errors / tables.n
    effect = max(1.0, float(np.var(rate)) / (truth * (1 - truth) / tables.n))
    known = wilson(rate, tables.n / effect, Z)
    oracle = float(np.mean(known[1] - known[0]))
    return {
        name: (float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean()) / oracle)
        for name, (low, high) in {**tried(tables), "oracle": known}.items()
    }


def summary(cells: list[dict[str, tuple[float, float]]]) -> str:
    """One line for each interval: the worst cell, cells below .93, the mean, and widths."""
    lines = [
        "| interval | least coverage | cells below .93 | mean | widest | cells above 1.5 |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in cells[0]:
        covered, width = (np.array([cell[name][i] for cell in cells]) for i in (0, 1))
        lines.append(
            f"| {name} | {covered.min():.3f} | {(covered < 0.93).sum()} of {len(cells)} | {covered.mean():.3f}"
            f" | {width.max():.2f} | {(width > 1.5).sum()} |"
        )
    return "\n".join(lines)


def rows(named: dict[str, list[dict[str, tuple[float, float]]]]) -> str:
    """The report's interval in every cell: coverage and width."""
    lines = [
        "| | " + " | ".join(f"{expected:g} errors" for expected in ERRORS) + " |",
        "|---|" + "--:|" * len(ERRORS),
    ]
    for name, cells in named.items():
        shown = " | ".join("{:.3f}, {:.2f}".format(*cell[CHOSEN]) for cell in cells)
        lines.append(f"| {name} | {shown} |")
    return "\n".join(lines)


def measures(
    g: int, n_nontarget: int, n_target: int, share: float, cut: float, runs: int
) -> dict[str, float]:
    """Coverage at a fixed threshold of G clusters (d' 2), ``share`` of the variance that of a cluster's class."""
    rng = np.random.default_rng([g, n_nontarget, n_target])
    label = np.tile(np.arange(n_nontarget + n_target) >= n_nontarget, g)
    unit = np.repeat(np.arange(g), n_nontarget + n_target).astype(np.uint32)
    (units,) = cluster_units([Ranks(label, unit, {}, paired=True)], ("all", "test"))
    far, frr = float(ndtr(-cut)), float(ndtr(cut - 2))
    of_class = [(CountedTrials.among(members, units, None), members) for members in (~label, label)]
    truths = {
        "FAR": far,
        "FRR": frr,
        "HTER": (far + frr) / 2,
        "WER(.8)": 0.8 * far + 0.2 * frr,
        "F1": _f1(n_target * frr, n_nontarget * far, n_target),
    }
    held = dict.fromkeys(truths, 0)
    for _ in range(runs):
        effect = rng.standard_normal((2, g))[label.astype(int), unit]
        score = (
            math.sqrt(share) * effect + math.sqrt(1 - share) * rng.standard_normal(len(label)) + 2.0 * label
        )
        wrong = ((score >= cut) != label).astype(float)
        at = np.where(label, 2 - score, score)
        rates = [counted.rate(wrong, counted.correlation(at)) for counted, _ in of_class]
        counts = np.stack([np.bincount(unit, wrong * members, g) for _, members in of_class])
        drawn = rng.multinomial(g, np.full(g, 1 / g), 299) @ counts.T
        f1 = _f1(drawn[:, 1], drawn[:, 0], g * n_target)
        value = float(_f1(counts[1].sum(), counts[0].sum(), g * n_target))
        of_f1 = spread_interval(value, f1, (0.0, 1.0), 0.95, Design(0.95, g - 1, math.sqrt(g / (g - 1))))
        intervals = {
            "FAR": rates[0].limits(0.95),
            "FRR": rates[1].limits(0.95),
            "HTER": square_and_add([(0.5, rates[0]), (0.5, rates[1])], 0.95),
            "WER(.8)": square_and_add([(0.8, rates[0]), (0.2, rates[1])], 0.95),
            "F1": (of_f1.low or 0.0, 1.0 if of_f1.high is None else of_f1.high),
        }
        for name, (low, high) in intervals.items():
            held[name] += low <= truths[name] <= high
    return {name: n / runs for name, n in held.items()}


def _f1(misses: Any, false_alarms: Any, n_target: float) -> Any:
    right = n_target - misses
    return 2 * right / (2 * right + misses + false_alarms)


PAIRS = [
    (s, spread, m) for s in (20, 40, 100, 400) for spread in (0.0, 0.3, 0.6) for m in (1, 10) if s * m < 4000
]
CLUSTERS = [
    (g, size, spread) for g in (10, 20, 100) for size in (5, 20, 100) for spread in (0.0, 0.3, 0.6, 1.0)
]
MEASURED = [(10, 20, 5, 0.3, 1.0), (20, 20, 5, 0.3, 1.0), (100, 20, 5, 0.3, 1.0), (10, 10, 10, 0.3, 2.0)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--part", choices=("pairs", "clusters", "bursts", "measures"))
    asked = parser.parse_args()
    cells: dict[str, dict[str, Callable[[], Iterator[Tables]]]] = {
        "pairs": {
            f"{s} speakers, sd {spread:g}, {m} a pair": lambda s=s, spread=spread, m=m: pairs(
                s, spread, m, asked.runs if s < 400 else asked.runs // 2
            )
            for s, spread, m in PAIRS
        },
        "clusters": {
            f"{g} clusters of {size}, sd {spread:g}": lambda g=g, size=size, spread=spread: clusters(
                g, size, spread, asked.runs
            )
            for g, size, spread in CLUSTERS
        },
        "bursts": {
            f"{g} clusters of {size}": lambda g=g, size=size: bursts(g, size, asked.runs)
            for g in (10, 20, 100)
            for size in (5, 20, 100)
        },
    }
    for part, named in cells.items():
        if asked.part in (None, part):
            made = {name: [judged(tables) for tables in make()] for name, make in named.items()}
            print(f"## {part.capitalize()}\n\n{summary([cell for row in made.values() for cell in row])}\n")
            print(f"{rows(made)}\n")
    if asked.part in (None, "measures"):
        print("## Fixed thresholds under clusters\n")
        names = "FAR", "FRR", "HTER", "WER(.8)", "F1"
        print("| clusters, non-targets, targets in each, threshold | " + " | ".join(names) + " |")
        print("|---|" + "--:|" * len(names))
        for g, n0, n1, share, cut in MEASURED:
            found = measures(g, n0, n1, share, cut, asked.runs)
            print(
                f"| {g}, {n0}, {n1}, {cut:g} | " + " | ".join(f"{found[name]:.3f}" for name in names) + " |"
            )


if __name__ == "__main__":
    main()
