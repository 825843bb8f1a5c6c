"""Models whose scores seem to be inverted: targets have lower ones than non-targets, beyond chance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reporting.core.counts.count import Counts
from reporting.core.stats.sweep import auc
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
        area = float(auc(cuts.staircase.misses, cuts.staircase.false_alarms))
        if area + REACH * math.sqrt(area * (1 - area) / min(cuts.trials)) < CHANCE:
            where = "" if key.dataset == "all" else f", dataset {quoted(key.dataset)}"
            yield (
                f"model {quoted(key.model)}{where}: targets have lower scores than non-targets"
                f" (AUC {area:.3f}); if lower ones favour targets, set 'higher_is: nontarget' for it;"
                " or they are the column of the other class"
            )
