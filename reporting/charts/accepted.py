"""Curves of the accepted trials: what of them are targets, along the recall or the share accepted.

Between two corners the counts run straight and the drawn rates do not, so that points are put in at
every pixel of the horizontal axis. The curves are monotone in between: none strays by a pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from reporting.charts.curve import Picture, Vertices, drawn
from reporting.charts.decimate import PAGE_PIXELS
from reporting.charts.draw import Words
from reporting.charts.rates import Chosen, chosen_points
from reporting.charts.smooth import smooth_accepted
from reporting.charts.tell import Told, pointed, printed
from reporting.curves.roc import Accepted, counts_between
from reporting.frames import PR
from reporting.report.blocks import Axis, Figure, Series
from reporting.report.numbers import count
from reporting.stats.staircase import FloatArray, IntArray
from reporting.wording.view import View

WITHIN = np.arange(1, PAGE_PIXELS) / PAGE_PIXELS


@dataclass(frozen=True)
class Taken:
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


Coordinates = Callable[[Taken], Vertices]


def corners(view: View) -> dict[str, Taken]:
    """The corners on test by model, from reject all to accept all, where both classes have trials."""
    found = {}
    for model, one in _corners(view).items():
        hits, alarms = (
            one[name].to_numpy().astype(np.float64) for name in ("true_positives", "false_alarms")
        )
        if hits[-1] and alarms[-1]:
            found[model] = _at_prevalence(view, Taken(hits, alarms, hits[-1], alarms[-1]))
    return found


def _corners(view: View) -> dict[str, pl.DataFrame]:
    if view.results.frame(PR).is_empty():
        return {}
    rows = (
        view.part(view.results.frame(PR)).filter(pl.col("split") == "test").sort("threshold", descending=True)
    )
    by_model = {model: rows.filter(pl.col("model") == model) for model in view.results.models}
    return {model: one for model, one in by_model.items() if len(one)}


def _at_prevalence(view: View, taken: Taken) -> Taken:
    """Weigh the classes by the declared share of targets, where one is declared."""
    share = view.study.prevalence
    if share is None:
        return taken
    of_targets, of_nontargets = share / taken.n_target, (1 - share) / taken.n_nontarget
    return Taken(taken.hits * of_targets, taken.alarms * of_nontargets, share, 1 - share)


def accepted_drawn(
    view: View, name: str, axes: tuple[Axis, Axis], coordinates: Coordinates, guide: Series, words: Words
) -> Figure:
    """Draw one curve per model in the coordinates given, with the points chosen on dev."""
    found = corners(view)
    picture = Picture(
        name=name,
        x_axis=axes[0],
        y_axis=axes[1],
        lines=[(model, coordinates(filled(one))) for model, one in found.items()],
        guides=[guide],
        smooth=[
            (model, coordinates(_of_rates(found[model], *rates))) for model, rates in _smooth(view, found)
        ],
        points=[(model, coordinates(point)) for model, point in taken_points(view) if model in found],
        told=list(_told(view, found, axes, coordinates)),
    )
    return drawn(view, picture, words)


def _told(
    view: View, found: dict[str, Taken], axes: tuple[Axis, Axis], coordinates: Coordinates
) -> Iterator[Told]:
    """What is told at the corners, where a drawing has a place for each of them."""
    for model, rows in _corners(view).items():
        x, y = coordinates(found[model]) if model in found else (np.zeros(0), np.zeros(0))
        if len(x) == len(rows):
            kept = pointed(x, y, *axes)
            yield Told(model, x[kept], y[kept], _texts(rows, kept))


def _texts(rows: pl.DataFrame, kept: IntArray) -> dict[str, list[str]]:
    one = rows[kept]
    hits, alarms = (
        [f"{count(k)}/{count(max(rows[name]))}" for k in one[name]]
        for name in ("true_positives", "false_alarms")
    )
    return {
        "Threshold": printed(one["threshold"]),
        "Targets accepted": hits,
        "False alarms": alarms,
        "Recall (%)": printed(100 * one["recall"]),
        "Precision (%)": printed(100 * one["precision"]),
    }


def _smooth(view: View, found: dict[str, Taken]) -> list[tuple[str, tuple[FloatArray, FloatArray]]]:
    """FAR and FRR along the fitted curves at the share of targets of the picture."""
    shares = {model: one.prevalence for model, one in found.items()}
    return [(model, rates) for model, rates in smooth_accepted(view, shares).items() if model in found]


def _of_rates(one: Taken, far: FloatArray, frr: FloatArray) -> Taken:
    return Taken((1 - frr) * one.n_target, far * one.n_nontarget, one.n_target, one.n_nontarget)


def filled(one: Taken) -> Taken:
    """Put in points at every pixel of recall, and of the share accepted."""
    path = counts_between(Accepted(one.hits, one.alarms), true_positives=WITHIN * one.n_target)
    path = counts_between(path, accepted=WITHIN * (one.n_target + one.n_nontarget))
    return Taken(path.true_positives, path.false_alarms, one.n_target, one.n_nontarget)


def reached(one: Taken, true_positives: float | None = None, accepted: float | None = None) -> Taken:
    """Return the place where so many targets, or trials, are accepted; the least there of the others."""
    wanted = [None if number is None else np.array([number]) for number in (true_positives, accepted)]
    path = counts_between(Accepted(one.hits, one.alarms), *wanted)
    along = path.true_positives if accepted is None else path.true_positives + path.false_alarms
    place = int(np.searchsorted(along, (true_positives if accepted is None else accepted) or 0.0))
    here = slice(place, place + 1)
    return Taken(path.true_positives[here], path.false_alarms[here], one.n_target, one.n_nontarget)


def taken_points(view: View) -> list[tuple[str, Taken]]:
    """What the thresholds chosen on dev accept on test; nothing where they accept none."""
    found = corners(view)
    return [
        (point.model, _taken(found[point.model], point))
        for point in chosen_points(view)
        if not point.oracle and point.model in found and (point.frr < 1 or point.far > 0)
    ]


def _taken(curve: Taken, point: Chosen) -> Taken:
    return _of_rates(curve, np.array([point.far]), np.array([point.frr]))
