"""How values and differences of a measure are printed."""

import math

import pytest

from reporting.measures.catalogue import read_measure
from reporting.wording.printing import Printing
from reporting.wording.terms import with_article

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
