"""Binormal curves from the means and variances of the scores, raw or transformed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag, Status
from reporting.base.contents import Contents, Parameter, parameter, word, word_or_number
from reporting.core.counts.cuts import Cuts
from reporting.core.engine.curves import Fit
from reporting.core.stats.special import ndtr
from reporting.features.fits.binormal import has_hook
from reporting.features.fits.fitted import At, Fitted
from reporting.features.fits.gaussian_fit import Gaussians, draw_gaussians, fit_gaussians
from reporting.features.fits.ordinal import OrdinalFit, draw_ordinals, fit_ordinal, latent_cut
from reporting.features.fits.ordinal import categories as merged
from reporting.features.fits.transforms import Kind, Power, fit_power

Map = Callable[[FloatArray], FloatArray]


def by_moments(
    cuts: Cuts, dev: Cuts | None, ddof: float, transform: Kind | Literal["none"]
) -> Fitted | Status:
    """Fit a normal distribution to each class: a = (mu1 - mu0) / sigma1, b = sigma0 / sigma1 (methods 12.2).

    ``transform`` is learnt on the development set, or on the trials themselves where there is none, class by
    class (methods 12.4). Statuses: ``infinite_scores``, ``not_positive`` (Box-Cox), ``degenerate``.
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
    """A curve with a hook; a power at the end of its range, or one that fits no better than others."""
    flags: list[Flag] = ["hook"] if hook else []
    if power is None or power.status == "ok":
        return flags
    return [*flags, "power_flat" if power.status == "flat" else "power_at_bound"]


def _further(fit: Gaussians, power: Power | None) -> dict[str, tuple[float, float]]:
    estimates = {
        f"{name}_{which}": (float(value), float(error))
        for which, mean, sd, n in (
            ("target", fit.mean_target, fit.sd_target, fit.n_target),
            ("nontarget", fit.mean_nontarget, fit.sd_nontarget, fit.n_nontarget),
        )
        for name, value, error in (("mean", mean, sd / np.sqrt(n)), ("sd", sd, sd / np.sqrt(2 * n)))
    }
    return estimates if power is None else estimates | {"lambda": (power.lam, float("nan"))}


def _rates(fit: Gaussians, moved: Map, at: At) -> tuple[FloatArray, FloatArray]:
    threshold = at.threshold.copy()
    finite = np.isfinite(threshold)
    # A threshold below every score that can be transformed accepts all.
    threshold[finite] = np.nan_to_num(moved(threshold[finite]), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    return fit.rates(threshold)


def _redraw(fit: Gaussians, rng: np.random.Generator, draws: int) -> tuple[FloatArray, FloatArray]:
    again = draw_gaussians(fit, rng, draws)
    return np.asarray(again.a), np.asarray(again.b)


NAN = float("nan")
MOST_GRADES = 200
"""Distinct scores that may be grades of a scale, 0 to 100 in halves among them."""


def by_ranks(cuts: Cuts, dev: Cuts | None, categories: float) -> Fitted | Status:
    """Fit by maximum likelihood on truth-state runs, merged to at most ``categories`` (methods 12.3).

    Statuses: ``degenerate`` where no finite curve is the likeliest, ``not_converged``.
    """
    p, n, _ = merged(cuts.n_target, cuts.n_nontarget, most=int(categories))
    fit = fit_ordinal(p, n)
    if fit.status is not None:
        return fit.status
    return Fitted(
        a=fit.a,
        b=fit.b,
        covariance=fit.covariance,
        rates=partial(_likeliest_rates, fit, cuts),
        redraw=lambda rng, draws: draw_ordinals(fit, int(p.sum()), int(n.sum()), rng, draws),
        further={
            "categories": (float(len(p)), NAN),
            "log_likelihood": (fit.loglik, NAN),
            "goodness_of_fit": (fit.chi_squared, NAN),
            "goodness_of_fit_df": (float(fit.df), NAN),
            "goodness_of_fit_p": (fit.p_value, NAN),
        },
        flags=_rank_flags(fit, cuts, categories),
    )


def _rank_flags(fit: OrdinalFit, cuts: Cuts, categories: float) -> tuple[Flag, ...]:
    hook: list[Flag] = ["hook"] if has_hook(fit.a, fit.b) else []
    grades = int(np.count_nonzero(cuts.n_target + cuts.n_nontarget))
    runs = len(merged(cuts.n_target, cuts.n_nontarget, most=grades).target)
    return (*hook, "joined_grades") if categories < runs and grades <= MOST_GRADES else tuple(hook)


def _likeliest_rates(fit: OrdinalFit, cuts: Cuts, at: At) -> tuple[FloatArray, FloatArray]:
    """The likeliest place on the curve for the errors at a threshold: a rank fit has no scale of scores."""
    n_target, n_nontarget = cuts.totals
    c = latent_cut(at.misses, at.false_alarms, n_target, n_nontarget, fit.a, fit.b)
    return np.asarray(ndtr(-c)), np.asarray(ndtr(fit.b * c - fit.a))


INTERVAL = word("interval", "delta", "bootstrap")
SHARE = word_or_number("prevalence", "sample", 0.0, 1.0)
MOMENTS = (parameter("ddof", 0.0, 0.0, 1.0, whole=True), word("transform", "none", "box_cox", "yeo_johnson"))


BINORMAL = Fit(
    key="binormal",
    parameters=(Parameter("prevalence", 0.5, 0.5, 0.0, 1.0, words=("sample",)), *MOMENTS, INTERVAL),
    label="binormal",
    name="binormal curve by means and variances",
    family="moments",
    estimate=by_moments,
    definition="a normal distribution in each class: TPR = Phi(a + b Phi^-1(FAR)); precision as if both"
    " classes were of equal size",
    source="Brodersen, Ong, Stephan, Buhmann 2010, doi:10.1109/ICPR.2010.1036",
)
ALPHA_BINORMAL = Fit(
    key="alpha_binormal",
    parameters=(SHARE, *MOMENTS, INTERVAL),
    label="α-binormal",
    name="binormal curve with the share of targets",
    family="moments",
    estimate=by_moments,
    definition="the binormal curve, and precision at the share of targets of the sample or a declared one",
    source="Brodersen, Ong, Stephan, Buhmann 2010, doi:10.1109/ICPR.2010.1036, eqs. (7), (8)",
)
BINORMAL_ORDINAL = Fit(
    key="binormal_ordinal",
    parameters=(SHARE, parameter("categories", 50.0, 3.0, 1000.0, whole=True), INTERVAL),
    label="binormal on ranks",
    name="semiparametric binormal curve",
    family="ranks",
    estimate=by_ranks,
    definition="maximum likelihood on the order of the scores alone; the same for any increasing map of them",
    synonyms=("rocfit", "ROCFIT", "LABROC", "Dorfman-Alf", "conventional binormal model"),
    source="Dorfman, Alf 1969, doi:10.1016/0022-2496(69)90019-4; Metz, Herman, Shen 1998",
)

FITS = Contents("fit", [BINORMAL, ALPHA_BINORMAL, BINORMAL_ORDINAL])


def read_fit(text: str) -> Fit:
    """Read ``name`` or ``name(key=value,...)``; ConfigError otherwise."""
    return FITS.read(text)
