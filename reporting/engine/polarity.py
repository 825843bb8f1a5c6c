"""Models whose scores seem to be turned round: targets have lower ones than non-targets, beyond chance."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reporting.counts.count import Counts
from reporting.counts.cuts import Cuts
from reporting.errors import quoted

CHANCE, REACH = 0.5, 2.58
"""So many standard errors below chance an AUC is no chance."""


def turned_round(counts: Counts) -> Iterator[str]:
    """Yield a sentence for every model whose AUC on a test set lies below chance, and not by chance.

    The standard error is at most sqrt(A (1 - A) / min(N1, N0)) (van Dantzig 1951).
    """
    for key, cuts in sorted(counts.cuts.items()):
        if key.split != "test" or not all(cuts.trials):
            continue
        area = _auc(cuts)
        if area + REACH * math.sqrt(area * (1 - area) / min(cuts.trials)) < CHANCE:
            where = "" if key.dataset == "all" else f", dataset {quoted(key.dataset)}"
            yield (
                f"model {quoted(key.model)}{where}: targets have lower scores than non-targets"
                f" (AUC {area:.3f}); if lower ones favour targets, set 'higher_is: nontarget' for it"
            )


def _auc(cuts: Cuts) -> float:
    """The share of pairs in which the target has the higher score, and half of the equal ones."""
    n_target, n_nontarget = (n.astype(np.float64) for n in (cuts.n_target, cuts.n_nontarget))
    below = np.cumsum(n_nontarget) - n_nontarget / 2
    return float(n_target @ below / (n_target.sum() * n_nontarget.sum()))
