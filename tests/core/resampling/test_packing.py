"""Rows of a table as digits of one double: their sums are those of a plain product of whole numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.resampling import cell_tables
from reporting.core.resampling.cell_tables import DRAWN, EXCHANGED, AtomTable, Weights
from reporting.core.resampling.packing import BITS, Digits, WeightBounds


def test_two_rows_are_two_digits_of_one_column():
    """Sums are at most sqrt(4 x 10) + 1 = 7 and 2 x 1 = 2: they need 3 and 2 bits."""
    counts = np.array([[3, 0], [1, 1]])
    digits = Digits.of(counts, WeightBounds(2, 4))
    assert digits.bits.tolist() == [[3], [2]]
    columns = digits.pack(counts)
    assert columns.tolist() == [[3], [1 + 8]]
    weights = np.array([[2.0, 0], [0, 2], [1, 1]])
    assert digits.unpack(weights @ columns, np.int64).tolist() == [[6, 0], [2, 2], [4, 1]]


def test_a_digit_has_its_sign():
    """Sums up to 4, 4 and 1 in size need 3, 3 and 1 bits and one for the sign."""
    counts = np.array([[-3, 2, 0], [1, -2, -1]])
    digits = Digits.of(counts, WeightBounds(1, 2))
    assert digits.bits.tolist() == [[4], [4], [2]]
    weights = np.array([[1.0, -1], [-1, 1], [1, 1]])
    assert digits.unpack(weights @ digits.pack(counts), np.int64).tolist() == (weights @ counts).tolist()


def test_the_size_of_a_sum_is_bounded_both_ways():
    """4 x 8 = 32 by the largest weight; sqrt(4 x 64) + 1 = 17 by their squares."""
    assert WeightBounds(4, 4).bits_of(np.array([[8]])).tolist() == [5]
    assert WeightBounds(4, 10**6).bits_of(np.array([[8]])).tolist() == [6]


def test_what_does_not_fit_is_not_packed():
    """Two sums of at most 2^25 need 26 bits each."""
    assert Digits.of(np.full((1, 2), 2**25), WeightBounds(1, 1)).bits.tolist() == [[26], [26]]
    assert Digits.of(np.full((1, 2), 2**26), WeightBounds(1, 1)) is None


@given(
    seed=st.integers(0, 10**6),
    atoms=st.integers(1, 40),
    rows=st.integers(1, 30),
    size=st.sampled_from([1, 3, 200, 2**14, 2**22, 2**30]),
    signed=st.booleans(),
    exchanged=st.booleans(),
)
def test_sums_are_those_of_whole_numbers(seed, atoms, rows, size, signed, exchanged):
    rng = np.random.default_rng(seed)
    counts = rng.integers(-size if signed else 0, size + 1, (atoms, rows)) * rng.integers(0, 2, rows)
    weights = rng.choice([-1, 1], (atoms, 7)) if exchanged else rng.poisson(1, (atoms, 7))
    bounds = Weights(weights).bounds
    digits = Digits.of(counts, bounds)
    if digits is not None:
        assert digits.bits.sum(axis=0).max() <= BITS
        columns = digits.pack(counts)
        assert digits.unpack(columns, np.int64).tolist() == counts.tolist()
        assert digits.unpack(weights.T @ columns, np.int64).tolist() == (weights.T @ counts).tolist()


@pytest.mark.parametrize("limits", [DRAWN, EXCHANGED])
@pytest.mark.parametrize("size", [1, 300, 2**12, 2**36])
@pytest.mark.parametrize("heavy", [False, True])
def test_a_table_sums_as_it_did_before_it_was_packed(monkeypatch, limits, size, heavy):
    """A replicate with weights beyond the limits is summed row by row."""
    monkeypatch.setattr(cell_tables, "PACKED", 0)
    rng = np.random.default_rng(size)
    counts = rng.integers(0, size + 1, (500, 60))
    plain = AtomTable(counts, int(counts.sum(axis=0).max()))
    packed = plain.packed(*limits)
    assert (packed.digits is None) == (size == 2**36)
    drawn = rng.poisson(1, (500, 20)) if limits == DRAWN else rng.integers(0, 2, (500, 20))
    drawn[:, 4] += 200 * heavy
    weights = Weights(drawn.astype(np.uint8))
    if not heavy and packed.digits is not None:
        assert packed.digits.bounds.holds(weights.bounds)
    assert packed.content.tolist() == counts.tolist()
    assert packed.total.tolist() == plain.total.tolist()
    for table in (plain, packed):
        sums = table.summed(weights)
        assert sums.tolist() == (drawn.T @ counts).tolist()
    assert packed.summed(weights).dtype == plain.summed(weights).dtype
