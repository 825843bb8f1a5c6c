"""Tables of a report as objects of great_tables, which prints them as HTML, LaTeX or a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from reporting.core.engine.study import Study
from reporting.document.blocks import Section
from reporting.document.frames.results import Results
from reporting.errors import ConfigError
from reporting.features.paper_tables.keys import TABLES, PaperColumn, PaperTable
from reporting.features.sections import SECTIONS
from reporting.render.layout import Layout

PAPER = "paper"
"""The table of systems by measures that every report has."""
GROUP = "group"


def paper_section(results: Results) -> Section | None:
    """Return the section of one table, systems by measures, every measure of the report a column."""
    study = results.study
    layout = PaperTable(name=PAPER, columns=_columns(study), ci="beside")
    return SECTIONS["tables"].write(replace(results, study=study.with_key(TABLES.name, (layout,))))


def _columns(study: Study) -> tuple[PaperColumn, ...]:
    """Measures at a threshold are those of the primary criterion, or of the first one that there is."""
    primary = study.primary.criterion
    usual = primary if primary in study.criteria else next(iter(study.criteria), None)
    at = {measure: usual if measure.over == "threshold" else None for measure in study.measures}
    return tuple(
        PaperColumn(measure, criterion)
        for measure, criterion in at.items()
        if criterion is not None or measure.over != "threshold"
    )


def great_table(table: Layout) -> Any:
    """Return a table as an object of great_tables; ConfigError where that is not installed.

    Every cell is the printed text, its interval behind it; notes follow the table. In LaTeX great_tables
    leaves bold type out, with a warning.
    """
    try:
        from great_tables import GT, loc, style
    except ModuleNotFoundError:
        raise ConfigError(
            "report.table: great_tables is not installed; run pip install 'trial-reporting[tables]'"
        ) from None
    # Columns have plain names of their own: titles may repeat, and may hold anything.
    names = [f"c{number}" for number in range(len(table.heads))]
    lines = [
        [group.title, *(" ".join(filter(None, (cell.text + cell.mark, cell.beneath))) for cell in row)]
        for group in table.groups
        for row in group.rows
    ]
    frame = pl.DataFrame(lines, schema=dict.fromkeys([GROUP, *names], pl.String), orient="row")
    grouped = any(group.title for group in table.groups)
    shown = GT(frame if grouped else frame.drop(GROUP), groupname_col=GROUP if grouped else None)
    shown = shown.cols_label({name: head.text for name, head in zip(names, table.heads, strict=True)})
    for span in filter(lambda span: span.title, table.spans):
        under = names[span.first : span.first + span.width]
        shown = shown.tab_spanner(span.title, columns=under, id=f"span{span.first}")
    for i, (name, head) in enumerate(zip(names, table.heads, strict=True)):
        shown = shown.cols_align("left" if head.column.kind == "text" else "right", [name])
        bold = [at for at, row in enumerate(table.rows) if row[i].bold]
        if bold:
            shown = shown.tab_style(style.text(weight="bold"), loc.body(columns=name, rows=bold))
    shown = shown.tab_header(table.caption)
    for note in table.notes:
        shown = shown.tab_source_note(note)
    return shown
