"""The four cells of the confusion matrix, and the decorators that let a formula of them take counts.

A decorated formula is called with ``(misses, false_alarms, n_target, n_nontarget, **parameters)`` and
broadcasts over any leading axes (replicates, thresholds). Cells are float64: products of counts overflow
int64 at ten million trials.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray


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
    def total(self) -> FloatArray:
        """All four, which is 1 for masses."""
        return self.target + self.nontarget

    @property
    def determinant(self) -> FloatArray:
        """TP TN - FP FN: how far the decisions are from independence of the labels."""
        return self.tp * self.tn - self.fp * self.fn


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
        counts = cells(misses, false_alarms, n_target, n_nontarget)
        own = isinstance(prevalence, str) and prevalence == "sample"
        return formula(counts if own else masses(counts, prevalence), **parameters)

    return called
