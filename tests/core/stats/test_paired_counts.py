"""Differences of any measure: against the linear closed forms, the published anchors, and exact resampling."""

import json
import math

import numpy as np
import pytest
from discordant_counts import T2, counts, discordant
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.measures.catalogue import MEASURES
from reporting.core.stats import paired, rates
from reporting.core.stats.paired import Discordant, difference_of, standard_error_of


def test_both_models_keep_their_own_errors():
    assert T2.first == (42, 34, 200, 800)
    assert T2.second == (24, 52, 200, 800)


@given(counts(), st.sampled_from([(0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (0.2, 0.8)]))
def test_linear_measures_agree_with_their_closed_form(c, weights):
    d = discordant(c)

    def formula(misses, false_alarms, n_target, n_nontarget):
        return weights[0] * rates.far(misses, false_alarms, n_target, n_nontarget) + weights[1] * rates.frr(
            misses, false_alarms, n_target, n_nontarget
        )

    assert float(difference_of(formula, d)) == pytest.approx(float(paired.difference(d, *weights)), abs=1e-12)
    expected = float(paired.standard_error(d, *weights))
    assert float(standard_error_of(formula, d)) == pytest.approx(expected, abs=1e-7)


def test_the_published_standard_error_of_a_difference_of_f1(shared):
    expected = json.loads((shared / "references" / "methods.json").read_text())["T2"]["ij_se"]
    f1 = MEASURES["f1"].formula
    assert float(standard_error_of(f1, T2)) == pytest.approx(expected["f1_diff"][0], abs=1e-9)


def test_models_that_decide_alike_have_no_spread():
    precision = MEASURES["precision"].formula
    alone = Discordant(
        nontarget_10=0, nontarget_01=0, target_10=0, target_01=0, n_target=200, n_nontarget=800,
        nontarget_00=766, target_00=42,
    )  # fmt: skip
    assert float(standard_error_of(precision, alone)) == 0.0


def test_standard_error_of_one_model_is_that_of_the_difference_to_a_constant():
    """1 - precision = FP / accepted: binomial given the accepted, P (1 - P) / (TP + FP); methods 8.4."""
    precision = MEASURES["precision"].formula
    # The second model of this pair accepts nothing but one target: its precision is 1 and does not move.
    d = Discordant(
        nontarget_10=34, nontarget_01=0, target_10=157, target_01=0, n_target=200, n_nontarget=800,
        nontarget_00=766, target_00=42,
    )  # fmt: skip
    p = 158 / 192
    assert float(standard_error_of(precision, d)) == pytest.approx(math.sqrt(p * (1 - p) / 192), abs=1e-7)
    assert float(standard_error_of(precision, d)) == pytest.approx(0.0275496547, abs=1e-7)


def test_replicates_broadcast():
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(1000, np.array([732, 16, 34, 18, 16, 8, 26, 150]) / 1000, size=6)
    many = discordant(list(drawn.T))
    f1 = MEASURES["f1"].formula
    for row, one in enumerate(drawn):
        single = discordant([int(n) for n in one])
        assert difference_of(f1, many)[row] == pytest.approx(float(difference_of(f1, single)), abs=1e-14)
        assert standard_error_of(f1, many)[row] == pytest.approx(
            float(standard_error_of(f1, single)), abs=1e-12
        )


@pytest.mark.parametrize(
    ("n_target", "n_nontarget"), [(100, 1_000_000), (100, 10_000_000), (1000, 10**8), (300, 40)]
)
def test_standard_error_of_f1_is_that_of_its_derivatives_however_unequal_the_classes(n_target, n_nontarget):
    """F1 = 2 TP / (2 TP + FP + FN); one model against one that accepts nothing, whose F1 is 0."""
    misses, alarms = n_target // 5, min(n_target, n_nontarget // 2)
    hits = n_target - misses
    table = Discordant(
        nontarget_10=alarms,
        nontarget_01=0,
        target_10=hits,
        target_01=0,
        n_target=n_target,
        n_nontarget=n_nontarget,
        nontarget_00=n_nontarget - alarms,
        target_00=misses,
    )
    whole = 2 * hits + alarms + misses
    of_hits, of_errors = 2 * (alarms + misses) / whole**2, -2 * hits / whole**2
    exact = np.sqrt(hits * of_hits**2 + (misses + alarms) * of_errors**2)
    assert float(standard_error_of(MEASURES["f1"].formula, table)) == pytest.approx(exact, rel=1e-7)
