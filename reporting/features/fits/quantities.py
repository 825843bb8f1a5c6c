"""The numbers of a binormal curve, each with its standard error and interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import PAUC, PAUC_TPR
from reporting.core.stats.intervals import logit_interval, normal, percentile
from reporting.features.fits import binormal
from reporting.features.fits.binormal import average_precision
from reporting.features.fits.fitted import Fitted

Curve = Callable[[Any, Any, Any], Any]
"""Of a, b and the share of targets, each of any shape."""


Replicates = tuple[FloatArray, FloatArray, FloatArray]
"""a, b and the share of targets of every replicate."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number of the curve: ``scale`` is where its estimate is taken to be normal.

    A ``share`` lies in (0, ``most``), and its interval is made for logit(value / most).
    """

    name: str
    of: Curve
    scale: str = "plain"
    most: float = 1.0


@dataclass(frozen=True, eq=False)
class QuantityEstimate:
    """An estimate with its standard error and limits, NaN where there are none."""

    value: float
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan


def quantities(study: Study) -> Iterator[Quantity]:
    """Yield what is reported of every curve, in the order in which it is printed."""
    yield Quantity("a", lambda a, b, share: a)
    yield Quantity("b", lambda a, b, share: b, "positive")
    yield Quantity("auc", lambda a, b, share: binormal.auc(a, b), "share")
    yield Quantity("eer", lambda a, b, share: binormal.eer(a, b), "share")
    yield Quantity("d_a", lambda a, b, share: binormal.d_a(a, b))
    partial_areas = [measure for measure in study.measures if measure.key in (PAUC.key, PAUC_TPR.key)]
    for measure in partial_areas or [PAUC.at(far_max=0.1)]:
        yield _partial(measure)
    yield Quantity("ap", average_precision, "share")
    yield Quantity("prevalence", lambda a, b, share: share, "share")


def _partial(measure: Measure) -> Quantity:
    low, high, mcclish = measure.arguments.values()
    over = binormal.partial_area if measure.key == PAUC.key else binormal.partial_area_hits

    def area(a: Any, b: Any, share: Any) -> Any:
        return over(a, b, low, high, bool(mcclish))

    most = 1.0 if mcclish else float(high) - float(low)  # type: ignore[arg-type]
    return Quantity(str(measure), area, "plain" if mcclish else "share", most)


def estimated(quantity: Quantity, fit: Fitted, share: tuple[float, float], level: float) -> QuantityEstimate:
    """Return a number of the curve with its standard error by the delta method, from (a, b, share)."""
    at = np.array([fit.a, fit.b, share[0]])
    covariance = np.zeros((3, 3))
    covariance[:2, :2], covariance[2, 2] = fit.covariance, share[1] ** 2
    value = float(quantity.of(*at))
    se = float(binormal.propagated(lambda p: quantity.of(p[..., 0], p[..., 1], p[..., 2]), at, covariance))
    if not (math.isfinite(value) and math.isfinite(se)):
        return QuantityEstimate(value if math.isfinite(value) else math.nan)
    if se == 0:
        return QuantityEstimate(value, 0.0)
    return QuantityEstimate(value, se, *_limits(quantity, value, se, level))


def _limits(quantity: Quantity, value: float, se: float, level: float) -> tuple[float, float]:
    if quantity.scale == "positive":
        low, high = normal(math.log(value), se / value, level)
        return math.exp(low), math.exp(high)
    if quantity.scale == "share":
        part = value / quantity.most
        if not 0 < part < 1:
            return math.nan, math.nan
        low, high = logit_interval(part, se / quantity.most, level)
        return quantity.most * low, quantity.most * high
    low, high = normal(value, se, level)
    return low, high


LEAST_DEFINED = 0.99


def redrawn(
    quantity: Quantity, fit: Fitted, share: float, replicates: Replicates, level: float
) -> QuantityEstimate:
    """Return a number of the curve with the spread and percentiles of its parametric resamples.

    A replicate whose fit fails counts as beyond either limit, or the others would seem too sure; with
    more than 1 in 100 of them there is no standard error.
    """
    value = float(quantity.of(fit.a, fit.b, share))
    again = np.broadcast_to(np.asarray(quantity.of(*replicates), dtype=np.float64), replicates[0].shape)
    there = np.isfinite(again)
    spread = float(again[there].std(ddof=1)) if there.mean() >= LEAST_DEFINED else math.nan
    if spread == 0:
        return QuantityEstimate(value, spread)
    ends = [percentile(np.where(there, again, beyond), level) for beyond in (-np.inf, np.inf)]
    low, high = (limits[side] if limits else math.nan for side, limits in enumerate(ends))
    return QuantityEstimate(value, spread, low, high)
