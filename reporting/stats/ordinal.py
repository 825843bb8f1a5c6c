"""Categories of scores for rank fits: what a curve fitted to the order of the scores needs of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reporting.stats.runs import truth_runs
from reporting.stats.staircase import FloatArray, IntArray


class Categories(NamedTuple):
    """Targets and non-targets of each category (J,), ascending, and the cut above each: the last is H."""

    target: IntArray
    nontarget: IntArray
    cut: IntArray


def categories(n_target: Any, n_nontarget: Any, most: int = 50) -> Categories:
    """Merge ascending distinct scores (counts of shape (H,)) to at most ``most`` categories, none empty.

    Truth-state runs first, which costs a rank fit nothing. More than ``most`` of them are merged at equal
    steps of the mean of the two classes' ranks; a run larger than a step counts as one step, so that
    ``most`` remain. Metz, Herman, Shen 1998; methods 12.3 (where the pooled rank is taken: with few
    targets among many non-targets it leaves most targets in one category).
    """
    target, nontarget = np.asarray(n_target, dtype=np.int64), np.asarray(n_nontarget, dtype=np.int64)
    held = np.flatnonzero(target + nontarget > 0)
    if len(held) == 0:
        return Categories(held, held, held)
    first = _first(truth_runs(target[held], nontarget[held]))
    p, n = (np.add.reduceat(counts[held], first) for counts in (target, nontarget))
    if len(first) > most:
        merged = _first(_steps(p, n, most))
        first, p, n = first[merged], np.add.reduceat(p, merged), np.add.reduceat(n, merged)
    return Categories(p, n, np.concatenate((held[first[1:]], [len(target)])))


def _first(group: IntArray) -> IntArray:
    return np.flatnonzero(np.diff(group, prepend=-1))


def _steps(p: IntArray, n: IntArray, most: int) -> IntArray:
    """Number the step of the rank in which the middle of every run lies, from 0."""
    weight: FloatArray = p / max(int(p.sum()), 1) + n / max(int(n.sum()), 1)
    step = _step(weight, most)
    weight = np.minimum(weight, step)
    return np.minimum((np.cumsum(weight) - weight / 2) / step, most - 1).astype(np.int64)


def _step(weight: FloatArray, most: int) -> float:
    """Return s with sum min(weight, s) = most s; there are more than ``most`` weights, all positive."""
    largest = -np.sort(-np.partition(weight, -most)[-most:])
    rest = weight.sum() - np.concatenate(([0.0], np.cumsum(largest[:-1])))
    step = rest / (most - np.arange(most))
    # With the k largest taken out, the rest shares what is left; the first k at which none exceeds its share.
    return float(step[np.argmax(largest <= step)])
