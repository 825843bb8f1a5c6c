"""The Expected Performance Curve: a measure on test after a criterion on development, for every alpha."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.criterion import Criterion
from reporting.core.stats.choice import Staircases, cross_thresholds
from reporting.core.stats.staircase import FixedRate, ThresholdAt, Ties, cut_at, threshold_of
from reporting.core.stats.steps import Steps


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors at P thresholds (shape (P,)): weighted as measures take them, and counted in trials."""

    misses: IntArray
    false_alarms: IntArray
    missed_trials: IntArray
    false_alarm_trials: IntArray


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Thresholds of one criterion (shape (P,), P = 1 for a single one), before they are judged.

    ``source`` names where they come from: dev, bayes, fixed, or cv; then every fold of trials has its
    own and the shape is (folds, P). ``tied`` is how many thresholds attained the optimum.
    """

    criterion: Criterion
    alpha: FloatArray | None
    source: str
    threshold: FloatArray
    tied: IntArray

    @cached_property
    def name(self) -> str:
        """The criterion, or its curve: which thresholds these are."""
        along = "" if self.alpha is None else f" along {len(self.alpha)} alphas"
        return f"{self.criterion}{along}"

    @property
    def fixed_rate(self) -> FixedRate | None:
        """The error rate at which a single threshold is put; None where its criterion fixes none."""
        return self.criterion.fixed_rate if self.alpha is None else None

    @property
    def by_fold(self) -> bool:
        """True where every fold of trials has thresholds of its own."""
        return self.threshold.ndim == 2

    @property
    def shared(self) -> FloatArray:
        """The thresholds that all trials share (shape (P,)); NaN where each fold has its own."""
        return np.full(self.threshold.shape[1], np.nan) if self.by_fold else self.threshold


@dataclass(frozen=True, eq=False)
class ThresholdResult:
    """Thresholds and their errors on development and test; ``dev`` is None where there is none.

    ``oracle`` holds the errors at the threshold the criterion would have chosen on the test set, at
    ``oracle_threshold``; None where a class is empty there, or where the criterion chooses no threshold.
    """

    chosen: Thresholds
    dev: Errors | None
    test: Errors
    oracle: Errors | None
    oracle_threshold: FloatArray | None

    @property
    def name(self) -> str:
        """Which thresholds these are."""
        return self.chosen.name


def alpha_grid(n: int) -> FloatArray:
    """Return alpha = k / (n - 1), k = 0..n-1, each in one division."""
    return np.arange(n) / (n - 1)


def choose(
    dev: Cuts,
    criterion: Criterion,
    ties: Ties,
    at: ThresholdAt,
    alpha: FloatArray | None = None,
    share: float | None = None,
) -> Thresholds:
    """Choose thresholds on the development set by the criterion (Algorithm 1 of the papers).

    With ``alpha`` (shape (P,)) the criterion's swept parameter runs over it. ``share`` is what it
    takes where it counts by clusters.
    Source: Bengio, Mariethoz, Keller, section 4; methods 7.1.
    """
    chosen = criterion.choose(dev.staircase, ties, **along(criterion, alpha), **by_clusters(share))
    cut, tied = np.atleast_1d(chosen.cut), np.atleast_1d(chosen.tied)
    return Thresholds(criterion, alpha, "dev", threshold_of(dev.score, cut, at), tied)


def by_clusters(share: float | None) -> dict[str, float]:
    """Return what a criterion takes that counts by clusters; nothing where it counts trials."""
    return {} if share is None else {"share": share}


def along(criterion: Criterion, alpha: FloatArray | None) -> dict[str, FloatArray]:
    """Return the swept parameter of a curve; nothing for a single criterion."""
    return {} if alpha is None else {criterion.swept: alpha}


def judge(
    chosen: Thresholds, dev: Cuts | None, test: Cuts, ties: Ties, at: ThresholdAt, best_on: Cuts | None = None
) -> ThresholdResult:
    """Return the errors of thresholds on development and test, and the criterion's own choice on test.

    ``best_on`` counts the test trials as the criterion sees them, where ``test`` does otherwise.
    """
    return ThresholdResult(
        chosen,
        None if dev is None else errors_at(dev, cut_at(dev.score, chosen.threshold)),
        errors_at(test, cut_at(test.score, chosen.threshold)),
        *best_on_test(chosen.criterion, test, ties, at, chosen.alpha, best_on),
    )


@dataclass(frozen=True, eq=False)
class ExactCurve:
    """A criterion's whole curve without a grid: its steps on development, and their errors on test.

    ``threshold`` and the errors have an entry per step; ``oracle`` holds the steps chosen on the test set.
    """

    steps: Steps
    threshold: FloatArray
    test: Errors
    oracle_steps: Steps | None
    oracle: Errors | None


def exact_curve(dev: Cuts, test: Cuts, criterion: Criterion, at: ThresholdAt) -> ExactCurve | None:
    """Return the steps of a curve; None where the criterion has only a grid. Methods 7.4, 7.5."""
    steps = criterion.steps(dev.staircase)
    if steps is None:
        return None
    threshold = threshold_of(dev.score, steps.cut, at)
    best = criterion.steps(test.staircase) if all(test.totals) else None
    return ExactCurve(
        steps,
        threshold,
        errors_at(test, cut_at(test.score, threshold)),
        best,
        None if best is None else errors_at(test, best.cut),
    )


def errors_at(cuts: Cuts, cut: IntArray) -> Errors:
    """Return the errors of a set of trials at some of its thresholds (shape (P,))."""
    staircase = cuts.staircase
    return Errors(staircase.misses[cut], staircase.false_alarms[cut], *cuts.errors(cut))


def best_on_test(
    criterion: Criterion,
    test: Cuts,
    ties: Ties,
    at: ThresholdAt,
    alpha: FloatArray | None = None,
    best_on: Cuts | None = None,
) -> tuple[Errors | None, FloatArray | None]:
    """Return errors and thresholds where the criterion chooses on the test set (a posteriori).

    ``best_on`` counts the same trials, at the same scores, as the criterion sees them; None: as ``test``.
    """
    seen = best_on or test
    if not criterion.has_oracle or not (all(test.totals) and all(seen.totals)):
        return None, None
    best = np.atleast_1d(criterion.choose(seen.staircase, ties, **along(criterion, alpha)).cut)
    return errors_at(test, best), threshold_of(test.score, best, at)


def choose_across(
    test: Cuts,
    rank: RankArray,
    ranks: Ranks,
    criterion: Criterion,
    ties: Ties,
    at: ThresholdAt,
    alpha: FloatArray | None,
    share: float | None = None,
) -> Thresholds:
    """Choose, for every fold, thresholds on the trials outside it: shape (folds, P)."""

    def cuts_of(rows: Staircases) -> IntArray:
        return criterion.choose_each(rows, ties, **along(criterion, alpha), **by_clusters(share)).cut

    assert ranks.fold is not None
    # One trial drawn of each cluster may leave a class out; precision is shown of those that are accepted.
    trials = test.score, test.n_target, test.n_nontarget, rank, ranks.label, ranks.fold
    threshold = cross_thresholds(*trials, cuts_of, at, ranks.weight, both=not criterion.own_share)
    return Thresholds(criterion, alpha, "cv", threshold, np.ones(threshold.shape[1], dtype=np.int64))


def judge_across(
    chosen: Thresholds,
    test: Cuts,
    rank: RankArray,
    ranks: Ranks,
    ties: Ties,
    at: ThresholdAt,
    best_on: Cuts | None = None,
) -> ThresholdResult:
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
    return ThresholdResult(
        chosen, None, Errors(*totals), *best_on_test(chosen.criterion, test, ties, at, chosen.alpha, best_on)
    )


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
