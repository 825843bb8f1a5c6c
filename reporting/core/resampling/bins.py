"""Bins of very many scores, where units are drawn in blocks: what resamples see of the development set.

Some are of even width in standard errors of FAR and FRR, and narrow ones lie around every threshold that was
chosen on the development set, as far as resamples of a least cost move it. Two models that exchange the
places of their scores share bins of these places: each begins at a development threshold, and separates the
scores of test at the threshold of the same place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.counts.cuts import Cuts
from reporting.core.curves.epc import Thresholds
from reporting.core.resampling.settings import ReplicateOn
from reporting.core.resampling.units import Units
from reporting.core.stats.solvers import first_where
from reporting.core.stats.staircase import (
    NarrowBins,
    Staircase,
    ThresholdAt,
    bin_starts,
    cut_at,
    threshold_of,
)
from reporting.core.stats.swap import SIDES

EVEN = 192
"""Even bins of a model, at most."""
RATE_STEP, NARROW = 0.25, 0.5
"""Width of bins around a fixed rate, and next to any other threshold that was chosen, in standard errors."""
COST, CURVE = 0.25, 0.6
"""Width of bins where resamples find a least cost, and along a curve, in n^(1/6) standard errors."""
REACH = 3.5
"""How far away they find it, in n^(1/6) standard errors: about four standard deviations of n^(2/3) trials."""


def windows_of(chosen: Iterable[Thresholds], cuts: Cuts) -> Iterator[NarrowBins]:
    """Yield where resamples of these trials choose thresholds."""
    staircase = cuts.staircase
    for once in chosen:
        if once.source != "dev":
            continue
        at = cut_at(cuts.score, once.threshold)
        if once.fixed_rate:
            yield NarrowBins.at(once.fixed_rate, staircase, RATE_STEP)
        elif len(at) == 1:
            yield from around(staircase, int(at[0]))
        else:
            yield _moved(staircase, int(at.min()), int(at.max()), CURVE)


def around(staircase: Staircase, cut: int) -> Iterator[NarrowBins]:
    """Yield a chosen threshold's windows: next to it, and as far as resamples of a least cost move it."""
    yield NarrowBins(cut, cut, step=NARROW)
    yield _moved(staircase, cut, cut, COST)


def _moved(staircase: Staircase, first: int, last: int, step: float) -> NarrowBins:
    """Return the window between two thresholds, and as far around as the larger class has REACH."""
    rejected = staircase.n_nontarget - staircase.false_alarms
    errors = rejected if staircase.n_nontarget > staircase.n_target else staircase.misses
    n = int(errors[-1])
    unit = n ** (1 / 6)
    way = 2 * math.sqrt(n) * np.arcsin(np.sqrt(errors[[first, last]] / n)) + np.array([-1, 1]) * REACH * unit
    ends = n * np.sin(np.clip(way / (2 * math.sqrt(n)), 0, math.pi / 2)) ** 2
    low, high = np.searchsorted(errors, ends).clip(max=len(errors) - 1)
    return NarrowBins(int(low), int(high), 0.0, step * unit)


class Places:
    """The places of one model's development scores: twice their mid-ranks among them and those of test."""

    def __init__(self, dev: Cuts, test: Cuts) -> None:
        self.dev, self.test = dev.score, test.score
        self.below_dev, self.below_test = _below(dev), _below(test)

    def at(self, cut: IntArray) -> IntArray:
        """Return the places of the scores above some development thresholds, but for the last."""
        sides = (np.searchsorted(self.test, self.dev[cut], side) for side in SIDES)
        of_test = sum(self.below_test[each] for each in sides)
        return np.asarray(self.below_dev[cut] + self.below_dev[cut + 1] + of_test)

    def cut(self, place: IntArray) -> IntArray:
        """Return how many distinct development scores have lower places."""
        every = np.full(len(place), len(self.dev))
        return first_where(lambda cut: self.at(cut) >= place, np.zeros_like(every), every)


def _below(cuts: Cuts) -> IntArray:
    """The trials below every threshold."""
    misses, false_alarms = cuts.errors(slice(None))
    return np.asarray(misses + (false_alarms[0] - false_alarms))


class CommonBins(NamedTuple):
    """Where the bins of one model begin: on development and, as thresholds, on test (shape (K,), first -inf).

    A bin without a trial begins where the next one does.
    """

    on_dev: IntArray
    threshold: FloatArray


class ScoredModel(NamedTuple):
    """A model's trials that choose its thresholds, those that are judged, and what was chosen."""

    dev: Cuts
    test: Cuts
    chosen: Sequence[Thresholds]


def common_bins(models: Sequence[ScoredModel], at: ThresholdAt) -> list[CommonBins]:
    """Return the bins of models on the scale that they share."""
    edges = np.empty(0, dtype=np.int64)
    places = [Places(model.dev, model.test) for model in models]
    for model, of_model in zip(models, places, strict=True):
        own = np.unique(of_model.at(dev_starts(model.dev, model.chosen)[1:]))
        edges = np.union1d(edges, own[_is_lacking(own, edges)])
    on_dev = [np.append(0, of_model.cut(edges)) for of_model in places]
    return [CommonBins(of, threshold_of(m.dev.score, of, at)) for m, of in zip(models, on_dev, strict=True)]


def sees_blocks_of_bins(units: Units, n_scores: int, replicate_on: ReplicateOn) -> bool:
    """Return whether resamples of units that are drawn in blocks see bins of so many distinct scores."""
    return units.dealt is not None and replicate_on != "scores" and n_scores > 2 * EVEN


def dev_starts(cuts: Cuts, chosen: Iterable[Thresholds]) -> IntArray:
    """Return the development thresholds at which the bins of one model begin, the first being 0."""
    return bin_starts(cuts.staircase, windows_of(chosen, cuts), EVEN)


def _is_lacking(own: IntArray, edges: IntArray) -> BoolArray:
    """Mark the ascending places of one model near which ``edges`` has none: by half of what parts its own."""
    if not len(edges) or len(own) < 2:
        return np.ones(len(own), dtype=bool)
    after = np.searchsorted(edges, own)
    before, after = edges[np.maximum(after - 1, 0)], edges[np.minimum(after, len(edges) - 1)]
    return np.asarray(np.minimum(np.abs(own - before), np.abs(after - own)) > np.gradient(own) / 2)
