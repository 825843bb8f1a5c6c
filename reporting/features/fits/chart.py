"""The smooth curve of a fit over the DET of its model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reporting.core.engine.curves import Fit
from reporting.document.blocks import Figure, Series, in_colour
from reporting.document.charts.axes import places
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.charts.probit import probit_plane
from reporting.document.charts.rates import curves, fitted_band, fitted_rates
from reporting.document.words.view import DatasetView


def fits_of(view: DatasetView, model: str) -> list[Fit]:
    """Return the fits that give a model a curve on test; those that draw the same curve as another once."""
    of_curve: dict[bytes, Fit] = {}
    for fit in view.study.fits:
        rates = fitted_rates(view, fit).get(model)
        if rates is not None:
            of_curve.setdefault(np.concatenate(rates).tobytes(), fit)
    return list(of_curve.values())


def fitted_figure(view: DatasetView, model: str, name: str, words: Words) -> Figure:
    """Draw the DET of a model's trials, and every fit to them; the band is that of the first fit.

    Where fits are right they are straight lines on these axes.
    """
    plane = probit_plane(view)
    fits = fits_of(view, model)
    lines = [Mark.line(view.terms.trials, in_colour(view.styles[model]), *plane.place(*curves(view)[model]))]
    lines += [
        Mark.line(fit.printed, -style, *plane.place(*fitted_rates(view, fit)[model]))
        for style, fit in enumerate(fits, start=1)
    ]
    others: list[Mark | Series] = [replace(plane.guide, style=0)]
    band = fitted_band(view, fits[0], model)
    if band is not None:
        x, low, high = plane.x_of(band[0]), plane.y_of(band[1]), plane.y_of(band[2])
        inside = (x >= plane.x_axis.low) & (x <= plane.x_axis.high)
        limits = (np.clip(y[inside], plane.y_axis.low, plane.y_axis.high) for y in (low, high))
        others.append(Series(fits[0].printed, "band", -1, places(x[inside]), *map(places, limits)))
    return render(ChartSpec(name, plane.x_axis, plane.y_axis, [*others, *lines]), words)
