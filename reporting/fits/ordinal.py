"""Binormal curves from the ranks of the scores alone: maximum likelihood on ordered categories."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import ndtr

from reporting.codes import Status
from reporting.counts.cuts import Cuts
from reporting.fits.fit import At, Fitted
from reporting.stats.binormal import has_hook
from reporting.stats.ordinal import OrdinalFit, draw_ordinals, fit_ordinal, latent_cut
from reporting.stats.ordinal import categories as merged
from reporting.stats.staircase import FloatArray

NAN = float("nan")


def estimate(cuts: Cuts, dev: Cuts | None, categories: float) -> Fitted | Status:
    """Fit by maximum likelihood on truth-state runs, merged to at most ``categories`` (12.3).

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
        rates=partial(_rates, fit, cuts),
        redraw=lambda rng, draws: draw_ordinals(fit, int(p.sum()), int(n.sum()), rng, draws),
        further={
            "categories": (float(len(p)), NAN),
            "log_likelihood": (fit.loglik, NAN),
            "goodness_of_fit": (fit.chi_squared, NAN),
            "goodness_of_fit_df": (float(fit.df), NAN),
            "goodness_of_fit_p": (fit.p_value, NAN),
        },
        flags=("hook",) if has_hook(fit.a, fit.b) else (),
    )


def _rates(fit: OrdinalFit, cuts: Cuts, at: At) -> tuple[FloatArray, FloatArray]:
    """The likeliest place on the curve for the errors at a threshold: a rank fit has no scale of scores."""
    n_target, n_nontarget = cuts.totals
    c = latent_cut(at.misses, at.false_alarms, n_target, n_nontarget, fit.a, fit.b)
    return np.asarray(ndtr(-c)), np.asarray(ndtr(fit.b * c - fit.a))
