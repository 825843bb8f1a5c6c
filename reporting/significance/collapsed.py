"""The collapsed bootstrap: one multinomial draw over outcome patterns is a resample of trials.

For any statistic of pattern counts this is the same distribution as drawing trials with replacement
(methods 8.2), at a cost free of the number of trials. Used for one model or a pair at given
thresholds, where trials are independent. The stream is keyed by the models' names, so the numbers of
a model or pair depend on nothing else in the report.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from reporting.significance.draws import blocks, loses_a_class, stream
from reporting.significance.replicates import Replicates, errors_between
from reporting.stats.paired import Discordant
from reporting.stats.staircase import IntArray


def resample_model(
    outcome: IntArray, seed: int, names: tuple[str, ...], replicates: int, *, by_class: bool = False
) -> Replicates:
    """Resample one model's outcomes (shape (2, bins)) and return its errors at every threshold."""
    parts, redrawn = [], False
    for block, size in blocks(replicates):
        drawn, again = _draw_patterns(outcome, stream(seed, "collapsed", *names, block), size, by_class)
        redrawn |= again
        parts.append(drawn)
    return errors_between(np.concatenate(parts), redrawn)


def _draw_patterns(
    outcome: IntArray, rng: np.random.Generator, size: int, by_class: bool
) -> tuple[IntArray, bool]:
    """Draw pattern counts (shape (size, *outcome.shape)); replicates that lose a class are redrawn."""
    flat = outcome.reshape(2, -1)
    drawn = np.zeros((size, 2, flat.shape[1]), dtype=np.int64)
    n0, n1 = (int(n) for n in flat.sum(axis=1))
    if by_class or loses_a_class(n0, n1):
        for label, total in ((0, n0), (1, n1)):
            there = np.flatnonzero(flat[label])
            if not total:
                continue
            drawn[:, label, there] = rng.multinomial(total, flat[label, there] / total, size=size)
        return drawn.reshape(size, *outcome.shape), not by_class
    there = np.flatnonzero(flat)
    chance = flat.ravel()[there] / (n0 + n1)
    joint = drawn.reshape(size, -1)
    joint[:, there] = rng.multinomial(n0 + n1, chance, size=size)
    redrawn = False
    while min(n0, n1) > 0 and len(lost := np.flatnonzero((drawn.sum(axis=2) == 0).any(axis=1))):
        redrawn = True
        joint[np.ix_(lost, there)] = rng.multinomial(n0 + n1, chance, size=len(lost))
    return drawn.reshape(size, *outcome.shape), redrawn


def resample_pair(
    outcome: IntArray,
    at: tuple[IntArray, IntArray],
    seed: int,
    names: tuple[str, ...],
    replicates: int,
    *,
    by_class: bool = False,
) -> tuple[Discordant, bool]:
    """Resample a pair's outcomes (shape (2, bins of A, bins of B)).

    Returns paired counts (shape (M, P)) at P pairs of threshold indices ``at``, and whether any
    replicate was redrawn because it had lost a class.
    """
    parts, redrawn = [], False
    for block, size in blocks(replicates):
        drawn, again = _draw_patterns(outcome, stream(seed, "collapsed", *names, block), size, by_class)
        redrawn |= again
        parts.append(pair_discordants(drawn, at))
    return _stack(parts), redrawn


def pair_discordants(counts: IntArray, at: tuple[IntArray, IntArray]) -> Discordant:
    """Return the paired counts at pairs of thresholds; ``counts`` has shape (..., 2, bins, bins)."""
    j, k = at
    # rejected[..., a, b] counts trials that A's threshold a and B's threshold b both reject.
    rejected = np.cumsum(np.cumsum(counts, axis=-1), axis=-2)
    both = rejected[..., j, k]
    by_a = rejected[..., j, counts.shape[-1] - 1]
    by_b = rejected[..., counts.shape[-2] - 1, k]
    size = rejected[..., -1, -1].copy()  # a view would keep the whole table alive
    ten, one = by_b - both, by_a - both
    return Discordant(
        nontarget_10=ten[..., 0, :],
        nontarget_01=one[..., 0, :],
        target_10=ten[..., 1, :],
        target_01=one[..., 1, :],
        n_target=size[..., 1:],
        n_nontarget=size[..., :1],
        nontarget_00=both[..., 0, :],
        target_00=both[..., 1, :],
    )


def _stack(parts: list[Discordant]) -> Discordant:
    columns = (np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Discordant))
    return Discordant(*columns)
