import itertools
import tracemalloc
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from exact_bootstrap import exact_distribution
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar

from reporting.core.stats.paired import Discordant, difference, exact_p, standard_error

# Per class: accepted by both, by A only, by B only, by neither (targets as 11, 10, 01, 00).
T1 = Discordant(nontarget_10=10, nontarget_01=30, target_10=6, target_01=12, n_target=100, n_nontarget=300)
T2 = Discordant(nontarget_10=16, nontarget_01=34, target_10=8, target_01=26, n_target=200, n_nontarget=800)
HTER = (0.5, 0.5)


@pytest.mark.parametrize(
    ("table", "d", "se", "p", "mid_p"),
    [
        (T1, -0.0033333333333333335, 0.023418099995674443, 0.9443784155937278, 0.8892850966734779),
        (T2, 0.03375, 0.014891207032171705, 0.029014611633948032, 0.026187930337543124),
    ],
)
def test_anchor_tables(table, d, se, p, mid_p):
    assert difference(table, *HTER) == pytest.approx(d, abs=1e-15)
    assert standard_error(table, *HTER) == pytest.approx(se, abs=1e-15)
    assert exact_p(table, *HTER, mid=False) == pytest.approx(p, abs=1e-12)
    assert exact_p(table, *HTER, mid=True) == pytest.approx(mid_p, abs=1e-12)


def test_exact_bootstrap_of_t2():
    support, pmf = exact_distribution(T2)
    d = support / (2 * T2.n_target * T2.n_nontarget)
    assert np.sqrt(pmf @ (d - pmf @ d) ** 2) == pytest.approx(float(standard_error(T2, *HTER)), abs=1e-12)
    p = 2 * min(pmf[support <= 0].sum(), pmf[support >= 0].sum())
    assert p == pytest.approx(0.023016330474479072, abs=1e-12)
    assert pmf[support == 0].sum() == pytest.approx(0.0012373296151696248, abs=1e-12)


def enumerate_p(d, w_far, w_frr, *, mid):
    """P(|T| >= |T_obs|) by walking over every split of the discordant trials, in fractions."""
    m0, m1 = d.nontarget_10 + d.nontarget_01, d.target_10 + d.target_01
    step0, step1 = Fraction(w_far) / d.n_nontarget, Fraction(w_frr) / d.n_target
    observed = abs(step0 * (d.nontarget_10 - d.nontarget_01) - step1 * (d.target_10 - d.target_01))
    total = Fraction(0)
    for i, j in itertools.product(range(m0 + 1), range(m1 + 1)):
        mass = Fraction(comb(m0, i) * comb(m1, j), 2 ** (m0 + m1))
        t = abs(step0 * (2 * i - m0) - step1 * (2 * j - m1))
        if t > observed:
            total += mass
        elif t == observed:
            total += mass / 2 if mid and m0 + m1 else mass
    return total


small = st.integers(0, 7)


@given(
    small,
    small,
    small,
    small,
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from([(0.5, 0.5), (1, 0), (0, 1), (0.25, 0.75)]),
)
def test_exact_p_equals_enumeration(a, b, c, d, more1, more0, weights):
    table = Discordant(a, b, c, d, n_target=c + d + more1 + 1, n_nontarget=a + b + more0 + 1)
    relevant = (a + b if weights[0] else 0) + (c + d if weights[1] else 0)
    for mid in (False, True):
        ours = exact_p(table, *weights, mid=mid)
        assert ours == pytest.approx(
            float(enumerate_p(table, *weights, mid=mid)) if relevant else 1.0, abs=1e-12
        )


@given(st.integers(0, 60), st.integers(0, 60))
def test_one_class_alone_is_mcnemar(b, c):
    """Methods, property P24."""
    table = Discordant(0, 0, b, c, n_target=200, n_nontarget=50)
    theirs = mcnemar([[0, b], [c, 0]], exact=True).pvalue
    assert exact_p(table, 0.5, 0.5, mid=False) == pytest.approx(float(theirs), abs=1e-12)


def test_mcnemar_of_t2_by_class():
    assert exact_p(T2, 0, 1, mid=False) == pytest.approx(0.0029350556433200836, abs=1e-13)
    assert exact_p(T2, 0, 1, mid=True) == pytest.approx(0.0018782254774123409, abs=1e-13)
    assert exact_p(T2, 1, 0, mid=False) == pytest.approx(0.015346677832630107, abs=1e-13)
    assert exact_p(T2, 1, 0, mid=True) == pytest.approx(0.010973562899720523, abs=1e-13)


def test_exact_p_of_large_tables_agrees_with_the_normal_limit():
    """Methods, property P25 at 130 000 discordant trials a class: the sum stays accurate."""
    table = Discordant(65_500, 64_500, 65_000, 65_000, n_target=500_000, n_nontarget=500_000)
    z = 1000 / np.sqrt(130_000 + 130_000)
    assert exact_p(table, *HTER, mid=True) == pytest.approx(2 * 0.0249, rel=0.05)
    assert z == pytest.approx(1.9612, abs=1e-4)


@given(small, small, small, small)
def test_doubling_every_trial_halves_the_variance(a, b, c, d):
    """Methods, property P35."""
    once = Discordant(a, b, c, d, n_target=30, n_nontarget=40)
    twice = Discordant(2 * a, 2 * b, 2 * c, 2 * d, n_target=60, n_nontarget=80)
    assert standard_error(once, *HTER) ** 2 == pytest.approx(2 * standard_error(twice, *HTER) ** 2, abs=1e-15)


def test_exact_p_of_a_hundred_million_discordant_trials_needs_little_memory():
    """The law of each class is a window around its middle; z of 3 and of 30 in bounded memory."""
    n = 10**8
    tracemalloc.start()
    ps = [
        exact_p(Discordant(n // 2 + half, n // 2 - half, 0, 0, n_target=n, n_nontarget=n), *HTER, mid=True)
        for half in (15_000, 150_000)
    ]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    assert ps == pytest.approx([2 * norm.sf(3), 2 * norm.sf(30)], rel=1e-5)
