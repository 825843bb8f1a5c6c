"""How numbers are printed: shares of counts as the exact decimals they are, halves away from zero."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.document import numbers


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


@pytest.mark.parametrize(
    ("p", "printed"),
    [
        (0.05, ".050"),
        (0.0504, ".0504"),
        (0.04996, ".0500"),
        (0.0499, ".0499"),
        (0.0512, ".051"),
        (0.1, ".10"),
        (0.0996, ".0996"),
        (0.0959, ".096"),
        (0.104, ".1040"),
        (0.11, ".11"),
        (0.0004, "< .001"),
        (0.99996, "1.0"),
    ],
)
def test_p_near_an_error_rate_shows_on_which_side_it_is(p, printed):
    assert numbers.p_value(p) == printed


def test_the_error_rate_of_tests_is_exact():
    printed = {0.95: ".05", 0.9: ".1", 0.99: ".01", 0.975: ".025"}
    assert {level: numbers.error_rate(1 - level) for level in printed} == printed


def test_no_line_of_print_ends_within_a_level_or_an_equation():
    text = "lower (95% CI 1 to 2, p = .03); 95% CIs; 90% of cities"
    assert numbers.unbroken(text) == "lower (95%_CI 1 to 2, p_=_.03); 95%_CIs; 90% of cities".replace(
        "_", "\xa0"
    )


def test_large_and_undefined_numbers():
    assert numbers.fixed(1e20, 2) == "100000000000000000000.00"
    assert numbers.fixed(None, 2) == "—"
    assert numbers.fixed(-1e-9, 2) == "0.00"


@pytest.mark.parametrize(
    ("values", "printed"),
    [
        ([0.205134, 12.34567], ["0.205", "12.346"]),
        ([-0.2363, 0.07339, 0.0], ["−0.2363", "0.0734", "0"]),
        ([-0.002368, -1.28237], ["−0.00237", "−1.28237"]),
        ([-0.001234567, 3.5], ["−0.001235", "3.500"]),
        ([0.000000205134, 812.5], ["2.051e−07", "812.5"]),
        ([1234567.5], ["1234568"]),
        ([1234567.25, 1234567.45], ["1234567.3", "1234567.5"]),
        ([0.99999, 0.999993], ["0.999990", "0.999993"]),
        ([0.5, 0.5], ["0.5000", "0.5000"]),
        ([0.0, float("inf"), float("-inf")], ["0", "∞", "−∞"]),
    ],
)
def test_thresholds_share_their_decimals_or_have_four_digits_each_and_are_kept_apart(values, printed):
    """A threshold of 0.205 was printed as 0.21 next to one of 12.35."""
    assert numbers.thresholds(values) == printed


@given(st.lists(st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-12), min_size=1, max_size=5))
def test_a_printed_threshold_is_off_by_less_than_a_hundredth_of_itself(values):
    for value, text in zip(values, numbers.thresholds(values), strict=True):
        assert float(text.replace(numbers.MINUS, "-")) == pytest.approx(value, rel=5.001e-3, abs=0)
