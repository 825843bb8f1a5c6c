"""One comparison read from either side: the frame holds A - B, a sentence may need B - A."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.charts.scope import Row, Scope


@dataclass(frozen=True, eq=False)
class Contrast:
    """``model`` minus ``other`` on the primary measure, with the row it was read from."""

    model: str
    other: str
    value: float | None
    low: float | None
    high: float | None
    row: Row


def contrast(scope: Scope, model: str, other: str) -> Contrast | None:
    """Return the primary comparison of two models, or None where the frame has none."""
    asked = scope.study.primary
    criterion = str(asked.criterion) if asked.measure.over == "threshold" else None
    for row in scope.comparisons:
        if (row["measure"], row["criterion"]) != (str(asked.measure), criterion):
            continue
        if (row["model"], row["baseline"]) == (model, other):
            return Contrast(model, other, row["difference"], row["ci_low"], row["ci_high"], row)
        if (row["model"], row["baseline"]) == (other, model):
            low, high = _negated(row["ci_high"]), _negated(row["ci_low"])
            return Contrast(model, other, _negated(row["difference"]), low, high, row)
    return None


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


def reference(scope: Scope) -> str | None:
    """Return the model the others are compared with: the baseline, or the first in rank; None if alone."""
    if len(scope.results.models) < 2:
        return None
    return scope.study.baseline if scope.study.baseline is not None else scope.ranked[0]
