"""The tests that a config asks for by name: a table each, and in plain sentences what they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reporting.criteria.catalogue import read_criterion
from reporting.engine.tested import INDEPENDENT
from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Prose, Section, Table
from reporting.sections.further_sentences import (
    DELONG,
    FAMILIES,
    RESAMPLED,
    SENTENCES,
    WEIGHED,
    Family,
    margin_text,
    often,
    printed_of,
    together,
    why,
)
from reporting.wording.phrases import level_text, measure_label, threshold_phrase, units
from reporting.wording.view import View, views

Row = dict[str, Any]

TITLE, ANCHOR = "Further tests", "tests"
UNADJUSTED = "These tests stand beside the comparisons as they were asked for; no p-value is adjusted."
PARTS = {"targets": "targets", "nontargets": "non-targets", "both": "both classes"}
MOST_SENTENCES = 6
"""Pairs that are told in sentences; the table has all."""


def further_tests(results: Results) -> Section | None:
    """Return what each test found, dataset by dataset; nothing where none was asked for."""
    if results.tests is None or results.tests.is_empty():
        return None
    first: dict[str, View] = {}
    for view in views(results):
        first.setdefault(view.dataset, view)
    found = [(view, blocks) for view in first.values() if (blocks := _blocks(view))]
    if not found:
        return None
    if len(first) == 1:
        return Section(TITLE, ANCHOR, (Prose(UNADJUSTED), *found[0][1]))
    parts = (Section(one.dataset, f"{ANCHOR}-{one.number + 1}", blocks) for one, blocks in found)
    return Section(TITLE, ANCHOR, (Prose(UNADJUSTED), *parts))


def _blocks(view: View) -> tuple[Block, ...]:
    """The tests in the order in which they were asked for."""
    assert view.results.tests is not None
    rows = sorted(view.part(view.results.tests).to_dicts(), key=lambda row: _place(view, row))
    return tuple(
        block
        for test in view.study.inference.tests
        for block in _of_test(view, FAMILIES[test], [row for row in rows if row["test"] == test])
    )


def _of_test(view: View, family: Family, rows: list[Row]) -> list[Block]:
    if not rows:
        return []
    if (
        all(row["status"] == rows[0]["status"] and row["estimate"] is None for row in rows)
        and rows[0]["status"]
    ):
        return [Prose(f"{family.name}: cannot be given, because {why(rows[0], view.terms)}.")]
    omnibus = [row for row in rows if row["test"] == "delong" and row["model"] is None]
    others = [row for row in rows if row not in omnibus]
    told = [Prose(together(view, row)) for row in omnibus]
    return [*told, *_sentences(view, others), *_tables(view, family, others)]


def _place(view: View, row: Row) -> tuple[int, int, int, bool, str]:
    order, primary = [None, *view.results.models], str(view.study.primary.measure)
    part = list(PARTS).index(row["part"]) if row["part"] else 0
    pair = order.index(row["model"]), order.index(row["baseline"])
    return (*pair, part, row["measure"] != primary, row["unit"] != "trial")


def _sentences(view: View, rows: list[Row]) -> list[Block]:
    tell = SENTENCES.get(rows[0]["test"])
    told = [Prose(tell(view, row)) for row in rows] if tell is not None else []
    more = len(told) - MOST_SENTENCES
    return [*told[:MOST_SENTENCES], *([Prose(f"The table has {more} more.")] if more > 0 else [])]


def _tables(view: View, family: Family, rows: list[Row]) -> list[Block]:
    by_measure: dict[str | None, list[Row]] = {}
    for row in rows:
        by_measure.setdefault(row["measure"] if family.by_measure else None, []).append(row)
    # Only permutations come of two measures, the second the AUC; a number would be taken for a dataset's.
    return [
        _table(view, family, f"tests_{mine[0]['test']}{'_auc' if at else ''}", mine)
        for at, mine in enumerate(by_measure.values())
    ]


def _table(view: View, family: Family, name: str, rows: list[Row]) -> Table:
    columns = [COLUMNS[title] for title in family.columns]
    return Table(
        name=view.called(name),
        caption=_caption(view, family, rows[0]),
        columns=tuple(column.head(view, rows[0]) for column in columns),
        rows=tuple(tuple(column.cell(view, row) for column in columns) for row in rows),
        notes=_notes(view, family, rows),
    )


def _caption(view: View, family: Family, row: Row) -> str:
    what = (
        f" of the {measure_label(row['measure'], view.terms)}" if family.by_measure and row["measure"] else ""
    )
    resampled = row["test"] == "delong" and row["replicates"] is not None
    what = f"{'Test by resampling' if resampled else family.name}{what}"
    if row["criterion"] is None:
        return f"{what}."
    at = threshold_phrase(read_criterion(row["criterion"]), view.study)
    again = " and again in every replicate" if row["inference"] == "procedure" else ""
    return f"{what}, at {at}{again}."


def _notes(view: View, family: Family, rows: list[Row]) -> tuple[str, ...]:
    row, plural = rows[0], units(view.results, rows[0]["unit"])
    facts = {
        "one": "trial" if row["unit"] == "trial" else view.results.cluster or "cluster",
        "alpha": numbers.p_value(1 - view.study.inference.level),
        "hter": view.terms.hter,
    }
    said = family.assumes.format_map(facts)
    if row["test"] == "delong":
        said = RESAMPLED.format(units=plural) if row["unit"] == "cluster" else DELONG
        said = WEIGHED if view.results.weighted and row["unit"] == "trial" else said
    notes = [said]
    if any(INDEPENDENT in one["flags"] for one in rows):
        notes.append(
            f"Here trials are taken as independent although {units(view.results)} are declared: p may be too"
            " small."
        )
    if any("few_clusters" in one["flags"] for one in rows):
        notes.append(f"Few {units(view.results)}: what rests on their spread is rough.")
    if any("few_discordant" in one["flags"] for one in rows):
        notes.append("Some pairs decide fewer than 10 trials of a class differently: their spread is rough.")
    return tuple(notes)


@dataclass(frozen=True)
class Shown:
    """A column: its head, by the table's first row, and its cells."""

    head: Callable[[View, Row], Column]
    cell: Callable[[View, Row], Cell]


