"""The keys of ``report.tables``: tables for a paper, systems by measures."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from reporting.base.records import dataclass, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import Study
from reporting.core.measures.threshold import FAR
from reporting.document import keys
from reporting.errors import ConfigError

NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
OURS = (
    *("agreement", "areas", "breakdown", "changes", "comparisons", "core", "costs", "crosswalk", "data"),
    *(
        "decisions",
        "detectable",
        "differences",
        "fit",
        "fits",
        "gates",
        "glossary",
        "handover",
        "inputs",
        "kappa",
    ),
    *("last", "macro", "operating", "other", "own", "pairs", "runs", "summary", "tests", "transfer"),
    *("trend", "winners"),
)
"""How the names of the report's other tables begin."""


@dataclass(frozen=True)
class PaperColumn(keys.ConfigValues):
    """A column: a measure alone, or a measure with what chooses its thresholds."""

    measure: Annotated[keys.MeasureOrThreshold, Field(description="what is shown: a measure, or 'threshold'")]
    criterion: Annotated[
        keys.CriterionName | None,
        Field(description="what chooses the thresholds; left out: the primary criterion"),
    ] = None
    title: Annotated[keys.Text | None, Field(description="of the column; left out: the measure's name")] = (
        None
    )
    digits: Annotated[
        Annotated[keys.Whole, Field(ge=0, le=9)] | None,
        Field(
            description="after the decimal point, from 0 to 9; left out: as many as the standard errors"
            " support"
        ),
    ] = None

    def __str__(self) -> str:
        return " ".join(f"{name}={value!r}" for name, value in vars(self).items())

    @property
    def at_threshold(self) -> bool:
        """Return whether it needs a criterion that chooses thresholds."""
        return isinstance(self.measure, str) or self.measure.over == "threshold"

    @model_validator(mode="after")
    def _criterion_has_a_use(self) -> Self:
        if self.criterion is not None and not self.at_threshold:
            raise keys.fault(f"'{self.measure}' takes no criterion; leave 'criterion' out")
        return self


PaperColumnOrMeasure = Annotated[
    PaperColumn,
    BeforeValidator(
        lambda value: {"measure": value} if isinstance(value, str) else value,
        json_schema_input_type=PaperColumn | keys.MeasureOrThreshold,
    ),
]


@dataclass(frozen=True, kw_only=True)
class PaperTable(keys.ConfigValues):
    """A table for a paper: tables/NAME.tex, .csv and .md, and a place in the report.

    Models come in the order of ``models``; where the config has none, the best of the primary question comes
    first.
    """

    name: Annotated[keys.Text | None, Field(description="of its files; left out: paper_1, paper_2, ...")] = (
        None
    )
    caption: Annotated[keys.Text | None, Field(description="left out: what the columns share")] = None
    rows: Annotated[
        Literal["models", "datasets"], Field(description="a row each; the others are groups of columns")
    ] = "models"
    columns: Annotated[
        tuple[PaperColumnOrMeasure, ...],
        Field(
            min_length=1,
            description="measures, each with a criterion where it needs another than the primary one",
        ),
        keys.DISTINCT,
    ]
    ci: Annotated[
        Literal["beneath", "beside", "none"], Field(description="where confidence intervals are printed")
    ] = "beneath"
    bold_best: Annotated[
        keys.Flag,
        Field(
            description="true: the best model of the primary question is bold, where it is decided; with a"
            " baseline, the best value where it is decided better than the baseline's"
        ),
    ] = False

    @model_validator(mode="after")
    def _name_is_safe(self) -> Self:
        if self.name is not None and not NAME.fullmatch(self.name):
            raise keys.fault(
                f"name: {self.name!r} is no file name: a small letter, then letters, digits, '_', '-'"
            )
        if self.name is not None and re.split(r"[_0-9-]", self.name)[0] in OURS:
            raise keys.fault(f"name: {self.name!r} is kept for the tables that every report may have")
        return self


def _numbered(tables: tuple[PaperTable, ...]) -> list[str]:
    return [table.name or f"paper_{number}" for number, table in enumerate(tables, start=1)]


def _distinctly_named(tables: tuple[PaperTable, ...]) -> tuple[PaperTable, ...]:
    names = _numbered(tables)
    for at, name in enumerate(names):
        if name in names[:at]:
            raise keys.fault(f"{name!r} would be the name of two tables")
    return tables


def _needs_dev(tables: tuple[PaperTable, ...]) -> bool:
    columns = [column for table in tables for column in table.columns if column.at_threshold]
    return any(column.criterion is None or column.criterion.needs_dev for column in columns)


def _with_tables(
    key: keys.QuestionKey[tuple[PaperTable, ...]],
    study: Study,
    tables: tuple[PaperTable, ...],
    declare: keys.Declare,
) -> Study:
    """Return the study with its tables, and with what they show among its measures and criteria."""
    primary = study.primary.criterion
    usual = primary if primary in study.criteria else next(iter(study.criteria), None)
    declared = tuple(
        replace(table, name=name, columns=tuple(_declared(each, declare, usual) for each in table.columns))
        for name, table in zip(_numbered(tables), tables, strict=True)
    )
    columns = [column for table in declared for column in table.columns]
    for column in columns:
        if column.at_threshold and column.criterion is None:
            raise ConfigError(
                f"report.tables: '{column.measure}' is at a threshold, and the report has no"
                " criterion that chooses one; give the column one, as {measure: ..., criterion: ...}"
            )
        # A row at the threshold is needed to show it.
        shown = FAR if isinstance(column.measure, str) else column.measure
        study = study.measuring([shown, *([column.criterion] if column.criterion else [])])
    return study.with_key(key.name, declared) if declared else study


def _declared(column: PaperColumn, declare: keys.Declare, usual: Criterion | None) -> PaperColumn:
    measure = column.measure if isinstance(column.measure, str) else declare(column.measure)
    chosen = usual if column.criterion is None else declare(column.criterion)
    return replace(column, measure=measure, criterion=chosen if column.at_threshold else None)


TABLES = keys.QuestionKey[tuple[PaperTable, ...]](
    name="report.tables",
    after="paper",
    kind=Annotated[tuple[PaperTable, ...], AfterValidator(_distinctly_named)],
    default=(),
    description="tables for a paper: systems by measures",
    needs_dev=_needs_dev,
    extend=_with_tables,
    serves_strata=True,
)
KEYS = (TABLES,)
