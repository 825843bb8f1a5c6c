"""All fits of one model over its trials, on probit axes: where they are right they are straight lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reporting.charts.curve import places
from reporting.charts.det import det_drawing
from reporting.charts.draw import Words
from reporting.charts.plain import Stroke, plain_figure
from reporting.charts.rates import curves
from reporting.charts.smooth import fitted_band, fitted_rates
from reporting.fits.fit import Fit
from reporting.report.blocks import Figure, Series
from reporting.wording.view import View

OBSERVED = "trials"


def fits_of(view: View, model: str) -> list[Fit]:
    """The fits that give a model a curve on test; those that draw the same curve as another once."""
    found: dict[bytes, Fit] = {}
    for fit in view.study.fits:
        rates = fitted_rates(view, fit).get(model)
        if rates is not None:
            found.setdefault(np.concatenate(rates).tobytes(), fit)
    return list(found.values())


def fitted_figure(view: View, model: str, name: str, words: Words) -> Figure:
    """Draw the DET of a model's trials, and every fit to them; the band is that of the first fit."""
    drawing = det_drawing(view)
    fits = fits_of(view, model)
    lines = [Stroke(OBSERVED, 0, *drawing.place(*curves(view)[model]))]
    lines += [
        Stroke(fit.printed, style, *drawing.place(*fitted_rates(view, fit)[model]))
        for style, fit in enumerate(fits, start=1)
    ]
    others = [replace(drawing.guide, style=0)]
    band = fitted_band(view, fits[0], model)
    if band is not None:
        x, low, high = drawing.x_of(band[0]), drawing.y_of(band[1]), drawing.y_of(band[2])
        inside = (x >= drawing.x_axis.low) & (x <= drawing.x_axis.high)
        limits = (np.clip(y[inside], drawing.y_axis.low, drawing.y_axis.high) for y in (low, high))
        others.append(Series(fits[0].printed, "band", 1, places(x[inside]), *map(places, limits)))
    return plain_figure(name, (drawing.x_axis, drawing.y_axis), words, lines, others=others)
