"""Measures of the confusion matrix at a threshold.

Every formula is called with ``(misses, false_alarms, n_target, n_nontarget, **parameters)``, counts of any
shapes that broadcast, and is written for the four cells that its decorator makes of them. Where it takes a
``prevalence``, a number puts the masses of a population in the place of the counts: that share are targets,
and the error rates are those observed. ``prevalence="sample"``, the default, leaves the counts.

Undefined is NaN: every 0/0, and every x/0 as well, for infinite values have no place in a table. Exceptions
are F (0 wherever its denominator is positive), P4 (0 wherever a right decision of either kind is missing
and an error is there) and MCC (0 where a margin is empty). With a number as prevalence, an empty class leaves
everything undefined. Methods 6.0, 6.1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.rates import net_benefit_of_rates, ratio
from reporting.core.stats.special import xlogy


class Cells(NamedTuple):
    """True positives, false negatives, false positives and true negatives: counts or masses, float64."""

    tp: FloatArray
    fn: FloatArray
    fp: FloatArray
    tn: FloatArray

    @property
    def target(self) -> FloatArray:
        """TP + FN."""
        return self.tp + self.fn

    @property
    def nontarget(self) -> FloatArray:
        """FP + TN."""
        return self.fp + self.tn

    @property
    def accepted(self) -> FloatArray:
        """TP + FP."""
        return self.tp + self.fp

    @property
    def rejected(self) -> FloatArray:
        """FN + TN."""
        return self.fn + self.tn

    @property
    def right(self) -> FloatArray:
        """TP + TN."""
        return self.tp + self.tn

    @property
    def wrong(self) -> FloatArray:
        """FP + FN."""
        return self.fp + self.fn

    @property
    def total(self) -> FloatArray:
        """All four, which is 1 for masses."""
        return self.target + self.nontarget

    @property
    def determinant(self) -> FloatArray:
        """TP TN - FP FN: how far the decisions are from independence of the labels."""
        return self.tp * self.tn - self.fp * self.fn


def trial_counts(label: BoolArray, accepted: BoolArray, weight: IntArray | None) -> tuple[int, int, int, int]:
    """Return misses, false alarms, targets and non-targets of decided trials (shape (N,)), weighted."""
    kinds = label & ~accepted, accepted & ~label, label, ~label
    misses, false_alarms, targets, nontargets = (
        int(of_kind.sum() if weight is None else weight[of_kind].sum()) for of_kind in kinds
    )
    return misses, false_alarms, targets, nontargets


def cells(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> Cells:
    """Return the four cells as counts."""
    fn, fp, n1, n0 = (np.asarray(x, dtype=np.float64) for x in (misses, false_alarms, n_target, n_nontarget))
    return Cells(n1 - fn, fn, fp, n0 - fp)


def masses(counts: Cells, prevalence: Any) -> Cells:
    """Return the cells of a population with that share of targets; an empty class makes its cells NaN."""
    prevalence = np.asarray(prevalence, dtype=np.float64)
    return Cells(
        prevalence * ratio(counts.tp, counts.target),
        prevalence * ratio(counts.fn, counts.target),
        (1 - prevalence) * ratio(counts.fp, counts.nontarget),
        (1 - prevalence) * ratio(counts.tn, counts.nontarget),
    )


def cells_at(
    misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, prevalence: Any = "sample"
) -> Cells:
    """Return the four cells as counts, or as masses of a population with that share of targets."""
    counts = cells(misses, false_alarms, n_target, n_nontarget)
    own = isinstance(prevalence, str) and prevalence == "sample"
    return counts if own else masses(counts, prevalence)


@dataclass(frozen=True)
class Share:
    """The share of ``part`` in ``whole``, counts of ``Cells``, in [0, 1]; undefined where the whole is 0."""

    part: str
    whole: str

    def __call__(
        self, misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, prevalence: Any = "sample"
    ) -> FloatArray:
        """Return the share among these trials, or in a population with that share of targets."""
        c = cells_at(misses, false_alarms, n_target, n_nontarget, prevalence)
        return ratio(getattr(c, self.part), getattr(c, self.whole))

    def counts(
        self, misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, prevalence: Any = "sample"
    ) -> tuple[int, int | None]:
        """Return k and n of k of n trials; n is None at a declared prevalence, where it is no such share."""
        c = cells(misses, false_alarms, n_target, n_nontarget)
        return int(getattr(c, self.part)), int(getattr(c, self.whole)) if prevalence == "sample" else None

    def of_trials(self, label: BoolArray, accepted: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return whether each trial counts as a part, and as the whole (0 or 1, of any shape)."""
        outcome = 2 * label.astype(np.int8) + accepted
        each = cells([0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 1], [1, 1, 0, 0])
        return getattr(each, self.part)[outcome], getattr(each, self.whole)[outcome]


Formula = Callable[..., FloatArray]


