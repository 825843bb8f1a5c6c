"""Binormal curves from the means and variances of the scores, raw or transformed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from reporting.codes import Flag, Status
from reporting.counts.cuts import Cuts
from reporting.fits.fit import At, Fitted
from reporting.stats.binormal import has_hook
from reporting.stats.gaussian_fit import Gaussians, draw_gaussians, fit_gaussians
from reporting.stats.staircase import FloatArray
from reporting.stats.transforms import Kind, Power, fit_power

Map = Callable[[FloatArray], FloatArray]


def estimate(cuts: Cuts, dev: Cuts | None, ddof: float, transform: Kind | Literal["none"]) -> Fitted | Status:
    """Fit a normal distribution to each class: a = (mu1 - mu0) / sigma1, b = sigma0 / sigma1 (12.2).

    ``transform`` is learnt on dev, or on the trials themselves where there is no dev, class by class
    (12.4). Statuses: ``infinite_scores``, ``not_positive`` (Box-Cox), ``degenerate``.
    """
    if not np.isfinite(cuts.score).all():
        return "infinite_scores"
    power = None if transform == "none" else _power(transform, cuts, dev)
    if isinstance(power, str):
        return power
    moved: Map = (lambda score: score) if power is None else power.of
    fit = fit_gaussians(moved(cuts.score), cuts.n_target, cuts.n_nontarget, ddof=int(ddof))
    if fit is None:
        return "degenerate"
    return Fitted(
        a=float(fit.a),
        b=float(fit.b),
        covariance=np.asarray(fit.covariance),
        rates=partial(_rates, fit, moved),
        redraw=partial(_redraw, fit),
        further=_further(fit, power),
        flags=tuple(sorted(_flags(power, hook=bool(has_hook(fit.a, fit.b))))),
    )


def _power(transform: Kind, cuts: Cuts, dev: Cuts | None) -> Power | Status:
    source = dev if dev is not None and len(dev.score) else cuts
    if not np.isfinite(source.score).all():
        return "infinite_scores"
    if transform == "box_cox" and min(source.score[0], cuts.score[0]) <= 0:
        return "not_positive"
    power = fit_power(transform, source.score, source.n_target, source.n_nontarget)
    return "degenerate" if power is None else power


def _flags(power: Power | None, *, hook: bool) -> list[Flag]:
    """A curve with a hook; a power at the end of its range, or one that nothing tells from others."""
    flags: list[Flag] = ["hook"] if hook else []
    if power is None or power.status == "ok":
        return flags
    return [*flags, "power_flat" if power.status == "flat" else "power_at_bound"]


def _further(fit: Gaussians, power: Power | None) -> dict[str, tuple[float, float]]:
    found = {
        f"{name}_{which}": (float(value), float(error))
        for which, mean, sd, n in (
            ("target", fit.mean_target, fit.sd_target, fit.n_target),
            ("nontarget", fit.mean_nontarget, fit.sd_nontarget, fit.n_nontarget),
        )
        for name, value, error in (("mean", mean, sd / np.sqrt(n)), ("sd", sd, sd / np.sqrt(2 * n)))
    }
    return found if power is None else found | {"lambda": (power.lam, float("nan"))}


def _rates(fit: Gaussians, moved: Map, at: At) -> tuple[FloatArray, FloatArray]:
    threshold = at.threshold.copy()
    finite = np.isfinite(threshold)
    # A threshold below every score that can be transformed accepts all.
    threshold[finite] = np.nan_to_num(moved(threshold[finite]), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    return fit.rates(threshold)


def _redraw(fit: Gaussians, rng: np.random.Generator, draws: int) -> tuple[FloatArray, FloatArray]:
    again = draw_gaussians(fit, rng, draws)
    return np.asarray(again.a), np.asarray(again.b)
