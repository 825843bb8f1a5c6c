"""The MD5 of very many short texts of one length, all in the same array operations (RFC 1321)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

LONGEST = 55
"""Bytes of a text that fills one block of 64 with its mark and its length."""
AT_ONCE = 8192
"""Texts that are digested together: their words stay in the cache."""

Words = npt.NDArray[np.uint32]

START = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476], dtype=np.uint32)
SINES = [np.uint32(int(abs(math.sin(step + 1)) * 2**32)) for step in range(64)]
SHIFTS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
TAKES = ((1, 0), (5, 1), (3, 5), (7, 0))
"""By round: step i adds word a i + b, modulo 16."""


def first_words(texts: npt.NDArray[np.uint8]) -> Words:
    """Return the first four bytes, the highest first, of the MD5 of every text: shape (N, bytes)."""
    pieces = [_digested(texts[first : first + AT_ONCE]) for first in range(0, len(texts), AT_ONCE)]
    return np.concatenate(pieces).byteswap()


def _digested(texts: npt.NDArray[np.uint8]) -> Words:
    n, size = texts.shape
    block = np.zeros((n, 64), dtype=np.uint8)
    block[:, :size], block[:, size] = texts, 0x80
    words = np.ascontiguousarray(block.view("<u4").T).astype(np.uint32, copy=False)
    words[14] = 8 * size
    a, b, c, d = (np.full(n, start) for start in START)
    mixed, high = np.empty_like(a), np.empty_like(a)
    for step, sine in enumerate(SINES):
        turn, i = divmod(step, 16)
        _mix(turn, b, c, d, mixed)
        times, plus = TAKES[turn]
        mixed += a
        mixed += sine
        mixed += words[(times * i + plus) % 16]
        shift = SHIFTS[turn][i % 4]
        np.left_shift(mixed, shift, out=high)
        np.right_shift(mixed, 32 - shift, out=mixed)
        mixed |= high
        mixed += b
        a, b, c, d, mixed = d, mixed, b, c, a
    a += START[0]
    return a


def _mix(turn: int, b: Words, c: Words, d: Words, out: Any) -> None:
    """Write the function of a round, bit by bit, into ``out``."""
    if turn == 0:  # c where b, else d
        np.bitwise_xor(c, d, out=out)
        out &= b
        out ^= d
    elif turn == 1:  # b where d, else c
        np.bitwise_xor(b, c, out=out)
        out &= d
        out ^= c
    elif turn == 2:
        np.bitwise_xor(b, c, out=out)
        out ^= d
    else:
        np.invert(d, out=out)
        out |= b
        out ^= c
