import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit, logit, ndtr, ndtri, xlogy
from tied import COARSE, labelled, score_lists, staircase_of

from reporting.core.stats import likelihood, sweep
from reporting.core.stats.calibration import pav
from reporting.core.stats.staircase import cumulate, group_ties, hull_cuts

TARGETS, NONTARGETS = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]


def counted(targets, nontargets):
    """Distinct scores with the trials of each class at each."""
    score, p, n, _ = group_ties(*labelled(targets, nontargets))
    return score, p, n


@pytest.fixture(scope="module")
def hand(shared):
    return json.loads((shared / "references" / "methods.json").read_text())["hand9"]


def test_the_hand_set(hand):
    """Methods 4.9."""
    cells, (_, s) = counted(hand["tar"], hand["non"]), staircase_of(hand["tar"], hand["non"])
    assert float(likelihood.cllr(*cells)) == pytest.approx(0.9576557451913541, abs=1e-15)
    least = likelihood.mincllr(s.misses, s.false_alarms)
    assert float(least) == pytest.approx(0.6189934783215414, abs=1e-15)
    tempered = likelihood.mincllr(s.misses, s.false_alarms, laplace=True)
    assert float(tempered) == pytest.approx(0.7706253404395218, abs=1e-15)
    loss = likelihood.calibration_loss(*cells)
    assert float(loss) == pytest.approx(hand["cllr"] - hand["mincllr"], abs=1e-15)
    for prior, expected in hand["ece"].items():
        value = likelihood.empirical_cross_entropy(*cells, p_target=float(prior))
        assert float(value) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("cost", "expected"),
    [((0.5, 1, 1), "0.5,1,1"), ((0.01, 10, 1), "pi=.01,Cmiss=10,Cfa=1"), ((0.9, 1, 1), "0.9,1,1")],
)
def test_actual_costs_of_the_hand_set(hand, cost, expected):
    value = likelihood.actdcf(*counted(hand["tar"], hand["non"]), *cost, normalised=False)
    assert float(value) == pytest.approx(hand["actdcf"][expected], abs=1e-15)


def test_blocks_of_the_hand_set(hand):
    _, p, n = counted(hand["tar"], hand["non"])
    blocks = pav(p, n)
    assert (blocks.n_target.tolist(), blocks.n_nontarget.tolist()) == ([0, 1, 2, 2], [2, 2, 2, 0])
    assert blocks.start.tolist() == [0, 2, 3, 5]
    np.testing.assert_allclose(blocks.llr, [float(x) for x in hand["llr_blocks"]], rtol=1e-14)


def test_calibrated_gaussian_scores(shared):
    """Scores from N(+-2, 2^2) are their own log likelihood ratios: closed forms at every point."""
    theory = json.loads((shared / "references" / "methods.json").read_text())["theory_N_pm2_sd2"]
    size = 50_000
    grid = ndtri((np.arange(size) + 0.5) / size)
    cells = counted(2 + 2 * grid, -2 + 2 * grid)
    assert float(likelihood.cllr(*cells)) == pytest.approx(theory["cllr"], abs=1e-5)
    known = theory["dcf_pi.01_cmiss10_cfa1"]
    p_miss, p_fa = likelihood.error_rates(*cells, known["t"])
    assert (float(p_miss), float(p_fa)) == pytest.approx((known["pmiss"], known["pfa"]), abs=1 / size)
    actual = likelihood.actdcf(*cells, 0.01, 10, 1)
    assert float(actual) == pytest.approx(known["norm"], abs=20 / size)
    assert float(likelihood.bayes_error(*cells, -known["t"])) == pytest.approx(known["ber"], abs=1 / size)
    for prior, expected in theory["dcf_norm_unit_costs"].items():
        value = likelihood.actdcf(*cells, float(prior))
        assert float(value) == pytest.approx(expected, abs=2 / float(prior) / size)


SYSTEMS = [f"ru2009/TC{k}/{split}" for k in range(1, 7) for split in ("dev", "test")]


@pytest.fixture(scope="module")
def trials(shared):
    return pl.read_parquet(shared / "data" / "ru2009.parquet")


def cells_of(trials):
    score, p, n, _ = group_ties(trials["score"].to_numpy(), trials["target"].to_numpy())
    return score, p, n


