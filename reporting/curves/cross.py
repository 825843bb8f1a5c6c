"""Thresholds without a dev set: each fold of trials is decided by what was chosen on all others.

Source: methods 7.10; leave-one-client-out where a fold is one client.
"""

from __future__ import annotations

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.counts.ranks import Ranks
from reporting.criteria.criterion import Criterion
from reporting.curves.epc import Errors, Operation, Thresholds, along, best_on_test
from reporting.stats.selection import cross_thresholds
from reporting.stats.staircase import BoolArray, FloatArray, IntArray, RankArray, Staircase, ThresholdAt, Ties


def choose_across(
    test: Cuts,
    rank: RankArray,
    ranks: Ranks,
    criterion: Criterion,
    ties: Ties,
    at: ThresholdAt,
    alpha: FloatArray | None,
) -> Thresholds:
    """Choose, for every fold, thresholds on the trials outside it: shape (folds, P)."""

    def cuts_of(staircase: Staircase) -> IntArray:
        return np.atleast_1d(criterion.choose(staircase, ties, **along(criterion, alpha)).cut)

    assert ranks.fold is not None
    threshold = cross_thresholds(
        test.score, test.n_target, test.n_nontarget, rank, ranks.label, ranks.fold, cuts_of, at, ranks.weight
    )
    return Thresholds(criterion, alpha, "cv", threshold, np.ones(threshold.shape[1], dtype=np.int64))


def judge_across(
    chosen: Thresholds, test: Cuts, rank: RankArray, ranks: Ranks, ties: Ties, at: ThresholdAt
) -> Operation:
    """Decide every trial by the thresholds of its own fold and pool the errors."""
    assert ranks.fold is not None
    n_folds, n_thresholds = chosen.threshold.shape
    totals = np.zeros((4, n_thresholds), dtype=np.int64)
    order = np.lexsort((rank, ranks.fold))
    bounds = np.searchsorted(ranks.fold[order], np.arange(n_folds + 1))
    for fold in range(n_folds):
        members = order[bounds[fold] : bounds[fold + 1]]
        weight = None if ranks.weight is None else ranks.weight[members]
        score, label = test.score[rank[members]], ranks.label[members]
        totals += _errors(score, label, weight, chosen.threshold[fold])
    return Operation(chosen, None, Errors(*totals), *best_on_test(chosen, test, ties, at))


def _errors(score: FloatArray, label: BoolArray, weight: IntArray | None, threshold: FloatArray) -> IntArray:
    """Misses and false alarms, weighted and counted (shape (4, P)), of trials in ascending order."""
    rejected = np.searchsorted(score, threshold, side="left")
    rejected = np.where(np.isposinf(threshold), len(score), rejected)
    once, rows = np.ones(len(score), dtype=np.int64), []
    for each in (once if weight is None else weight, once):
        missed = np.concatenate(([0], np.cumsum(each * label)))
        passed = np.concatenate(([0], np.cumsum(each * ~label)))
        rows += [missed[rejected], passed[-1] - passed[rejected]]
    return np.array(rows, dtype=np.int64)
