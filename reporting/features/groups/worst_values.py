"""The error rate at every value of a column that describes one class, and the highest of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reporting.base.legible import elided
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.document.blocks import Table
from reporting.document.words.phrases import listing
from reporting.document.words.tables import ColumnOf, Estimate, TableOf, by_width
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.groups.worst import WORST, WorstRow

BIASED = (
    "The highest of several estimates is biased upward, because chance has a say in which it is; the limits"
    " and the bound allow for that."
)
BOUND = (
    "Bound: with {level} confidence the highest true rate is at most this, whichever value it belongs to"
    " (one-sided)."
)
TOGETHER = "{level} limits in brackets hold for all {n} values together (Šidák)."


MOST_NAMED = 3


class RatesOfValue(NamedTuple):
    """A value of the column with the rate of every model."""

    first: WorstRow
    by_model: dict[str, WorstRow]


def worst_tables(view: DatasetView, number: int, columns: Sequence[str]) -> tuple[Table, ...]:
    """Return the tables of a breakdown of one class: the rates of all values, and the highest."""
    frame = view.results.frame(WORST).filter(dataset=view.dataset, run=view.run)
    rows = [row for row in WORST.rows(frame) if sorted(row.group_columns) == sorted(columns)]
    criterion = view.point_criterion
    if not rows or criterion is None:
        return ()
    here = [row for row in rows if row.criterion == str(criterion)]
    values: dict[str, RatesOfValue] = {}
    for row in here:
        values.setdefault(row.group, RatesOfValue(row, {})).by_model[row.model] = row
    each = [
        _values(
            view,
            f"worst_{number}_values" if part == 1 else f"worst_{number}_values_{part}",
            columns,
            models,
            list(values.values()),
        )
        for part, models in enumerate(by_width(view.ranked), start=1)
        if here
    ]
    return (*each, _highest(view, f"worst_{number}", columns, rows))


def _values(
    view: DatasetView, name: str, columns: Sequence[str], models: Sequence[str], values: list[RatesOfValue]
) -> Table:
    """One row per value of the column, one column per model."""
    table, first = TableOf[RatesOfValue](view), values[0].first
    measure = read_measure(first.measure)
    printed = view.printing(measure)
    described = view.terms.targets if measure.key == "frr" else view.terms.nontargets

    def rate(model: str) -> ColumnOf[RatesOfValue]:
        return table.estimate(
            view.names[model],
            lambda value: _estimate(value.by_model.get(model)),
            printed,
            sense="lower is better",
        )

    def of_column(column: str) -> ColumnOf[RatesOfValue]:
        return table.text(
            column,
            lambda value: dict(zip(value.first.group_columns, value.first.group_values, strict=True))[column],
        )

    rule = view.terms.rule(read_criterion(first.criterion))
    return table.build(
        name,
        f"{capitalised(view.terms.measure(measure))} by {listing(columns)}, at thresholds {rule}.",
        values,
        (
            *map(of_column, columns),
            table.count(described, lambda value: value.first.n_described),
            *map(rate, models),
        ),
        (TOGETHER.format(level=table.level, n=first.n_groups),),
    )


def _highest(view: DatasetView, name: str, columns: Sequence[str], rows: Iterable[WorstRow]) -> Table:
    """One row per model and criterion: where its rate is highest, and what the true highest rate may be."""
    table = TableOf[list[WorstRow]](view)
    families: dict[tuple[str, str], list[WorstRow]] = {}
    for row in rows:
        families.setdefault((row.criterion, row.model), []).append(row)
    order = {model: place for place, model in enumerate(view.ranked)}
    shown = sorted(families.values(), key=lambda family: order[family[0].model])
    criteria = [str(criterion) for criterion in view.study.criteria]
    shown.sort(key=lambda family: criteria.index(family[0].criterion))
    measure = read_measure(shown[0][0].measure)
    printed, title = view.printing(measure), view.terms.measure(measure)

    def worst(family: list[WorstRow]) -> list[WorstRow]:
        return [row for row in family if row.is_worst]

    def where(family: list[WorstRow]) -> str | None:
        tied = [", ".join(map(elided, row.group_values)) for row in worst(family)]
        return listing(tied, MOST_NAMED) or None

    return table.build(
        name,
        f"The highest {title} over {listing(columns)}.",
        shown,
        (
            table.model(lambda family: family[0].model),
            table.text("highest at", where),
            table.estimate(f"highest {title}", _of_highest, printed, sense="lower is better"),
            table.number("bound", lambda family: next((row.bound for row in worst(family)), None), printed),
        ),
        (TOGETHER.format(level=table.level, n=shown[0][0].n_groups), BOUND.format(level=table.level), BIASED),
        group=lambda family: f"thresholds {view.terms.rule(read_criterion(family[0].criterion))}",
    )


def _estimate(row: WorstRow | None) -> Estimate | None:
    return None if row is None else Estimate(row.value, row.low, row.high, row.status)


def _of_highest(family: list[WorstRow]) -> Estimate | None:
    """The highest rate; the true highest lies between the highest lower and the highest upper limit."""
    worst = next((row for row in family if row.is_worst), None)
    if worst is None:
        return _estimate(family[0])
    ends = [(row.low, row.high) for row in family if row.low is not None and row.high is not None]
    known = len(ends) == len(family)
    return Estimate(
        worst.value,
        max(low for low, _ in ends) if known else None,
        max(high for _, high in ends) if known else None,
        None,
    )
