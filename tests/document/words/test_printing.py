"""How values and differences of a measure are printed."""

import math

import pytest

from reporting.core.measures.catalogue import read_measure
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.terms import with_article

HTER = Printing.of(read_measure("hter"), [0.005])


@pytest.mark.parametrize(
    ("difference", "value", "base", "adds_up"),
    [
        (0.0327, 0.0540, 0.0213, True),
        (0.0328, 0.0540, 0.0213, False),
        (-0.0107, 0.0213, 0.0320, True),
        (None, 0.0540, 0.0213, True),
        (math.inf, math.inf, 0.0213, True),
    ],
)
def test_whether_a_printed_difference_is_that_of_the_printed_values(difference, value, base, adds_up):
    assert HTER.decimals == 2
    assert HTER.adds_up(difference, value, base) is adds_up


@pytest.mark.parametrize(
    ("word", "text"), [("item", "an item"), ("example", "an example"), ("trial", "a trial")]
)
def test_a_term_has_the_article_of_its_sound(word, text):
    assert with_article(word) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-0.062, -0.0004, "-0.0620 to -0.0004"),
        (0.00004, 0.062, "0.00004 to 0.06200"),
        (-0.062, -0.0005, "-0.062 to -0.001"),
        (-0.062, 0.0, "-0.062 to 0.000"),
        (-0.062, -0.000001, "-0.062 to 0.000"),
        (None, None, "— to —"),
    ],
)
def test_no_limit_of_a_difference_is_rounded_to_zero(low, high, text):
    """Three decimals suit a standard error of .016; two more at most are printed."""
    printed = Printing.of(read_measure("f1"), [0.016])
    assert printed.decimals == 3
    assert printed.off_zero(low, high).span(low, high).replace("\N{MINUS SIGN}", "-") == text


def test_percentages_are_kept_off_zero_in_their_own_unit():
    assert HTER.off_zero(-0.00002, 0.01).interval(-0.00002, 0.01) == "[\N{MINUS SIGN}0.002, 1.000]"
    assert HTER.off_zero(-0.0002, 0.01) == HTER


@pytest.mark.parametrize(("level", "quantile"), [(0.95, 1.959964), (0.9, 1.644854), (0.99, 2.575829)])
def test_the_standard_error_behind_an_interval_knows_its_level(level, quantile):
    assert standard_error(0.2, 0.4, level) == pytest.approx(0.1 / quantile, rel=1e-6)
    assert standard_error(0.2, None, level) is None
