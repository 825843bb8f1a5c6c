"""What has changed since the last run in the store: numbers beyond noise, then what lies behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reporting.frames import CHANGES, SINCE_LAST, ChangeRow, SinceLastRow
from reporting.frames.results import Results
from reporting.measures.measure import Measure
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Caution, Cell, Column, Prose, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.wording.decisions import decisive_p, shown_to_differ
from reporting.wording.history_phrases import change_phrase, methods_of
from reporting.wording.phrases import in_order, listing, reason
from reporting.wording.printing import Printing
from reporting.wording.view import View, views

KINDS = {
    "input": "input",
    "config": "config",
    "model": "model",
    "trials.shared": "trials",
    "trials.new": "trials",
    "trials.gone": "trials",
    "trials.relabelled": "trials",
}
"""What rows of ``changes`` are about."""


def since_last(results: Results) -> Section | None:
    """Return what differs from the last run; nothing without one."""
    changes, compared = results.rows(CHANGES), results.rows(SINCE_LAST)
    cautions = [Caution(f"Run history: {row.name}.") for row in changes if row.kind == "caution"]
    then = next((row for row in changes if row.kind == "run"), None)
    blocks: list[Block] = [*cautions]
    if then is not None:
        blocks.append(Prose(f"Compared with the run of {then.then} ({then.name[:8]})."))
        for view in views(results):
            blocks += _of_scope(view, [row for row in compared if row.dataset == view.dataset])
        blocks += _behind(changes)
    return SECTIONS["since-last"].of(blocks)


def _of_scope(view: View, every: list[SinceLastRow]) -> tuple[Block, ...]:
    """Return the blocks of one dataset: the primary measure in sentences, then all numbers."""
    if not view.whole:
        return ()
    measure = view.study.primary.measure
    place = {model: n for n, model in enumerate(view.results.models)}
    rows = [row for row in every if row.measure == str(measure) and row.model in place]
    rows.sort(key=lambda row: place[row.model])
    if not rows:
        return (Prose(f"{_on(view)}no model has a {view.terms.measure(measure)} in both runs."),)
    how = view.printing(measure)
    return Prose(f"{_on(view)}{' '.join(sentences(view, rows, how))}"), _table(view, rows, measure, how)


def _on(view: View) -> str:
    return f"{view.where}: " if view.where else ""


def sentences(view: View, rows: Sequence[SinceLastRow], how: Printing) -> Iterator[str]:
    """Return which models differ from the last run beyond noise, which may not, and which have no test."""
    name = view.terms.measure(view.study.primary.measure)
    shown = [row for row in rows if row.difference is not None and shown_to_differ(view, row)]
    same = [row for row in rows if "identical_decisions" in row.flags]
    rest = [row for row in rows if row not in shown and row not in same]
    for row in shown:
        yield _changed(view, row, how, name)
    if same:
        verb = "decides" if len(same) == 1 else "decide"
        yield f"{_names(view, same)} {verb} every shared trial as then."
    tested = [row for row in rest if decisive_p(row) is not None]
    if tested:
        other = "other " if shown else ""
        yield f"No {other}change in {name} is shown, of {_names(view, tested)}."
    untested = [row for row in rest if decisive_p(row) is None]
    if untested:
        yield f"Whether {_names(view, untested)} changed cannot be told: there is no interval or no value."


def _changed(view: View, row: SinceLastRow, how: Printing, name: str) -> str:
    """``TC3 has a lower HTER than then, by 5.2 points [2.7, 7.6], adjusted p < .001 over 3 models, ...``."""
    size = row.difference or 0.0
    way = "lower" if size < 0 else "higher"
    p = f"{'' if row.p_adjusted is None else 'adjusted '}{numbers.equation(decisive_p(row))}"
    family = f" over {row.family_size} comparisons" if (row.family_size or 0) > 1 else ""
    trials = f"paired on {numbers.count(row.n_shared or 0)} shared trials"
    basis = trials if row.pairing == "paired" else "unpaired, as if no trial were shared"
    return (
        f"{view.names[row.model]} has a {way} {name} than then, by"
        f" {how.difference_with_unit(abs(size))}{_interval(row, how)}, {p}{family}, {basis}."
    )


def _interval(row: SinceLastRow, how: Printing) -> str:
    """Return the interval of the size of a difference."""
    if row.ci_low is None or row.ci_high is None:
        return ""
    low, high = (row.ci_low, row.ci_high) if (row.difference or 0.0) > 0 else (-row.ci_high, -row.ci_low)
    return f" {how.interval(low, high)}"


def _names(view: View, rows: Iterable[SinceLastRow]) -> str:
    return listing(in_order(view, (row.model for row in rows)))


def _table(view: View, rows: Sequence[SinceLastRow], measure: Measure, how: Printing) -> Table:
    name = view.terms.measure(measure)
    columns = (
        Column("model"),
        Column("then", "number", how.unit),
        Column("now", "number", how.unit),
        Column("difference", "number", how.difference_unit),
        Column("interval", "interval", how.difference_unit),
        Column("p", "number"),
        Column("adjusted p", "number"),
    )
    pick = "A paired difference is that on the shared trials; then and now are on all trials of each run."
    partly = any(row.pairing == "paired" and not _whole(row) for row in rows)
    return Table(
        name=view.called(SINCE_LAST.name),
        caption=f"{name} on test now less then, each at the run's own thresholds.",
        columns=columns,
        rows=tuple(_cells(view, row, how) for row in rows),
        notes=(*methods_of(rows, view.names), *([pick] if partly else [])),
    )


def _whole(row: SinceLastRow) -> bool:
    """Return whether both runs have the same trials."""
    return bool(row.n_shared == row.n_trials == row.n_trials_then)


def _cells(view: View, row: SinceLastRow, how: Printing) -> tuple[Cell, ...]:
    why = reason(row.status, view.terms) if row.status else "there is no interval in both runs"
    interval = how.interval(row.ci_low, row.ci_high)
    return (
        Cell(view.names[row.model]),
        *(_number(how.value(value), value, why) for value in (row.value_then, row.value, row.difference)),
        Cell(interval, reason=why if interval == UNDEFINED else ""),
        *(_number(numbers.p_value(p), p, why) for p in (row.p_value, row.p_adjusted)),
    )


def _number(text: str, value: float | None, why: str) -> Cell:
    return Cell(text, value, reason=why if value is None else "")


def _behind(changes: list[ChangeRow]) -> tuple[Block, ...]:
    """Return what else has changed since the last run: one line a change."""
    rows = [(KINDS[row.kind], text) for row in changes if row.kind in KINDS and (text := change_phrase(row))]
    if not rows:
        return (Prose("Inputs, config, models and trials are those of then."),)
    columns = (Column("what"), Column("change"))
    cells = tuple((Cell(kind), Cell(_without(kind, text))) for kind, text in rows)
    return (Table("changes", "What else differs from then.", columns, cells),)


def _without(kind: str, text: str) -> str:
    """Return the text without the word that the first column has."""
    return text.removeprefix(kind).removeprefix(":").removeprefix(" of").lstrip()
