"""What counted decisions of independent trials say of a difference, by its formula.

The program has the same from the trials themselves (``Difference.bounded``); a study or a sum over all tables
asks it of many thousands of tables.
"""

from __future__ import annotations

from reporting.core.resampling.margins import Score, tested_at_zero
from reporting.core.stats.paired import Discordant, difference, exact_p, null_variance


def evidence_of(d: Discordant, weights: tuple[float, float]) -> Score | None:
    """Return the score limits and exact p of w_far FAR + w_frr FRR, first less second."""
    counted = [(w, n) for w, n in zip(weights, (d.n_nontarget, d.n_target), strict=True) if w > 0]
    if not all(n for _, n in counted):
        return None
    by_one, variance = max(w / n for w, n in counted), float(null_variance(d, *weights))
    score = Score(float(difference(d, *weights)), variance, by_one)
    return tested_at_zero(score, exact_p(d, *weights, mid=True))
