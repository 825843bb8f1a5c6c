"""What a fit estimates: a curve with what follows from it, of trials that have both classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag, Status
from reporting.base.records import dataclass, field
from reporting.core.counts.cuts import Cuts
from reporting.core.engine.curves import Fit
from reporting.core.engine.values import empty_class

COMMON = ("prevalence", "interval")
"""Parameters that every fit has and no estimate needs."""


@dataclass(frozen=True, eq=False)
class At:
    """Thresholds and the weighted errors of the trials there (all of shape (P,))."""

    threshold: FloatArray
    misses: FloatArray
    false_alarms: FloatArray


Rates = Callable[[At], tuple[FloatArray, FloatArray]]
Redraw = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Fitted:
    """An estimate of the curve Phi^-1(TPR) = a + b Phi^-1(FPR).

    ``covariance`` is that of (a, b), shape (2, 2). ``rates`` gives FAR and FRR of the fitted classes at
    thresholds. ``redraw`` returns a and b of so many fits to trials drawn from the fitted curve (shape
    (M,), NaN where one of them fails). ``further`` are estimates that only this fit has, each with its
    standard error or NaN.
    """

    a: float
    b: float
    covariance: FloatArray
    rates: Rates
    redraw: Redraw
    further: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()


def fitted(fit: Fit, cuts: Cuts, dev: Cuts | None) -> Fitted | Status:
    """Fit the trials of one model; ``dev`` is where a transform of the scores is learnt."""
    if lacking := empty_class(*cuts.trials):
        return lacking
    options = {name: value for name, value in fit.arguments.items() if name not in COMMON}
    estimate: Fitted | Status = fit.estimate(cuts, dev, **options)
    return estimate


def share(fit: Fit, cuts: Cuts) -> tuple[float, float]:
    """Return the share of targets that precision refers to, and its standard error.

    That of the sample, n1 / n with sqrt(share (1 - share) / n) (methods 12.5), or the declared one,
    which is without error.
    """
    prevalence = fit.arguments["prevalence"]
    if prevalence != "sample":
        return float(prevalence), 0.0  # type: ignore[arg-type]
    n_target, n_nontarget = cuts.totals
    own = n_target / (n_target + n_nontarget)
    return own, math.sqrt(own * (1 - own) / sum(cuts.trials))
