"""What bins of scores do to a measure read at a rare rate: replicates on bins against those on all scores.

    python -m tests.research.studies.bins

Both see the same draws (Poisson weights). Differences are in standard errors of the exact replicates.
"""

from __future__ import annotations

import numpy as np

from reporting.core.stats.staircase import (
    FixedRate,
    NarrowBins,
    Staircase,
    bin_starts,
    cumulate,
    truth_runs,
)
from reporting.core.stats.sweep import frr_at_far

CASES = (100_000, 200_000, 1e-3, 400), (100_000, 1_000_000, 1e-4, 300), (100_000, 9_900_000, 1e-4, 150)
"""Targets, non-targets, the rate, replicates."""
APART = 4.5


def compared(n_target: int, n_nontarget: int, far: float, replicates: int) -> str:
    """Return the rows of one table."""
    rng = np.random.default_rng(1)
    score = np.concatenate((rng.standard_normal(n_nontarget), rng.standard_normal(n_target) + APART))
    target = (np.arange(len(score)) >= n_nontarget)[np.argsort(score, kind="stable")].astype(np.int64)
    other = 1 - target
    staircase = Staircase(*cumulate(target, other), np.array([0, len(score)]))
    starts = {
        "exact": np.flatnonzero(np.diff(truth_runs(target, other), prepend=-1)),
        "even bins": bin_starts(staircase),
        "narrow around the rate": bin_starts(staircase, [NarrowBins.at(FixedRate(far, False), staircase)]),
    }

    def read(weights: np.ndarray | int) -> dict[str, float]:
        """The measure on each kind of bins."""
        counts = weights * target, weights * other
        return {
            name: float(frr_at_far(*cumulate(*(np.add.reduceat(c, start) for c in counts)), far=far))
            for name, start in starts.items()
        }

    own = read(1)
    drawn = [read(rng.poisson(1.0, len(score))) for _ in range(replicates)]
    values = {name: np.array([each[name] for each in drawn]) - own[name] for name in starts}
    exact = values.pop("exact")
    se = exact.std(ddof=1)
    return "\n".join(
        f"| {n_target:,} | {n_nontarget:,} | {far:g} | {name} | {len(starts[name])}"
        f" | {found.std(ddof=1) / se:.3f} | {(found - exact).mean() / se:+.3f}"
        f" | {np.abs(found - exact).max() / se:.2f} |"
        for name, found in values.items()
    )


if __name__ == "__main__":
    print("| targets | non-targets | FAR | bins | cells | SD ratio | mean shift | largest difference |")
    print("|--:|--:|--:|---|--:|--:|--:|--:|")
    for case in CASES:
        print(compared(*case), flush=True)
