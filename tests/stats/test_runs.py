import numpy as np
from hypothesis import given
from tied import score_lists, staircase_of

from reporting.stats import sweep
from reporting.stats.hull import truth_runs


def test_runs_merge_neighbours_of_one_class_but_never_mixed_groups():
    n_target, n_nontarget = np.array([0, 0, 1, 2, 1, 1, 0]), np.array([1, 3, 0, 0, 1, 1, 2])
    assert truth_runs(n_target, n_nontarget).tolist() == [0, 0, 1, 1, 2, 3, 4]


@given(score_lists(odd=True), score_lists(odd=True))
def test_merging_loses_nothing(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    run = truth_runs(np.diff(s.misses), -np.diff(s.false_alarms))
    last = np.concatenate(([0], np.flatnonzero(np.diff(run, append=run[-1] + 1)) + 1))
    for formula in (sweep.auc, sweep.eer_rocch, sweep.eer_interp, sweep.mindcf):
        merged, whole = formula(s.misses[last], s.false_alarms[last]), formula(s.misses, s.false_alarms)
        np.testing.assert_allclose(merged, whole, atol=1e-15)