@pytest.mark.parametrize("name", [*SYSTEMS, "ru2009/all"])
def test_real_trials(shared, trials, name):
    expected = json.loads((shared / "references" / "verification.json").read_text())[name]
    if name != "ru2009/all":
        _, system, split = name.split("/")
        trials = trials.filter(pl.col("system") == system, pl.col("split") == split)
    score, p, n = cells_of(trials)
    errors = cumulate(p, n)
    assert float(likelihood.cllr(score, p, n)) == pytest.approx(expected["cllr_bits_natural_llr"], abs=1e-12)
    assert float(likelihood.mincllr(*errors)) == pytest.approx(expected["cllr_min_bits"], abs=1e-12)
    for prior in (0.5, 0.1, 0.05, 0.01, 0.005, 0.001):
        actual = likelihood.actdcf(score, p, n, prior)
        assert float(actual) == pytest.approx(expected[f"actdcf_norm_p{prior}_c1_1"], abs=1e-12)


def test_real_trials_at_the_points_of_two_evaluations(trials):
    """The figures that ROCAnalysis.jl tests against: the 2008 point, and that of EVALITA 2009."""
    score, p, n = cells_of(trials)
    errors = cumulate(p, n)
    tau = -np.log(9.9)
    assert float(likelihood.bayes_error(score, p, n, tau)) == pytest.approx(0.03291547867387523, abs=1e-12)
    for normalised, factor in ((False, 1), (True, 10)):
        actual = likelihood.actdcf(score, p, n, 0.01, 10, 1, normalised)
        assert float(actual) == pytest.approx(0.035877871754524004 * factor, abs=1e-12)
        least = sweep.mindcf(*errors, 0.01, 10, 1, normalised)
        assert float(least) == pytest.approx(0.034593062385260914 * factor, abs=1e-12)
    assert float(likelihood.actdcf(score, p, n, 0.5, 10, 1)) == pytest.approx(
        2 * 0.23094942466561763, abs=1e-12
    )
    assert float(sweep.mindcf(*errors, 0.5, 10, 1)) == pytest.approx(2 * 0.21843024685287174, abs=1e-12)


def area(rates_at, breaks):
    """Integrate sigma(tau) FRR + sigma(-tau) FAR exactly; the rates are constant between breaks."""
    knots = np.concatenate(([-60.0], np.unique(breaks), [60.0]))
    whole = 0.0
    for low, high in pairwise(knots):
        frr, far = (float(rate) for rate in rates_at((low + high) / 2))
        whole += frr * (np.logaddexp(0, high) - np.logaddexp(0, low))
        whole += far * (np.logaddexp(0, -low) - np.logaddexp(0, -high))
    return whole


@given(score_lists(), score_lists())
def test_the_area_under_the_bayes_error_is_cllr(targets, nontargets):
    """Methods, property P7: over all priors it is 2 ln 2 Cllr, for the decisions at -tau and for the best of all cuts."""
    cells, (_, s) = counted(targets, nontargets), staircase_of(targets, nontargets)
    actual = area(lambda tau: likelihood.error_rates(*cells, -tau), -cells[0])
    assert actual == pytest.approx(2 * np.log(2) * float(likelihood.cllr(*cells)), abs=1e-12)
    frr, far = s.misses / s.n_target, s.false_alarms / s.n_nontarget

    def best(tau):
        cut = np.argmin(expit(tau) * frr + expit(-tau) * far)
        return frr[cut], far[cut]

    least = float(likelihood.mincllr(s.misses, s.false_alarms))
    llr = pav(*cells[1:]).llr
    assert area(best, -llr[np.isfinite(llr)]) == pytest.approx(2 * np.log(2) * least, abs=1e-12)


@given(score_lists(odd=True), score_lists(odd=True))
def test_least_and_actual_costs_are_in_order(targets, nontargets):
    """Methods, properties P7, P10: nothing beats the best ratios; no threshold beats the best cut."""
    cells, (_, s) = counted(targets, nontargets), staircase_of(targets, nontargets)
    errors = s.misses, s.false_alarms
    assert 0 <= float(likelihood.mincllr(*errors)) <= 1 + 1e-15
    assert float(likelihood.mincllr(*errors)) <= float(likelihood.cllr(*cells)) + 1e-14
    assert float(likelihood.calibration_loss(*cells)) >= 0
    for prior in (0.01, 0.3, 0.9):
        least, actual = sweep.mindcf(*errors, prior), likelihood.actdcf(*cells, prior)
        assert 0 <= float(least) <= min(1, float(actual)) + 1e-12
        entropy = -(xlogy(prior, prior) + xlogy(1 - prior, 1 - prior)) / np.log(2)
        assert float(likelihood.minece(*errors, prior)) <= entropy + 1e-14


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_best_ratios_cost_the_minimum(targets, nontargets):
    """Methods, properties P8, P9: PAV ratios increase, hold all trials, cost minCllr, and calibrating them again changes nothing."""
    _, p, n = counted(targets, nontargets)
    blocks = pav(p, n)
    assert (np.diff(blocks.llr) > 0).all()
    assert (blocks.n_target.sum(), blocks.n_nontarget.sum()) == (len(targets), len(nontargets))
    least = float(likelihood.mincllr(*cumulate(p, n)))
    best = blocks.llr, blocks.n_target, blocks.n_nontarget
    assert float(likelihood.cllr(*best)) == pytest.approx(least, abs=1e-14)
    assert float(likelihood.calibration_loss(*best)) == pytest.approx(0, abs=1e-14)
    assert pav(blocks.n_target, blocks.n_nontarget).start.tolist() == list(range(len(blocks.llr)))


