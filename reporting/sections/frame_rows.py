"""The frames as plain rows, and all else that the texts of a user's own section see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from reporting.errors import did_you_mean, listed, quoted
from reporting.frames.catalogue import FRAMES
from reporting.frames.results import Results
from reporting.report.blocks import Report

Row = dict[str, Any]


def values(results: Results, report: Report) -> dict[str, Any]:
    """Return the names that templates know.

    ``rows(frame, column=value, ...)`` gives rows of a frame (those of ``frames/*.parquet``), ``name(model)``
    a model's printed name, ``models`` the models in order; the rest are texts of the report.
    """
    printed = {entry.key: entry.name for entry in results.study.models}

    def rows(frame: str, /, **where: object) -> list[Row]:
        return chosen(results, frame, where)

    def name(model: str, /) -> str:
        if model not in results.models:
            raise ValueError(f"{quoted(str(model))} is not a model{_guess(str(model), results.models)}")
        return printed.get(model, model)

    return {
        "rows": rows,
        "name": name,
        "models": results.models,
        "title": report.title,
        "verdict": report.verdict,
        "data_line": report.data_line,
        "signature": report.signature,
        "seed": results.provenance.seed,
        "as_of": results.provenance.as_of,
        "version": results.provenance.version,
    }


def chosen(results: Results, frame: str, where: Mapping[str, object]) -> list[Row]:
    """Return the rows of a frame that have these values, models in the report's order, else as they stand.

    ValueError for a frame, a column, or a value that occurs nowhere in its column.
    """
    found = _frame(results, frame)
    for column, wanted in where.items():
        if column not in found.columns:
            raise ValueError(f"{quoted(column)} is not a column of {frame!r}{_guess(column, found.columns)}")
        _check_value(found[column], wanted)
    rows = [row for row in found.to_dicts() if all(_is(row[name], wanted) for name, wanted in where.items())]
    place = {model: at for at, model in enumerate(results.models)}
    return sorted(rows, key=lambda row: place.get(row.get("model", ""), len(place)))


def _frame(results: Results, name: str) -> pl.DataFrame:
    if name in results.frames:
        return results.frames[name]
    if name in FRAMES:
        raise ValueError(f"this report has no frame {name!r}: nothing in the config asks for it")
    raise ValueError(f"{quoted(name)} is not a frame{_guess(name, results.frames)}")


def _check_value(column: pl.Series, wanted: object) -> None:
    """Tell a slip from a question that no row answers: of words only, and where the frame has any."""
    there = column.unique().sort().to_list() if column.dtype == pl.String else []
    if there and not any(_is(value, wanted) for value in there) and wanted != "":
        words = [str(value) for value in there if value is not None]
        raise ValueError(
            f"{quoted(str(wanted))} occurs nowhere in {column.name!r}{_guess(str(wanted), words)}"
        )


def _is(value: object, wanted: object) -> bool:
    """Compare as a config says it: numbers by value, all else by its text."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    if isinstance(value, int | float) and isinstance(wanted, str):
        try:
            return value == float(wanted)
        except ValueError:
            return False
    return value == wanted


def _guess(word: str, allowed: Mapping[str, Any] | tuple[str, ...] | list[str]) -> str:
    return f"{did_you_mean(word, allowed)} (allowed: {listed(allowed, 30)})"
