"""Frames to pictures with captions: one file a picture, each with its drawing and its words.

What an own section needs is named below. Others also use ``picture`` (a picture of the report), ``axes``,
``captions``, ``rates``, and the pictures that belong to a section: ``epc``, ``cost_axis``,
``cost_curves``, ``cost_difference``, ``groups``, ``ranking``, ``winners``, ``abstention``.
"""

from reporting.charts.accepted import corners, filled
from reporting.charts.axes import PERCENT, nice_axis, places, steps
from reporting.charts.captions import on_test, percent
from reporting.charts.det import TICKS, probit
from reporting.charts.epc import ALPHAS, EpcCurve, axis_title, expected_rates, varies_with_alpha
from reporting.charts.histogram import bins
from reporting.charts.picture import Picture, Stroke, Vertices, Words, drawn, plain_figure
from reporting.charts.rates import (
    RatePlane,
    chosen_points,
    curves,
    dots,
    equal_costs,
    points_in_numbers,
    rates_picture,
)
from reporting.charts.roc import HITS
from reporting.charts.tippett import shares_above

__all__ = [
    "ALPHAS",
    "HITS",
    "PERCENT",
    "TICKS",
    "EpcCurve",
    "Picture",
    "RatePlane",
    "Stroke",
    "Vertices",
    "Words",
    "axis_title",
    "bins",
    "chosen_points",
    "corners",
    "curves",
    "dots",
    "drawn",
    "equal_costs",
    "expected_rates",
    "filled",
    "nice_axis",
    "on_test",
    "percent",
    "places",
    "plain_figure",
    "points_in_numbers",
    "probit",
    "rates_picture",
    "shares_above",
    "steps",
    "varies_with_alpha",
]
