"""Test trials at thresholds that every replicate has for itself: the whole procedure on repeated rows."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.base.execution import SerialExecutor
from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.curves.epc import alpha_grid, choose
from reporting.core.engine.rechoosing import moving_bins
from reporting.core.resampling.bootstrap import Task, resample
from reporting.core.resampling.procedure import ReselectedThresholds, dev_cells, rechoose
from reporting.core.resampling.units import trial_units

A, M = ("a", "0"), 5


def sample(n, seed, digits):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    label[:2] = True, False
    return np.round(rng.normal(size=n) + 1.5 * label, digits), label


def weights_of(units):
    (drawn, _), *_ = units.pool.draw(1, 0, M, M)
    return units.weights(drawn)


@settings(max_examples=40)
@given(st.integers(4, 40), st.integers(4, 40), st.integers(0, 10_000), st.integers(0, 2))
def test_a_replicate_is_dev_and_test_repeated(n_dev, n_test, seed, digits):
    (dev_score, dev_label), (score, label) = sample(n_dev, seed, digits), sample(n_test, seed + 1, digits)
    dev_units, units = trial_units(dev_label, ("all", "dev")), trial_units(label, ("all", "test"))
    dev, dev_rank = count_cuts(dev_score, dev_label)
    cuts, rank = count_cuts(score, label)
    criterion, alpha = CRITERIA["weighted_error"], alpha_grid(5)
    chosen = choose(dev, criterion, "balanced", "midpoint", alpha)
    models = {A: (dev_cells(dev_units, dev, dev_label, None, dev_rank), (chosen,))}
    pool = SerialExecutor()
    thresholds = rechoose(ReselectedThresholds(dev_units, models, "balanced", "midpoint", 1), M, pool)[
        A, chosen.name
    ]
    ranks = Ranks(label, None, {A: rank}, paired=True)
    binned = moving_bins(SimpleNamespace(test=cuts, rank=rank), units, ranks, {(A, "op"): thresholds})
    found = resample(Task(units, binned, {}, 1), M, pool).errors[A, "op"]
    dev_times, times = weights_of(dev_units), weights_of(units)
    for r in range(M):
        again, _ = count_cuts(np.repeat(dev_score, dev_times[:, r]), np.repeat(dev_label, dev_times[:, r]))
        at = choose(again, criterion, "balanced", "midpoint", alpha).threshold
        rows, of_target = np.repeat(score, times[:, r]), np.repeat(label, times[:, r])
        for j, threshold in enumerate(at):
            accepted = (rows >= threshold) & (threshold < np.inf)
            assert found.misses[r, j] == (of_target & ~accepted).sum()
            assert found.false_alarms[r, j] == (~of_target & accepted).sum()
        assert (found.n_target[r, 0], found.n_nontarget[r, 0]) == (of_target.sum(), (~of_target).sum())


def test_the_last_of_several_blocks_has_its_own_thresholds():
    """Replicate 299 is number 43 of the second block, on dev as on test."""
    (dev_score, dev_label), (score, label) = sample(30, 1, 2), sample(30, 2, 2)
    dev_units, units = trial_units(dev_label, ("all", "dev")), trial_units(label, ("all", "test"))
    dev, dev_rank = count_cuts(dev_score, dev_label)
    cuts, rank = count_cuts(score, label)
    criterion = CRITERIA["min_hter"]
    chosen = choose(dev, criterion, "balanced", "midpoint")
    models = {A: (dev_cells(dev_units, dev, dev_label, None, dev_rank), (chosen,))}
    pool = SerialExecutor()
    thresholds = rechoose(ReselectedThresholds(dev_units, models, "balanced", "midpoint", 1), 300, pool)[
        A, chosen.name
    ]
    ranks = Ranks(label, None, {A: rank}, paired=True)
    binned = moving_bins(SimpleNamespace(test=cuts, rank=rank), units, ranks, {(A, "op"): thresholds})
    found = resample(Task(units, binned, {}, 1), 300, pool).errors[A, "op"]
    (drawn, _), *_ = units.pool.draw(1, 1, 44, 44)
    times = units.weights(drawn)[:, 43]
    rows, of_target = np.repeat(score, times), np.repeat(label, times)
    assert len(np.unique(thresholds)) > 3
    assert found.misses[299, 0] == (of_target & (rows < thresholds[299, 0])).sum()
    assert found.false_alarms[299, 0] == (~of_target & (rows >= thresholds[299, 0])).sum()
