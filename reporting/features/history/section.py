"""What has changed since the last run in the store: significant changes, then what may explain them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.blocks import Block, Caution, Cell, Column, Prose, Section, Table
from reporting.document.frames.history import SINCE_LAST, SinceLastRow
from reporting.document.frames.results import Results
from reporting.document.words.decisions import decisive_p, shown_to_differ
from reporting.document.words.phrases import UNROUNDED, in_order, level_text, listing, reason
from reporting.document.words.printing import Printing
from reporting.document.words.tables import TableOf, table_of
from reporting.document.words.terms import Terms, terms
from reporting.document.words.view import DatasetView, views
from reporting.features.history import FEATURE
from reporting.features.history.frame import CHANGES, ChangeRow
from reporting.features.history.phrases import change_phrase, methods_of, stale_sentence

KINDS = {
    "input": "input",
    "config": "configuration",
    "test": "test",
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
    cautions = [
        FEATURE.code("run_history").caution(f"{row.name}.") for row in changes if row.kind == "caution"
    ]
    then = _previous(changes)
    blocks: list[Block] = [*cautions]
    if then:
        days = (date.fromisoformat(results.provenance.as_of) - date.fromisoformat(then)).days
        age = f", {numbers.count(days)} day{'' if days == 1 else 's'} before this one" if days > 0 else ""
        blocks.append(Prose(f"Compared with the run of {then}{age}."))
        for view in views(results):
            blocks += _of_scope(view, [row for row in compared if row.dataset == view.dataset])
        blocks += _behind(changes, terms(results.study.vocabulary))
    return FEATURE.section("since-last").of(blocks)


def change_lines(results: Results) -> tuple[str, ...]:
    """Return how the primary measure has changed since the last run, one line per dataset."""
    then, compared = _previous(results.rows(CHANGES)), results.rows(SINCE_LAST)
    lines = []
    for view in views(results) if then else ():
        rows = _primary(view, [row for row in compared if row.dataset == view.dataset])
        if rows and view.whole:
            text = " ".join(sentences(view, rows, view.printing(view.study.primary.measure)))
            lines.append(f"Since the run of {then}{f', {view.where}' if view.where else ''}: {text}")
    return tuple(lines)


def _previous(changes: Sequence[ChangeRow]) -> str:
    """Return the date of the run that this one is compared with; empty without one."""
    return next((row.then or "" for row in changes if row.kind == "run"), "")


def _primary(view: DatasetView, every: list[SinceLastRow]) -> list[SinceLastRow]:
    """Return the rows of the primary measure in the report's order."""
    measure = str(view.study.primary.measure)
    place = {model: n for n, model in enumerate(view.results.models)}
    rows = [row for row in every if row.measure == measure and row.model in place]
    return sorted(rows, key=lambda row: place[row.model])


def _of_scope(view: DatasetView, every: list[SinceLastRow]) -> tuple[Block, ...]:
    """Return the blocks of one dataset: the primary measure in sentences, then all numbers."""
    if not view.whole:
        return ()
    measure, rows = view.study.primary.measure, _primary(view, every)
    if not rows:
        return (Prose(f"{_on(view)}No model has a {view.terms.measure(measure)} in both runs."),)
    how = view.printing(measure)
    return Prose(f"{_on(view)}{' '.join(sentences(view, rows, how))}"), _table(view, rows, measure, how)


def _on(view: DatasetView) -> str:
    return f"{view.where}: " if view.where else ""


def sentences(view: DatasetView, rows: Sequence[SinceLastRow], how: Printing) -> Iterator[str]:
    """Return which models differ from the last run beyond noise, which may not, and which have no test."""
    name = view.terms.measure(view.study.primary.measure)
    shown = [row for row in rows if row.difference is not None and shown_to_differ(view, row)]
    same = [row for row in rows if "identical_decisions" in row.flags]
    rest = [row for row in rows if row not in shown and row not in same]
    for row in shown:
        yield _changed(view, row, how, name)
    if same:
        verb, whose = ("makes", "decision") if len(same) == 1 else ("make", "decisions")
        yield f"{_names(view, same)} {verb} the same {whose} as before on every shared {view.terms.trial}."
    tested = [row for row in rest if decisive_p(row) is not None]
    if tested:
        yield f"No significant change in {name} for {_names(view, tested)}."
    untested = [row for row in rest if decisive_p(row) is None]
    if untested:
        yield f"Changes of {_names(view, untested)} cannot be tested: a value or its interval is missing."


