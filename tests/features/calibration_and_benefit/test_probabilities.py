import numpy as np
import pytest
from build import build
from hypothesis import given
from hypothesis import strategies as st
from reading import every_block
from tied import labelled

from reporting.core.counts.cuts import count_cuts
from reporting.core.curves.scores import Scaled
from reporting.core.stats.intervals import wilson
from reporting.core.stats.rates import net_benefit_of_rates
from reporting.document.blocks import Figure
from reporting.features.calibration_and_benefit.formulas import decision_curve, reliability_bins
from reporting.features.calibration_and_benefit.probability_frames import RELIABILITY
from reporting.features.compose import compose


def cuts_of(targets, nontargets):
    return count_cuts(*labelled(targets, nontargets))[0]


def probabilities(targets, nontargets):
    cuts = cuts_of(targets, nontargets)
    return Scaled(cuts.score, cuts.n_target, cuts.n_nontarget)


def test_reliability_by_hand():
    found = reliability_bins(*probabilities([0.3, 0.35, 1.0], [0.3, 0.05, 0.39]), 10, 0.95)
    assert found.low.tolist() == [0.0, 0.3, 0.9]
    assert found.high.tolist() == [0.1, 0.4, 1.0]
    assert found.n_target.tolist() == [0, 2, 1]
    assert found.n_nontarget.tolist() == [1, 2, 0]
    np.testing.assert_allclose(found.stated, [0.05, (0.3 + 0.3 + 0.35 + 0.39) / 4, 1.0], rtol=1e-14)
    np.testing.assert_allclose(found.observed, [0, 0.5, 1], rtol=1e-15)
    np.testing.assert_allclose([found.ci_low[1], found.ci_high[1]], wilson(2, 4, 0.95), rtol=1e-15)


RELIABLE = """
trials: {source: trials.parquet%s}
models: {a: {scale: probability}}
primary: {measure: brier}
measures: [brier]
curves: [reliability]
thresholds: {policy: none}
significance: {replicates: 99, level: 0.9}
"""


@pytest.mark.parametrize("design", ["weights: {column: w}", "columns: {sampling_stratum: w}"])
def test_bins_of_weighted_trials_and_of_strata_have_no_limits(tmp_path, design):
    # Trials that weigh 5 showed as much as five trials.
    rows = [
        {"trial": f"{at}", "model": "a", "split": "test", "label": at % 3 == 0, "score": at % 5 / 5}
        | {"w": 1 + 4 * (at % 2)}
        for at in range(40)
    ]
    plain = build(tmp_path / "a", rows, RELIABLE % "")
    assert plain.frames[RELIABILITY.name]["ci_low"].null_count() == 0
    assert "Shading: 90% Wilson intervals of a, treating trials as independent." in caption_of(plain)
    other = build(tmp_path / "b", rows, RELIABLE % f", {design}")
    assert other.frames[RELIABILITY.name]["ci_low"].count() == 0
    assert "Shading" not in caption_of(other)


def caption_of(built):
    return next(
        each.caption for each in every_block(compose(built.results), Figure) if "bins" in each.caption
    )


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(0, 2**32), st.integers(1, 20))
def test_reliability_bins_hold_every_trial_and_their_own_mean(numerators, seed, bins):
    score = np.array(numerators) / 20
    label = np.random.default_rng(seed).random(len(score)) < 0.5
    cuts = count_cuts(score, label)[0]
    found = reliability_bins(cuts.score, cuts.n_target, cuts.n_nontarget, bins, 0.95)
    size = found.n_target + found.n_nontarget
    assert size.sum() == len(score)
    assert (size > 0).all()
    assert ((found.low <= found.stated + 1e-12) & (found.stated <= found.high + 1e-12)).all()
    assert (found.stated * size).sum() == pytest.approx(score.sum())
    assert ((found.ci_low <= found.observed) & (found.observed <= found.ci_high)).all()


def test_net_benefit_by_hand():
    # Four targets of ten; at 1/4 three are found, with two false alarms at a third of a target each.
    curve = decision_curve(probabilities([0.9, 0.8, 0.3, 0.1], [0.25, 0.4, 0.2, 0.1, 0.1, 0.05]))
    at = {round(100 * p): n for n, p in enumerate(curve.probability)}
    assert curve.net_benefit[at[25]] == pytest.approx(3 / 10 - 2 / 10 / 3, rel=1e-14)
    assert curve.treat_all[at[25]] == pytest.approx(4 / 10 - 6 / 10 / 3, rel=1e-14)
    assert curve.net_benefit[at[95]] == 0
    assert curve.probability.tolist() == [k / 100 for k in range(1, 100)]


def test_a_declared_prevalence_replaces_that_of_the_sample():
    curve = decision_curve(probabilities([0.9, 0.1], [0.9, 0.1, 0.1, 0.1]), prevalence=0.1)
    expected = 0.1 * 0.5 - 0.9 * 0.25 * 1.0
    assert curve.net_benefit[49] == pytest.approx(expected, rel=1e-14)


def test_no_decision_beats_the_prevalence_and_perfect_probabilities_reach_it():
    perfect = decision_curve(probabilities([1.0] * 3, [0.0] * 7))
    np.testing.assert_allclose(perfect.net_benefit, 0.3, rtol=1e-14)
    assert net_benefit_of_rates(0.0, 0.0, 0.3, 0.7) == pytest.approx(0.3)


@pytest.mark.parametrize(("targets", "nontargets"), [([0.5], []), ([], [0.5])])
def test_an_empty_class_has_no_net_benefit(targets, nontargets):
    assert np.isnan(decision_curve(probabilities(targets, nontargets)).net_benefit).all()


def test_a_map_that_merges_scores_changes_no_decision_it_does_not_have_to():
    apart = probabilities([0.2, 0.6], [0.2, 0.4])
    merged = Scaled(np.array([0.2, 0.2, 0.6]), np.array([1, 0, 1]), np.array([1, 1, 0]))
    low = decision_curve(apart).net_benefit[:19], decision_curve(merged).net_benefit[:19]
    np.testing.assert_array_equal(*low)
    assert decision_curve(merged).net_benefit[29] > decision_curve(apart).net_benefit[29]