def of_counts(formula: Formula) -> Formula:
    """Let a formula of the cells take counts; for what does not depend on the prevalence."""

    @functools.wraps(formula)
    def called(
        misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, **parameters: Any
    ) -> FloatArray:
        return formula(cells(misses, false_alarms, n_target, n_nontarget), **parameters)

    return called


def at_prevalence(formula: Formula) -> Formula:
    """Let a formula of the cells take counts and a ``prevalence``: the sample's own, or a number."""

    @functools.wraps(formula)
    def called(
        misses: Any,
        false_alarms: Any,
        n_target: Any,
        n_nontarget: Any,
        prevalence: Any = "sample",
        **parameters: Any,
    ) -> FloatArray:
        return formula(cells_at(misses, false_alarms, n_target, n_nontarget, prevalence), **parameters)

    return called


recall = Share("tp", "target")
"""TP / N1 = 1 - FRR, higher is better."""
specificity = Share("tn", "nontarget")
"""TN / N0 = 1 - FAR, higher is better."""
accuracy = Share("right", "total")
"""(TP + TN) / N, higher is better."""
error_rate = Share("wrong", "total")
"""(FP + FN) / N = pi FRR + (1 - pi) FAR, lower is better."""
acceptance_rate = Share("accepted", "total")
"""(TP + FP) / N."""
rejection_rate = Share("rejected", "total")
"""(FN + TN) / N."""
precision = Share("tp", "accepted")
"""TP / (TP + FP), higher is better. Methods 6.1."""
npv = Share("tn", "rejected")
"""TN / (TN + FN), higher is better. Methods 6.0."""
fdr = Share("fp", "accepted")
"""FP / (TP + FP) = 1 - precision, lower is better."""
false_omission_rate = Share("fn", "rejected")
"""FN / (TN + FN) = 1 - NPV, lower is better."""


@of_counts
def balanced_accuracy(c: Cells) -> FloatArray:
    """(TPR + TNR) / 2 = 1 - HTER, in [0, 1], higher is better; undefined with an empty class."""
    return (ratio(c.tp, c.target) + ratio(c.tn, c.nontarget)) / 2


@of_counts
def g_mean(c: Cells) -> FloatArray:
    """sqrt(TPR TNR), in [0, 1], higher is better; undefined with an empty class."""
    return _root(ratio(c.tp, c.target) * ratio(c.tn, c.nontarget))


@of_counts
def youden(c: Cells) -> FloatArray:
    """J = TPR - FPR, in [-1, 1], higher is better; undefined with an empty class. Methods 5.1."""
    return ratio(c.determinant, c.target * c.nontarget)


@of_counts
def corner_distance(c: Cells) -> FloatArray:
    """sqrt(FAR^2 + FRR^2), in [0, sqrt 2], lower is better; undefined with an empty class. Methods 5.1."""
    return np.hypot(ratio(c.fp, c.nontarget), ratio(c.fn, c.target))


@of_counts
def lr_positive(c: Cells) -> FloatArray:
    """LR+ = TPR / FPR, in [0, inf), higher is better; undefined with an empty class or FPR = 0.

    At FPR = 0 < TPR the quotient is infinite and no number is given; the data cannot bound it.
    """
    return ratio(c.tp * c.nontarget, c.fp * c.target)


@of_counts
def lr_negative(c: Cells) -> FloatArray:
    """LR- = FNR / TNR, in [0, inf), lower is better; undefined with an empty class or TNR = 0.

    At TNR = 0 < FNR the quotient is infinite and no number is given.
    """
    return ratio(c.fn * c.nontarget, c.tn * c.target)


@of_counts
def odds_ratio(c: Cells) -> FloatArray:
    """TP TN / (FP FN) = LR+ / LR-, in [0, inf), higher is better; undefined where FP FN = 0.

    There the quotient is infinite or 0/0, and no number is given.
    """
    return ratio(c.tp * c.tn, c.fp * c.fn)


@of_counts
def chi_squared(c: Cells) -> FloatArray:
    """Pearson's N (TP TN - FP FN)^2 / (N1 N0 accepted rejected) = N MCC^2, in [0, N], higher is better.

    One degree of freedom, without Yates's correction; undefined where a margin is empty.
    """
    # A power of a scalar and of an array can differ in the last bit; a product does not.
    square = c.determinant * c.determinant
    return ratio(c.total * square, c.target * c.nontarget * c.accepted * c.rejected)


@at_prevalence
def markedness(c: Cells) -> FloatArray:
    """PPV + NPV - 1, in [-1, 1], higher is better; undefined where one decision is never made."""
    return ratio(c.determinant, c.accepted * c.rejected)


@at_prevalence
def lift(c: Cells) -> FloatArray:
    """Precision / prevalence, in [0, inf), higher is better; undefined without targets or acceptances."""
    return ratio(c.tp * c.total, c.accepted * c.target)


