"""The ``differences`` frame: how the resamples of the primary comparisons are distributed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.pairs import difference
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import primary_question
from reporting.core.engine.study import Study
from reporting.core.stats.intervals import ZERO
from reporting.document.frames.comparisons import DIFFERENCES, DifferenceRow
from reporting.document.frames.contract import pair_of
from reporting.document.frames.recipe import frame_of, together

MOST_BINS = 200


class HistogramBins(NamedTuple):
    """Neighbouring bins in ascending order (each of shape (B,)): their ends and how many values they hold."""

    low: FloatArray
    high: FloatArray
    held: IntArray


def difference_rows(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[DifferenceRow]:
    """Yield the bins of every primary comparison under its headline estimand, model minus baseline.

    The resamples are those of the comparison's interval and p (EPC paper, Figure 6): bootstrap differences,
    or by the swap test the difference plus what every centred exchange gives. Nothing for groups, without
    trial keys, or where the measure is undefined on test or in a replicate.
    """
    if not models or models[0].key.group or not drawn.ranks.paired:
        return
    for pair in model_pairs(models, study):
        of = difference(pair, primary_question(study), drawn, study)
        if (
            of.status()
            or not np.isfinite(of.replicates).all()
            or (of.first.design.too_few and not of.swapped)
        ):
            continue
        replicates = of.replicates[:, 0]
        for low, high, count in zip(*bins_of(replicates if pair.forward else 0.0 - replicates), strict=True):
            yield DifferenceRow(
                **pair_of(pair),
                measure=str(of.measure),
                criterion=None if of.estimand is None else str(study.primary.criterion),
                inference=of.estimand,
                low=float(low),
                high=float(high),
                count=int(count),
            )


def bins_of(values: FloatArray) -> HistogramBins:
    """Count finite values (shape (M,)) in bins centred on the multiples k w of one width w.

    w is 2 IQR / M^(1/3) (Freedman, Diaconis 1981), or 3.49 SD / M^(1/3) without IQR (Scott 1979), at least
    a 200th of the range, and then the nearest odd multiple of the smallest step between two values: steps of
    a lattice fall alike into all bins, none on an edge. The mirror image of the values has the mirror image
    of the bins. Without variance one bin of no width.
    """
    ordered = np.sort(values)
    width = _width(ordered)
    if width is None:
        return HistogramBins(ordered[:1], ordered[:1], np.array([len(values)]))
    at = np.rint(ordered / width).astype(np.int64)
    place = np.arange(at[0], at[-1] + 1)
    count = np.bincount(at - at[0], minlength=len(place))
    return HistogramBins((place - 0.5) * width, (place + 0.5) * width, count)


def _width(ordered: FloatArray) -> float | None:
    steps: FloatArray = np.diff(ordered)
    steps = steps[steps > ZERO * max(1.0, float(np.abs(ordered[[0, -1]]).max()))]
    if not len(steps):
        return None
    # Order statistics, not interpolated quantiles: these are mirrored exactly.
    quarter = (len(ordered) - 1) // 4
    spread = float(ordered[-1 - quarter] - ordered[quarter]) * 2
    if not spread > ZERO:
        spread = 3.49 * float(np.std(ordered))
    wanted = max(spread / len(ordered) ** (1 / 3), float(ordered[-1] - ordered[0]) / MOST_BINS)
    step = float(steps.min())
    return step * float(2 * math.floor(wanted / (2 * step)) + 1)


RECIPES = (frame_of(DIFFERENCES, together(difference_rows), of="the primary measure"),)
