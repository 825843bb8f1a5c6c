"""How numbers are printed: shares of counts as the exact decimals they are, halves away from zero."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.report import numbers


@pytest.mark.parametrize(("count", "printed"), [(45, "5.63"), (109, "13.63"), (3, "0.38"), (12, "1.50")])
def test_halves_go_up_however_the_share_was_computed(count, printed):
    assert numbers.fixed(100 * count / 800, 2) == printed
    assert numbers.fixed(100 * (count / 800), 2) == printed
    assert numbers.percent(count / 800, 2) == printed
    assert numbers.fixed(-100 * (count / 800), 2) == f"{numbers.MINUS}{printed}"


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 4))
def test_shares_of_counts_are_rounded_as_fractions(share, decimals):
    count, n = share
    exact = Fraction(100 * count, n) * 10**decimals
    rounded = (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)
    expected = Decimal(rounded).scaleb(-decimals).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    assert numbers.percent(count / n, decimals) == str(expected)


def test_thousands_have_a_comma():
    printed = {7: "7", 999: "999", 1000: "1,000", 36437: "36,437", 1234567: "1,234,567"}
    assert {n: numbers.count(n) for n in printed} == printed


def test_large_and_undefined_numbers():
    assert numbers.fixed(1e20, 2) == "100000000000000000000.00"
    assert numbers.fixed(None, 2) == "—"
    assert numbers.fixed(-1e-9, 2) == "0.00"