def _named(title: str, name: str) -> Shown:
    return Shown(lambda view, row: Column(title), lambda view, row: Cell(view.names[row[name]]))


def _number(title: str, name: str, show: Callable[[float], str]) -> Shown:
    def cell(view: View, row: Row) -> Cell:
        value = row[name]
        return Cell(show(value), value) if value is not None else Cell(UNDEFINED, reason=why(row, view.terms))

    return Shown(lambda view, row: Column(view.terms.say(title), "number"), cell)


def _amount(title: str, name: str) -> Shown:
    def cell(view: View, row: Row) -> Cell:
        if row[name] is None:
            return Cell(UNDEFINED, reason=why(row, view.terms))
        return Cell(printed_of(view, row["measure"]).value(row[name]), row[name])

    return Shown(
        lambda view, row: Column(title, "number", printed_of(view, row["measure"]).difference_unit), cell
    )


def _interval_head(view: View, row: Row) -> Column:
    level = view.study.inference.level
    # Dual to two one-sided tests at the level: see ``stats.equivalence.equivalence_level``.
    shown = 2 * level - 1 if row["test"] == "equivalence" else level
    return Column(
        f"{level_text(round(shown, 10))} interval",
        "interval",
        printed_of(view, row["measure"]).difference_unit,
    )


def _interval(view: View, row: Row) -> Cell:
    if row["low"] is None or row["high"] is None:
        return Cell(UNDEFINED, reason=why(row, view.terms))
    return Cell(printed_of(view, row["measure"]).interval(row["low"], row["high"]))


def _bound_head(view: View, row: Row) -> Column:
    title = f"{level_text(view.study.inference.level)} bound"
    return Column(title, "number", printed_of(view, row["measure"]).difference_unit)


def _bound(view: View, row: Row) -> Cell:
    bound = row["low"] if row["high"] is None else row["high"]
    return (
        Cell(UNDEFINED, reason=why(row, view.terms))
        if bound is None
        else Cell(printed_of(view, row["measure"]).value(bound), bound)
    )


VERDICTS = {
    "equivalent": "equivalent",
    "not_shown_equivalent": "not shown to be equivalent",
    "not_inferior": "not inferior",
    "inferior_or_unknown": "inferior, or unknown",
}


def _verdict_head(view: View, row: Row) -> Column:
    return Column(f"with a margin of {margin_text(view, row['measure'])}")


def _verdict(view: View, row: Row) -> Cell:
    if row["verdict"] is None:
        return Cell(UNDEFINED, reason=why(row, view.terms))
    return Cell(VERDICTS[row["verdict"]])


def _found_head(view: View, row: Row) -> Column:
    share = often(view.study.inference.power)
    return Column(f"found {share}", "number", printed_of(view, row["measure"]).difference_unit)


def _part(view: View, row: Row) -> Cell:
    return Cell(view.terms.say(PARTS[row["part"]]))


def _by(view: View, row: Row) -> Cell:
    return Cell("decisions" if row["unit"] == "trial" else units(view.results, row["unit"]))


def _significant(value: float) -> str:
    return numbers.significant(value, 3)


def _degrees(value: float) -> str:
    return _whole(value) if value == int(value) else _significant(value)


def _z_head(view: View, row: Row) -> Column:
    return Column("z" if row["df"] is None else "t", "number")


def _units_head(view: View, row: Row) -> Column:
    return Column(units(view.results, row["unit"]), "number")


def _whole(value: float) -> str:
    return numbers.count(int(value))


COLUMNS = {
    "model": _named("model", "model"),
    "minus": _named("minus", "baseline"),
    "trials": Shown(lambda view, row: Column("errors on"), _part),
    "models": _number("models", "n_models", _whole),
    "by": Shown(lambda view, row: Column("by"), _by),
    "difference": _amount("difference", "estimate"),
    "detectable": Shown(_found_head, _amount("", "detectable").cell),
    "interval": Shown(_interval_head, _interval),
    "bound": Shown(_bound_head, _bound),
    "verdict": Shown(_verdict_head, _verdict),
    "z": Shown(_z_head, _number("z", "statistic", _significant).cell),
    "Q": _number("Q", "statistic", _significant),
    "E": _number("E", "statistic", _whole),
    "df": _number("df", "df", _degrees),
    "p": _number("p", "p_value", numbers.p_value),
    "p, exact": _number("p, exact", "p_value", numbers.p_value),
    "mid-p": _number("mid-p", "p_mid", numbers.p_value),
    "p then": _number("p then", "p_after", numbers.p_value),
    "to change": _number("to change", "statistic", _whole),
    "on targets": _number("on targets", "needed_targets", _whole),
    "on non-targets": _number("on non-targets", "needed_nontargets", _whole),
    "times": _number("times as many", "times", _significant),
    "needed": Shown(_units_head, _number("", "needed_units", _whole).cell),
}
