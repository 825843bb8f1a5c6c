"""All pairs of three or more models at a glance: differences above the diagonal, p-values below it."""

from __future__ import annotations

import itertools

from reporting.report import numbers
from reporting.report.blocks import Cell, Column, Table
from reporting.sections.caveats import decisive_p, shown_to_differ
from reporting.wording.oriented import contrast
from reporting.wording.phrases import is_tuned, level_text, question
from reporting.wording.printing import Printing
from reporting.wording.view import View

FEWEST = 3
SHOWN = "*"
"""Behind what is shown to differ: it must be told without colour, and by a voice."""
NO_VALUE, NO_TEST = "undefined", "no test"


def pairwise(view: View) -> Table | None:
    """Return the matrix on the report's first question; None for two models, or against a baseline alone."""
    models = view.ranked
    pairs = list(itertools.combinations(models, 2))
    if len(models) < FEWEST or not pairs or any(contrast(view, *pair) is None for pair in pairs):
        return None
    printed = view.printing(view.study.primary.measure)
    rows = tuple(
        (Cell(view.names[model], float(place)), *(_cell(view, model, other, printed) for other in models))
        for place, model in enumerate(models)
    )
    if not any(cell.order is not None for row in rows for cell in row[1:]):
        return None
    columns = (Column("model"), *(Column(view.names[model]) for model in models))
    notes = _notes(view, shown=any(cell.bold for row in rows for cell in row))
    return Table(view.called("pairs"), _caption(view, printed), columns, rows, notes)


def _cell(view: View, model: str, other: str, printed: Printing) -> Cell:
    """One cell; cells of a column sort by the difference of their row to it."""
    if model == other:
        row = view.primary(model)
        return Cell(NO_VALUE if row is None or row.value is None else printed.value(row.value))
    made = contrast(view, model, other)
    if made is None or made.value is None:
        return Cell(NO_VALUE)
    above = view.ranked.index(model) < view.ranked.index(other)
    text = _difference(printed, made.value, made.low, made.high) if above else _p(decisive_p(made.row))
    shown = shown_to_differ(view, made.row)
    return Cell(f"{text} {SHOWN}" if shown else text, made.value, bold=shown)


def _difference(printed: Printing, value: float, low: float | None, high: float | None) -> str:
    if low is None:
        return printed.value(value)
    return f"{printed.value(value)}\n{printed.interval(low, high)}"


def _p(p: float | None) -> str:
    return NO_TEST if p is None else numbers.p_value(p)


def _caption(view: View, printed: Printing) -> str:
    asked = view.study.primary
    unit = f" ({printed.difference_unit})" if printed.difference_unit else ""
    value = f"{view.terms.measure(asked.measure)}{f' ({printed.unit})' if printed.unit else ''}"
    level = level_text(view.study.inference.level)
    return (
        f"All pairs, test {question(asked.measure, asked.criterion, view.study)}. Above the diagonal the"
        f" row's model minus the column's{unit} with its {level} interval, below it {_which_p(view)}, on it"
        f" the model's {value}."
    )


def _which_p(view: View) -> str:
    made = [found for pair in itertools.combinations(view.ranked, 2) if (found := contrast(view, *pair))]
    adjusted = "adjusted p" if any(one.row.p_adjusted is not None for one in made) else "p"
    return f"{adjusted}, two tuned systems" if any(is_tuned(one.row) for one in made) else adjusted


def _notes(view: View, *, shown: bool) -> tuple[str, ...]:
    at_most = f"{_which_p(view)} at most {numbers.p_value(1 - view.study.inference.level)}"
    if not shown:
        return (f"No pair is shown to differ ({at_most}).",)
    return (
        f"Bold with {SHOWN}: shown to differ ({at_most}); on screens blue where the row's model is lower,"
        " orange where it is higher.",
    )
