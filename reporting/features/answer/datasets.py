"""The answer over several datasets: one sentence, and a matrix of the models' values on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reporting.document.blocks import Block, Cell
from reporting.document.words.decisions import Answer, Word, answer
from reporting.document.words.phrases import listing, question, sense
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ColumnOf, DrawnInterval, TableOf, limits
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.answer.phrases import MOST_NAMES, counted, measure_name, value_text
from reporting.features.answer.summary import TONES

MARKS: dict[Word, str] = {"best": "✓", "better": "✓", "worse": "✗", "ruled out": "✗"}
"""Behind the value of a model that is decided."""
MOST_DRAWN = 3
"""The values of so many datasets are drawn next to their numbers."""


def sentence(views: Sequence[DatasetView]) -> str:
    """Return the headline of several datasets; nothing where a value is undefined on one of them."""
    answers = [answer(view) for view in views]
    if any("undefined" in (each.word for each in of.decisions.values()) for of in answers):
        return ""
    if len(views[0].results.models) == 1:
        model = views[0].ranked[0]
        values = (f"{value_text(view, model)} on {view.label}" for view in views)
        return f"{views[0].names[model]}: {measure_name(views[0])} {listing(values, MOST_NAMES)}."
    questions = {of.question for of in answers}
    if questions == {"baseline"}:
        return _against_baseline(views, answers)
    return _leaders(views, answers, compared=questions == {"best"})


def _leaders(views: Sequence[DatasetView], answers: Sequence[Answer], *, compared: bool) -> str:
    """Return which model leads where, and where it is the best."""
    leads: dict[str, list[str]] = {}
    for view in views:
        leads.setdefault(view.names[view.ranked[0]], []).append(view.label)
    if len(leads) == 1:
        who = f"{next(iter(leads))} looks best on {_all_of(views)}"
    else:
        first, *others = ((name, listing(on, MOST_NAMES)) for name, on in leads.items())
        clauses = (f"{name} on {on}" for name, on in others)
        who = f"{first[0]} looks best on {first[1]}, {listing(clauses, MOST_NAMES)}"
    if not compared:
        return f"{who}; the models were not compared."
    shown = [
        view.label
        for view, of in zip(views, answers, strict=True)
        if of.decisions[view.ranked[0]].word == "best"
    ]
    if len(shown) == len(views):
        return f"{who.replace(' looks best ', ' is best ')}."
    if shown:
        return f"{who}; that is shown on {listing(shown, MOST_NAMES)} alone."
    if len(views[0].results.models) == 2:
        other = views[0].names[views[0].ranked[1]]
        unshown = f" but is not shown to beat {other}" if len(leads) == 1 else "; no difference is shown"
        return f"{who}{unshown}."
    out = any(of.where("ruled out") for of in answers)
    return f"{who}; {'others may be best too' if out else 'no model can be ruled out as best'}."


def _against_baseline(views: Sequence[DatasetView], answers: Sequence[Answer]) -> str:
    """Return on which datasets each model is better or worse than the baseline."""
    names, base = views[0].names, str(views[0].study.baseline)
    clauses: list[str] = []
    for model in (each for each in views[0].results.models if each != base):
        on = {
            word: [v.label for v, of in zip(views, answers, strict=True) if of.decisions[model].word == word]
            for word in ("better", "worse")
        }
        parts = [
            f"{word}{'' if clauses else f' than the baseline {names[base]}'}"
            f" on {_all_of(views) if len(labels) == len(views) else listing(labels, MOST_NAMES)}"
            for word, labels in on.items()
            if labels
        ]
        if parts:
            clauses.append(f"{names[model]} is {' and '.join(parts)}")
    if not clauses:
        return f"No model is shown to differ from the baseline {names[base]} on any dataset."
    return f"{'; '.join(clauses[:MOST_NAMES])}."


def _all_of(views: Sequence[DatasetView]) -> str:
    return "both datasets" if len(views) == 2 else f"all {counted(len(views))} datasets"


def matrix(views: Sequence[DatasetView]) -> Iterator[Block]:
    """Yield a row for every model and a column for every dataset: value, interval, and what is decided.

    Runs of one dataset that have no mean are no datasets.
    """
    if len({view.dataset for view in views}) == 1:
        return
    first, measure = views[0], views[0].study.primary.measure
    table, printed = TableOf[str](first), DatasetView.printing_over(views, measure)
    decided = [answer(view) for view in views]

    def column(view: DatasetView, of: Answer) -> ColumnOf[str]:
        value = table.value(f"{first.terms.measure(measure)}, {view.label}", view.primary, printed)

        def cell(model: str) -> Cell:
            row, shown = view.primary(model), value.cell(model)
            if row is None or row.value is None:
                return shown
            low, high = limits(row)
            interval = "" if low is None or high is None else printed.interval(low, high)
            word = of.decisions[model].word
            return replace(
                shown, beneath=interval, mark=MARKS.get(word, ""), tone=TONES[word] if word in MARKS else ""
            )

        return ColumnOf(value.head, cell)

    names = table.model(lambda model: model)

    def named(model: str) -> Cell:
        return replace(names.cell(model), style=first.styles[model])

    what = capitalised(question(measure, first.study.primary.criterion, first.study))
    columns = [column(view, of) for view, of in zip(views, decided, strict=True)]
    if len(views) <= MOST_DRAWN:
        columns = [each for pair in zip(_drawn(views, printed), columns, strict=True) for each in pair]
    built = table.build(
        "summary",
        f"{what}, by dataset; test set. In brackets: {table.level} CIs.",
        first.ranked,
        (ColumnOf(names.head, named), *columns),
    )
    marks = {word: mark for word, mark in MARKS.items() if any(of.where(word) for of in decided)}
    key = "; ".join([*(f"{mark} {word}" for word, mark in marks.items()), "unmarked: undecided"])
    verdicts = f"{key}." if marks else "Nothing is decided on any dataset."
    marked = "Dot: value; line and brackets" if len(views) <= MOST_DRAWN else "Brackets"
    note = f"{sense(measure).capitalize()}. {marked}: {table.level} CI. {verdicts}"
    yield replace(built, name=first.across_datasets("summary"), drawn_notes=(note,))


def _drawn(views: Sequence[DatasetView], printed: Printing) -> Iterator[ColumnOf[str]]:
    """Yield the values of each dataset as a picture, all on one axis: rows can be compared as well."""
    first, measure = views[0], views[0].study.primary.measure

    def interval(place: tuple[DatasetView, str]) -> DrawnInterval | None:
        row = place[0].primary(place[1])
        return None if row is None or row.value is None else DrawnInterval(row.value, *limits(row))

    places = [(view, model) for view in views for model in first.ranked]
    drawn = TableOf[tuple[DatasetView, str]](first).drawn(places, interval, printed, measure.bounds)
    for view in views:
        yield ColumnOf(drawn.head, lambda model, view=view: drawn.cell((view, model)))  # type: ignore[misc]
