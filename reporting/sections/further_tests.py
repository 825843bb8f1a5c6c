"""The tests that a config asks for by name: a table each, and in plain sentences what they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reporting.charts.scope import Row, Scope, scopes
from reporting.charts.words import terms_of
from reporting.criteria.catalogue import read_criterion
from reporting.frames.results import Results
from reporting.frames.tested import INDEPENDENT
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
from reporting.sections.wording import level_text, measure_label, threshold_phrase, units

TITLE, ANCHOR = "Further tests", "tests"
UNADJUSTED = "These tests stand beside the comparisons as they were asked for; no p-value is adjusted."
PARTS = {"targets": "targets", "nontargets": "non-targets", "both": "both classes"}
MOST_SENTENCES = 6
"""Pairs that are told in sentences; the table has all."""


def further_tests(results: Results) -> Section | None:
    """Return what each test found, dataset by dataset; nothing where none was asked for."""
    if results.tests is None or results.tests.is_empty():
        return None
    first: dict[str, Scope] = {}
    for scope in scopes(results):
        first.setdefault(scope.dataset, scope)
    found = [(scope, blocks) for scope in first.values() if (blocks := _blocks(scope))]
    if not found:
        return None
    if len(first) == 1:
        return Section(TITLE, ANCHOR, (Prose(UNADJUSTED), *found[0][1]))
    parts = (Section(one.dataset, f"{ANCHOR}-{one.number + 1}", blocks) for one, blocks in found)
    return Section(TITLE, ANCHOR, (Prose(UNADJUSTED), *parts))


def _blocks(scope: Scope) -> tuple[Block, ...]:
    """The tests in the order in which they were asked for."""
    assert scope.results.tests is not None
    rows = sorted(scope.part(scope.results.tests).to_dicts(), key=lambda row: _place(scope, row))
    return tuple(
        block
        for test in scope.study.inference.tests
        for block in _of_test(scope, FAMILIES[test], [row for row in rows if row["test"] == test])
    )


def _of_test(scope: Scope, family: Family, rows: list[Row]) -> list[Block]:
    if not rows:
        return []
    if (
        all(row["status"] == rows[0]["status"] and row["estimate"] is None for row in rows)
        and rows[0]["status"]
    ):
        return [Prose(f"{family.name}: cannot be given, because {why(rows[0], terms_of(scope))}.")]
    omnibus = [row for row in rows if row["test"] == "delong" and row["model"] is None]
    others = [row for row in rows if row not in omnibus]
    told = [Prose(together(scope, row)) for row in omnibus]
    return [*told, *_sentences(scope, others), *_tables(scope, family, others)]


def _place(scope: Scope, row: Row) -> tuple[int, int, int, bool, str]:
    order, primary = [None, *scope.results.models], str(scope.study.primary.measure)
    part = list(PARTS).index(row["part"]) if row["part"] else 0
    pair = order.index(row["model"]), order.index(row["baseline"])
    return (*pair, part, row["measure"] != primary, row["unit"] != "trial")


def _sentences(scope: Scope, rows: list[Row]) -> list[Block]:
    tell = SENTENCES.get(rows[0]["test"])
    told = [Prose(tell(scope, row)) for row in rows] if tell is not None else []
    more = len(told) - MOST_SENTENCES
    return [*told[:MOST_SENTENCES], *([Prose(f"The table has {more} more.")] if more > 0 else [])]


def _tables(scope: Scope, family: Family, rows: list[Row]) -> list[Block]:
    by_measure: dict[str | None, list[Row]] = {}
    for row in rows:
        by_measure.setdefault(row["measure"] if family.by_measure else None, []).append(row)
    # Only permutations come of two measures, the second the AUC; a number would be taken for a dataset's.
    return [
        _table(scope, family, f"tests_{mine[0]['test']}{'_auc' if at else ''}", mine)
        for at, mine in enumerate(by_measure.values())
    ]


def _table(scope: Scope, family: Family, name: str, rows: list[Row]) -> Table:
    columns = [COLUMNS[title] for title in family.columns]
    return Table(
        name=scope.called(name),
        caption=_caption(scope, family, rows[0]),
        columns=tuple(column.head(scope, rows[0]) for column in columns),
        rows=tuple(tuple(column.cell(scope, row) for column in columns) for row in rows),
        notes=_notes(scope, family, rows),
    )


def _caption(scope: Scope, family: Family, row: Row) -> str:
    what = (
        f" of the {measure_label(row['measure'], terms_of(scope))}"
        if family.by_measure and row["measure"]
        else ""
    )
    resampled = row["test"] == "delong" and row["replicates"] is not None
    what = f"{'Test by resampling' if resampled else family.name}{what}"
    if row["criterion"] is None:
        return f"{what}."
    at = threshold_phrase(read_criterion(row["criterion"]), scope.study)
    again = " and again in every replicate" if row["inference"] == "procedure" else ""
    return f"{what}, at {at}{again}."


def _notes(scope: Scope, family: Family, rows: list[Row]) -> tuple[str, ...]:
    row, plural = rows[0], units(scope.results, rows[0]["unit"])
    facts = {
        "one": "trial" if row["unit"] == "trial" else scope.results.cluster or "cluster",
        "alpha": numbers.p_value(1 - scope.study.inference.level),
        "hter": terms_of(scope).hter,
    }
    said = family.assumes.format_map(facts)
    if row["test"] == "delong":
        said = RESAMPLED.format(units=plural) if row["unit"] == "cluster" else DELONG
        said = WEIGHED if scope.results.weighted and row["unit"] == "trial" else said
    notes = [said]
    if any(INDEPENDENT in one["flags"] for one in rows):
        notes.append(
            f"Here trials are taken as independent although {units(scope.results)} are declared: p may be too"
            " small."
        )
    if any("few_clusters" in one["flags"] for one in rows):
        notes.append(f"Few {units(scope.results)}: what rests on their spread is rough.")
    if any("few_discordant" in one["flags"] for one in rows):
        notes.append("Some pairs decide fewer than 10 trials of a class differently: their spread is rough.")
    return tuple(notes)


@dataclass(frozen=True)
class Shown:
    """A column: its head, by the table's first row, and its cells."""

    head: Callable[[Scope, Row], Column]
    cell: Callable[[Scope, Row], Cell]


