"""Random draws as pure functions of what is drawn: never of workers, order or other models.

Resamples come in blocks of 256. Block b of a quantity has a stream of its own, keyed by the seed,
the quantity's names and b (methods, decision (vi)).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import IntArray
from reporting.base.records import dataclass

BLOCK = 256

WINDOW = 256
"""Units that one byte distinguishes."""

AT_ONCE = 2**16
"""Draws counted at a time where units are few: half a mebibyte, within reach of fast memory."""

WeightArray = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""How often each unit was drawn: shape (units, resamples)."""


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator of a name: a stable hash of its texts and numbers and the seed."""
    digest = hashlib.sha256(json.dumps(names).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))


def blocks(replicates: int) -> Iterator[tuple[int, int]]:
    """Yield (block number, size) of every block."""
    for number in range(-(-replicates // BLOCK)):
        yield number, min(BLOCK, replicates - number * BLOCK)


def streams(replicates: int, seed: int, *names: str | int) -> Iterator[tuple[np.random.Generator, int]]:
    """Yield the generator and the size of every block of a name."""
    for number, size in blocks(replicates):
        yield stream(seed, *names, number), size


def loses_a_class(n0: int, n1: int) -> bool:
    """Return whether over 1% of plain resamples of n0 + n1 trials would hold one class only (methods 8.7)."""
    n = n0 + n1
    return min(n0, n1) > 0 and (n0 / n) ** n + (n1 / n) ** n > 0.01


@dataclass(frozen=True, eq=False)
class Draws:
    """N draws over N units in R resamples, in two steps: how many fall into each window, and which units.

    Window w holds the units from 256 w on; ``taken[r, w]`` draws of resample r fall into it, and ``code``
    (shape (R, N)) lists the units that they take, in turn. A multinomial count of N draws exactly,
    at one random byte a draw, and counted within reach of the fastest memory.
    """

    taken: IntArray
    code: npt.NDArray[np.uint8]

    def count(self) -> WeightArray:
        """Return how often each unit was drawn, shape (N, R)."""
        replicates, n = self.code.shape
        weights = np.empty((n, replicates), dtype=np.uint8)
        step = max(1, AT_ONCE // n)
        for start in range(0, replicates, step):
            rows = slice(start, start + step)
            taken, code = self.taken[rows], self.code[rows]
            first = n * np.arange(len(code))[:, None] + np.arange(0, n, WINDOW)
            unit = np.repeat(first, taken.ravel()) + code.ravel()
            weights[:, rows] = np.bincount(unit, minlength=code.size).reshape(code.shape).T
        return weights


WORD = 64
"""Resamples whose exchanges of one unit are the bits of one random number."""


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Which units are exchanged in resample 64 w + r: bit r of ``words[w, unit]`` (shape (W, units))."""

    words: npt.NDArray[np.uint64]
    replicates: int

    @property
    def shape(self) -> tuple[int, int]:
        """Units and resamples, as of weights."""
        return self.words.shape[1], self.replicates

    def bits(self, word: int) -> npt.NDArray[np.uint8]:
        """Return 1 for every unit that is exchanged, else 0, in up to 64 resamples: shape (units, 64)."""
        held = np.ascontiguousarray(self.words[word], dtype="<u8")[:, None].view(np.uint8)
        count = min(WORD, self.replicates - WORD * word)
        return np.unpackbits(held, axis=1, count=count, bitorder="little")


def draw_units(sizes: Sequence[int], rng: np.random.Generator, replicates: int) -> list[Draws]:
    """Draw n times one of the n units of every population, in one resample after the other."""
    drawn = [
        Draws(np.empty((replicates, -(-n // WINDOW)), np.int64), np.empty((replicates, n), np.uint8))
        for n in sizes
    ]
    for replicate in range(replicates):
        for draws in drawn:
            draws.taken[replicate] = _draw(draws.code[replicate], rng)
    return drawn


def _draw(code: npt.NDArray[np.uint8], rng: np.random.Generator) -> IntArray:
    """Write the codes of one resample; return how many draws fall into each window."""
    n = len(code)
    held = np.full(-(-n // WINDOW), WINDOW)
    held[-1] = n - WINDOW * (len(held) - 1)
    taken = rng.multinomial(n, held / n)
    in_whole = n - int(taken[-1])
    raw = rng.bit_generator.random_raw(-(-in_whole // 8))
    code[:in_whole] = np.asarray(raw, dtype="<u8").view(np.uint8)[:in_whole]
    code[in_whole:] = rng.integers(0, int(held[-1]), n - in_whole, dtype=np.uint8)
    return taken
