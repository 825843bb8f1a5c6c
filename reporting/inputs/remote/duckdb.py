"""Trials in DuckDB: a database file, or any files that its SQL reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from reporting.base.records import dataclass
from reporting.errors import RemoteError, did_you_mean
from reporting.inputs.files import first_line
from reporting.inputs.paths import PathNaming
from reporting.inputs.pushdown.statements import FRAMED, Kind
from reporting.inputs.remote.address import database_file, select, shown
from reporting.inputs.remote.fetch import check_columns, land
from reporting.inputs.remote.sqlite import csv_lines, neighbour
from reporting.inputs.spec import Dialect, File, Remote

KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "whole number"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"), "whole number"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "number"),
    **dict.fromkeys(("VARCHAR", "ENUM", "DATE", "UUID"), "text"),
    "BOOLEAN": "truth value",
}
AT_ONCE = 50_000
"""Rows that are fetched at a time."""


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
            self.check(self.select)
            described = self.query(f"SELECT * FROM (\n{self.select}\n) AS source LIMIT 0")
        check_columns([str(column[0]) for column in described.description or ()], self.name)
        return _kinds(described)

    def rows(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement."""
        with self.errors():
            answer = self.query(statement)
            schema = {column: FRAMED.get(kind, pl.String()) for column, kind in _kinds(answer).items()}
            parts = [pl.DataFrame(rows, schema, orient="row") for rows in _parts(answer)]
        return pl.concat(parts) if parts else pl.DataFrame(schema=schema)

    def query(self, statement: str) -> duckdb.DuckDBPyConnection:
        """Start a statement; RemoteError where it is anything but one SELECT."""
        self.check(statement)
        return self.connection.execute(statement)

    def check(self, statement: str) -> None:
        """Raise RemoteError for anything but one SELECT."""
        statements = self.connection.extract_statements(statement)
        if [str(each.type).rpartition(".")[2] for each in statements] != ["SELECT"]:
            raise RemoteError(f"{self.name}: expected one SELECT")

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise RemoteError for what DuckDB refuses."""
        try:
            yield
        except duckdb.Error as error:
            raise RemoteError(f"{self.name}: {first_line(error)}{self._table_guess(error)}") from None

    def _table_guess(self, error: duckdb.Error) -> str:
        word = "Table with name "
        if word not in str(error):
            return ""
        missing = str(error).partition(word)[2].partition(" does not exist")[0]
        self.connection.rollback()
        tables = self.connection.execute("SELECT table_name FROM information_schema.tables ORDER BY 1")
        return did_you_mean(missing, [str(name) for (name,) in tables.fetchall()])


@contextmanager
def opened(remote: Remote, folder: Path) -> Iterator[DuckDb]:
    """Open a database for reading alone; without a file the query reads what files it names.

    Relative paths start at the config's folder; what needs more memory than there is goes to ``folder``.
    """
    name, in_memory = shown(remote), remote.url == "duckdb:///"
    path = database_file(remote)
    if not (in_memory or path.is_file()):
        raise RemoteError(f"{name}: there is no such file{neighbour(path)}")
    try:
        connection = duckdb.connect(
            ":memory:" if in_memory else str(path),
            read_only=not in_memory,
            config={"temp_directory": str(folder), "preserve_insertion_order": "false"},
        )
    except duckdb.Error as error:
        raise RemoteError(f"{name}: {first_line(error)}") from None
    with connection:
        connection.execute("SET file_search_path = ?", [dict(remote.options).get("folder", "")])
        connection.execute("BEGIN TRANSACTION READ ONLY")
        yield DuckDb(connection, name, select(remote))


def fetch(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    """Fetch a table or the result of one SELECT; values become text as DuckDB writes them."""
    with opened(remote, folder) as database, database.errors():
        columns = list(database.columns())
        texts = database.query(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (\n{database.select}\n) AS source")
        return land(
            csv_lines(chain.from_iterable(_parts(texts)), columns, database.name),
            columns,
            folder,
            database.name,
        )


def _parts(answer: duckdb.DuckDBPyConnection) -> Iterator[list[tuple[Any, ...]]]:
    """Yield rows, some at a time: a frame of the whole answer would let DuckDB warn when the program ends."""
    while rows := answer.fetchmany(AT_ONCE):
        yield rows


def _kinds(answer: duckdb.DuckDBPyConnection) -> Mapping[str, Kind]:
    kinds = ((str(column[0]), str(column[1])) for column in answer.description or ())
    return {
        name: "text" if kind.startswith("TIMESTAMP") else KINDS.get(kind.partition("(")[0], "other")
        for name, kind in kinds
    }