def _named(title: str, name: str) -> Shown:
    return Shown(lambda scope, row: Column(title), lambda scope, row: Cell(scope.names[row[name]]))


def _number(title: str, name: str, show: Callable[[float], str]) -> Shown:
    def cell(scope: Scope, row: Row) -> Cell:
        value = row[name]
        return (
            Cell(show(value), value)
            if value is not None
            else Cell(UNDEFINED, reason=why(row, terms_of(scope)))
        )

    return Shown(lambda scope, row: Column(terms_of(scope).say(title), "number"), cell)


def _amount(title: str, name: str) -> Shown:
    def cell(scope: Scope, row: Row) -> Cell:
        if row[name] is None:
            return Cell(UNDEFINED, reason=why(row, terms_of(scope)))
        return Cell(printed_of(scope, row).value(row[name]), row[name])

    return Shown(lambda scope, row: Column(title, "number", printed_of(scope, row).difference_unit), cell)


def _interval_head(scope: Scope, row: Row) -> Column:
    level = scope.study.inference.level
    # Dual to two one-sided tests at the level: see ``stats.equivalence.equivalence_level``.
    shown = 2 * level - 1 if row["test"] == "equivalence" else level
    return Column(
        f"{level_text(round(shown, 10))} interval", "interval", printed_of(scope, row).difference_unit
    )


def _interval(scope: Scope, row: Row) -> Cell:
    if row["low"] is None or row["high"] is None:
        return Cell(UNDEFINED, reason=why(row, terms_of(scope)))
    return Cell(printed_of(scope, row).interval(row["low"], row["high"]))


def _bound_head(scope: Scope, row: Row) -> Column:
    title = f"{level_text(scope.study.inference.level)} bound"
    return Column(title, "number", printed_of(scope, row).difference_unit)


def _bound(scope: Scope, row: Row) -> Cell:
    bound = row["low"] if row["high"] is None else row["high"]
    return (
        Cell(UNDEFINED, reason=why(row, terms_of(scope)))
        if bound is None
        else Cell(printed_of(scope, row).value(bound), bound)
    )


VERDICTS = {
    "equivalent": "equivalent",
    "not_shown_equivalent": "not shown to be equivalent",
    "not_inferior": "not inferior",
    "inferior_or_unknown": "inferior, or unknown",
}


def _verdict_head(scope: Scope, row: Row) -> Column:
    return Column(f"with a margin of {margin_text(scope, row)}")


def _verdict(scope: Scope, row: Row) -> Cell:
    if row["verdict"] is None:
        return Cell(UNDEFINED, reason=why(row, terms_of(scope)))
    return Cell(VERDICTS[row["verdict"]])


def _found_head(scope: Scope, row: Row) -> Column:
    share = often(scope.study.inference.power)
    return Column(f"found {share}", "number", printed_of(scope, row).difference_unit)


def _part(scope: Scope, row: Row) -> Cell:
    return Cell(terms_of(scope).say(PARTS[row["part"]]))


def _by(scope: Scope, row: Row) -> Cell:
    return Cell("decisions" if row["unit"] == "trial" else units(scope.results, row["unit"]))


def _significant(value: float) -> str:
    return numbers.significant(value, 3)


def _degrees(value: float) -> str:
    return _whole(value) if value == int(value) else _significant(value)


def _z_head(scope: Scope, row: Row) -> Column:
    return Column("z" if row["df"] is None else "t", "number")


def _units_head(scope: Scope, row: Row) -> Column:
    return Column(units(scope.results, row["unit"]), "number")


def _whole(value: float) -> str:
    return numbers.count(int(value))


COLUMNS = {
    "model": _named("model", "model"),
    "minus": _named("minus", "baseline"),
    "trials": Shown(lambda scope, row: Column("errors on"), _part),
    "models": _number("models", "n_models", _whole),
    "by": Shown(lambda scope, row: Column("by"), _by),
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
