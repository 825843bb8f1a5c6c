"""Trials in Spark: a table that its catalogue knows, or the result of one SELECT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from reporting.base.records import dataclass
from reporting.errors import RemoteError
from reporting.inputs.files import first_line
from reporting.inputs.pushdown.statements import Kind, rows_of
from reporting.inputs.remote.address import shown
from reporting.inputs.remote.fetch import check_columns
from reporting.inputs.spec import Dialect, Remote

KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "whole number"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("string", "char", "varchar", "date", "timestamp", "timestamp_ntz"), "text"),
    "boolean": "truth value",
}
SETTINGS = {"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "true"}
"""Times always have the same text, and a value that a column cannot hold is an error."""


@dataclass(frozen=True, eq=False)
class Spark:
    """A session; tables may change between its statements."""

    session: SparkSession
    name: str
    select: str
    dialect: Dialect = "spark"
    one_moment: bool = False

    def columns(self) -> Mapping[str, Kind]:
        """Return what each column of the table holds."""
        try:
            described = self.session.sql(self.select).dtypes
        except PySparkException as error:
            raise RemoteError(f"{self.name}: {first_line(error)}") from None
        check_columns([column for column, _ in described], self.name)
        return {column: KINDS.get(kind.partition("(")[0], "other") for column, kind in described}

    def rows(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement; Spark runs tasks of lost executors again."""
        try:
            rows = pl.from_arrow(self.session.sql(statement).toArrow())
        except PySparkException as error:
            raise RemoteError(f"{self.name}: {first_line(error)}") from None
        assert isinstance(rows, pl.DataFrame)
        return rows


@contextmanager
def opened(remote: Remote, _: Path) -> Iterator[Spark]:
    """Use the session of this process, else one of a master or of Spark's own configuration.

    ``spark:///`` names no master: SPARK_REMOTE, spark-defaults.conf or spark-submit say where Spark is.
    """
    existing = SparkSession.getActiveSession()
    master = remote.url.removeprefix("spark://").strip("/")
    builder = SparkSession.builder.appName("reporting")
    try:
        session = existing or (builder.master(f"spark://{master}") if master else builder).getOrCreate()
        before = {name: session.conf.get(name, None) for name in SETTINGS}
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
    except (PySparkException, RuntimeError) as error:
        raise RemoteError(f"{shown(remote)}: {first_line(error)}") from None
    try:
        yield Spark(session, shown(remote), rows_of(remote, "spark"))
    finally:
        if existing is None:
            session.stop()
        else:
            for name, setting in before.items():
                session.conf.set(name, setting) if setting is not None else session.conf.unset(name)
