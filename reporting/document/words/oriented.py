"""One comparison read from either side: the frame holds A - B, a sentence may need B - A."""

from __future__ import annotations

from reporting.base.records import dataclass
from reporting.document.frames.comparisons import ComparisonRow
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
    return [row for row in view.headlines if (row.measure, row.criterion) == view.question]


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
