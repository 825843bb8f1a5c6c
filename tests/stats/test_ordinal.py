from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import auc_se

from reporting.stats.ordinal import _step, categories, fit_ordinal

COUNTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=0, max_size=40)


def test_by_hand():
    # Scores 0..6: two of non-targets only, a tie, two of targets only, one without trials, one of non-targets.
    p, n, cut = categories([0, 0, 1, 2, 1, 0, 0], [3, 1, 2, 0, 0, 0, 4])
    assert p.tolist() == [0, 1, 3, 0]
    assert n.tolist() == [4, 2, 0, 4]
    assert cut.tolist() == [2, 3, 6, 7]


def test_merged_at_equal_steps_of_the_mean_rank():
    # Targets and non-targets in turn, 4 of each: every run weighs 1/8, a step is 1/4.
    p, n, cut = categories([1, 0] * 4, [0, 1] * 4, most=4)
    assert (p.tolist(), n.tolist(), cut.tolist()) == ([1] * 4, [1] * 4, [2, 4, 6, 8])


def test_a_large_run_takes_one_step():
    weight = np.array([Fraction(9, 10), *[Fraction(1, 90)] * 9], dtype=object).astype(float)
    assert _step(weight, 4) == pytest.approx(1 / 30)
    p, _, _ = categories([0, 1] * 5, [9, 0, *[1, 0] * 4], most=4)
    assert len(p) == 4


@given(COUNTS, st.integers(3, 8))
def test_every_trial_is_in_one_category(counts, most):
    target, nontarget = np.array(counts, dtype=np.int64).reshape(-1, 2).T
    p, n, cut = categories(target, nontarget, most)
    runs = categories(target, nontarget, most=1000)
    assert len(p) == min(len(runs.target), most)
    assert ((p + n) > 0).all()
    assert (np.diff(cut) > 0).all()
    assert cut[-1:].tolist() == [len(target)][: len(cut)]
    for part, whole in ((p, target), (n, nontarget)):
        assert np.cumsum(part).tolist() == np.concatenate(([0], np.cumsum(whole)))[cut].tolist()


def test_few_targets_among_many_nontargets_stay_apart():
    # Steps of the pooled rank (methods 12.3) would leave 50 targets, and 3 categories that hold one at all.
    rng = np.random.default_rng(1)
    score = np.concatenate((rng.normal(4, 1, 60), rng.normal(size=200_000)))
    target = (np.argsort(score) < 60).astype(np.int64)
    p, n, _ = categories(target, 1 - target)
    fit = fit_ordinal(p, n)
    runs = categories(target, 1 - target, most=200)
    pooled = np.add.reduceat(target, np.linspace(0, len(target), 50, endpoint=False).astype(int))
    assert ((pooled > 0).sum() <= 4, (p > 0).sum() > 20) == (True, True)
    assert (fit.a, fit.b) == pytest.approx((4, 1), abs=0.5)
    whole = fit_ordinal(*runs[:2])
    assert fit.auc == pytest.approx(whole.auc, abs=auc_se(whole) / 4)


def test_no_trials():
    assert [part.tolist() for part in categories([], [])] == [[], [], []]
    assert [part.tolist() for part in categories([0, 0], [0, 0])] == [[], [], []]
