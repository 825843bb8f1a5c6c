"""Readers by models with CIs, and what the standard error of a mean difference is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from reporting.base.records import dataclass, replace
from reporting.core.engine.model_runs import MEAN
from reporting.document.blocks import Block, Section, Table
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.results import Results
from reporting.document.words.caveats import pair
from reporting.document.words.decisions import decisive_p
from reporting.document.words.oriented import primary_rows
from reporting.document.words.phrases import first_question
from reporting.document.words.tables import Estimate, TableOf
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.readers import FEATURE

MOST_DIFFERENCES = 3
"""So many comparisons have a column of their own."""
BY_STUDENT = "t"
"""The test of means over readers."""


def readers(results: Results) -> Section | None:
    """Return the tables of a reader study for each dataset; nothing where runs are not readers."""
    if results.study.runs != "reader":
        return None
    means = [view for view in views(results) if view.run == MEAN and view.runs]
    if len(means) == 1:
        return FEATURE.section("readers").of(_blocks(means[0]))
    return FEATURE.section("readers").per_view(means, _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    compared = primary_rows(view)
    return (_values(view, compared), *_components(view, compared))


def _values(view: DatasetView, compared: Sequence[ComparisonRow]) -> Table:
    """Return a row for each reader and one for their mean: a value per model, and differences."""
    table, printed = TableOf[DatasetView](view), view.printing(view.study.primary.measure)
    columns = [table.text("reader", lambda each: f"mean of {len(view.runs)}" if each is view else each.run)]
    columns += [
        table.estimate(view.names[model], lambda each, model=model: each.primary(model), printed)  # type: ignore[misc]
        for model in view.results.models
    ]
    for row in compared if len(compared) <= MOST_DIFFERENCES else ():
        columns.append(
            table.estimate(
                pair(view, row),
                lambda each, row=row: _difference(view, each, row),  # type: ignore[misc]
                printed,
                unit=printed.difference_unit,
            )
        )
    return table.build(
        "readers",
        f"{capitalised(first_question(view))} of each reader, test set. In brackets: {table.level} CIs.",
        [*view.runs, view],
        columns,
        (
            "CIs of single readers hold for these readers and other "
            f"{view.terms.trials}; those of means and differences for other readers, too.",
        ),
    )


def _difference(view: DatasetView, each: DatasetView, row: ComparisonRow) -> Estimate:
    """Return the difference of the means with its CI, or that of one reader."""
    if each is view:
        return Estimate(row.difference, row.ci_low, row.ci_high, row.status)
    both = each.primary(row.model), each.primary(row.baseline)
    first, second = (None if of is None else of.value for of in both)
    return Estimate(None if first is None or second is None else first - second, None, None, row.status)


@dataclass(frozen=True)
class _Components:
    """A comparison with the variance of R readers' differences over R, and the variance of their mean."""

    row: ComparisonRow
    readers: int
    of_readers: float
    whole: float

    @property
    def of_cases(self) -> float:
        """c, what the readers share: the variance that the cases bring."""
        return max(self.whole - self.of_readers, 0.0)

    @property
    def df(self) -> float:
        """Hillis's degrees of freedom: SE^4 (R - 1) / (S^2 / R)^2."""
        return math.inf if not self.of_readers else self.whole**2 * (self.readers - 1) / self.of_readers**2


def _parts(view: DatasetView, compared: Sequence[ComparisonRow]) -> Iterator[_Components]:
    """Yield the comparisons whose standard error is that of readers and cases."""
    for row in compared:
        differences = [_difference(view, each, row).value for each in view.runs]
        defined = [value for value in differences if value is not None]
        if row.se and row.p_method == BY_STUDENT and len(defined) == len(differences) > 1:
            of_readers = float(np.var(defined, ddof=1)) / len(defined)
            yield _Components(row, len(defined), of_readers, row.se**2)


def _components(view: DatasetView, compared: Sequence[ComparisonRow]) -> Iterator[Table]:
    every = list(_parts(view, compared))
    if not every:
        return
    table = TableOf[_Components](view)
    printed = view.printing(view.study.primary.measure)
    fine, unit = replace(printed, decimals=printed.decimals + 1), printed.difference_unit
    shown = (
        ("SD of readers", lambda each: math.sqrt(each.of_readers * each.readers)),
        ("SE from readers", lambda each: math.sqrt(each.of_readers)),
        ("SE from cases", lambda each: math.sqrt(each.of_cases)),
        ("SE", lambda each: each.row.se),
    )
    columns = [
        table.text("comparison", lambda each: pair(view, each.row)),
        *(table.number(title, value, fine, unit=unit) for title, value in shown),
    ]
    # Few clusters of cases lower the degrees of freedom further.
    if view.results.cluster is None:
        columns.append(table.number("df", lambda each: each.df, 1))
    columns.append(table.p_value("p", lambda each: decisive_p(each.row)))
    yield table.build(
        "reader_components",
        f"What differences of means over {every[0].readers} readers vary by, and how much.",
        every,
        columns,
        (
            "SE² = S² / R + c (Obuchowski and Rockette): S, the SD of R readers' differences; √c, the SE from"
            " cases, which the readers share. df: Hillis 2007.",
        ),
    )
