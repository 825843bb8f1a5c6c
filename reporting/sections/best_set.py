"""Which models may be the best, as the frame of that name has it."""

from __future__ import annotations

from reporting.frames.inference_schemas import STANDING, StandingRow
from reporting.report import numbers
from reporting.sections.caveats import shown_to_differ
from reporting.wording.oriented import primary_rows
from reporting.wording.phrases import level_text
from reporting.wording.view import View

MOST_P = 12
"""So many models have their p in a note."""


def standing(view: View) -> list[StandingRow]:
    """Return the rows of a dataset from the best primary value on; none where nothing is known."""
    if not view.whole:
        return []
    rows = {row.model: row for row in view.rows(STANDING, "test")}
    return [rows[model] for model in view.ranked if model in rows]


def alone_best(view: View) -> str | None:
    """Return the one model that may be the best, and is shown to differ wherever it is compared, or None."""
    inside = [row.model for row in standing(view) if row.may_be_best]
    if len(inside) != 1:
        return None
    made = [row for row in primary_rows(view) if inside[0] in (row.model, row.baseline)]
    return inside[0] if all(shown_to_differ(view, row) for row in made) else None


def standing_notes(view: View) -> tuple[str, ...]:
    """Give the p of being the best of every model, for a table."""
    rows = [row for row in standing(view) if row.p_best is not None]
    if not rows:
        return ()
    best, level = view.study.primary.measure.best, rows[0].level
    said = ", ".join(f"{view.names[row.model]} {numbers.p_value(row.p_best)}" for row in rows[:MOST_P])
    more = f" and {len(rows) - MOST_P} more" if len(rows) > MOST_P else ""
    return (
        f"p of being the {best} of all {rows[0].n_models}, one-sided, against all others at once: {said}"
        f"{more}; at most {numbers.p_value(1 - level)} rules out ({level_text(level)} confidence).",
    )
