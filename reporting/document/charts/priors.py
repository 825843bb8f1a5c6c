"""The priors that a config asks about, as guides along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.core.stats.special import logit
from reporting.document.blocks import Axis, Series
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView

MOST_THIN = 6
"""With more models the thin lines next to the curves are left out."""


def asked_priors(view: DatasetView) -> list[tuple[str, float]]:
    """Return the effective prior of every operating point, as a probability, by its name."""
    priors = []
    for point in view.study.operating_points:
        for_target, for_nontarget = point.p_target * point.c_miss, (1 - point.p_target) * point.c_fa
        if for_target > 0 and for_nontarget > 0:
            priors.append((point.name, for_target / (for_target + for_nontarget)))
    return priors


def asked_guides(view: DatasetView, y_axis: Axis, along: Axis, log_odds: bool) -> Sequence[Series]:
    """Vertical lines at the operating points, their names one below the other."""
    series = []
    for number, (name, prior) in enumerate(asked_priors(view)):
        x = float(logit(prior)) if log_odds else prior
        if along.low <= x <= along.high:
            at = y_axis.high - (y_axis.high - y_axis.low) * (0.01 + 0.05 * (number % 3))
            series.append(Series(name, "guide", 0, (x, x, x), (y_axis.low, at, y_axis.high)))
    return series


def asked_in_words(view: DatasetView) -> str:
    """Name the vertical lines in their order: in print they look alike."""
    names = [name for name, _ in sorted(asked_priors(view), key=lambda point: point[1])]
    return f" Vertical lines, left to right: {listing(names)}." if names else ""
