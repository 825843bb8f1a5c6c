"""Two rates against the threshold, precision and recall or FAR and FRR: what a choice costs and gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass, replace
from reporting.document.blocks import Axis
from reporting.document.charts.axes import FARTHEST, PAGE_PIXELS, PERCENT, nice_axis
from reporting.document.charts.captions import by_model, empty_class, models, percent
from reporting.document.charts.chart_spec import ChartSpec, Vertices
from reporting.document.charts.picture import CurvePicture, Tooltips, models_chart, pointed
from reporting.document.numbers import significant
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.curves import accepted_chart
from reporting.features.curves.histogram_chart import threshold
from reporting.features.curves.rates import dots

DIGITS = 3


@dataclass(frozen=True, eq=False)
class ThresholdSweep:
    """What one model accepts at thresholds that ascend towards the target, all finite."""

    threshold: FloatArray
    accepted: accepted_chart.AcceptedTrials
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

    def line(self, rate: Rate) -> Vertices:
        """Return the line of a rate in percent."""
        return self.sign * self.threshold, 100 * rate(self.accepted)

    def meeting(self, two: TwoRates) -> tuple[float, float] | None:
        """Return the threshold at which two rates are equal, and their value; None beyond the ends."""
        gap = two.gap(self.accepted)
        if not gap[-1] <= 0 <= gap[0]:
            return None
        at = float(np.interp(0, -gap, self.threshold))
        return self.sign * at, float(np.interp(at, self.threshold, two.dashed(self.accepted)))


Rate = Callable[[accepted_chart.AcceptedTrials], FloatArray]


@dataclass(frozen=True)
class TwoRates:
    """Two rates drawn against the threshold; where they are equal, the falling ``gap`` is 0."""

    name: str
    terms: tuple[str, str]
    full: Rate
    dashed: Rate
    gap: Rate

    def of(self, sweep: ThresholdSweep) -> tuple[Vertices, Vertices]:
        """Return the full line and the dashed one."""
        return sweep.line(self.full), sweep.line(self.dashed)

    def words(self, view: DatasetView) -> tuple[str, str]:
        """Return what the report calls the two."""
        full, dashed = (str(getattr(view.terms, term)) for term in self.terms)
        return full, dashed


Sweeps = Mapping[str, ThresholdSweep]
"""The models that have more than one finite threshold on test."""


def sweeps(view: DatasetView) -> dict[str, ThresholdSweep]:
    """Return the finite thresholds of the ``pr`` frame by model, where both classes have trials."""
    rows, sweeps_by_model = accepted_chart.corner_rows(view), {}
    for model, accepted in accepted_chart.corners(view).items():
        at = view.sign(model) * rows[model]["threshold"].to_numpy()[::-1]
        finite = np.isfinite(at)
        kept = np.clip(at[finite], -FARTHEST, FARTHEST)
        if len(kept) and kept[0] < kept[-1]:
            hits, alarms = accepted.hits[::-1][finite], accepted.alarms[::-1][finite]
            sweeps_by_model[model] = ThresholdSweep(kept, accepted.at(hits, alarms), view.sign(model))
    return sweeps_by_model


def _draw(two: TwoRates, view: DatasetView, sweeps: Sweeps) -> ChartSpec:
    x_axis, y_axis = _axes(two, view, sweeps)
    curves = {model: sweep.within(x_axis) for model, sweep in sweeps.items()}
    points = [(model, place) for model, point in _chosen(view, x_axis) for place in two.of(point)]
    return models_chart(
        view,
        name=two.name,
        x_axis=x_axis,
        y_axis=y_axis,
        lines=[(model, curve.line(two.full)) for model, curve in curves.items()],
        thin=[(model, curve.line(two.dashed)) for model, curve in curves.items()],
        points=points,
        tooltips=list(_tooltips(two, view, sweeps, (x_axis, y_axis))),
    )


def _chosen(view: DatasetView, axis: Axis) -> Iterator[tuple[str, ThresholdSweep]]:
    """The development thresholds that lie on the axis."""
    for model, accepted in accepted_chart.accepted_points(view, accepted_chart.corners(view)):
        at = threshold(view, model)
        if at is not None and axis.low <= at <= axis.high:
            yield model, ThresholdSweep(np.array([at]), accepted)


def _tooltips(
    two: TwoRates, view: DatasetView, sweeps: Sweeps, axes: tuple[Axis, Axis]
) -> Iterator[Tooltips]:
    rows = accepted_chart.corner_rows(view)
    for model, sweep in sweeps.items():
        ascending = rows[model].reverse()
        finite = np.flatnonzero(np.isfinite(ascending["threshold"].to_numpy()))
        for x, y in two.of(sweep):
            kept = pointed(x, y, *axes)
            yield Tooltips(model, x[kept], y[kept], accepted_chart.corner_texts(ascending, finite[kept]))


def _caption(two: TwoRates, view: DatasetView, sweeps: Sweeps) -> str:
    full, dashed = two.words(view)
    lines = f"{full} (full lines) and {dashed} (dashed lines), interpolated by counts between thresholds."
    x_axis = _axes(two, view, sweeps)[0]
    return " ".join(filter(None, [lines, dots(view) if list(_chosen(view, x_axis)) else ""]))


def _axes(two: TwoRates, view: DatasetView, sweeps: Sweeps) -> tuple[Axis, Axis]:
    ends = [sweep.sign * float(sweep.threshold[end]) for sweep in sweeps.values() for end in (0, -1)]
    both = view.terms.title("_and_".join(two.terms))
    return nice_axis("Threshold", min(ends), max(ends)), Axis(both, 0.0, 100.0, PERCENT)


def _meetings(two: TwoRates, view: DatasetView, sweeps: Sweeps) -> str:
    meetings = {model: sweep.meeting(two) for model, sweep in sweeps.items()}
    texts = {
        model: f"{percent(point[1])} at {significant(point[0], DIGITS)}"
        for model, point in meetings.items()
        if point is not None
    }
    full, dashed = two.words(view)
    return f"{capitalised(full)} equals {dashed}, by threshold: {by_model(view, texts)}." if texts else ""


def _against_threshold(two: TwoRates) -> CurvePicture[Sweeps]:
    def drawn(view: DatasetView) -> str:
        full, dashed = two.words(view)
        return f"{capitalised(full)} and {dashed}"

    def missing(view: DatasetView) -> str:
        full, dashed = two.words(view)
        without = f"{empty_class(view)[:-1]}, and more than one finite threshold."
        return f"The picture of {full} and {dashed} against the threshold {without}"

    return CurvePicture(
        cases=lambda view: list(filter(None, [sweeps(view)])),
        draw=partial(_draw, two),
        caption=partial(_caption, two),
        shows=lambda view, sweeps: f"{drawn(view)} of {models(view)} against the threshold on the test set",
        drawn=lambda view, sweeps: f"{drawn(view)} against the threshold",
        number=partial(_meetings, two),
        missing=missing,
    )


PRECISION_AND_RECALL = TwoRates(
    name="pr_threshold",
    terms=("precision", "recall"),
    full=lambda at: at.precision,
    dashed=lambda at: at.recall,
    # TP / accepted = TP / targets where as many trials are accepted as there are targets.
    gap=lambda at: at.hits + at.alarms - at.n_target,
)
BOTH_ERRORS = TwoRates(
    name="error_threshold",
    terms=("far", "frr"),
    full=lambda at: at.alarms / at.n_nontarget,
    dashed=lambda at: 1 - at.recall,
    gap=lambda at: at.alarms / at.n_nontarget + at.recall - 1,
)
PR_THRESHOLD = _against_threshold(PRECISION_AND_RECALL)
ERROR_THRESHOLD = _against_threshold(BOTH_ERRORS)
