"""One comparison read from either side: the frame holds A - B, a sentence may need B - A."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from reporting.core.criteria import MIN_HTER
from reporting.core.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.winners import WinnerRow
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.view import DatasetView


@dataclass(frozen=True, eq=False)
class Contrast:
    """``model`` minus ``other`` on the primary measure, with the row it was read from."""

    model: str
    other: str
    value: float | None
    low: float | None
    high: float | None
    row: ComparisonRow


def contrast(view: DatasetView, model: str, other: str) -> Contrast | None:
    """Return the primary comparison of two models, or None where the frame has none.

    It is the headline: thresholds re-selected in each resample wherever the development set gave them.
    """
    for row in primary_rows(view):
        opponent_of = {row.model: row.baseline, row.baseline: row.model}
        if opponent_of.get(model) == other:
            return turned(row, model)
    return None


def primary_rows(view: DatasetView) -> list[ComparisonRow]:
    """Return the headline comparisons of the report's first question."""
    primary = view.study.primary
    criterion = str(primary.criterion) if primary.measure.over == "threshold" else None
    question = str(primary.measure), criterion
    return [row for row in view.headlines if (row.measure, row.criterion) == question]


def turned(row: ComparisonRow, model: str) -> Contrast:
    """Return a comparison read from the side of one of its two models."""
    if row.model == model:
        return Contrast(model, row.baseline, row.difference, row.ci_low, row.ci_high, row)
    low, high = _negated(row.ci_high), _negated(row.ci_low)
    return Contrast(model, row.model, _negated(row.difference), low, high, row)


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


def reference(view: DatasetView) -> str | None:
    """Return the model the others are compared with: the baseline, or the first in rank; None if alone."""
    if len(view.results.models) < 2:
        return None
    return view.study.baseline if view.study.baseline is not None else view.ranked[0]


def cost_limits(view: DatasetView, row: WinnerRow) -> tuple[float | None, float | None]:
    """Return the interval of a weighted error; at equal weights it is that of the same HTER in ``metrics``.

    One number has one interval in a report, though the frames draw it in two ways.
    """
    if math.isclose(row.alpha, 0.5):
        hter = view.metric(row.model, HTER, MIN_HTER)
        if hter is not None and hter.ci_low is not None and _same(hter.value, row.value):
            return hter.ci_low, hter.ci_high
    return row.ci_low, row.ci_high


def cost_printing(view: DatasetView, rows: Iterable[WinnerRow]) -> Printing:
    """Return how weighted errors are printed: as the HTER of the report where it has one."""
    if any(row.measure == str(HTER) for row in view.metrics):
        return view.printing(HTER)
    return Printing.of(
        WEIGHTED_ERROR, [standard_error(row.ci_low, row.ci_high, view.study.inference.level) for row in rows]
    )


def _same(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and math.isclose(first, second, rel_tol=1e-9)
