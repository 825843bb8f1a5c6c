"""Results -> Report: the answer first, then the evidence, then how it was made."""

from __future__ import annotations

from reporting.charts.scope import Scope, scopes
from reporting.charts.words import terms_of
from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import Report
from reporting.sections.catalogue import SECTIONS
from reporting.sections.certainty import decisive_p, direction
from reporting.sections.contrast import contrast, reference
from reporting.sections.data import data_line
from reporting.sections.printing import printing
from reporting.sections.provenance import signature
from reporting.sections.verdict import verdict
from reporting.sections.wording import reason


def compose(results: Results) -> Report:
    """Write the report; sections that have nothing to show are left out."""
    made = (section(results) for section in SECTIONS)
    return Report(
        title=results.study.title,
        data_line=data_line(results),
        verdict=verdict(results),
        sections=tuple(section for section in made if section is not None),
        signature=signature(results),
        by_dataset=_by_dataset(results),
    )


def _by_dataset(results: Results) -> tuple[tuple[str, str], ...]:
    """The verdict in one line a dataset, where there are several."""
    every = [scope for scope in scopes(results) if scope.whole]
    return tuple((scope.label, _line(scope)) for scope in every) if len(every) > 1 else ()


def _line(scope: Scope) -> str:
    """The first in rank, its value, and its difference to the baseline or, without one, to the next."""
    measure, best = scope.study.primary.measure, scope.ranked[0]
    row, name = scope.primary(best), terms_of(scope).measure(measure)
    if row is None or row["value"] is None:
        return f"{name} undefined: {reason(None if row is None else row['status'], terms_of(scope))}."
    printed = printing(scope, measure)
    best_is = "" if measure.ideal is not None else f"{measure.best} "
    said = f"{scope.names[best]}, {best_is}{name} {printed.value_with_unit(row['value'])}"
    if row["ci_low"] is not None:
        said += f" {printed.interval(row['ci_low'], row['ci_high'])}"
    return f"{said}{_beside(scope, best)}."


def _beside(scope: Scope, best: str) -> str:
    """The difference of the first in rank to the model it is compared with, and what that shows."""
    other = reference(scope)
    if other == best:
        other = next((model for model in scope.ranked if model != best), None)
    made = contrast(scope, best, other) if other is not None else None
    if made is None or made.value is None:
        return ""
    printed = printing(scope, scope.study.primary.measure)
    said = f"; difference to {scope.names[made.other]} {printed.difference_with_unit(made.value)}"
    if made.low is not None:
        said += f" {printed.interval(made.low, made.high)}"
    p = decisive_p(made.row)
    if p is None:
        return said
    adjusted = "" if made.row["p_adjusted"] is None else "adjusted "
    return f"{said}, {adjusted}{numbers.equation(p)}, {SHOWN.get(direction(scope, made), NO_DIFFERENCE)}"


NO_DIFFERENCE = "not shown to differ"
SHOWN = {"lower": "shown to be lower", "higher": "shown to be higher"}
