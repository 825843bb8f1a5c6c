"""Draws counted as they are drawn, in one compiled loop, where the extra ``fast`` (numba) is installed.

``Draws`` holds a byte a draw until it is counted. Here the generator is only moved on, and its words are made
again where they are counted: the same bytes, of less work and memory. PCG64 (XSL RR 128/64): O'Neill 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from reporting.significance.draws import WINDOW, WeightArray, windows_of
from reporting.significance.kernels import compiled_loop
from reporting.stats.staircase import IntArray

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
WORD = 2**64
BYTES = 8
"""Draws in a word of the generator."""


def count_units(sizes: Sequence[int], rng: np.random.Generator, replicates: int) -> list[WeightArray]:
    """Return how often each unit was drawn (shape (units, replicates)), as ``Draws.count`` does."""
    drawn = [_Undrawn(n, replicates) for n in sizes]
    for replicate in range(replicates):
        for draws in drawn:
            draws.draw(replicate, rng)
    return [draws.count() for draws in drawn]


class _Undrawn:
    """As ``Draws``, with the state of the generator (four words) for all windows but the last."""

    def __init__(self, n: int, replicates: int) -> None:
        self.n = n
        self.taken = np.empty((replicates, -(-n // WINDOW)), dtype=np.int64)
        self.state = np.empty((replicates, 4), dtype=np.uint64)
        self.last: list[Any] = []

    def draw(self, replicate: int, rng: np.random.Generator) -> None:
        """Draw what falls into each window; pass over the words that say which units."""
        taken, held_last = windows_of(self.n, rng)
        bits: Any = rng.bit_generator
        before = bits.state
        in_whole = self.n - int(taken[-1])
        bits.advance(-(-in_whole // BYTES))
        # To advance forgets half a word that was left over.
        bits.state = bits.state | {name: before[name] for name in ("has_uint32", "uinteger")}
        self.taken[replicate] = taken
        words = (word for value in before["state"].values() for word in divmod(value, WORD))
        self.state[replicate] = list(words)
        self.last.append(rng.integers(0, held_last, self.n - in_whole, dtype=np.uint8))

    def count(self) -> WeightArray:
        weights = np.zeros((self.n, len(self.taken)), dtype=np.uint8)
        compiled_loop(_count)(weights, self.taken, self.state)
        first = (self.taken.shape[1] - 1) * WINDOW
        for replicate, code in enumerate(self.last):
            weights[first:, replicate] = np.bincount(code, minlength=self.n - first)
        return weights


def _move(typing: Any, high: Any, low: Any, step_high: Any, step_low: Any) -> Any:
    """The next state: the state times the multiplier plus the step, modulo 2^128."""
    halves = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]

    def generate(context: Any, builder: Any, signature: Any, words: Any) -> Any:
        half, whole = ir.IntType(64), ir.IntType(128)
        wide = [builder.zext(word, whole) for word in words]
        shift = ir.Constant(whole, 64)
        state, step = (builder.or_(builder.shl(upper, shift), lower) for upper, lower in (wide[:2], wide[2:]))
        state = builder.add(builder.mul(state, ir.Constant(whole, MULTIPLIER)), step)
        both = [builder.trunc(part, half) for part in (builder.lshr(state, shift), state)]
        return context.make_tuple(builder, signature.return_type, both)

    return halves(types.uint64, types.uint64, types.uint64, types.uint64), generate


_moved: Any = intrinsic(_move)


def _count(weights: Any, taken: Any, state: IntArray) -> None:
    # Window by window: the counts of all replicates in it stay in the fastest memory.
    word, left = np.zeros(len(taken), np.uint64), np.zeros(len(taken), np.int64)
    for window in range(taken.shape[1] - 1):
        count = weights[window * WINDOW : (window + 1) * WINDOW]
        for replicate in range(len(taken)):
            bytes_left, n_left = word[replicate], left[replicate]
            high, low = state[replicate, 0], state[replicate, 1]
            step_high, step_low = state[replicate, 2], state[replicate, 3]
            to_draw = taken[replicate, window]
            of_last = min(n_left, to_draw)
            for _ in range(of_last):
                count[bytes_left & np.uint64(255), replicate] += np.uint8(1)
                bytes_left >>= np.uint64(8)
            n_left -= of_last
            to_draw -= of_last
            while to_draw > 0:
                high, low = _moved(high, low, step_high, step_low)
                turn, mixed = high >> np.uint64(58), high ^ low
                bytes_left = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
                if to_draw >= BYTES:
                    for k in range(BYTES):
                        count[(bytes_left >> np.uint64(8 * k)) & np.uint64(255), replicate] += np.uint8(1)
                    to_draw -= BYTES
                else:
                    for _ in range(to_draw):
                        count[bytes_left & np.uint64(255), replicate] += np.uint8(1)
                        bytes_left >>= np.uint64(8)
                    n_left = BYTES - to_draw
                    to_draw = 0
            word[replicate], left[replicate] = bytes_left, n_left
            state[replicate, 0], state[replicate, 1] = high, low
