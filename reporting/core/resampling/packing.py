"""Several whole numbers in one double: a product of matrices then sums all of them at the price of one.

A column of a packed table is sum_i 2^(b_0 + ... + b_(i-1)) T_i over k rows T_i of the table, digits of b_i
bits. While no sum of row i needs more than b_i bits, and all of them at most 53, each digit of a sum of
packed numbers is the sum of that digit: exact, in any order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass

BITS = 53
"""Of whole numbers that a double holds exactly."""
MOST_DIGITS = 6
"""Rows that one column holds, at most."""
ATOMS = 64
"""Atoms whose counts are added in the same array operations: they stay in the cache."""


@dataclass(frozen=True)
class WeightBounds:
    """Weights that a sum allows: none is larger than ``largest``, their squares sum to ``squares``."""

    largest: float
    squares: float
    signed: bool = False
    """Whether some may be below 0."""

    def holds(self, other: WeightBounds) -> bool:
        """Return whether weights within the other bounds are within these."""
        within = other.largest <= self.largest and other.squares <= self.squares
        return within and other.signed <= self.signed

    def bits_of(self, counts: IntArray) -> IntArray:
        """Return the bits that the size of each sum needs, of counts of shape (atoms, rows).

        |sum w T| is at most max |w| sum |T|, and sqrt(sum w^2 sum T^2).
        """
        total, squares = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
        for first in range(0, len(counts), ATOMS):
            size = np.abs(counts[first : first + ATOMS].astype(np.float64))
            total += size.sum(axis=0)
            squares += np.square(size, out=size).sum(axis=0)
        most = np.minimum(self.largest * total, np.sqrt(self.squares * squares) + 1)
        return np.asarray(np.frexp(np.floor(most))[1], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Digits:
    """Rows of a table as the digits of columns: digit i of column j is row i m + j of m columns."""

    bits: IntArray
    """Of every digit: shape (k, m)."""
    rows: int
    signed: bool
    bounds: WeightBounds

    @classmethod
    def of(cls, counts: IntArray, bounds: WeightBounds) -> Digits | None:
        """Return as many digits in a column as there is room for; None where there is none for two."""
        signed = bounds.signed or bool((counts < 0).any())
        bits = bounds.bits_of(counts) + signed
        for k in range(min(MOST_DIGITS, len(bits)), 1, -1):
            digits = np.zeros(-(-len(bits) // k) * k, dtype=np.int64)
            digits[: len(bits)] = bits
            if digits.reshape(k, -1).sum(axis=0).max(initial=0) <= BITS:
                return cls(digits.reshape(k, -1), len(bits), signed, bounds)
        return None

    def pack(self, counts: IntArray) -> FloatArray:
        """Return the columns (shape (atoms, m)) of a table (atoms, rows)."""
        m = self.bits.shape[1]
        columns, shift = np.zeros((len(counts), m)), np.zeros(m, dtype=np.int64)
        for i, bits in enumerate(self.bits):
            row = counts[:, i * m : (i + 1) * m]
            columns[:, : row.shape[1]] += row * np.ldexp(1.0, shift[: row.shape[1]])
            shift += bits
        return columns

    def unpack(self, columns: FloatArray, dtype: npt.DTypeLike) -> IntArray:
        """Return sums of rows (shape (resamples, rows)) from sums of columns (resamples, m)."""
        left, m = columns.astype(np.int64), self.bits.shape[1]
        rows = np.empty((len(left), self.bits.size), dtype=dtype)
        for i, bits in enumerate(self.bits):
            half = (1 << bits >> 1) * self.signed
            digit = ((left + half) & ((1 << bits) - 1)) - half
            rows[:, i * m : (i + 1) * m] = digit
            left = (left - digit) >> bits
        return rows[:, : self.rows]
