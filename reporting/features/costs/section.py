"""Detection costs at the operating points: one row per model, actual costs against the least possible."""

from __future__ import annotations

from typing import NamedTuple

from reporting.core.measures.costs import OperatingPoint
from reporting.document.blocks import Block, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import at_own_threshold
from reporting.document.words.tables import ColumnOf, Estimate, TableOf, by_dataset
from reporting.document.words.view import DatasetView, views
from reporting.features.costs import FEATURE
from reporting.features.costs.dcf import DCF, DcfRow

SOURCES = {
    "dev": "threshold set on development",
    "cv": "thresholds set across folds",
    "bayes": "Bayes threshold",
}
CAPTION = "Detection costs on the test set at the operating points"


class Cost(NamedTuple):
    """The costs of a model at an operating point, by where the threshold comes from."""

    model: str
    point: OperatingPoint
    by_source: dict[str, DcfRow]

    def actual(self, source: str) -> Estimate | None:
        """Return the cost at the threshold of a source."""
        row = self.by_source.get(source)
        if row is None:
            return None
        return Estimate(row.actual, row.actual_ci_low, row.actual_ci_high, row.status)

    @property
    def minimum(self) -> Estimate | None:
        """The least cost, which is the same for every source."""
        row = next(iter(self.by_source.values()), None)
        if row is None:
            return None
        return Estimate(row.minimum, row.minimum_ci_low, row.minimum_ci_high, row.status)


def costs(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without operating points."""
    return FEATURE.section("costs").per_view(views(results), _blocks, merged=by_dataset)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    rows = view.rows(DCF, "test")
    if not rows:
        return ()
    points, table = view.study.operating_points, TableOf[Cost](view)
    lines = [
        Cost(model, point, {r.threshold_source: r for r in rows if (r.name, r.model) == (point.name, model)})
        for point in points
        for model in view.ranked
    ]
    sources = {row.threshold_source for row in rows}
    relative = ", relative to ignoring the scores" if all(point.normalised for point in points) else ""
    at = f": {_described(view, points[0])}" if len(points) == 1 else ""
    return (
        table.build(
            "costs",
            f"{CAPTION}{relative}{at}.",
            lines,
            (
                table.model(lambda line: line.model),
                *(_actual(view, source) for source in SOURCES if source in sources),
                table.estimate("minimum DCF", lambda line: line.minimum, 3, sense="lower is better"),
            ),
            (f"{table.level} CIs in brackets.", f"The minimum is read {at_own_threshold(view.terms)}."),
            group=lambda line: _described(view, line.point),
        ),
    )


def _actual(view: DatasetView, source: str) -> ColumnOf[Cost]:
    table = TableOf[Cost](view)
    return table.estimate(
        f"actual DCF, {SOURCES[source]}", lambda line: line.actual(source), 3, sense="lower is better"
    )


def _described(view: DatasetView, point: OperatingPoint) -> str:
    costs = f"{view.terms.miss} cost {point.c_miss:g}, {view.terms.false_alarm} cost {point.c_fa:g}"
    apart = "" if point.normalised else ", not normalised"
    return f"{point.name} (prior {100 * point.p_target:g}%, {costs}{apart})"
