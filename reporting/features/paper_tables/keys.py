"""The keys of ``report.tables``: tables for a paper, systems by measures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import PaperColumn, PaperTable, Study
from reporting.core.measures.threshold import FAR
from reporting.document.keys import (
    DISTINCT,
    THRESHOLD,
    ConfigSection,
    CriterionName,
    Declare,
    Flag,
    MeasureOrThreshold,
    Text,
    Whole,
    fault,
)
from reporting.errors import ConfigError

NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
OURS = (
    *("agreement", "areas", "breakdown", "changes", "comparisons", "core", "costs", "crosswalk", "data"),
    *("decisions", "detectable", "differences", "fit", "fits", "gates", "glossary", "inputs", "kappa"),
    *("last", "macro", "operating", "other", "own", "pairs", "runs", "summary", "tests", "transfer"),
    *("trend", "winners"),
)
"""How the names of the report's other tables begin."""


class PaperColumnKeys(ConfigSection):
    """A column: a measure alone, or a measure with what chooses its thresholds."""

    measure: MeasureOrThreshold = Field(description="what is shown: a measure, or 'threshold'")
    criterion: CriterionName | None = Field(
        default=None, description="what chooses the thresholds; left out: the primary criterion"
    )
    title: Text | None = Field(default=None, description="of the column; left out: the measure's name")
    digits: Whole | None = Field(
        default=None,
        ge=0,
        le=9,
        description="after the decimal point, from 0 to 9; left out: as many as the standard errors support",
    )

    @property
    def at_threshold(self) -> bool:
        """Return whether it needs a criterion that chooses thresholds."""
        return isinstance(self.measure, str) or self.measure.over == "threshold"

    @model_validator(mode="after")
    def _criterion_has_a_use(self) -> Self:
        if self.criterion is not None and not self.at_threshold:
            raise fault(f"'{self.measure}' takes no criterion; leave 'criterion' out")
        return self


PaperColumnOrMeasure = Annotated[
    PaperColumnKeys,
    BeforeValidator(
        lambda value: {"measure": value} if isinstance(value, str) else value,
        json_schema_input_type=PaperColumnKeys | MeasureOrThreshold,
    ),
]


class PaperTableKeys(ConfigSection):
    """A table for a paper: tables/NAME.tex, .csv and .md, and a place in the report.

    Models come in the order of ``models``; where the config has none, the best of the primary question comes
    first.
    """

    name: Text | None = Field(default=None, description="of its files; left out: paper_1, paper_2, ...")
    caption: Text | None = Field(default=None, description="left out: what the columns share")
    rows: Literal["models", "datasets"] = Field(
        default="models", description="a row each; the others are groups of columns"
    )
    columns: Annotated[list[PaperColumnOrMeasure], Field(min_length=1), DISTINCT] = Field(
        description="measures, each with a criterion where it needs another than the primary one"
    )
    ci: Literal["beneath", "beside", "none"] = Field(
        default="beneath", description="where confidence intervals are printed"
    )
    bold_best: Flag = Field(
        default=False,
        description="true: the best model of the primary question is bold, where it is decided; with a"
        " baseline, the best value where it is decided better than the baseline's",
    )

    @model_validator(mode="after")
    def _name_is_safe(self) -> Self:
        if self.name is not None and not NAME.fullmatch(self.name):
            raise fault(
                f"name: {self.name!r} is no file name: a small letter, then letters, digits, '_', '-'"
            )
        if self.name is not None and re.split(r"[_0-9-]", self.name)[0] in OURS:
            raise fault(f"name: {self.name!r} is kept for the tables that every report may have")
        return self


def _distinctly_named(tables: list[PaperTableKeys]) -> list[PaperTableKeys]:
    names = [table.name or f"paper_{number}" for number, table in enumerate(tables, start=1)]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise fault(f"{name!r} would be the name of two tables")
    return tables


PaperTables = Annotated[list[PaperTableKeys], AfterValidator(_distinctly_named)]


def with_tables(study: Study, keys: Sequence[PaperTableKeys], declare: Declare) -> Study:
    """Return the study with its tables, and with what they show among its measures and criteria."""
    primary = study.primary.criterion
    usual = primary if primary in study.criteria else next(iter(study.criteria), None)
    tables = tuple(
        PaperTable(
            entry.name or f"paper_{number}",
            entry.caption or "",
            entry.rows,
            tuple(_column(column, declare, usual) for column in entry.columns),
            entry.ci,
            entry.bold_best,
        )
        for number, entry in enumerate(keys, start=1)
    )
    columns = [column for table in tables for column in table.columns]
    for column in columns:
        if column.at_threshold and column.criterion is None:
            raise ConfigError(
                f"report.tables: '{column.measure or THRESHOLD}' is at a threshold, and the report has no"
                " criterion that chooses one; give the column one, as {measure: ..., criterion: ...}"
            )
    named = [column.measure or FAR for column in columns]  # a row at the threshold is needed to show it
    measures = dict.fromkeys((*study.measures, *named))
    criteria = dict.fromkeys((*study.criteria, *(each.criterion for each in columns if each.criterion)))
    return replace(study, tables=tables, measures=tuple(measures), criteria=tuple(criteria))


def _column(keys: PaperColumnKeys, declare: Declare, usual: Criterion | None) -> PaperColumn:
    measure = None if isinstance(keys.measure, str) else declare(keys.measure)
    chosen = usual if keys.criterion is None else declare(keys.criterion)
    at = chosen if measure is None or measure.over == "threshold" else None
    return PaperColumn(measure, at, keys.title or "", keys.digits)
