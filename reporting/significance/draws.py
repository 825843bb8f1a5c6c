"""Random draws as pure functions of what is drawn: never of workers, order or other models.

Replicates come in blocks of 256. Block b of a quantity has a stream of its own, keyed by the seed,
the quantity's names and b (methods, decision (vi)).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reporting.stats.staircase import BoolArray, IntArray

WeightArray = npt.NDArray[np.int32]

BLOCK = 256


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator of a name: a stable hash of its texts and numbers beside the seed."""
    digest = hashlib.sha256(json.dumps(names).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))


def blocks(replicates: int) -> Iterator[tuple[int, int]]:
    """Yield (block number, size) of every block."""
    for number in range(-(-replicates // BLOCK)):
        yield number, min(BLOCK, replicates - number * BLOCK)


def loses_a_class(n0: int, n1: int) -> bool:
    """Tell whether over 1 % of plain resamples of n0 + n1 trials would hold one class only (8.7)."""
    n = n0 + n1
    return min(n0, n1) > 0 and (n0 / n) ** n + (n1 / n) ** n > 0.01


@dataclass(frozen=True, eq=False)
class Units:
    """What is resampled: for every trial its unit, and how many of each class a unit holds."""

    name: str
    """``trial`` or ``cluster``."""
    of_trial: IntArray
    n_target: IntArray
    n_nontarget: IntArray

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.n_target)

    @property
    def fewest(self) -> int:
        """Units that hold the class which fewer units hold."""
        held = (int((counts > 0).sum()) for counts in (self.n_target, self.n_nontarget))
        return min((n for n in held if n), default=0)

    @property
    def stratified(self) -> bool:
        """True where trials are drawn by class, because plain draws would too often lose one."""
        return self.name == "trial" and loses_a_class(int(self.n_nontarget.sum()), int(self.n_target.sum()))


def trial_units(label: BoolArray) -> Units:
    """Every trial is a unit."""
    targets = label.astype(np.int64)
    return Units("trial", np.arange(len(label)), targets, 1 - targets)


def cluster_units(label: BoolArray, unit: IntArray) -> Units:
    """Every cluster that occurs is a unit, in the order of the cluster codes."""
    present, of_trial = np.unique(unit, return_inverse=True)
    size = np.bincount(of_trial, minlength=len(present))
    targets = np.bincount(of_trial[label], minlength=len(present))
    return Units("cluster", of_trial, targets, size - targets)


def unit_weights(units: Units, rng: np.random.Generator, size: int) -> tuple[WeightArray, int]:
    """Draw ``size`` replicates of integer weights (shape (size, units)): N draws over N units each.

    A replicate that loses a class is drawn again; the second result says how often.
    """
    weights = np.empty((size, units.n_units), dtype=np.int32)
    scarce = _scarce_classes(units)
    redrawn = 0
    for row in range(size):
        weights[row] = _draw(units, rng)
        while any(not weights[row, members].any() for members in scarce):
            redrawn += 1
            weights[row] = _draw(units, rng)
    return weights, redrawn


def _draw(units: Units, rng: np.random.Generator) -> IntArray:
    n = units.n_units
    if not units.stratified:
        return np.bincount(rng.integers(0, n, n), minlength=n)
    drawn = [
        members[rng.integers(0, len(members), len(members))]
        for members in (np.flatnonzero(units.n_target), np.flatnonzero(units.n_nontarget))
    ]
    return np.bincount(np.concatenate(drawn), minlength=n)


def _scarce_classes(units: Units) -> list[IntArray]:
    """The units of each class that a resample could lose.

    A class held by k units is lost with a chance below exp(-k): from 64 on, 2e-28, never.
    """
    held = (np.flatnonzero(units.n_target), np.flatnonzero(units.n_nontarget))
    return [members for members in held if 0 < len(members) < 64]
