"""Precision and recall against the threshold: what a choice costs the one and gains the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from reporting.charts.accepted import (
    AcceptedTrials,
    accepted_points,
    corner_rows,
    corner_texts,
    corners,
)
from reporting.charts.axes import FARTHEST, PAGE_PIXELS, PERCENT, nice_axis
from reporting.charts.captions import by_model, empty_class, models, percent
from reporting.charts.histogram import threshold
from reporting.charts.picture import CurvePicture, Picture, Sketch, Tooltips, Vertices, pointed, sketched
from reporting.charts.rates import dots
from reporting.report.blocks import Axis
from reporting.report.numbers import significant
from reporting.stats.staircase import FloatArray
from reporting.wording.terms import capitalised
from reporting.wording.view import View

DIGITS = 3


@dataclass(frozen=True, eq=False)
class ThresholdSweep:
    """What one model accepts at thresholds that ascend towards the target, all finite."""

    threshold: FloatArray
    accepted: AcceptedTrials
    sign: int = 1
    """-1 where they are the table's with the other sign."""

    def within(self, axis: Axis) -> ThresholdSweep:
        """Put in points at every pixel of the axis: between two corners counts run straight."""
        every = np.sort(self.sign * np.linspace(axis.low, axis.high, PAGE_PIXELS + 1))
        inside = (every > self.threshold[0]) & (every < self.threshold[-1])
        at = np.union1d(self.threshold, every[inside])
        hits, alarms = (
            np.interp(at, self.threshold, count) for count in (self.accepted.hits, self.accepted.alarms)
        )
        return replace(self, threshold=at, accepted=self.accepted.at(hits, alarms))

    @property
    def precision(self) -> Vertices:
        """The line of precision in percent."""
        return self.sign * self.threshold, 100 * self.accepted.precision

    @property
    def recall(self) -> Vertices:
        """The line of recall in percent."""
        return self.sign * self.threshold, 100 * self.accepted.recall

    def meeting(self) -> tuple[float, float] | None:
        """Return the threshold at which precision is recall, and their value; None beyond the ends.

        TP / accepted = TP / targets: there as many trials are accepted as there are targets.
        """
        accepted, n_target = self.accepted.hits + self.accepted.alarms, self.accepted.n_target
        if not accepted[-1] <= n_target <= accepted[0]:
            return None
        at = float(np.interp(-n_target, -accepted, self.threshold))
        return self.sign * at, float(np.interp(at, self.threshold, self.accepted.recall))


Sweeps = Mapping[str, ThresholdSweep]
"""The models that have more than one finite threshold on test."""


def sweeps(view: View) -> dict[str, ThresholdSweep]:
    """Return the finite thresholds of the ``pr`` frame by model, where both classes have trials."""
    rows, sweeps_by_model = corner_rows(view), {}
    for model, accepted in corners(view).items():
        at = view.sign(model) * rows[model]["threshold"].to_numpy()[::-1]
        finite = np.isfinite(at)
        kept = np.clip(at[finite], -FARTHEST, FARTHEST)
        if len(kept) and kept[0] < kept[-1]:
            hits, alarms = accepted.hits[::-1][finite], accepted.alarms[::-1][finite]
            sweeps_by_model[model] = ThresholdSweep(kept, accepted.at(hits, alarms), view.sign(model))
    return sweeps_by_model


def _draw(view: View, sweeps: Sweeps) -> Sketch:
    """Draw two curves per model: precision, and recall dashed."""
    x_axis, y_axis = _axes(view, sweeps)
    curves = {model: sweep.within(x_axis) for model, sweep in sweeps.items()}
    points = [(model, place) for model, point in _chosen(view, x_axis) for place in _both(point)]
    picture = Picture(
        name="pr_threshold",
        x_axis=x_axis,
        y_axis=y_axis,
        lines=[(model, curve.precision) for model, curve in curves.items()],
        thin=[(model, curve.recall) for model, curve in curves.items()],
        points=points,
        tooltips=list(_tooltips(view, sweeps, (x_axis, y_axis))),
    )
    return sketched(view, picture)


def _both(sweep: ThresholdSweep) -> tuple[Vertices, Vertices]:
    return sweep.precision, sweep.recall


def _chosen(view: View, axis: Axis) -> Iterator[tuple[str, ThresholdSweep]]:
    """The thresholds chosen on dev that lie on the axis."""
    for model, accepted in accepted_points(view, corners(view)):
        at = threshold(view, model)
        if at is not None and axis.low <= at <= axis.high:
            yield model, ThresholdSweep(np.array([at]), accepted)


def _tooltips(view: View, sweeps: Sweeps, axes: tuple[Axis, Axis]) -> Iterator[Tooltips]:
    """Tooltips at the corners of either line."""
    rows = corner_rows(view)
    for model, sweep in sweeps.items():
        ascending = rows[model].reverse()
        finite = np.flatnonzero(np.isfinite(ascending["threshold"].to_numpy()))
        for x, y in _both(sweep):
            kept = pointed(x, y, *axes)
            yield Tooltips(model, x[kept], y[kept], corner_texts(ascending, finite[kept]))


def _caption(view: View, sweeps: Sweeps) -> str:
    lines = (
        f"{view.terms.precision} (full lines) and {view.terms.recall} (dashed lines), interpolated by"
        " counts between thresholds."
    )
    x_axis = _axes(view, sweeps)[0]
    return " ".join(filter(None, [lines, dots(view) if list(_chosen(view, x_axis)) else ""]))


def _axes(view: View, sweeps: Sweeps) -> tuple[Axis, Axis]:
    ends = [sweep.sign * float(sweep.threshold[end]) for sweep in sweeps.values() for end in (0, -1)]
    both = view.terms.title("precision_and_recall")
    return nice_axis("Threshold", min(ends), max(ends)), Axis(both, 0.0, 100.0, PERCENT)


def _meetings(view: View, sweeps: Sweeps) -> str:
    meetings = {model: sweep.meeting() for model, sweep in sweeps.items()}
    texts = {
        model: f"{percent(point[1])} at {significant(point[0], DIGITS)}"
        for model, point in meetings.items()
        if point is not None
    }
    spoken = view.terms
    sentence = f"{capitalised(spoken.precision)} equals {spoken.recall}, by threshold"
    return f"{sentence}: {by_model(view, texts)}." if texts else ""


PR_THRESHOLD = CurvePicture(
    cases=lambda view: list(filter(None, [sweeps(view)])),
    draw=_draw,
    caption=lambda view, sweeps: _caption(view, sweeps),
    shows=lambda view, sweeps: (
        f"{capitalised(view.terms.precision)} and {view.terms.recall} of {models(view)} against the"
        " threshold on the test set"
    ),
    drawn=lambda view, sweeps: (
        f"{capitalised(view.terms.precision)} and {view.terms.recall} against the threshold"
    ),
    number=_meetings,
    missing=lambda view: (
        f"The picture of {view.terms.precision} and {view.terms.recall} against the threshold"
        f" {empty_class(view)[:-1]}, and more than one finite threshold."
    ),
)
