"""Coverage of the highest of several error rates: the simultaneous limits and the bound of the frame ``worst``.

    python -m tests.research.studies.worst [--runs N]

Independent attacks are binomial, on arrays; the limits are those of ``EffectiveRate``. Under clusters every
speaker tries every attack: an effect of the speaker, one of the speaker with the attack, and noise; rates are
those of ``CountedTrials``, as a report has them. Also shown: the bias of the highest observed rate, and how often
an interval of that one rate alone, as if it had not been chosen, holds the highest true rate.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.units import cluster_units
from reporting.core.stats.effective_size import EffectiveRate

LEVEL = 0.95


class Covered(NamedTuple):
    """Shares of simulated tables in which limits hold the truth, and the bias of the highest rate."""

    together: float
    """All attacks' limits hold their own rates."""
    worst: float
    """The highest true rate is between the highest lower and the highest upper limit."""
    bound: float
    alone: float
    """The 95% interval of the attack with the highest observed rate alone holds the highest true rate."""
    bias: float
    """Mean of the highest observed rate, less the highest true one."""


def clopper_pearson(errors: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Limits of arrays of counts, as ``EffectiveRate`` has them of few errors."""
    tail = (1 - level) / 2
    low = np.where(errors > 0, betaincinv(np.maximum(errors, 1), n - errors + 1, tail), 0.0)
    high = np.where(errors < n, betaincinv(errors + 1, np.maximum(n - errors, 1), 1 - tail), 1.0)
    return low, high


def judged(truth: Any, rate: Any, limits: Sequence[tuple[Any, Any]]) -> Covered:
    """Return the shares; ``limits`` are the simultaneous, the one-sided and the single ones (runs, K)."""
    (low, high), (_, upper), (alone_low, alone_high) = limits
    most, chosen = truth.max(), rate.argmax(axis=1)[:, None]
    alone = (
        np.take_along_axis(alone_low, chosen, 1) <= most,
        most <= np.take_along_axis(alone_high, chosen, 1),
    )
    return Covered(
        float(((low <= truth) & (truth <= high)).all(axis=1).mean()),
        float(((low.max(axis=1) <= most) & (most <= high.max(axis=1))).mean()),
        float((most <= upper.max(axis=1)).mean()),
        float((alone[0] & alone[1]).mean()),
        float(rate.max(axis=1).mean() - most),
    )


def independent(rates: Sequence[float], n: int, runs: int) -> Covered:
    """Judge attacks of n trials each."""
    truth, rng = np.array(rates), np.random.default_rng([len(rates), n, round(1e4 * max(rates))])
    errors = rng.binomial(n, truth, (runs, len(truth)))
    levels = LEVEL ** (1 / len(truth)), 2 * LEVEL - 1, LEVEL
    return judged(truth, errors / n, [clopper_pearson(errors, n, level) for level in levels])


def clusters(rates: Sequence[float], speakers: int, each: int, spread: float, runs: int) -> Covered:
    """Judge attacks that every speaker tries ``each`` times; effects have the standard deviation ``spread``."""
    truth, k = np.array(rates), len(rates)
    rng = np.random.default_rng([k, speakers, each, round(1e4 * max(rates))])
    unit = np.repeat(np.arange(speakers), each).astype(np.uint32)
    ranks = Ranks(np.zeros(len(unit), dtype=bool), unit, {}, paired=True)
    counted = CountedTrials.among(np.ones(len(unit)), cluster_units([ranks], ("all", "test"))[0], None)
    cuts = -ndtri(truth) * math.sqrt(1 + 2 * spread**2)
    levels = LEVEL ** (1 / k), 2 * LEVEL - 1, LEVEL
    observed = np.zeros((runs, k))
    limits = [(np.zeros((runs, k)), np.zeros((runs, k))) for _ in levels]
    for run in range(runs):
        common = spread * rng.standard_normal(speakers)[unit]
        for attack, cut in enumerate(cuts):
            own = spread * rng.standard_normal(speakers)[unit]
            score = common + own + rng.standard_normal(len(unit))
            rate = counted.rate((score >= cut).astype(float), counted.correlation(score))
            observed[run, attack] = rate.rate
            for (low, high), level in zip(limits, levels, strict=True):
                made = EffectiveRate(rate.rate, rate.size, rate.df, few=True).limits(level)
                low[run, attack], high[run, attack] = made
    return judged(truth, observed, limits)


EQUAL, ONE, NONE = (0.05,) * 6, (0.2, *(0.02,) * 5), (0.001,) * 6
INDEPENDENT = [
    ((0.05,), 150),
    *((rates, n) for rates in (EQUAL, ONE, NONE, (0.1,) * 20) for n in (30, 150, 1000)),
]
CLUSTERS = [(EQUAL, 20, 10), (ONE, 20, 10), ((0.2,) * 6, 40, 5), (EQUAL, 100, 5)]
HEAD = (
    "| | all limits together | the highest | bound | interval of the highest alone | bias of the highest |\n"
    "|---|--:|--:|--:|--:|--:|"
)


def line(name: str, of: Covered) -> str:
    """One row of the tables."""
    return f"| {name} | " + " | ".join(f"{share:.3f}" for share in of) + " |"


def described(rates: Sequence[float]) -> str:
    """Attacks in words: ``6 attacks of .05``."""
    most, count = max(rates), len(rates)
    same = f"{count} attack{'s' * (count > 1)} of {most:g}"
    return same if min(rates) == most else f"one attack of {most:g}, {count - 1} of {min(rates):g}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    asked = parser.parse_args()
    print(f"## Independent trials\n\n{HEAD}")
    for rates, n in INDEPENDENT:
        print(line(f"{described(rates)}, {n} trials each", independent(rates, n, 10 * asked.runs)))
    print(f"\n## Speakers who try every attack\n\n{HEAD}")
    for rates, speakers, each in CLUSTERS:
        name = f"{described(rates)}, {speakers} speakers, {each} times each"
        print(line(name, clusters(rates, speakers, each, 0.5, asked.runs)), flush=True)


if __name__ == "__main__":
    main()
