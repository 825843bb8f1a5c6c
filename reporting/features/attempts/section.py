"""The shares of items that a model solves in all of k attempts, and in at least one."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.core.measures.threshold import RECALL
from reporting.document.blocks import Block, Section, Table
from reporting.document.frames.results import Results
from reporting.document.words.tables import Estimate, TableOf
from reporting.document.words.view import DatasetView, views
from reporting.features.attempts import FEATURE
from reporting.features.attempts.frame import ATTEMPT_ROWS, DIFFERENCE_ROWS, AttemptDifferenceRow, AttemptRow

MOST_ROWS = 5
"""Numbers of attempts up to which each has a row; of more, powers of two and the last."""
HEADS = {"all": "all k solve it (pass^k)", "any": "at least one does (pass@k)"}


def attempts(results: Results) -> Section | None:
    """Return the tables for each dataset; nothing where no item is attempted twice."""
    return FEATURE.section("attempts").per_view((view for view in views(results) if view.whole), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    rows = view.rows(ATTEMPT_ROWS, "test")
    if not rows:
        return ()
    differences = view.rows(DIFFERENCE_ROWS, "test")
    return (_values(view, rows), *([_differences(view, differences)] if differences else []))


def _values(view: DatasetView, rows: Sequence[AttemptRow]) -> Table:
    table, printed = TableOf[AttemptRow](view), view.printing(RECALL)
    any_of = {(row.model, row.k): row for row in rows if row.kind == "any"}
    shown = [row for model in view.ranked for row in rows if row.model == model and row.kind == "all"]
    # Of many attempts powers of two and the last.
    shown = [
        row for row in shown if row.attempts <= MOST_ROWS or row.k == row.attempts or row.k & (row.k - 1) == 0
    ]
    units = view.results.cluster if view.results.cluster and rows[0].units < rows[0].items else None
    apart = f"{rows[0].units} {f'values of {units}' if units else view.terms.trials}"
    return table.build(
        "attempts",
        f"Share of {view.terms.trials} that all of k attempts solve, or at least one. In brackets:"
        f" {table.level} CIs.",
        shown,
        [
            table.model(lambda row: row.model),
            table.count("k", lambda row: row.k),
            table.estimate(HEADS["all"], _estimate, printed),
            table.estimate(HEADS["any"], lambda row: _estimate(any_of[row.model, row.k]), printed),
            table.count("attempts n", lambda row: row.attempts),
        ],
        (
            f"Where c of n attempts solve one of the {view.terms.trials}: C(c, k) / C(n, k) for pass^k and"
            f" 1 − C(n − c, k) / C(n, k) for pass@k, averaged over {view.terms.trials}; both are unbiased for"
            " k new attempts.",
            f"CIs are Wilson's, with the variance between the {apart}.",
        ),
    )


def _estimate(row: AttemptRow) -> Estimate:
    return Estimate(row.value, row.ci_low, row.ci_high, None)


def _differences(view: DatasetView, rows: Sequence[AttemptDifferenceRow]) -> Table:
    """Return how pairs of models differ at the largest number of attempts that both have."""
    table, printed = TableOf[AttemptDifferenceRow](view), view.printing(RECALL)
    most = {(row.model, row.baseline): row.k for row in sorted(rows, key=lambda row: row.k)}
    shown = [row for row in rows if row.k == most[row.model, row.baseline]]
    return table.build(
        "attempt_differences",
        f"Differences over the same {view.terms.trials}, at the largest k.",
        shown,
        [
            table.text("models", lambda row: f"{view.names[row.model]} − {view.names[row.baseline]}"),
            table.text("share", lambda row: HEADS[row.kind]),
            table.count("k", lambda row: row.k),
            table.estimate(
                "difference",
                lambda row: Estimate(row.difference, row.ci_low, row.ci_high, None),
                printed,
                unit=printed.difference_unit,
            ),
            table.p_value("p", lambda row: row.p_value),
        ],
        ("Exploratory: the p-values, of Student's t, are not adjusted for multiple comparisons.",),
    )
