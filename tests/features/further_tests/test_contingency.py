import json
from fractions import Fraction
from math import comb, inf, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.proportion import proportions_ztest

from configs.papers.epc_authentication.pair import independent_z
from reporting.core.stats.paired import Discordant, difference, discordant_errors, exact_p
from reporting.features.further_tests.formulas import cochran_q, mcnemar, null_z, proportion_z

# Per class: accepted by A only, by B only; class sizes; rejected by both (non-targets, targets).
T1 = Discordant(10, 30, 6, 12, 100, 300, 245, 2)

T2 = Discordant(16, 34, 8, 26, 200, 800, 732, 16)

HTER = (0.5, 0.5)

counts = st.integers(0, 40)


def share(upto, n):
    """F(upto) of Bin(n, 1/2)."""
    return Fraction(sum(comb(n, k) for k in range(upto + 1)), 2**n)


def test_mcnemar_by_hand():
    """Of 5 discordant trials 1: F(1) = 6/32 and P(1) = 5/32."""
    assert mcnemar(1, 4, mid=False) == mcnemar(4, 1, mid=False) == (1, pytest.approx(12 / 32, abs=1e-15))
    assert mcnemar(1, 4, mid=True) == (1, pytest.approx(7 / 32, abs=1e-15))
    assert mcnemar(0, 3, mid=True) == (0, pytest.approx(1 / 8, abs=1e-15))


def test_mid_p_of_equal_counts_is_one():
    """Capping 2 F(3) at 1 before taking P(3) = 20/64 off would give 44/64."""
    assert mcnemar(3, 3, mid=True) == mcnemar(3, 3, mid=False) == (3, 1)
    assert mcnemar(0, 0, mid=True) == mcnemar(0, 0, mid=False) == (0, 1)


@pytest.mark.parametrize(
    ("table", "trials", "errors", "p", "mid_p"),
    [
        (T2, "target", (26, 8), 0.0029350556433200836, 0.0018782254774123409),
        (T2, "nontarget", (16, 34), 0.015346677832630107, 0.010973562899720523),
        (T2, "all", (42, 42), 1, 1),
        (T1, "all", (22, 36), 0.08694889972991102, 0.0674446119007891),
    ],
)
def test_mcnemar_of_the_anchor_tables(table, trials, errors, p, mid_p):
    """Methods 9.3: by accuracy the models of T2 are equal, by HTER p is .026."""
    assert discordant_errors(table, trials) == errors
    assert mcnemar(*errors, mid=False).p == pytest.approx(p, abs=1e-13)
    assert mcnemar(*errors, mid=True).p == pytest.approx(mid_p, abs=1e-13)


def test_anchor_tables_are_those_of_the_references(shared):
    known = json.loads((shared / "references" / "methods.json").read_text())
    for trials in ("target", "nontarget"):
        found = [mcnemar(*discordant_errors(T2, trials), mid=mid).p for mid in (False, True)]
        assert found == pytest.approx(known["T2"][f"mcnemar_{trials}s"], abs=1e-13)
    accuracy = mcnemar(*discordant_errors(T1, "all"), mid=False).p
    assert accuracy == pytest.approx(known["T1"]["mcnemar_accuracy_exact"], abs=1e-13)
    for name, table in (("T1", T1), ("T2", T2)):
        assert null_z(table, *HTER).p == pytest.approx(known[name]["p_null_z"], abs=1e-13)


@given(counts, counts)
def test_mcnemar_equals_fractions_and_statsmodels(b, c):
    k, n = min(b, c), b + c
    exact = min(Fraction(1), 2 * share(k, n))
    mid = 2 * share(k, n) - Fraction(comb(n, k), 2**n)
    assert mcnemar(b, c, mid=False).p == pytest.approx(float(exact), rel=1e-12)
    assert mcnemar(b, c, mid=True).p == pytest.approx(float(mid), rel=1e-12)
    theirs = their_mcnemar([[0, b], [c, 0]], exact=True)
    assert mcnemar(b, c, mid=False) == (theirs.statistic, pytest.approx(float(theirs.pvalue), rel=1e-9))


