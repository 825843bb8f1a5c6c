"""Curves of the accepted trials: what of them are targets, along the recall or the share accepted.

Between two corners the counts run straight and the drawn rates do not, so that points are put in at
every pixel of the horizontal axis. The curves are monotone in between: none strays by a pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.document.blocks import Axis, Series
from reporting.document.charts import picture
from reporting.document.charts.axes import PAGE_PIXELS
from reporting.document.charts.captions import by_model, empty_class, models
from reporting.document.charts.chart_spec import ChartSpec, Vertices
from reporting.document.charts.findings import between, lead, on_balance, percent_inward
from reporting.document.charts.rates import chosen_points
from reporting.document.numbers import count
from reporting.document.words.terms import Terms, capitalised
from reporting.document.words.view import DatasetView
from reporting.features.curves.rates import dots, fitted, smooth_rates
from reporting.features.curves.roc import Accepted, counts_between
from reporting.features.curves.roc_frame import PR

WITHIN = np.arange(1, PAGE_PIXELS) / PAGE_PIXELS


@dataclass(frozen=True)
class AcceptedTrials:
    """Accepted targets and non-targets at places along one curve, and how many of each there are."""

    hits: FloatArray
    alarms: FloatArray
    n_target: float
    n_nontarget: float

    @property
    def precision(self) -> FloatArray:
        """Share of targets among the accepted; where none is accepted, as among the next to be."""
        accepted = self.hits + self.alarms
        share = self.hits / np.where(accepted == 0, 1, accepted)
        return np.concatenate((share[1:2], share[1:])) if accepted[0] == 0 else share

    @property
    def recall(self) -> FloatArray:
        """Share of the targets accepted."""
        return self.hits / self.n_target

    @property
    def f1(self) -> FloatArray:
        """F1 = 2 TP / (2 TP + FP + FN) = 2 TP / (accepted + targets)."""
        return 2 * self.hits / (self.hits + self.alarms + self.n_target)

    @property
    def share(self) -> FloatArray:
        """Share of all trials accepted."""
        return (self.hits + self.alarms) / (self.n_target + self.n_nontarget)

    @property
    def prevalence(self) -> float:
        """Share of targets among all trials."""
        return self.n_target / (self.n_target + self.n_nontarget)

    def at(self, hits: FloatArray, alarms: FloatArray) -> AcceptedTrials:
        """Return other places among the same trials."""
        return AcceptedTrials(hits, alarms, self.n_target, self.n_nontarget)

    def at_rates(self, far: FloatArray, frr: FloatArray) -> AcceptedTrials:
        """Return the places where the errors have these rates."""
        return self.at((1 - frr) * self.n_target, far * self.n_nontarget)


Corners = Mapping[str, AcceptedTrials]
"""The corners of the curves by model."""
Coordinates = Callable[[AcceptedTrials], Vertices]


def corners(view: DatasetView) -> dict[str, AcceptedTrials]:
    """Return the corners on test by model, from reject all to accept all, where both classes have trials."""
    accepted = {}
    for model, rows in corner_rows(view).items():
        hits, alarms = (
            rows[name].to_numpy().astype(np.float64) for name in ("true_positives", "false_alarms")
        )
        if hits[-1] and alarms[-1]:
            accepted[model] = _at_prevalence(view, AcceptedTrials(hits, alarms, hits[-1], alarms[-1]))
    return accepted


def corner_rows(view: DatasetView) -> dict[str, pl.DataFrame]:
    """Return the rows of the ``pr`` frame on test by model, from reject all to accept all."""
    return picture.per_model(view, picture.rows_on_test(view, PR).sort("true_positives", "false_alarms"))


def _at_prevalence(view: DatasetView, accepted: AcceptedTrials) -> AcceptedTrials:
    """Weigh the classes by the declared share of targets, where one is declared."""
    share = view.study.prevalence
    if share is None:
        return accepted
    of_targets, of_nontargets = share / accepted.n_target, (1 - share) / accepted.n_nontarget
    return AcceptedTrials(accepted.hits * of_targets, accepted.alarms * of_nontargets, share, 1 - share)


def prevalence(corners: Corners) -> float:
    """Return the share of targets on test: the precision of accepting all."""
    return next((accepted.prevalence for accepted in corners.values()), 0.5)


def accepted_curve(
    *,
    key: str,
    name: str,
    axes: Callable[[DatasetView, Corners], tuple[Axis, Axis]],
    coordinates: Coordinates,
    guide: Callable[[DatasetView, Corners], Series],
    caption: Callable[[Terms, Corners], str],
    at: Callable[[Terms], str],
    number: Callable[[AcceptedTrials], str],
    finding: Callable[[DatasetView, Corners], str] = lambda view, corners: "",
) -> picture.CurvePicture[Corners]:
    """Return the picture of one curve per model in the coordinates given, with the development points.

    ``at`` is where ``number`` is read off, which summarises the curve of a model.
    """

    def draw(view: DatasetView, corners: Corners) -> ChartSpec:
        x_axis, y_axis = axes(view, corners)
        return picture.models_chart(
            view,
            name=key,
            x_axis=x_axis,
            y_axis=y_axis,
            lines=[(model, coordinates(filled(accepted))) for model, accepted in corners.items()],
            guides=[guide(view, corners)],
            smooth=[
                (model, coordinates(corners[model].at_rates(*rates)))
                for model, rates in _smooth(view, corners).items()
            ],
            points=[(model, coordinates(point)) for model, point in accepted_points(view, corners)],
            tooltips=list(_tooltips(view, corners, (x_axis, y_axis), coordinates)),
        )

    def words(view: DatasetView, corners: Corners) -> str:
        marks = dots(view) if accepted_points(view, corners) else ""
        sentences = caption(view.terms, corners), marks, fitted(view, _smooth(view, corners))
        return " ".join(filter(None, sentences))

    def numbers(view: DatasetView, corners: Corners) -> str:
        of_model = {model: number(accepted) for model, accepted in corners.items()}
        return f"{at(view.terms)}: {by_model(view, of_model)}."

    return picture.CurvePicture(
        cases=lambda view: list(filter(None, [corners(view)])),
        draw=draw,
        caption=words,
        shows=lambda view, corners: f"{capitalised(name)}s of {models(view)} on the test set",
        number=numbers,
        missing=lambda view: f"The {name} {empty_class(view)}",
        drawn=lambda view, corners: f"{capitalised(name)}s",
        finding=finding,
    )


def along_recall(what: Callable[[Terms], str]) -> Callable[[DatasetView, Corners], str]:
    """Return what finds over which recalls one model has the fewest false alarms: the best of ``what``."""

    def finding(view: DatasetView, corners: Corners) -> str:
        curves = {
            model: (accepted.recall, accepted.alarms / accepted.n_target)
            for model, accepted in corners.items()
        }
        return _in_front(
            view, curves, f"has the {what(view.terms)} at every {view.terms.recall}", highest=False
        )

    return finding


def along_share(what: str) -> Callable[[DatasetView, Corners], str]:
    """Return what finds at which shares of trials accepted one model finds the most targets."""

    def finding(view: DatasetView, corners: Corners) -> str:
        curves = {model: (accepted.share, accepted.recall) for model, accepted in corners.items()}
        everywhere = view.terms.say(f"{what} at every share of trials accepted")
        return _in_front(view, curves, everywhere, highest=True)

    return finding


def _in_front(
    view: DatasetView, curves: Mapping[str, tuple[FloatArray, FloatArray]], what: str, *, highest: bool
) -> str:
    ahead = lead(curves, 0.0, 1.0, float, best=float(highest), highest=highest)
    if ahead is None or (highest and not on_balance(curves, ahead.model, 0.0, 1.0, highest=True)):
        return ""
    return f"{view.names[ahead.model]} {what}{between(ahead, 0.0, 1.0, percent_inward)}"


def _tooltips(
    view: DatasetView, corners: Corners, axes: tuple[Axis, Axis], coordinates: Coordinates
) -> Iterator[picture.Tooltips]:
    """Tooltips at the corners, where a drawing has a place for each of them."""
    for model, rows in corner_rows(view).items():
        x, y = coordinates(corners[model]) if model in corners else (np.zeros(0), np.zeros(0))
        if len(x) == len(rows):
            kept = picture.pointed(x, y, *axes)
            yield picture.Tooltips(model, x[kept], y[kept], corner_texts(rows, kept))


def corner_texts(rows: pl.DataFrame, kept: IntArray) -> dict[str, list[str]]:
    """Print thresholds, counts and rates of the rows kept, for tooltips; the totals are those of all rows."""
    shown = rows[kept]
    hits, alarms = (
        [f"{count(k)}/{count(max(rows[name]))}" for k in shown[name]]
        for name in ("true_positives", "false_alarms")
    )
    return {
        "Threshold": picture.printed(shown["threshold"]),
        "Targets accepted": hits,
        "False alarms": alarms,
        "Recall (%)": picture.printed(100 * shown["recall"], picture.RATE_DIGITS),
        "Precision (%)": picture.printed(100 * shown["precision"], picture.RATE_DIGITS),
    }


def _smooth(view: DatasetView, corners: Corners) -> dict[str, tuple[FloatArray, FloatArray]]:
    """FAR and FRR along the fitted curves, without the ends where nothing is accepted."""
    rates = {model: curve for model, curve in smooth_rates(view).items() if model in corners}
    kept = {model: (1 - frr) + far > 0 for model, (far, frr) in rates.items()}
    return {model: (far[kept[model]], frr[kept[model]]) for model, (far, frr) in rates.items()}


def filled(accepted: AcceptedTrials) -> AcceptedTrials:
    """Put in points at every pixel of recall, and of the share accepted."""
    path = counts_between(Accepted(accepted.hits, accepted.alarms), true_positives=WITHIN * accepted.n_target)
    path = counts_between(path, accepted=WITHIN * (accepted.n_target + accepted.n_nontarget))
    return accepted.at(path.true_positives, path.false_alarms)


def reached(
    curve: AcceptedTrials, true_positives: float | None = None, accepted: float | None = None
) -> AcceptedTrials:
    """Return the place where so many targets, or trials, are accepted; the least there of the others."""
    wanted = [None if number is None else np.array([number]) for number in (true_positives, accepted)]
    path = counts_between(Accepted(curve.hits, curve.alarms), *wanted)
    along = path.true_positives if accepted is None else path.true_positives + path.false_alarms
    place = int(np.searchsorted(along, (true_positives if accepted is None else accepted) or 0.0))
    here = slice(place, place + 1)
    return curve.at(path.true_positives[here], path.false_alarms[here])


def accepted_points(view: DatasetView, corners: Corners) -> list[tuple[str, AcceptedTrials]]:
    """Return what the development thresholds accept on test; nothing where they accept none."""
    return [
        (point.model, corners[point.model].at_rates(np.array([point.far]), np.array([point.frr])))
        for point in chosen_points(view)
        if not point.oracle and point.model in corners and (point.frr < 1 or point.far > 0)
    ]