def test_a_calibration_loss_is_never_negative():
    """The two costs of these best ratios may differ in their last bit, the wrong way round."""
    p, n = np.array([8, 3]), np.array([2, 0])
    assert 0 <= float(likelihood.calibration_loss(pav(p, n).llr, p, n)) <= 1e-15


@given(score_lists(odd=True), score_lists(odd=True))
def test_tempered_ends_cost_at_least_the_minimum(targets, nontargets):
    _, p, n = counted(targets, nontargets)
    errors = cumulate(p, n)
    tempered = pav(p, n, laplace=True)
    assert np.isfinite(tempered.llr).all()
    assert (tempered.n_target.sum(), tempered.n_nontarget.sum()) == (len(targets), len(nontargets))
    assert float(likelihood.mincllr(*errors, laplace=True)) >= float(likelihood.mincllr(*errors)) - 1e-14


@given(st.lists(COARSE, min_size=2, max_size=12), st.floats(0.05, 0.95))
def test_the_entropy_is_that_of_each_trial(scores, prior):
    """The definition, trial by trial."""
    label = np.arange(len(scores)) % 2 == 0
    score = np.array(scores)
    p = expit(score + logit(prior))
    by_hand = prior * -np.log2(p[label]).mean() + (1 - prior) * -np.log2(1 - p[~label]).mean()
    value = likelihood.empirical_cross_entropy(*counted(score[label], score[~label]), prior)
    assert float(value) == pytest.approx(by_hand, rel=1e-12)


def test_infinite_ratios():
    right = counted([np.inf, np.inf], [-np.inf])
    assert float(likelihood.cllr(*right)) == 0
    wrong = counted([np.inf, -np.inf], [-np.inf])
    assert float(likelihood.cllr(*wrong)) == np.inf
    assert float(likelihood.calibration_loss(*wrong)) == np.inf
    assert float(likelihood.actdcf(*wrong)) == 0.5
    # No trial stands at the infinite score of this replicate.
    score, _, n = wrong
    assert np.isfinite(likelihood.cllr(score, np.array([[0, 2], [1, 1]]), n)).tolist() == [True, False]


def test_a_score_at_the_bayes_threshold_is_accepted():
    at = np.log(10)
    assert float(likelihood.actdcf(*counted([at], [at]), 0.5, 1, 10, normalised=False)) == 5
    above = np.nextafter(np.log(10), 0)
    assert float(likelihood.actdcf(*counted([above], [above]), 0.5, 1, 10, normalised=False)) == 0.5


def test_certain_priors_accept_or_reject_all():
    cells = counted([1.0, np.inf], [-np.inf, 0.0])
    assert [float(x) for x in likelihood.error_rates(*cells, np.inf)] == [1, 0]
    assert [float(x) for x in likelihood.error_rates(*cells, -np.inf)] == [0, 1]
    assert float(likelihood.bayes_error(*cells, np.inf)) == 0
    assert float(likelihood.bayes_error(*cells, -np.inf)) == 0


def test_edges():
    """Methods 14: equal scores, perfect separation, an empty class."""
    _, equal = staircase_of([1.0, 1.0], [1.0, 1.0, 1.0])
    assert float(likelihood.mincllr(equal.misses, equal.false_alarms)) == 1
    _, parted = staircase_of([2.0, 3.0], [1.0])
    assert float(likelihood.mincllr(parted.misses, parted.false_alarms)) == 0
    assert float(likelihood.mincllr(parted.misses, parted.false_alarms, laplace=True)) > 0
    for targets, nontargets in (([], [1.0, 2.0]), ([1.0, 2.0], []), ([], [])):
        cells, (_, s) = counted(targets, nontargets), staircase_of(targets, nontargets)
        for formula in (
            likelihood.cllr,
            likelihood.actdcf,
            likelihood.bayes_error,
            likelihood.calibration_loss,
        ):
            assert np.isnan(formula(*cells))
        assert np.isnan(likelihood.mincllr(s.misses, s.false_alarms))


