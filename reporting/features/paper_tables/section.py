"""The tables for a paper that a config lays out: a row a model or a dataset, a column a measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.threshold import FAR
from reporting.document import numbers
from reporting.document.blocks import UNDEFINED, Cell, Column, Section, Table
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.words.decisions import answer
from reporting.document.words.phrases import listing, no_threshold, sense, threshold_phrase
from reporting.document.words.tables import ColumnOf, TableOf, limits, spanner, table_of, without_empty
from reporting.document.words.view import DatasetView, views
from reporting.features.paper_tables import FEATURE
from reporting.features.paper_tables.keys import TABLES, PaperColumn, PaperTable

BOLD = "Bold: best by the adjusted decision on the primary measure."
BOLD_OVER_BASELINE = (
    "Bold: best value of the primary measure, and better than the baseline by the adjusted decision."
)
LEAST_DECIMALS = 1
"""Of percentages, so that the seed of the resamples does not decide whether a column has any."""
ACROSS_FOLDS = "Of thresholds chosen fold by fold, the lowest and the highest are shown."


class ModelInView(NamedTuple):
    """A model on a dataset; a row of a table has one or the other of its own."""

    view: DatasetView
    model: str


def paper_tables(results: Results) -> Section | None:
    """Return the tables in the order of the config."""
    every = [view for view in views(results) if view.whole]
    return FEATURE.section("tables").of(_table(results, every, layout) for layout in TABLES.of(results.study))


def _table(results: Results, every: list[DatasetView], layout: PaperTable) -> Table:
    first = every[0]
    table = TableOf[ModelInView](first)
    head: ColumnOf[ModelInView]
    beside: list[tuple[str, Callable[..., ModelInView]]]
    # An author who lists the models has an order in mind.
    models = first.results.models if results.study.models else first.ranked
    if layout.rows == "models":
        lines = [ModelInView(first, model) for model in models]
        head = table.model(lambda line: line.model)
        beside = [(view.label, lambda line, view=view: line._replace(view=view)) for view in every]
    else:
        lines = [ModelInView(view, models[0]) for view in every]
        head = table.text("dataset", lambda line: line.view.label or line.view.dataset)
        beside = [
            (first.names[model], lambda line, model=model: line._replace(model=model)) for model in models
        ]
    bold = {(view.number, model) for view in every for model in _best(view)}
    columns = [
        column_of
        for title, place in beside
        for column in layout.columns
        for column_of in spanner(title, *_columns(lines, layout, column, place, bold))
    ]
    notes = (
        *((f"{table.level} CIs in brackets.",) if layout.ci != "none" else ()),
        *_few_errors(every, models, layout),
        *((BOLD_OVER_BASELINE if results.study.baseline else BOLD,) if layout.bold_best and bold else ()),
        *((ACROSS_FOLDS,) if _has_folds(every, layout) else ()),
    )
    caption = layout.caption or _caption(first, layout)
    return without_empty(table_of(layout.name or "", caption, lines, (head, *columns), notes))


def _best(view: DatasetView) -> list[str]:
    """Return the model that is decided to be best; with a baseline, the first where it beats it.

    The baseline itself is best where every other model is decided worse.
    """
    decided = answer(view)
    if decided.question != "baseline":
        return decided.where("best")
    first = next(iter(view.ranked))
    others = [model for model in view.ranked if model != view.study.baseline]
    if first == view.study.baseline:
        return [first] if decided.where("worse") == others else []
    return [first] if first in decided.where("better") else []


def _few_errors(every: list[DatasetView], models: Sequence[str], layout: PaperTable) -> tuple[str, ...]:
    """Name the numbers that rest on fewer than 30 errors: a reader of the table alone cannot know."""
    few = {
        _name(view, column): None
        for column in layout.columns
        for view in every
        for model in models
        if not isinstance(column.measure, str)
        and (row := view.metric(model, column.measure, column.criterion)) is not None
        and "below_rule_of_30" in row.flags
    }
    return (f"Fewer than 30 errors in some rows: {listing(few)}.",) if few else ()


def _has_folds(every: list[DatasetView], layout: PaperTable) -> bool:
    rows = (
        view.operating_point(model, column.criterion) or view.metric(model, FAR, column.criterion)
        for view in every
        for model in view.results.models
        for column in layout.columns
        if isinstance(column.measure, str) and column.criterion is not None
    )
    return any(row is not None and row.folds is not None for row in rows)


def _columns(
    lines: list[ModelInView],
    layout: PaperTable,
    column: PaperColumn,
    place: Callable[[ModelInView], ModelInView],
    bold: set[tuple[int, str]],
) -> Iterator[ColumnOf[ModelInView]]:
    """Yield a value and, where there is room for it, its interval beneath or next to it."""
    view, measure = lines[0].view, column.measure
    table = TableOf[ModelInView](view)
    if isinstance(measure, str):
        yield _threshold(lines, column, place, _title(view, layout, column))
        return
    # One column has the same digits throughout, whichever datasets are in it.
    show = DatasetView.printing_over(list(dict.fromkeys(place(line).view for line in lines)), measure)
    if column.digits is not None:
        show = replace(show, decimals=column.digits)
    elif show.percent:
        show = replace(show, decimals=max(show.decimals, LEAST_DECIMALS))

    primary = view.study.primary
    at = primary.criterion if primary.measure.over == "threshold" else None
    is_primary = (measure, column.criterion) == (primary.measure, at)

    def row(line: ModelInView) -> MetricRow | None:
        there = place(line)
        return there.view.metric(there.model, measure, column.criterion)

    def cell(line: ModelInView) -> Cell:
        there = place(line)
        best = layout.bold_best and is_primary and (there.view.number, there.model) in bold
        return replace(values.cell(line), bold=best)

    column_of = table.estimate if layout.ci == "beneath" else table.value
    values = column_of(_title(view, layout, column), row, show, sense=sense(measure))
    yield ColumnOf(values.head, cell)
    if layout.ci == "beside":
        yield table.interval(lambda line: limits(row(line)), show)


def _threshold(
    lines: list[ModelInView], column: PaperColumn, place: Callable[[ModelInView], ModelInView], title: str
) -> ColumnOf[ModelInView]:
    """Return a column of thresholds, with digits enough to distinguish them."""

    def ends(line: ModelInView) -> list[float]:
        """The threshold; of those of several folds the lowest and the highest."""
        there = place(line)
        assert column.criterion is not None
        row = there.view.metric(there.model, FAR, column.criterion)
        if row is None:
            return []
        known = [row.threshold] if row.threshold is not None else [row.threshold_low, row.threshold_high]
        return [value for value in known if value is not None]

    known = [value for line in lines for value in ends(line)]
    texts = dict(zip(known, numbers.thresholds(known), strict=True))

    def shown(value: float) -> str:
        return texts[value] if column.digits is None else numbers.fixed(value, column.digits)

    def cell(line: ModelInView) -> Cell:
        values = ends(line)
        if not values:
            return Cell(UNDEFINED, reason=no_threshold(place(line).view))
        return Cell(" to ".join(map(shown, values)), values[0])

    return ColumnOf(Column(title, "number"), cell)


def _title(view: DatasetView, layout: PaperTable, column: PaperColumn) -> str:
    """Return the name of the measure, with its thresholds where others are in the same table.

    A title of the config's own is printed as it is written there.
    """
    if column.title:
        return column.title
    name = _name(view, column)
    if column.criterion is None or len({each.criterion for each in layout.columns} - {None}) < 2:
        return name
    hindsight = f" ({view.terms.hindsight})" if column.criterion.oracle else ""
    return f"{name}, {view.terms.criterion(column.criterion)}{hindsight}"


def _name(view: DatasetView, column: PaperColumn) -> str:
    return view.terms.threshold if isinstance(column.measure, str) else view.terms.measure(column.measure)


def _caption(view: DatasetView, layout: PaperTable) -> str:
    """Say where the thresholds of the columns come from, and which columns have none."""
    named: dict[Criterion | None, dict[str, None]] = {}
    for column in layout.columns:
        named.setdefault(column.criterion, {})[_name(view, column)] = None
    over_all = named.pop(None, {})
    if not named:
        return "Measures over all thresholds of the test set."
    phrases = {criterion: threshold_phrase(criterion, view.study) for criterion in named if criterion}
    if not over_all:
        return f"Results on the test set at {'; '.join(phrases.values())}."
    parts = [f"{listing(named[criterion])} at {phrase}" for criterion, phrase in phrases.items()]
    return f"Results on the test set: {'; '.join([*parts, f'{listing(over_all)} over all thresholds'])}."
