"""Small ROC curves, their replicates drawn class by class, and whether a band holds them."""

from __future__ import annotations

import numpy as np

from reporting.core.stats.staircase import truth_runs

GRID = np.linspace(0, 1, 101)


# Targets {.5, 1.5}, non-targets {0, .5, 1, 1}: FPR, TPR from (1, 1): (.75, 1), (.5, .5), (0, .5), (0, 0).
MISSES, ALARMS = np.array([0, 0, 1, 1, 2]), np.array([4, 3, 2, 0, 0])


def curve(staircase):
    """FPR and TPR of every cut."""
    return (
        staircase.false_alarms / staircase.n_nontarget,
        1 - staircase.misses / staircase.n_target,
    )


def drawn(staircase, m, seed=1):
    """Replicates of misses and false alarms on the cuts of a staircase, classes drawn apart."""
    rng = np.random.default_rng(seed)
    parts = []
    for steps in (np.diff(staircase.misses), -np.diff(staircase.false_alarms)):
        total = int(steps.sum())
        parts.append(rng.multinomial(total, steps / total, size=m))
    zero = np.zeros((m, 1), dtype=np.int64)
    misses = np.hstack((zero, np.cumsum(parts[0], axis=1)))
    rejected = np.hstack((zero, np.cumsum(parts[1], axis=1)))
    return misses, rejected[:, -1:] - rejected


def run_cuts(n_target, n_nontarget):
    """Cuts where a run of one truth state ends."""
    run = truth_runs(n_target, n_nontarget)
    return np.array([0, *(k for k in range(1, len(run)) if run[k] != run[k - 1]), len(run)])


def within(band, fpr, tpr, slack=1e-9):
    """Whether points at the FPR of a band lie in it."""
    assert np.array_equal(band.fpr, fpr)
    return bool(((band.low - slack <= tpr) & (tpr <= band.high + slack)).all())