@given(score_lists(odd=True, least=2), score_lists(odd=True, least=2), st.integers(0, 2**32 - 1))
def test_a_block_of_replicates_equals_one_by_one(targets, nontargets, seed):
    """Also where the weights empty cells or a class, and however the counts are laid out."""
    score, p, n = counted(targets, nontargets)
    weights = np.random.default_rng(seed).integers(0, 3, size=(5, len(p)))
    many = np.asfortranarray(weights * p), np.asfortranarray(weights * n)
    for formula in (
        likelihood.cllr,
        likelihood.empirical_cross_entropy,
        likelihood.actdcf,
        likelihood.bayes_error,
        likelihood.calibration_loss,
    ):
        alone = [float(formula(score, *pair)) for pair in zip(*many, strict=True)]
        np.testing.assert_array_equal(formula(score, *many), alone)
    stairs = [cumulate(*pair) for pair in zip(*many, strict=True)]
    errors = [np.stack(column) for column in zip(*stairs, strict=True)]
    for formula in (likelihood.mincllr, likelihood.minece):
        alone = [float(formula(*pair)) for pair in stairs]
        np.testing.assert_array_equal(formula(*errors), alone)


@given(score_lists(least=2), score_lists(least=2), st.integers(0, 2**32 - 1))
def test_the_least_entropy_of_a_replicate_ignores_empty_cells(targets, nontargets, seed):
    """A weight of 0 leaves a score out, as if it had not been there."""
    _, p, n = counted(targets, nontargets)
    weights = np.random.default_rng(seed).integers(0, 2, size=len(p))
    held = weights > 0
    whole = likelihood.mincllr(*cumulate(weights * p, weights * n))
    assert float(whole) == pytest.approx(float(likelihood.mincllr(*cumulate(p[held], n[held]))), nan_ok=True)


@given(score_lists(), score_lists(), st.randoms())
def test_order_and_repeats_do_not_matter(targets, nontargets, random):
    """A map may swap scores or make them equal; equal scores are one."""
    score, p, n = counted(targets, nontargets)
    order = list(range(len(score)))
    random.shuffle(order)
    repeated = np.concatenate((score, score)), np.concatenate((p, 2 * p)), np.concatenate((n, 2 * n))
    shuffled = [
        column[np.concatenate((order, order)) + len(score) * np.repeat([0, 1], len(score))]
        for column in repeated
    ]
    for formula in (likelihood.cllr, likelihood.actdcf, likelihood.calibration_loss):
        assert float(formula(*shuffled)) == pytest.approx(float(formula(score, 3 * p, 3 * n)), abs=1e-14)


def test_the_unit_of_a_normalised_cost():
    errors = np.array([0, 1, 4]), np.array([3, 2, 0])
    costs = {norm: float(sweep.mindcf(*errors, 0.9, 1, 1, True, norm)) for norm in ("trivial", "miss")}
    plain = float(sweep.mindcf(*errors, 0.9, 1, 1, False, "miss"))
    assert costs["trivial"] == pytest.approx(plain / 0.1)
    assert costs["miss"] == pytest.approx(plain / 0.9)


def test_the_gaussian_reference_is_the_one_of_the_theory():
    """Cllr of N(+-2, 2^2) by quadrature over the densities."""
    whole = quad(lambda x: np.exp(-((x - 2) ** 2) / 8) / np.sqrt(8 * np.pi) * np.log1p(np.exp(-x)), -40, 40)[
        0
    ]
    assert whole / np.log(2) == pytest.approx(0.5140558458670648, abs=1e-9)
    assert ndtr(-1) == pytest.approx(0.1586552539, abs=1e-10)


def test_the_hull_needs_cells_that_hold_trials():
    """Why empty cells are dropped before pooling: one between two classes would hide a vertex."""
    p, n = np.array([0, 0, 1]), np.array([1, 0, 0])
    assert hull_cuts(p, n).tolist() == [0, 3]
    assert float(likelihood.mincllr(*cumulate(p, n))) == 0
