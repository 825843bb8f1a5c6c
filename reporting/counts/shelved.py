"""Cuts of very many scores, whose arrays lie on the shelf while nobody looks at them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.execution.array_store import ArrayStore, opened
from reporting.stats.staircase import FloatArray, IntArray, Staircase, cumulate


class _Latest:
    """The staircases looked at last: the same one is looked at many times in a row."""

    def __init__(self, most: int) -> None:
        self._found: dict[object, Staircase] = {}
        self._most, self._lock = most, threading.Lock()

    def get(self, whose: object, make: Callable[[], Staircase]) -> Staircase:
        """Return the staircase of a key, made anew where it was not among the last."""
        with self._lock:
            found = self._found.pop(whose, None)
        found = make() if found is None else found
        with self._lock:
            self._found[whose] = found
            while len(self._found) > self._most:
                del self._found[next(iter(self._found))]
        return found


LATEST = _Latest(most=2)


class ShelvedCuts(Cuts):
    """Cuts whose large arrays lie on the shelf: every look at one opens it anew, and nothing is kept."""

    def __init__(self, cuts: Cuts, shelf: ArrayStore) -> None:
        score, n_target, n_nontarget = cuts.score, _narrow(cuts.n_target), _narrow(cuts.n_nontarget)
        vars(self).update(
            _score=shelf.keep(score),
            _n_target=shelf.keep(n_target),
            _n_nontarget=shelf.keep(n_nontarget),
            hull=cuts.hull,
            raw=None,
        )

    @property
    def score(self) -> FloatArray:
        """The distinct scores."""
        return opened(vars(self)["_score"])

    @property
    def n_target(self) -> IntArray:
        """Targets at each score."""
        return np.asarray(opened(vars(self)["_n_target"]), dtype=np.int64)

    @property
    def n_nontarget(self) -> IntArray:
        """Non-targets at each score."""
        return np.asarray(opened(vars(self)["_n_nontarget"]), dtype=np.int64)

    @property
    def staircase(self) -> Staircase:
        """Misses and false alarms at every cut."""
        return LATEST.get(
            vars(self)["_score"], lambda: Staircase(*cumulate(self.n_target, self.n_nontarget), self.hull)
        )


def _narrow(counts: IntArray) -> Any:
    """Counts in as few bytes as the largest needs."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def shelved(cuts: Cuts, shelf: ArrayStore) -> Cuts:
    """Return the same cuts, with what is large on the shelf; those of weighted trials stay in memory."""
    return ShelvedCuts(cuts, shelf) if cuts.raw is None and shelf.takes(cuts.score) else cuts
