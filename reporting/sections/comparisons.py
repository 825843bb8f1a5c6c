"""All paired comparisons: at a glance, the primary family, the descriptive ones, and who may be best."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from reporting.charts.difference import difference_figures
from reporting.criteria.catalogue import read_criterion
from reporting.frames import ComparisonRow, Results
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.blocks import Block, Cell, Column, Prose, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.sections.cautions import undecided
from reporting.sections.caveats import effect_row, second_thoughts
from reporting.wording.codes import P_METHODS
from reporting.wording.decisions import decisive_p, shown_to_differ, word_of
from reporting.wording.oriented import contrast, turned
from reporting.wording.phrases import (
    AFRESH,
    CHOSEN,
    TUNED,
    TUNED_SYSTEMS,
    adjustment,
    drawn_units,
    interval_name,
    is_tuned,
    method_name,
    question,
)
from reporting.wording.tables import ColumnOf, TableOf, limits
from reporting.wording.view import View, views

DESCRIPTIVE = "descriptive, unadjusted"
BESIDE = "two tuned systems"
FEWEST = 3
"""So many models have a matrix of all pairs."""
SHOWN = "*"
"""Behind what is shown to differ: it must be told without colour, and by a voice."""
NO_VALUE, NO_TEST = "undefined", "no test"
MOST_P = 12
"""So many models have their p of being the best in a note."""


def comparisons(results: Results) -> Section | None:
    """Return the comparisons of every dataset: at a glance, in numbers, in pictures."""
    return SECTIONS["comparisons"].per_view(views(results), _blocks, beside=True)


def _blocks(view: View) -> tuple[Block, ...]:
    """One table a question; those of the family come first, with what belongs to them."""
    questions: dict[tuple[str, str | None], list[ComparisonRow]] = {}
    for row in sorted(view.headlines, key=lambda row: _place(view, row)):
        questions.setdefault((row.measure, row.criterion), []).append(row)
    matrix = pairwise(view)
    family: list[Block] = [] if matrix is None else [matrix]
    descriptive: list[Block] = []
    for number, rows in enumerate(questions.values(), start=1):
        table = _table(view, f"comparisons_{number}", rows)
        if rows[0].family == "descriptive":
            descriptive.append(table)
        else:
            family += [table, *map(Prose, (*second_thoughts(view, rows), *undecided(view, rows)))]
    return (*family, *difference_figures(view), *descriptive)


def _place(view: View, row: ComparisonRow) -> tuple[int, int, int, int, int]:
    """Sort the family first, then as the report asks: measures, criteria and models in its order."""
    measures = [str(view.study.primary.measure), *map(str, view.study.measures)]
    criteria = [str(view.study.primary.criterion), *map(str, view.study.criteria)]
    models = list(view.results.models)

    def place(order: list[str], wanted: str | None) -> int:
        return order.index(wanted) if wanted in order else len(order)

    return (
        int(row.family == "descriptive"),
        place(measures, row.measure),
        place(criteria, row.criterion),
        place(models, row.model),
        place(models, row.baseline),
    )


def _table(view: View, name: str, rows: list[ComparisonRow]) -> Table:
    first, measure = rows[0], read_measure(rows[0].measure)
    criterion = read_criterion(first.criterion) if first.criterion else None
    family = f"the family of comparisons, {adjustment(first) or 'unadjusted'}"
    return TableOf[ComparisonRow](view).build(
        name,
        f"{question(measure, criterion, view.study)}:"
        f" {DESCRIPTIVE if first.family == 'descriptive' else family}.{_drawn(view, rows)}",
        rows,
        _columns(view, rows),
        _notes(view, rows),
    )


def _columns(view: View, rows: list[ComparisonRow]) -> list[ColumnOf[ComparisonRow]]:
    table, printed = TableOf[ComparisonRow](view), view.printing(read_measure(rows[0].measure))
    unit = printed.difference_unit

    def interval(title: str, of: Callable[[ComparisonRow], ComparisonRow | None]) -> ColumnOf[ComparisonRow]:
        return table.interval(
            lambda row: limits(of(row)),
            printed,
            title=title,
            unit=unit,
            why=lambda row: no_interval(of(row) or row),
        )

    def no_interval(row: ComparisonRow) -> str:
        return table.reason(row) if row.status else "too few trials are decided differently"

    def tuned_p(row: ComparisonRow) -> float | None:
        tuned = view.tuned(row)
        return None if tuned is None else tuned.p_value

    columns = [
        # Both models in one cell, which may break where two columns of long names could not.
        table.text("pair", lambda row: f"{view.names[row.model]} − {view.names[row.baseline]}"),
        table.number("difference", lambda row: row.difference, printed, unit=unit),
        interval(f"{table.level} interval", lambda row: row),
    ]
    if any(row.band_low is not None for row in rows):
        joint = f"joint {table.level} interval"
        columns.append(
            table.interval(
                lambda row: (row.band_low, row.band_high), printed, title=joint, unit=unit, why=no_interval
            )
        )
    columns.append(table.p_value(f"p, {BESIDE}" if is_tuned(rows[0]) else "p", lambda row: row.p_value))
    if any(row.p_percentile is not None for row in rows):
        columns.append(table.p_value("p, percentile", lambda row: row.p_percentile))
    if any(row.p_adjusted is not None for row in rows):
        columns.append(table.p_value("adjusted p", lambda row: row.p_adjusted))
    if rows[0].family != "descriptive":
        columns.append(table.text("verdict", lambda row: word_of(view, turned(row, row.model))))
    if any(view.tuned(row) for row in rows):
        columns.append(interval(f"{BESIDE}: {table.level} interval", view.tuned))
        columns.append(
            table.p_value(f"{BESIDE}: p", tuned_p, why=lambda row: table.reason(view.tuned(row) or row))
        )
    return columns


def _drawn(view: View, rows: list[ComparisonRow]) -> str:
    """Say in one line what is estimated, and from how many draws of how many units."""
    row = next((row for row in rows if row.p_method), None)
    if row is None:
        return ""
    parts = [AFRESH] if row.inference == "procedure" else []
    drawn = drawn_units(view, row.unit)
    parts.append(f"{numbers.count(row.n_units)} {drawn} on test" if row.n_units else drawn)
    if row.replicates:
        parts.append(f"{numbers.count(row.replicates)} replicates")
    line = "; ".join(parts)
    return f" {line[0].upper()}{line[1:]}."


def _notes(view: View, rows: list[ComparisonRow]) -> list[str]:
    """Return the methods, what decides, what the tuned systems are, and what dependence does."""
    notes = list(dict.fromkeys(_methods(row) for row in rows if row.p_method and row.ci_method))
    if rows[0].family != "descriptive":
        p = "p" if rows[0].p_adjusted is None else "adjusted p"
        notes.append(f"Verdict on the first model of each pair, from the {p}.")
    where = CHOSEN[view.study.thresholds.policy]
    tuned = [beside for row in rows if (beside := view.tuned(row)) is not None and beside.p_method]
    if tuned:
        methods = dict.fromkeys(_methods(row)[0].lower() + _methods(row)[1:] for row in tuned)
        notes.append(
            f"Two tuned systems: {TUNED_SYSTEMS} as they stand, at the very thresholds chosen {where},"
            f" unadjusted; {' '.join(methods)}"
        )
    effects = [judged.design_effect or 0.0 for row in rows if (judged := effect_row(view, row)) is not None]
    if effects:
        least, most = (f"{end:.1f}" for end in (min(effects), max(effects)))
        span = least if least == most else f"{least} to {most}"
        notes.append(f"Design effect, how many times the variance of independent trials: {span}.")
    if any(is_tuned(row) for row in rows):
        notes.append(f"p is meant {TUNED}: thresholds are held as chosen {where}.")
    return notes


def _methods(row: ComparisonRow) -> str:
    """Return which interval and which test a row has."""
    interval, test = interval_name(row), method_name(row.p_method, P_METHODS)
    joint = "; joint intervals hold for all of the family at once" if row.band_low is not None else ""
    if interval == test:
        return f"Interval and p: {test}{joint}."
    return f"Interval: {interval}; p: {test}{joint}."


def pairwise(view: View) -> Table | None:
    """Return all pairs at a glance: differences above the diagonal, p-values below it, values on it.

    None for two models, or against a baseline alone.
    """
    models, primary = view.ranked, view.study.primary
    pairs = [pair for both in itertools.combinations(models, 2) if (pair := contrast(view, *both))]
    if len(models) < FEWEST or len(pairs) < len(models) * (len(models) - 1) / 2:
        return None
    if all(pair.value is None for pair in pairs):
        return None
    printed, table = view.printing(primary.measure), TableOf[str](view)
    which_p = "adjusted p" if any(pair.row.p_adjusted is not None for pair in pairs) else "p"
    which_p += ", two tuned systems" if any(is_tuned(pair.row) for pair in pairs) else ""
    unit = f" ({printed.difference_unit})" if printed.difference_unit else ""
    value = f"{view.terms.measure(primary.measure)}{f' ({printed.unit})' if printed.unit else ''}"
    at_most = f"{which_p} at most {numbers.p_value(1 - view.study.inference.level)}"
    differ = any(shown_to_differ(view, pair.row) for pair in pairs if pair.value is not None)
    return table.build(
        "pairs",
        f"All pairs, test {question(primary.measure, primary.criterion, view.study)}. Above the diagonal the"
        f" row's model minus the column's{unit} with its {table.level} interval, below it {which_p}, on it"
        f" the model's {value}.",
        models,
        (
            table.model(lambda model: model, order=lambda model: float(models.index(model))),
            *(_against(view, other) for other in models),
        ),
        (
            f"Bold with {SHOWN}: shown to differ ({at_most}); on screens blue where the row's model is lower,"
            " orange where it is higher."
            if differ
            else f"No pair is shown to differ ({at_most}).",
        ),
    )


def _against(view: View, other: str) -> ColumnOf[str]:
    """Return the comparisons with one model; they sort by the difference to it."""
    printed, place = view.printing(view.study.primary.measure), view.ranked.index

    def cell(model: str) -> Cell:
        if model == other:
            row = view.primary(model)
            return Cell(NO_VALUE if row is None or row.value is None else printed.value(row.value))
        pair = contrast(view, model, other)
        if pair is None or pair.value is None:
            return Cell(NO_VALUE)
        if place(model) < place(other):
            interval = "" if pair.low is None else f"\n{printed.interval(pair.low, pair.high)}"
            text = f"{printed.value(pair.value)}{interval}"
        else:
            p = decisive_p(pair.row)
            text = NO_TEST if p is None else numbers.p_value(p)
        differ = shown_to_differ(view, pair.row)
        return Cell(f"{text} {SHOWN}" if differ else text, pair.value, bold=differ)

    return ColumnOf(Column(view.names[other]), cell)