@given(counts, counts)
def test_mcnemar_is_the_exact_paired_test_of_one_class(b, c):
    """Methods, property P24. Where the counts are equal the mid-p of methods 9.2 takes half of P(T = 0) off, that of 9.3 nothing."""
    table = Discordant(0, 0, b, c, n_target=100, n_nontarget=50)
    assert exact_p(table, *HTER, mid=False) == pytest.approx(mcnemar(b, c, mid=False).p, abs=1e-12)
    off = comb(2 * b, b) / 4**b / 2 if b == c > 0 else 0
    assert exact_p(table, *HTER, mid=True) == pytest.approx(mcnemar(b, c, mid=True).p - off, abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(950, 2000), (480, 1000), (4, 900)])
def test_mcnemar_of_many_trials(k, n):
    assert mcnemar(k, n - k, mid=False).p == pytest.approx(float(2 * share(k, n)), rel=1e-10)
    assert mcnemar(k, n - k, mid=True).p == pytest.approx(float(share(k, n) + share(k - 1, n)), rel=1e-10)


def test_null_z_of_the_anchor_tables():
    """Methods 9.1. T2: D = .03375, variance (50 / 800^2 + 34 / 200^2) / 4."""
    assert null_z(T2, *HTER) == (
        pytest.approx(0.03375 / sqrt((50 / 800**2 + 34 / 200**2) / 4), abs=1e-14),
        pytest.approx(0.0267156984471794, abs=1e-13),
    )
    assert null_z(T2, *HTER).statistic == pytest.approx(2.2156, abs=5e-5)
    assert null_z(T1, *HTER) == (
        pytest.approx(-0.14072, abs=5e-6),
        pytest.approx(0.8880915325450796, abs=1e-13),
    )


@given(counts, counts)
def test_null_z_of_one_rate_is_mcnemars_chi_square(b, c):
    found = null_z(Discordant(b, c, 3, 1, n_target=9, n_nontarget=100), 1, 0)
    if b + c == 0:
        assert found == (0, 1)
    else:
        theirs = their_mcnemar([[0, b], [c, 0]], exact=False, correction=False)
        assert found.statistic**2 == pytest.approx(float(theirs.statistic), abs=1e-12)
        assert found.p == pytest.approx(float(theirs.pvalue), abs=1e-12)


@given(counts, counts, counts, counts, st.sampled_from([HTER, (0.2, 0.8), (1, 0), (3.0, 10.0)]))
def test_swapping_the_models_negates_every_z(a, b, c, d, weights):
    one = Discordant(a, b, c, d, 100, 90, 5, 7)
    other = Discordant(b, a, d, c, 100, 90, 5, 7)
    for found, turned in (
        (null_z(one, *weights), null_z(other, *weights)),
        (independent_z(one.first, one.second, *weights), independent_z(other.first, other.second, *weights)),
        (proportion_z(one.first, one.second), proportion_z(other.first, other.second)),
    ):
        assert found == (pytest.approx(-turned.statistic, abs=1e-12), pytest.approx(turned.p, abs=1e-12))


def test_null_z_is_the_limit_of_the_exact_test():
    """Methods, property P25: at the same z, 100 times the discordant trials bring p and mid-p nearer to the normal p."""
    errors = []
    for times in (1, 10):
        m, off = 250 * times**2, 10 * times
        table = Discordant(m + off, m - off, m, m - off, 200_000, 300_000)
        z = null_z(table, *HTER)
        errors.append([abs(exact_p(table, *HTER, mid=mid) / z.p - 1) for mid in (False, True)])
    assert np.all(np.array(errors[1]) < np.array(errors[0]))
    assert errors[1][1] < 1e-4
    # One class alone, with z = 2 and z = 4.
    for b, c, exact in ((1300, 1200, 0.0476818652), (5200, 4800, 6.59351560e-5)):
        assert mcnemar(b, c, mid=False).p == pytest.approx(exact, rel=1e-8)
        limit = null_z(Discordant(b, c, 0, 0, 10, 20_000), *HTER).p
        assert mcnemar(b, c, mid=True).p == pytest.approx(limit, rel=2e-3)


def test_proportion_z_of_the_paper():
    """Methods, erratum E16: .110 against .107 on 63 573 trials is not significant at 95 %, two-sided."""

    def of(one, other):
        trials = (5825, 57748)
        return proportion_z(*((e * trials[0], e * trials[1], *trials) for e in (one, other)))

    assert of(0.110, 0.107) == (
        pytest.approx(1.719756925905741, abs=1e-12),
        pytest.approx(0.08547663536021928, abs=1e-12),
    )
    # What the rounding of the two rates leaves open.
    assert of(0.1105, 0.1065).p == pytest.approx(0.022, abs=5e-4)
    assert of(0.1095, 0.1075).p == pytest.approx(0.25, abs=5e-3)


