"""All paired comparisons: the primary family first, then the descriptive ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from reporting.criteria.catalogue import read_criterion
from reporting.frames.results import Results
from reporting.frames.schemas import ComparisonRow
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Prose, Section, Table
from reporting.sections.caveats import direction, effect_row, second_thoughts
from reporting.sections.difference_figures import difference_figures
from reporting.sections.epc_pair_figures import epc_pair_figures
from reporting.sections.pairwise import pairwise
from reporting.sections.undecided import undecided
from reporting.wording.oriented import turned
from reporting.wording.phrases import (
    AFRESH,
    CHOSEN,
    P_METHODS,
    TUNED,
    TUNED_SYSTEMS,
    adjustment,
    drawn_units,
    interval_name,
    is_tuned,
    level_text,
    method_name,
    question,
    reason,
)
from reporting.wording.printing import Printing
from reporting.wording.view import View, per_view

DESCRIPTIVE = "descriptive, unadjusted"
BESIDE = "two tuned systems"

Question = tuple[str, str | None]
"""A measure and a criterion, as the frame names them."""


def comparisons(results: Results) -> Section | None:
    """Return the comparisons of every dataset: at a glance, in numbers, in pictures."""
    return per_view("Comparisons", "comparisons", results, _blocks, beside=True)


def _blocks(view: View) -> tuple[Block, ...]:
    """One table a question; those of the family come first, with what belongs to them."""
    asked: dict[Question, list[ComparisonRow]] = {}
    for row in sorted(view.headlines, key=lambda row: _place(view, row)):
        asked.setdefault((row.measure, row.criterion), []).append(row)
    matrix = pairwise(view)
    family: list[Block] = [] if matrix is None else [matrix]
    descriptive: list[Block] = []
    for number, rows in enumerate(asked.values(), start=1):
        table = _table(view, f"comparisons_{number}", rows)
        if rows[0].family == "descriptive":
            descriptive.append(table)
        else:
            asides = (*second_thoughts(view, rows), *undecided(view, rows))
            family += [table, *map(Prose, asides)]
    return (*family, *difference_figures(view), *epc_pair_figures(view), *descriptive)


def _place(view: View, row: ComparisonRow) -> tuple[int, int, int, int, int]:
    """Sort the family first, then as the report asks: measures, criteria and models in its order."""
    measures = [str(view.study.primary.measure), *map(str, view.study.measures)]
    criteria = [str(view.study.primary.criterion), *map(str, view.study.criteria)]
    models = list(view.results.models)
    return (
        int(row.family == "descriptive"),
        _index(measures, row.measure),
        _index(criteria, row.criterion),
        _index(models, row.model),
        _index(models, row.baseline),
    )


def _index(order: list[str], wanted: str | None) -> int:
    return order.index(wanted) if wanted in order else len(order)


CellOf = Callable[[ComparisonRow], Cell]


def _table(view: View, name: str, rows: list[ComparisonRow]) -> Table:
    first = rows[0]
    measure = read_measure(first.measure)
    criterion = read_criterion(first.criterion) if first.criterion else None
    columns = _columns(view, rows, view.printing(measure))
    return Table(
        name=view.called(name),
        caption=f"{question(measure, criterion, view.study)}: {_family(first)}.{_made(view, rows)}",
        columns=tuple(column for column, _ in columns),
        rows=tuple(tuple(cell(row) for _, cell in columns) for row in rows),
        notes=(
            *_methods(rows),
            *_reading(first),
            *_beside_notes(view, rows),
            *_effects(view, rows),
            *_label(view, rows),
        ),
    )


def _columns(view: View, rows: list[ComparisonRow], printed: Printing) -> list[tuple[Column, CellOf]]:
    """Every column with what stands in it."""
    level, unit = level_text(view.study.inference.level), printed.difference_unit
    tuned = [view.tuned(row) for row in rows]
    family = rows[0].family != "descriptive"
    p = f"p, {BESIDE}" if is_tuned(rows[0]) else "p"
    found: list[tuple[Column, CellOf]] = [
        (Column("pair"), lambda row: _pair(view, row)),
        (Column("difference", "number", unit), lambda row: _amount(view, row, printed)),
        (Column(f"{level} interval", "interval", unit), lambda row: _interval(view, row, printed)),
    ]
    if any(row.band_low is not None for row in rows):
        joint = Column(f"joint {level} interval", "interval", unit)
        found.append((joint, lambda row: _interval(view, row, printed, "band")))
    found.append((Column(p, "number"), lambda row: _p(view, row, "p_value")))
    if any(row.p_percentile is not None for row in rows):
        found.append((Column("p, percentile", "number"), lambda row: _p(view, row, "p_percentile")))
    if any(row.p_adjusted is not None for row in rows):
        found.append((Column("adjusted p", "number"), lambda row: _p(view, row, "p_adjusted")))
    if family:
        found.append((Column("shown to be"), lambda row: _shown(view, row)))
    if any(tuned):
        beside = Column(f"{BESIDE}: {level} interval", "interval", unit)
        found.append((beside, lambda row: _interval(view, _or_none(view, row), printed)))
        found.append((Column(f"{BESIDE}: p", "number"), lambda row: _p(view, _or_none(view, row), "p_value")))
    return found


def _pair(view: View, row: ComparisonRow) -> Cell:
    """Both models in one cell, which may break where two columns of long names could not."""
    return Cell(f"{view.names[row.model]} − {view.names[row.baseline]}")


def _or_none(view: View, row: ComparisonRow) -> ComparisonRow:
    """The two tuned systems of a headline, or a row of nothing."""
    tuned = view.tuned(row)
    if tuned is not None:
        return tuned
    return replace(row, ci_low=None, ci_high=None, p_value=None)


def _family(row: ComparisonRow) -> str:
    """Say whether the p-values are adjusted, and over what."""
    if row.family == "descriptive":
        return DESCRIPTIVE
    return f"the family of comparisons, {adjustment(row) or 'unadjusted'}"


def _made(view: View, rows: list[ComparisonRow]) -> str:
    """Say in one line what is estimated, and from how many draws of how many units."""
    row = next((row for row in rows if row.p_method), None)
    if row is None:
        return ""
    parts = [AFRESH] if row.inference == "procedure" else []
    drawn = drawn_units(view, row.unit)
    parts.append(f"{numbers.count(row.n_units)} {drawn} on test" if row.n_units else drawn)
    if row.replicates:
        parts.append(f"{numbers.count(row.replicates)} replicates")
    said = "; ".join(parts)
    return f" {said[0].upper()}{said[1:]}."


def _amount(view: View, row: ComparisonRow, printed: Printing) -> Cell:
    if row.difference is None:
        return Cell(UNDEFINED, reason=reason(row.status, view.terms))
    return Cell(printed.value(row.difference), row.difference)


def _interval(view: View, row: ComparisonRow, printed: Printing, kind: str = "ci") -> Cell:
    interval = printed.interval(getattr(row, f"{kind}_low"), getattr(row, f"{kind}_high"))
    return Cell(interval, reason=_no_interval(view, row) if interval == UNDEFINED else "")


def _no_interval(view: View, row: ComparisonRow) -> str:
    return reason(row.status, view.terms) if row.status else "too few trials are decided differently"


def _p(view: View, row: ComparisonRow, column: str) -> Cell:
    p: float | None = getattr(row, column)
    if p is None:
        return Cell(UNDEFINED, reason=reason(row.status, view.terms))
    return Cell(numbers.p_value(p), p)


def _shown(view: View, row: ComparisonRow) -> Cell:
    said = direction(view, turned(row, row.model))
    return Cell(said) if said else Cell(UNDEFINED, reason=reason(row.status, view.terms))


def _methods(rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """Which interval and which test the rows have."""
    return tuple(dict.fromkeys(_way(row) for row in rows if row.p_method and row.ci_method))


def _reading(row: ComparisonRow) -> tuple[str, ...]:
    if row.family == "descriptive":
        return ()
    p = "p" if row.p_adjusted is None else "adjusted p"
    return (f"Shown to be: the first of the pair, by {p}.",)


def _way(row: ComparisonRow) -> str:
    interval, test = interval_name(row), method_name(row.p_method, P_METHODS)
    joint = "; joint intervals hold for all of the family at once" if row.band_low is not None else ""
    if interval == test:
        return f"Interval and p: {test}{joint}."
    return f"Interval: {interval}; p: {test}{joint}."


def _beside_notes(view: View, rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """What the columns of the tuned systems mean."""
    tuned = [one for row in rows if (one := view.tuned(row)) is not None and one.p_method]
    ways = dict.fromkeys(_way(one)[0].lower() + _way(one)[1:] for one in tuned)
    if not ways:
        return ()
    where = CHOSEN[view.study.thresholds.policy]
    said = f"Two tuned systems: {TUNED_SYSTEMS} as they stand, at the very thresholds chosen {where}"
    return (f"{said}, unadjusted; {' '.join(ways)}",)


def _effects(view: View, rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """How much dependence within clusters adds to the variance."""
    effects = [one.design_effect or 0.0 for row in rows if (one := effect_row(view, row)) is not None]
    if not effects:
        return ()
    least, most = (f"{end:.1f}" for end in (min(effects), max(effects)))
    span = least if least == most else f"{least} to {most}"
    return (f"Design effect, how many times the variance of independent trials: {span}.",)


def _label(view: View, rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    if any(is_tuned(row) for row in rows):
        return (f"p is meant {TUNED}: thresholds are held as chosen {CHOSEN[view.study.thresholds.policy]}.",)
    return ()
