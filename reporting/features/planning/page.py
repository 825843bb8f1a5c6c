"""A plan as a report: the sentence for a protocol, a picture, and the table of sizes."""

from __future__ import annotations

import re

import numpy as np

from reporting import __version__
from reporting.base.provenance import InputFile, Provenance, library_versions, report_date
from reporting.document import blocks, numbers
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.words.terms import capitalised
from reporting.features.planning.sample_plan import PlanRow, SamplePlan
from reporting.features.planning.text import pilot_table, reached_text, reached_title, size_columns

PLAIN_NAME = r"[^\W\d_][\w \-]{0,39}"
"""Names of units that an axis shows unchanged."""
PICTURE = "plan"
"""The name of the picture."""


def plan_report(plan: SamplePlan, inputs: tuple[InputFile, ...] = ()) -> tuple[blocks.Report, Provenance]:
    """Return the report of a plan and where it comes from; ``inputs`` are the files of a pilot."""
    report = blocks.Report(
        title=f"Sample size: {plan.title}",
        data_line=plan.command,
        verdict=plan.sentence,
        sections=(
            blocks.Section(
                "Sample size",
                "sizes",
                (
                    plan_figure(plan),
                    _table(plan),
                    *_pilot(plan),
                    blocks.Prose(" ".join((plan.method, *plan.assumptions)), "Method"),
                ),
            ),
        ),
        signature=f"reporting {__version__}",
    )
    return report, Provenance(__version__, inputs, library_versions(), 0, report_date())


def _pilot(plan: SamplePlan) -> tuple[blocks.Table, ...]:
    shown = pilot_table(plan)
    if not shown:
        return ()
    head = (blocks.Column(shown[0][0]), *(blocks.Column(title, "number") for title in shown[0][1:]))
    rows = tuple(
        tuple(blocks.Cell(text, reason="not available" if text == blocks.UNDEFINED else "") for text in row)
        for row in shown[1:]
    )
    return (
        blocks.Table(
            "pilot", "Differences and values of the pilot, by its report's own methods.", head, rows
        ),
    )


def plan_figure(plan: SamplePlan) -> blocks.Figure:
    """Draw what each size gives, with a dot at the planned one and a line at the target."""
    scale = 100.0 if plan.percent or plan.goal == "power" else 1.0
    x, y = (np.array(values, dtype=np.float64) for values in zip(*plan.curve, strict=True))
    title, number = capitalised(reached_title(plan)), plan.number
    # A drawing library reads the title of an axis as a part of its own language.
    counted = plan.base if re.fullmatch(PLAIN_NAME, plan.base) else "clusters"
    x_axis = nice_axis(capitalised(counted), 0.0, float(x.max()))
    unit = f"{title} (%)" if scale == 100 else title
    y_axis = (
        blocks.Axis(unit, 0.0, 100.0, PERCENT)
        if plan.goal == "power"
        else nice_axis(unit, 0.0, scale * float(y.max()))
    )
    reached = plan.planned.reached or 0.0
    marks: list[Mark | blocks.Series] = []
    if plan.planned.wanted is not None:
        wanted = scale * plan.planned.wanted
        marks.append(
            blocks.Series(
                f"target {reached_title(plan)}", "guide", 0, (x_axis.low, x_axis.high), (wanted, wanted)
            )
        )
    marks += [
        Mark.line(reached_title(plan), 1, x, scale * y),
        Mark.points(reached_title(plan), 1, np.array([float(number)]), np.array([scale * reached])),
    ]
    shown = reached_text(plan, reached)
    words = Words(
        caption=f"{title} against the number of {plan.base}; dot: the planned size.",
        alt=f"{title} against the number of {plan.base}: {shown} at {numbers.count(number)}.",
        title=f"{title} {shown} at {numbers.count(number)} {plan.base}",
        subtitle=f"{title} by size",
    )
    return render(ChartSpec(PICTURE, x_axis, y_axis, marks), words)


def _table(plan: SamplePlan) -> blocks.Table:
    columns = size_columns(plan)
    heads = [
        *(blocks.Column(title, "number") for title in columns.values()),
        blocks.Column(reached_title(plan), "number"),
    ]

    def cells(row: PlanRow) -> tuple[blocks.Cell, ...]:
        bold = row.size == plan.planned.size
        counts = [None if row.size is None else getattr(row.size, name) for name in columns]
        return (
            *(
                blocks.Cell(blocks.UNDEFINED, reason="no size is enough")
                if n is None
                else blocks.Cell(numbers.count(n), float(n), bold=bold)
                for n in counts
            ),
            blocks.Cell(reached_text(plan, row.reached), row.reached, bold=bold),
        )

    caption = (
        f"Sample sizes and what each gives ({round(100 * plan.level, 10):g}% level); bold: the planned size."
    )
    return blocks.Table("sizes", caption, tuple(heads), tuple(cells(row) for row in plan.rows))
