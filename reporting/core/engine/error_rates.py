"""Shares of a part's trials at a threshold, and how many independent trials each is worth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.counts.ranks import Ranks, count_ranks
from reporting.core.curves.epc import ThresholdResult
from reporting.core.engine.operations import JudgedModel
from reporting.core.resampling.bootstrap import ModelId, ThresholdKey
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.units import Units
from reporting.core.stats.confusion import Share
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.placements import normal_scores

FALSE_ALARMS, MISSES = Share("fp", "nontarget"), Share("fn", "target")
MOST_KEPT = 2**24
"""Numbers of clusters times rates that are kept for the next measure of the same threshold."""


class _OfClass(NamedTuple):
    """The trials of a class, and the correlation of a model's scores among dependent ones."""

    counted: CountedTrials
    correlation: float


class ErrorRates:
    """The rates of all models of a part; what several thresholds share is made once."""

    def __init__(self, ranks: Ranks, units: Units) -> None:
        self.ranks, self.units = ranks, units
        self._rates: dict[tuple[ThresholdKey, Share, int], EffectiveRate] = {}
        self._of_class: dict[tuple[ModelId, str], _OfClass] = {}
        self._scores: dict[ModelId, FloatArray] = {}

    def at(self, model: JudgedModel, operation: ThresholdResult, share: Share, at: int = 0) -> EffectiveRate:
        """Return a share of the trials at one of the thresholds of an operation."""
        if not self.units.clustered and self.ranks.weight is None:
            errors = int(operation.test.misses[at]), int(operation.test.false_alarms[at])
            rate, noise = _independent(model, share, errors), self.ranks.noise
            if noise is None or not rate.size:
                return rate
            threshold = float(operation.chosen.shared[at])
            return rate._replace(noise=noise.of_rate(model.id, threshold, share, rate.rate, rate.size))
        binned = model.binned(operation.name)
        key = model.place(operation), share, int(binned.index[at])
        if (known := self._rates.get(key)) is None:  # another thread may clear them meanwhile
            if len(self._rates) * self.units.n_own > MOST_KEPT:
                self._rates.clear()
            self._rates[key] = known = self._dependent(model, share, binned.accepted(at))
        return known

    def at_cut(self, model: JudgedModel, cut: int, share: Share) -> EffectiveRate:
        """Return a share of the trials where distinct scores from the ``cut``-th on are accepted."""
        if not self.units.clustered and self.ranks.weight is None:
            errors = int(model.test.n_target[:cut].sum()), int(model.test.n_nontarget[cut:].sum())
            return _independent(model, share, errors)
        return self._dependent(model, share, model.rank >= cut)

    def rejecting(self, model: JudgedModel, rejected: FloatArray) -> list[EffectiveRate]:
        """Return FAR and FRR of dependent trials where these shares of each distinct score are rejected."""
        miss, label, rates = rejected[model.rank], self.ranks.label, []
        for share, error, whole in ((FALSE_ALARMS, 1 - miss, ~label), (MISSES, miss, label)):
            counted, correlation = self._among(model, share, whole.astype(np.float64))
            rates.append(counted.rate(error, correlation))
        return rates

    def among(
        self, model: JudgedModel, accepted: BoolArray, share: Share, members: IntArray, *, apart: bool = False
    ) -> EffectiveRate:
        """Return a share of some trials, by their indices; ``accepted`` shows which of all trials are.

        ``apart``: as a part of these trials alone has it, with their own scores as normal quantiles.
        """
        label, weight = self.ranks.label[members], self.ranks.weight
        part, whole = share.of_trials(label, accepted[members])
        if not self.units.clustered and weight is None:
            n = float(whole.sum())
            return EffectiveRate(float(part.sum()) / n if n else math.nan, n)
        weight = None if weight is None else weight[members]
        counted = CountedTrials.among(whole, self.units.of(members), weight)
        if not apart:
            return counted.rate(part, counted.correlation(self._towards_error(model)[members]))
        rank = model.rank[members]
        score = normal_scores(*count_ranks(rank, label, weight, len(model.test.score)), rank, label)
        return counted.rate(part, counted.correlation(np.where(label, -score, score)))

    def _towards_error(self, model: JudgedModel) -> FloatArray:
        """Scores as normal quantiles, the higher the nearer to an error."""
        if model.id not in self._scores:
            counts = model.test.n_target, model.test.n_nontarget
            if self.ranks.mix is not None and model.test.raw is not None:
                counts = model.test.raw  # a kind may weigh nothing
            score = normal_scores(*counts, model.rank, self.ranks.label)
            self._scores[model.id] = np.where(self.ranks.label, -score, score)
        return self._scores[model.id]

    def of_kind(
        self, model: JudgedModel, operation: ThresholdResult, at: int = 0, *, spoof: bool
    ) -> EffectiveRate:
        """Return the share of one of two kinds of non-targets that is accepted, each trial counted once."""
        assert self.ranks.mix is not None
        of_spoofs = self.ranks.mix.spoof
        members = of_spoofs if spoof else ~(of_spoofs | self.ranks.label)
        accepted = members & model.binned(operation.name).accepted(at)
        n = int(members.sum())
        if not self.units.clustered:
            return EffectiveRate(int(accepted.sum()) / n if n else math.nan, n)
        key = model.id, "spoof" if spoof else "zero_effort"
        if key not in self._of_class:
            counted = CountedTrials.among(members, self.units, None)
            self._of_class[key] = _OfClass(counted, counted.correlation(self._towards_error(model)))
        of_class = self._of_class[key]
        return of_class.counted.rate(accepted, of_class.correlation)

    def _dependent(self, model: JudgedModel, share: Share, accepted: BoolArray) -> EffectiveRate:
        part, whole = share.of_trials(self.ranks.label, accepted)
        counted, correlation = self._among(model, share, whole)
        return counted.rate(part, correlation)

    def _among(self, model: JudgedModel, share: Share, whole: FloatArray) -> _OfClass:
        key = model.id, share.whole
        if key in self._of_class:
            return self._of_class[key]
        counted = CountedTrials.among(whole, self.units, self.ranks.weight)
        of_class = _OfClass(counted, counted.correlation(self._towards_error(model)))
        if share.whole in ("target", "nontarget"):
            self._of_class[key] = of_class
        return of_class


def _independent(model: JudgedModel, share: Share, errors: tuple[int, int]) -> EffectiveRate:
    k, n = share.counts(*errors, *model.test.totals)
    return EffectiveRate(k / n if n else math.nan, n or 0)
