"""How often sup-t bands hold a whole ROC, or the whole difference of two: as they were and as they are.

    python -m tests.research.studies.bands [RUNS]

Scores are normal, d' 2; two models share half of their noise; grades are scores in half units. 299 replicates
by class. Before: standard errors of at least 1 / (2 N1), distances from the estimate.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.core.stats.roc_bands import DIFFERENCE, fpr_grid, least_errors, tpr_at
from reporting.features.curves.formulas import SUP_T_RANGE, sup_t_band

REPLICATES, LEVEL = 299, 0.95


class Sizes(NamedTuple):
    """One kind of tables."""

    n_nontarget: int
    n_target: int
    grades: bool = False
    d_prime: tuple[float, float] = (2.0, 2.0)


CASES = (
    Sizes(60, 60),
    Sizes(100, 100),
    Sizes(300, 100),
    Sizes(1000, 200),
    Sizes(200, 200, grades=True),
    Sizes(300, 100, d_prime=(2.0, 2.5)),
)


def curve(score, label, weights, grid):
    """TPR over a grid of FPR under weights of the trials (shape (R, N)): shape (R, G)."""
    _, rank = np.unique(score, return_inverse=True)
    order = np.argsort(rank, kind="stable")
    ends = np.flatnonzero(np.diff(rank[order], append=rank.max() + 1))
    misses, rejected = (
        np.pad(np.cumsum((weights * members)[:, order], axis=1)[:, ends], ((0, 0), (1, 0)))
        for members in (label, ~label)
    )
    return tpr_at(misses, rejected[:, -1:] - rejected, grid)


def true_curve(d_prime, grid, grades):
    """TPR of the population."""
    if not grades:
        return ndtr(d_prime + ndtri(grid))
    cuts = np.arange(8, -4.25, -0.5)
    return np.interp(grid, ndtr(-cuts), ndtr(d_prime - cuts))


def covered(sizes, runs):
    """Coverage and mean width of each band."""
    n0, n1, grades, d_primes = sizes
    rng, label = np.random.default_rng([n0, n1, runs]), np.arange(n0 + n1) >= n0
    grid = fpr_grid(n0)
    grid = grid[(grid >= SUP_T_RANGE[0]) & (grid <= SUP_T_RANGE[1])]
    truths = [true_curve(d, grid, grades) for d in d_primes]
    found = {}
    for _ in range(runs):
        common, own = rng.standard_normal(n0 + n1), rng.standard_normal((2, n0 + n1))
        scores = np.sqrt(0.5) * (common + own) + np.outer(d_primes, label)
        scores = np.floor(2 * scores) / 2 if grades else scores
        weights = np.hstack([rng.multinomial(n, np.full(n, 1 / n), REPLICATES) for n in (n0, n1)])
        plain = [curve(s, label, np.ones((1, n0 + n1), dtype=int), grid)[0] for s in scores]
        again = [curve(s, label, weights, grid) for s in scores]
        errors = [least_errors(tpr, n1) for tpr in plain]
        one, both = (grid, plain[0], again[0]), (grid, plain[0] - plain[1], again[0] - again[1])
        bands = {
            "curve, before": (sup_t_band(*one, 0.5 / n1, LEVEL), truths[0]),
            "curve": (sup_t_band(*one, errors[0], LEVEL, off=0.5 / n0), truths[0]),
            "difference, before": (sup_t_band(*both, 0.5 / n1, LEVEL, DIFFERENCE), truths[0] - truths[1]),
            "difference": (
                sup_t_band(*both, np.hypot(*errors), LEVEL, DIFFERENCE, centred=True),
                truths[0] - truths[1],
            ),
        }
        for name, (band, truth) in bands.items():
            inside = ((band.low <= truth + 1e-12) & (truth <= band.high + 1e-12)).all()
            found.setdefault(name, []).append((inside, (band.high - band.low).mean()))
    return {name: np.mean(values, axis=0) for name, values in found.items()}


if __name__ == "__main__":
    n_runs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    names = "curve, before", "curve", "difference, before", "difference"
    print("| non-targets, targets | " + " | ".join(names) + " |\n|---|" + "--:|" * len(names))
    for case in CASES:
        kind = ", grades" if case.grades else "" if case.d_prime[0] == case.d_prime[1] else ", d' 2 and 2.5"
        cells = covered(case, n_runs)
        shown = " | ".join("{:.3f}, {:.3f}".format(*cells[name]) for name in names)
        print(f"| {case.n_nontarget}, {case.n_target}{kind} | {shown} |", flush=True)
