"""Gain and lift: what comes of working through the trials from the highest score down."""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.captions import percent
from reporting.document.charts.chart_spec import Vertices
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.curves import accepted_chart

FIRST = 0.2
"""The share of trials at which gain and lift are given in numbers."""


def _share(view: DatasetView) -> Axis:
    return Axis(view.terms.title("accepted"), 0.0, 100.0, PERCENT)


def _at_first(accepted: accepted_chart.AcceptedTrials) -> accepted_chart.AcceptedTrials:
    return accepted_chart.reached(accepted, accepted=FIRST * (accepted.n_target + accepted.n_nontarget))


GAIN = accepted_chart.accepted_curve(
    key="gain",
    name="gain curve",
    axes=lambda view, corners: (_share(view), Axis(view.terms.title("found"), 0.0, 100.0, PERCENT)),
    coordinates=lambda accepted: (100 * accepted.share, 100 * accepted.recall),
    guide=lambda view, corners: Series("at random", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0)),
    caption=lambda spoken, corners: (
        f"share of {spoken.targets} found against the share of {spoken.trials} accepted, from the highest"
        " score down."
    ),
    finding=accepted_chart.along_share("found the most targets"),
    at=lambda spoken: f"{capitalised(spoken.targets)} found among the first 20% of {spoken.trials}",
    number=lambda accepted: percent(float(_at_first(accepted).recall[0])),
)


def _lift(accepted: accepted_chart.AcceptedTrials) -> Vertices:
    return 100 * accepted.share, accepted.precision / accepted.prevalence


def _lift_axes(view: DatasetView, corners: accepted_chart.Corners) -> tuple[Axis, Axis]:
    most = max(
        (_lift(accepted_chart.filled(accepted))[1].max() for accepted in corners.values()), default=1.0
    )
    return _share(view), nice_axis(view.terms.title("lift"), 0.0, max(1.2, float(most)))


LIFT = accepted_chart.accepted_curve(
    key="lift",
    name="lift curve",
    axes=_lift_axes,
    coordinates=_lift,
    guide=lambda view, corners: Series("at random", "guide", 0, (0.0, 2.0, 100.0), (1.0, 1.0, 1.0)),
    caption=lambda spoken, corners: (
        f"how many times more {spoken.targets} are found than by accepting as many {spoken.trials} at random."
    ),
    finding=accepted_chart.along_share("has the highest observed lift"),
    at=lambda spoken: f"Lift at the first 20% of {spoken.trials}",
    number=lambda accepted: numbers.fixed(float(_at_first(accepted).precision[0]) / accepted.prevalence, 2),
)
