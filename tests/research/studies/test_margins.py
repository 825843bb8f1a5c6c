"""Gates at a margin: exact chances of a wrong pass, and the same by all tables of few trials."""

import pytest
from scipy.stats import multinomial

from tests.research.studies.margins import Gate, by_score, by_wald


@pytest.mark.parametrize("tail", [0.025, 0.05])
@pytest.mark.parametrize("passes", [by_score, by_wald])
def test_chances_are_those_of_all_tables(passes, tail):
    n, margin, first, second = 40, 0.1, 0.14, 0.04
    shares = [first, second, 1 - first - second]
    every = sum(
        multinomial.pmf([a, b, n - a - b], n, shares)
        for b in range(n + 1)
        for a in range(n + 1 - b)
        if passes(a, b, n, margin, tail)
    )
    assert Gate(passes, n, margin, tail).passed(first, second) == pytest.approx(every, abs=1e-7)


@pytest.mark.parametrize(("n", "margin"), [(50, 0.1), (100, 0.05), (200, 0.02), (200, 0.1), (500, 0.01)])
def test_a_gate_keeps_its_level_and_most_of_its_power(n, margin):
    assert Gate(by_score, n, margin, 0.025).wrongly <= 0.027
    assert Gate(by_score, n, margin, 0.05).wrongly <= 0.055
    assert Gate(by_wald, n, margin, 0.025).wrongly > 0.03
