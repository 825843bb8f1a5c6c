"""The verdicts on this run: a table, and for each gate one sentence that agrees with its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from reporting.frames import GATES, TRIALS
from reporting.frames.results import Results
from reporting.gates.gate import REFERENCE, Told
from reporting.gates.verdict import WANTED
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Cell, Column, Prose, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.sections.further_tests import often
from reporting.sections.gate_sentences import printed_of, sentence, why_undefined
from reporting.wording.phrases import level_text
from reporting.wording.printing import Printing
from reporting.wording.view import View, views

Row = dict[str, Any]

SIGNS = {"pass": "✓ pass", "fail": "✗ fail", "undecided": "? undecided"}


def gates(results: Results) -> Section | None:
    """Return the verdicts; nothing where there are no gates."""
    told = list(_rows(results))
    if not told:
        return None
    rows = [row for _, row in told]
    failed = sum(row["counts_as"] == "fail" for row in rows)
    opening = (
        f"{_counted(len(rows))}: {_some(rows, 'pass')} passed, {_some(rows, 'fail')} failed,"
        f" {_some(rows, 'undecided')} undecided. The run {'is held back' if failed else 'may be released'}."
    )
    sentences = [Prose(f"{row['gate']}: {sentence(view, row)}") for view, row in told]
    return SECTIONS["gates"].of((Prose(opening), _table(results, told), *sentences))


def told_gates(results: Results) -> list[Told]:
    """Return every gate in words, for other places than the report."""
    return [
        Told(row["gate"], _place(results, view, row), row["outcome"], row["counts_as"], sentence(view, row))
        for view, row in _rows(results)
    ]


def _rows(results: Results) -> Iterable[tuple[View, Row]]:
    """The rows of the frame, each with the view of its dataset."""
    by_dataset: dict[str, View] = {}
    for view in views(results):
        by_dataset.setdefault(view.dataset, view)
    for row in results.frame(GATES).to_dicts():
        yield by_dataset[row["dataset"]], row


def _counted(n: int) -> str:
    return f"{n} gate{'' if n == 1 else 's'}"


def _some(rows: list[Row], outcome: str) -> str:
    return str(sum(row["outcome"] == outcome for row in rows) or "none")


def _place(results: Results, view: View, row: Row) -> str:
    said = [view.names[row["model"]]]
    said += [row["dataset"]] if results.frame(TRIALS)["dataset"].n_unique() > 1 else []
    return ", ".join([*said, *([row["group"]] if row["group"] else [])])


def _table(results: Results, told: list[tuple[View, Row]]) -> Table:
    looks = any(row["looks"] is not None for _, row in told)
    heads = [
        Column("verdict"),
        Column("gate"),
        Column("model"),
        Column("estimate", "number"),
        Column("limits", "interval"),
        Column("bound", "number"),
        Column("adjusted p", "number"),
        *([Column("E for, against", "number"), Column("looks", "number")] if looks else []),
    ]
    rows = [tuple(_cells(results, view, row, looks)) for view, row in told]
    return Table("gates", "Gates and their verdicts.", tuple(heads), tuple(rows), _notes(told))


def _cells(results: Results, view: View, row: Row, looks: bool) -> list[Cell]:
    printed, why = printed_of(view, row), why_undefined(view, row)
    return [
        Cell(_verdict(row), bold=row["counts_as"] == "fail"),
        Cell(row["gate"]),
        Cell(_place(results, view, row)),
        _number(printed, row["estimate"], row, why),
        _limits(printed, row, why),
        _number(_exactly(printed, row["bound"]), row["bound"], row, ""),
        Cell(UNDEFINED, reason=why)
        if row["p_adjusted"] is None
        else Cell(numbers.p_value(row["p_adjusted"]), row["p_adjusted"]),
        *(_of_looks(row) if looks else []),
    ]


def _verdict(row: Row) -> str:
    as_what = f" (counts as {row['counts_as']})" if row["outcome"] == "undecided" else ""
    return f"{SIGNS[row['outcome']]}{as_what}"


def _number(printed: Printing, value: float | None, row: Row, why: str) -> Cell:
    if value is None:
        return Cell(UNDEFINED, reason=why)
    text = printed.value_with_unit(value) if row["against"] is None else printed.difference_with_unit(value)
    return Cell(text, value)


def _exactly(printed: Printing, bound: float) -> Printing:
    """As many decimals as the bound was chosen with."""
    decimals = next(
        (d for d in range(10) if abs(round(printed.scale * bound, d) - printed.scale * bound) < 1e-10), 10
    )
    return replace(printed, decimals=max(printed.decimals, decimals))


def _limits(printed: Printing, row: Row, why: str) -> Cell:
    if row["ci_low"] is None and row["ci_high"] is None:
        return Cell(UNDEFINED, reason=why or "no new trials, or too few replicates")
    return Cell(printed.interval(row["ci_low"], row["ci_high"]))


def _of_looks(row: Row) -> list[Cell]:
    if row["looks"] is None:
        return [Cell(""), Cell("")]
    both = ", ".join(numbers.significant(row[name], 3) for name in ("e_pass", "e_fail"))
    return [Cell(both, row["e_pass"]), Cell(numbers.count(row["looks"]), row["looks"])]


def _notes(told: list[tuple[View, Row]]) -> tuple[str, ...]:
    rows = [row for _, row in told]
    share = ", ".join(level_text(level) for level in sorted({row["level"] for row in rows}))
    together = f", adjusted by Holm over {_counted(len(rows))}; limits are those of its steps"
    notes = []
    if any(row["looks"] is None for row in rows):
        notes.append(
            "A gate passes, or fails, where its limits lie wholly on the good, or the bad, side of the bound,"
            f" with {share} confidence{together if len(rows) > 1 else ''}."
        )
    if any(row["against"] is not None for row in rows):
        notes.append("Of comparisons, estimate and bound are differences: the model less the other.")
    if any(row["against"] == REFERENCE for row in rows):
        notes.append("The reference is the same model in the last run that was accepted.")
    if any(row["needed"] is not None for row in rows):
        notes.append(
            f"Data still needed: were the present estimate true, as many more would decide {often(WANTED)}"
            " by the normal approximation; the estimate itself is uncertain."
        )
    if any(row["looks"] is not None for row in rows):
        notes.append(
            "Always valid gates bet on new trials against either side, and E is the capital won: with"
            f" {share} confidence no look of all is wrong. Their limits are of the latest new trials alone."
        )
    return tuple(notes)
