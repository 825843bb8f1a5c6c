from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import test_proportions_2indep as two_proportions

from configs.papers.epc_authentication.pair import independent_z
from reporting.core.stats.paired import Discordant

T2 = Discordant(16, 34, 8, 26, 200, 800, 732, 16)
HTER = (0.5, 0.5)


def test_independent_z_by_hand():
    """T2: FAR 34 and 52 of 800, FRR 42 and 24 of 200."""
    assert T2.first == (42, 34, 200, 800)
    assert T2.second == (24, 52, 200, 800)
    variance = sum(
        Fraction(1, 4) * Fraction(e, n) * (1 - Fraction(e, n)) / n
        for e, n in ((34, 800), (52, 800), (42, 200), (24, 200))
    )
    found = independent_z(T2.first, T2.second, *HTER)
    assert found.statistic == pytest.approx(0.03375 / sqrt(variance), abs=1e-13)
    # Taken as independent, the paired models of T2 do not differ.
    assert found.p == pytest.approx(0.07977133, abs=1e-8)


@given(st.integers(1, 49), st.integers(1, 29))
def test_independent_z_of_one_rate_is_walds(a, b):
    theirs = two_proportions(a, 50, b, 30, method="wald", compare="diff")
    found = independent_z((0, a, 0, 50), (0, b, 0, 30), 1, 0)
    assert found == (
        pytest.approx(theirs.statistic, abs=1e-12),
        pytest.approx(float(theirs.pvalue), abs=1e-12),
    )
