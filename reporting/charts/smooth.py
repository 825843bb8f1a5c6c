"""The fitted curves that are drawn over those of the trials: the first fit of the config that fits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from reporting.fits.fit import Fit
from reporting.frames import FIT_CURVES
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View

Rates = tuple[FloatArray, FloatArray]
"""FAR and FRR along a curve."""


def drawn_fit(view: View) -> Fit | None:
    """Return the fit whose curves are drawn: the first that has one on test here."""
    return next((fit for fit in view.study.fits if len(_curves(view, fit))), None)


def smooth_rates(view: View) -> dict[str, Rates]:
    """FAR and FRR along the fitted curve of every model that has one."""
    fit = drawn_fit(view)
    return {} if fit is None else fitted_rates(view, fit)


def fitted_rates(view: View, fit: Fit) -> dict[str, Rates]:
    """FAR and FRR along the curves of one fit by model, in the report's order."""
    rows = _curves(view, fit)
    found = {}
    for model in view.results.models:
        one = rows.filter(pl.col("model") == model)
        if len(one):
            found[model] = one["p_fa"].to_numpy(), one["p_miss"].to_numpy()
    return found


def smooth_accepted(view: View, shares: Mapping[str, float]) -> dict[str, Rates]:
    """The same without the ends where nothing is accepted; precision is then made at the ``shares`` given."""
    found = {model: rates for model, rates in smooth_rates(view).items() if model in shares}
    kept = {model: (1 - frr) + far > 0 for model, (far, frr) in found.items()}
    return {model: (far[kept[model]], frr[kept[model]]) for model, (far, frr) in found.items()}


def fitted_band(view: View, fit: Fit, model: str) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """FAR and the limits of FRR of a curve, where it has a band."""
    rows = _curves(view, fit).filter(pl.col("model") == model)
    far, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
    return (far, low, high) if len(far) and np.isfinite(low).all() and np.isfinite(high).all() else None


def _curves(view: View, fit: Fit) -> pl.DataFrame:
    if view.results.frame(FIT_CURVES).is_empty():
        return pl.DataFrame(schema=FIT_CURVES.schema)
    rows = view.part(view.results.frame(FIT_CURVES))
    return rows.filter(pl.col("split") == "test", pl.col("fit") == str(fit)).sort("p_fa", "p_miss")