@at_prevalence
def number_needed_to_evaluate(c: Cells) -> FloatArray:
    """Acceptances a target found, 1 / precision, in [1, inf), lower is better; undefined without hits."""
    return ratio(c.accepted, c.tp)


@at_prevalence
def net_benefit(c: Cells, p_threshold: float = 0.5) -> FloatArray:
    """TP/N - FP/N p/(1 - p), in (-inf, 1], higher is better; undefined with an empty class.

    ``p`` is the probability at which acting and not acting are thought equally good (Vickers, Elkin).
    """
    rates = ratio(c.fn, c.target), ratio(c.fp, c.nontarget)
    return net_benefit_of_rates(*rates, ratio(c.target, c.total), p_threshold)


@at_prevalence
def f1(c: Cells) -> FloatArray:
    """2 TP / (2 TP + FP + FN), in [0, 1], higher is better; methods 6.1.

    0 where no target is accepted, though precision be undefined; undefined only without targets and
    false alarms.
    """
    return _f(c, 1.0)


@at_prevalence
def f_beta(c: Cells, beta: float = 1.0) -> FloatArray:
    """(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), in [0, 1], higher is better; undefined as F1 is."""
    return _f(c, beta)


def _f(c: Cells, beta: float) -> FloatArray:
    hits = (1 + beta**2) * c.tp
    return ratio(hits, hits + beta**2 * c.fn + c.fp)


@at_prevalence
def jaccard(c: Cells) -> FloatArray:
    """TP / (TP + FP + FN), in [0, 1], higher is better; undefined without targets and false alarms."""
    return ratio(c.tp, c.tp + c.fp + c.fn)


@at_prevalence
def gilbert_skill(c: Cells) -> FloatArray:
    """(TP - a) / (TP + FP + FN - a), a = (TP + FN) (TP + FP) / total, in [-1/3, 1], higher is better.

    Undefined where all trials are accepted targets, or rejected non-targets.
    """
    by_chance = ratio(c.target * c.accepted, c.target + c.nontarget)
    return ratio(c.tp - by_chance, c.tp + c.fp + c.fn - by_chance)


@at_prevalence
def fowlkes_mallows(c: Cells) -> FloatArray:
    """sqrt(precision recall), in [0, 1], higher is better; undefined without targets or acceptances."""
    return ratio(c.tp, _root(c.accepted * c.target))


@at_prevalence
def p4(c: Cells) -> FloatArray:
    """4 / (1/precision + 1/recall + 1/specificity + 1/NPV), in [0, 1], higher is better; Sitarz 2022.

    Equals 4 TP TN / (4 TP TN + (TP + TN) (FP + FN)). 0 where TP TN = 0 with an error, though a share be
    undefined; undefined where no error is and a class is empty: all trials, if any, lie in one cell TP or TN.
    """
    hits = 4 * c.tp * c.tn
    # With errors only this form is 0/0, though every share that is defined is 0.
    return np.where((c.right == 0) & (c.wrong > 0), 0.0, ratio(hits, hits + c.right * c.wrong))


@at_prevalence
def mcc(c: Cells) -> FloatArray:
    """(TP TN - FP FN) / sqrt(N1 N0 accepted rejected), in [-1, 1], higher is better; methods 6.0.

    0 where a margin is empty; undefined without any trial.
    """
    margins = (c.target * c.nontarget) * (c.accepted * c.rejected)
    value = np.where(margins == 0, 0.0, ratio(c.determinant, _root(margins)))
    return np.where(c.total == 0, np.nan, value)


@at_prevalence
def kappa(c: Cells) -> FloatArray:
    """(accuracy - e) / (1 - e), e the accuracy of independent decisions, in [-1, 1], higher is better.

    Undefined where all trials lie in one cell TP or TN: agreement by chance is then certain.
    """
    return ratio(2 * c.determinant, c.accepted * c.nontarget + c.target * c.rejected)


@at_prevalence
def mutual_information(c: Cells) -> FloatArray:
    """H(label) + H(decision) - H(both), in bits, in [0, 1], higher is better.

    Equals the sum over cells of p log2(p / (p_label p_decision)), with 0 log 0 = 0; undefined without
    trials. At most the entropy of the labels.
    """
    label = _entropy(c.total, c.target, c.nontarget)
    decision = _entropy(c.total, c.accepted, c.rejected)
    # Independent decisions can round to a hair below 0.
    return np.maximum(label + decision - _entropy(c.total, *c), 0.0)


def _entropy(total: FloatArray, *parts: FloatArray) -> FloatArray:
    shares = (ratio(part, total) for part in parts)
    nats = sum((-xlogy(share, share) for share in shares), start=np.zeros_like(total))
    return np.asarray(nats / np.log(2))


def _root(square: FloatArray) -> FloatArray:
    """The square root, NaN below 0: slopes by differences look beyond the edge of what can be counted."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(square)