def _changed(view: DatasetView, row: SinceLastRow, how: Printing, name: str) -> str:
    """Return ``TC3's HTER is 5.2 points lower than in the previous run (95% CI 2.7 to 7.6; ...)``."""
    size = row.difference or 0.0
    way = "lower" if size < 0 else "higher"
    p = f"{'adjusted ' if (row.family_size or 0) > 1 else ''}{numbers.equation(decisive_p(row))}"
    paired = f"paired on {numbers.count(row.n_shared or 0)} shared {view.terms.trials}"
    facts = (_interval(row, how), p, paired if row.pairing == "paired" else "not paired")
    return (
        f"{view.names[row.model]}'s {name} is {how.difference_with_unit(abs(size))} {way} than in the"
        f" previous"
        f" run ({'; '.join(filter(None, facts))})."
    )


def _interval(row: SinceLastRow, how: Printing) -> str:
    if row.ci_low is None or row.ci_high is None:
        return ""
    low, high = (row.ci_low, row.ci_high) if (row.difference or 0.0) > 0 else (-row.ci_high, -row.ci_low)
    return f"{level_text(row.level or 0.0)} CI {how.span(low, high)}"


def _names(view: DatasetView, rows: Iterable[SinceLastRow]) -> str:
    return listing(in_order(view, (row.model for row in rows)))


def _table(view: DatasetView, rows: Sequence[SinceLastRow], measure: Measure, how: Printing) -> Table:
    table = TableOf[SinceLastRow](
        view, lambda row: reason(row.status, view.terms) if row.status else "a run has no interval"
    )
    level = level_text(rows[0].level or view.study.inference.level)
    columns = (
        table.model(lambda row: row.model),
        table.number("previous", lambda row: row.value_then, how),
        table.number("now", lambda row: row.value, how),
        table.number("difference", lambda row: row.difference, how, unit=how.difference_unit),
        table.interval(
            lambda row: (row.ci_low, row.ci_high),
            how,
            title=f"{level} CI",
            unit=how.difference_unit,
            why=None,
        ),
        table.p_value("adjusted p" if any((row.family_size or 0) > 1 for row in rows) else "p", decisive_p),
    )
    pick = view.terms.say("Paired differences use the shared trials; the values of a run use all its trials.")
    partly = any(_partial(row) for row in rows)
    apart = not all(
        how.adds_up(row.difference, row.value, row.value_then) for row in rows if not _partial(row)
    )
    caption = (
        f"Change in {view.terms.measure(measure)} on the test set since the previous run, each run at its own"
        " thresholds."
    )
    notes = [*methods_of(rows, view.names, view.terms)]
    notes += [pick] * partly + [UNROUNDED] * apart
    return table_of(view.unique_name(SINCE_LAST.name), caption, rows, columns, notes)


def _partial(row: SinceLastRow) -> bool:
    """Return whether a difference is of the shared trials, and either run has others too."""
    return row.pairing == "paired" and not row.n_shared == row.n_trials == row.n_trials_then


def _behind(changes: list[ChangeRow], spoken: Terms) -> tuple[Block, ...]:
    """Return what else has changed since the last run: one line a change."""
    rows = [
        (spoken.say(KINDS[row.kind]), text)
        for row in changes
        if row.kind in KINDS and (text := change_phrase(row, spoken))
    ]
    if not rows:
        return (Prose(f"Inputs, configuration, models and {spoken.trials} are unchanged."),)
    columns = (Column("what"), Column("change"))
    # The first column has the kind already.
    changed = ((kind, text.removeprefix(kind).removeprefix(":").removeprefix(" of")) for kind, text in rows)
    cells = tuple((Cell(kind), Cell(text.lstrip())) for kind, text in changed)
    return (Table("changes", "Other differences from the previous run.", columns, cells),)


def stale(view: DatasetView) -> Iterator[Caution]:
    """Yield that the inputs or the decisions are those of an earlier run."""
    for row in view.results.rows(CHANGES):
        if row.kind == "stale":
            yield FEATURE.code("stale_trials").caution(stale_sentence(row, view.terms), True)