def test_proportion_z_of_the_references(shared):
    known = json.loads((shared / "references" / "methods.json").read_text())["seed_s4_table1"]
    n = 63573
    found = proportion_z((0.110 * n, 0, n, 0), (0, 0.107 * n, 0, n))
    assert list(found) == pytest.approx(known["posterior_eer_two_prop"], abs=1e-12)


@given(st.integers(0, 20), st.integers(0, 30), st.integers(0, 20), st.integers(0, 30))
def test_proportion_z_is_the_pooled_test(a, b, c, d):
    found = proportion_z((a, b, 20, 30), (c, d, 25, 35))
    if 0 < a + b + c + d < 110:
        z, p = proportions_ztest([a + b, c + d], [50, 60])
        assert found == (pytest.approx(z, abs=1e-12), pytest.approx(p, abs=1e-12))


def test_the_classification_error_is_not_the_hter():
    """Methods 9.4 at the paper's class sizes: many false alarms saved, misses added, and the HTER hardly moves."""
    first, second = (500, 5000, 5825, 57748), (640, 4000, 5825, 57748)
    assert proportion_z(first, second).p < 1e-15
    assert independent_z(first, second, *HTER).p > 0.2
    assert proportion_z(T2.first, T2.second) == (0, 1)


def test_where_nothing_differs_and_where_nothing_is_defined():
    same = (3, 4, 10, 20)
    assert independent_z(same, same, *HTER) == proportion_z(same, same) == (0, 1)
    assert independent_z((0, 0, 10, 20), (0, 0, 5, 7), *HTER) == (0, 1)
    assert null_z(Discordant(0, 0, 0, 0, 10, 20), *HTER) == (0, 1)
    undefined = [
        null_z(Discordant(2, 1, 0, 0, 0, 20), *HTER),
        independent_z((0, 2, 0, 20), (0, 1, 0, 20), *HTER),
        # All wrong against all right has no spread.
        independent_z((10, 20, 10, 20), (0, 0, 10, 20), *HTER),
        proportion_z((0, 0, 0, 0), (0, 0, 0, 0)),
    ]
    assert all(isnan(value) for found in undefined for value in found)
    # A class without weight may be empty.
    assert null_z(Discordant(3, 1, 0, 0, 0, 20), 1, 0).statistic == 1
    assert -inf < independent_z((0, 2, 0, 20), (0, 1, 0, 20), 1, 0).statistic < inf


def test_cochran_by_hand():
    """Errors 2, 1, 0 of three models on trials with 2, 1, 0 errors: Q = 2 (3 * 5 - 9) / (3 * 3 - 5) = 3."""
    found = cochran_q([[1, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert found == (3, 2, pytest.approx(np.exp(-1.5), abs=1e-15))


@given(
    st.integers(2, 5).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=1, max_size=30)
    )
)
def test_cochran_equals_statsmodels(rows):
    error = np.array(rows)
    found = cochran_q(error)
    if np.all(error == error[:, :1]):
        assert found == (0, error.shape[1] - 1, 1)
    else:
        theirs = cochrans_q(error)
        assert found.statistic == pytest.approx(float(theirs.statistic), abs=1e-10)
        assert found.p == pytest.approx(float(theirs.pvalue), abs=1e-12)
        assert found.df == theirs.df
    patterns, times = np.unique(error, axis=0, return_counts=True)
    assert cochran_q(patterns, times) == found


@given(counts, counts)
def test_cochran_of_two_models_is_the_square_of_null_z(b, c):
    found = cochran_q([[1, 0], [0, 1], [1, 1], [0, 0]], np.array([b, c, 3, 4]))
    z = null_z(Discordant(b, c, 0, 0, 0, b + c + 7), 1, 0)
    assert found == (pytest.approx(z.statistic**2, abs=1e-10), 1, pytest.approx(z.p, abs=1e-10))


def test_cochran_of_huge_counts_and_of_one_model():
    error = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    few, many = (cochran_q(error, np.array([3, 4, 5]) * times) for times in (1, 10**10))
    assert many.statistic == pytest.approx(few.statistic * 10**10, rel=1e-12)
    alone = cochran_q(np.ones((4, 1)))
    assert isnan(alone.statistic)
    assert isnan(alone.p)


def test_the_sign_of_null_z_is_that_of_the_difference():
    assert float(difference(T2, *HTER)) > 0 < null_z(T2, *HTER).statistic
