"""The DET: miss rate against false acceptance rate, both on probit scales, from one error on."""

from __future__ import annotations

from collections.abc import Mapping

from reporting.document.charts.captions import models
from reporting.document.charts.picture import CurvePicture
from reporting.document.charts.probit import probit_plane
from reporting.document.charts.rates import Rates, curves
from reporting.document.words.view import DatasetView
from reporting.features.curves.rates import (
    averaged,
    lead_in_words,
    points_in_numbers,
    rates_chart,
    rings,
    with_dots,
)


def finding(view: DatasetView, rates: Mapping[str, Rates]) -> str:
    """Return over which rates of false acceptance one model has the lowest rate of misses, or nothing."""
    lowest = f"lowest observed {view.terms.frr_name}"
    return lead_in_words(view, rates, probit_plane(view), lowest, view.terms.far_name)


DET = CurvePicture(
    cases=lambda view: list(filter(None, [curves(view)])),
    draw=lambda view, rates: rates_chart(view, probit_plane(view), rates),
    caption=lambda view, rates: with_dots(
        view,
        f"{view.terms.frr_name} against {view.terms.far_name} (probit scales).",
        averaged(view),
        rings(view),
    ),
    shows=lambda view, rates: f"DET curves of {models(view)} on the test set",
    number=lambda view, rates: points_in_numbers(view),
    # The cautions say already that no model has both classes.
    missing=lambda view: "",
    drawn=lambda view, rates: "DET curves (detection error trade-off)",
    finding=finding,
)
