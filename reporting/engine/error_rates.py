"""Shares of a part's trials at a threshold, and how many independent trials each is worth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.counts.ranks import Ranks
from reporting.curves.epc import Operation
from reporting.engine.operations import JudgedModel
from reporting.significance.bootstrap import ModelId, Place
from reporting.significance.effective import CountedTrials
from reporting.significance.units import Units
from reporting.stats.confusion import Share
from reporting.stats.effective_size import EffectiveRate
from reporting.stats.placements import normal_scores
from reporting.stats.staircase import FloatArray

FALSE_ALARMS, MISSES = Share("fp", "nontarget"), Share("fn", "target")


class _OfClass(NamedTuple):
    """The trials of a class, and the correlation of a model's scores among dependent ones."""

    counted: CountedTrials
    correlation: float


class ErrorRates:
    """The rates of all models of a part; what several thresholds share is made once."""

    def __init__(self, ranks: Ranks, units: Units) -> None:
        self.ranks, self.units = ranks, units
        self._rates: dict[tuple[Place, Share], EffectiveRate] = {}
        self._of_class: dict[tuple[ModelId, str], _OfClass] = {}

    def at(self, model: JudgedModel, operation: Operation, share: Share) -> EffectiveRate:
        """Return a share of the trials at the threshold of an operation."""
        if not self.units.clustered and self.ranks.weight is None:
            errors = int(operation.test.misses[0]), int(operation.test.false_alarms[0])
            k, n = share.counts(*errors, *model.test.totals)
            return EffectiveRate(k / n if n else math.nan, n or 0)
        key = model.place(operation), share
        if key not in self._rates:
            binned = model.binned(operation.name)
            accepted = binned.bins.of_trial > binned.index[0]
            part, whole = share.of_trials(self.ranks.label, accepted)
            counted, correlation = self._among(model, share, whole)
            self._rates[key] = counted.rate(part, correlation)
        return self._rates[key]

    def _among(self, model: JudgedModel, share: Share, whole: FloatArray) -> _OfClass:
        key = model.id, share.whole
        if key in self._of_class:
            return self._of_class[key]
        counted = CountedTrials.among(whole, self.units, self.ranks.weight)
        score = normal_scores(model.test.n_target, model.test.n_nontarget, model.rank, self.ranks.label)
        of_class = _OfClass(counted, counted.correlation(np.where(self.ranks.label, -score, score)))
        if share.whole in ("target", "nontarget"):
            self._of_class[key] = of_class
        return of_class
