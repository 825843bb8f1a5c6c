"""Trials in DuckDB: a database file, or any files that its SQL reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from reporting.errors import RemoteError, did_you_mean
from reporting.trials.pushdown.statements import Dialect, Kind
from reporting.trials.remote.address import select, shown
from reporting.trials.remote.fetch import check_columns, land
from reporting.trials.remote.sqlite import csv_lines, neighbour
from reporting.trials.spec import File, Remote

WHOLE = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
NUMBERS = ("FLOAT", "DOUBLE", "DECIMAL")
TEXTS = ("VARCHAR", "ENUM", "DATE", "UUID")
AT_ONCE = 10_000
"""Rows that are taken over at a time."""


@dataclass(frozen=True, eq=False)
class DuckDb:
    """A connection within one transaction, which sees one moment of the database."""

    connection: duckdb.DuckDBPyConnection
    name: str
    select: str
    dialect: Dialect = "duckdb"
    one_moment: bool = True

    def columns(self) -> Mapping[str, Kind]:
        """Return what each column of the table holds."""
        with self.errors():
            described = self.query(self.select)
            kinds = {
                column: _kind(str(kind))
                for column, kind in zip(described.columns, described.types, strict=True)
            }
            check_columns(described.columns, self.name)
        return kinds

    def rows(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement."""
        with self.errors():
            return pl.DataFrame(self.query(statement))

    def query(self, statement: str) -> duckdb.DuckDBPyRelation:
        """Return what one SELECT gives; RemoteError where it is anything else."""
        statements = self.connection.extract_statements(statement)
        if [str(each.type).rpartition(".")[2] for each in statements] != ["SELECT"]:
            raise RemoteError(f"{self.name}: expected one SELECT")
        return self.connection.sql(statement)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise RemoteError for what DuckDB refuses."""
        try:
            yield
        except duckdb.Error as error:
            raise RemoteError(f"{self.name}: {_first_line(error)}{self._table_guess(error)}") from None

    def _table_guess(self, error: duckdb.Error) -> str:
        word = "Table with name "
        if word not in str(error):
            return ""
        missing = str(error).partition(word)[2].partition(" does not exist")[0]
        self.connection.rollback()
        tables = self.connection.execute("SELECT table_name FROM information_schema.tables ORDER BY 1")
        return did_you_mean(missing, [str(name) for (name,) in tables.fetchall()])


@contextmanager
def opened_duckdb(remote: Remote, folder: Path) -> Iterator[DuckDb]:
    """Open a database for reading alone; without a file the query reads what files it names.

    Relative paths start at the config's folder; what needs more memory than there is goes to ``folder``.
    """
    path, name = duckdb_file(remote), shown(remote)
    if path is not None and not path.is_file():
        raise RemoteError(f"{name}: there is no such file{neighbour(path)}")
    at_config = dict(remote.options).get("folder", "")
    try:
        connection = duckdb.connect(
            ":memory:" if path is None else str(path),
            read_only=path is not None,
            config={"temp_directory": str(folder), "preserve_insertion_order": "false"},
        )
    except duckdb.Error as error:
        raise RemoteError(f"{name}: {_first_line(error)}") from None
    with connection:
        connection.execute("SET file_search_path = ?", [at_config])
        connection.execute("BEGIN TRANSACTION READ ONLY")
        yield DuckDb(connection, name, select(remote))


def duckdb_file(remote: Remote) -> Path | None:
    """Return the file of a DuckDB database; None: the database is in memory and empty."""
    named = remote.url.removeprefix("duckdb:///")
    return Path(dict(remote.options).get("folder", "")) / named if named else None


def fetch_duckdb(remote: Remote, folder: Path) -> list[File]:
    """Fetch a table or the result of one SELECT; values become text as DuckDB writes them."""
    with opened_duckdb(remote, folder) as database, database.errors():
        columns = list(database.columns())
        texts = database.query(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (\n{database.select}\n) AS source")
        return land(csv_lines(_fetched(texts), columns, database.name), columns, folder, database.name)


def _fetched(texts: duckdb.DuckDBPyRelation) -> Iterator[tuple[Any, ...]]:
    while rows := texts.fetchmany(AT_ONCE):
        yield from rows


def _kind(type_name: str) -> Kind:
    word = type_name.partition("(")[0]
    if word in WHOLE:
        return "whole number"
    if word in NUMBERS:
        return "number"
    if word in TEXTS or word.startswith("TIMESTAMP"):
        return "text"
    return "truth value" if word == "BOOLEAN" else "other"


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().partition("\n")[0]
