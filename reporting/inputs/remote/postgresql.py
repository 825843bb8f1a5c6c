"""Trials in a PostgreSQL database.

Psycopg, because COPY streams rows as exactly the text of a CSV export, one at a time and without an Arrow
library, and because its errors carry codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import psycopg
from psycopg import IsolationLevel, pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import error_from_result

from reporting.base.records import dataclass
from reporting.errors import RemoteError, did_you_mean
from reporting.inputs.paths import PathNaming
from reporting.inputs.pushdown.statements import FRAMED, Kind
from reporting.inputs.remote.address import WHERE_THEY_BELONG, bare, select, shown
from reporting.inputs.remote.fetch import check_columns, land
from reporting.inputs.spec import Dialect, File, Remote

DEFAULTS: dict[str, str] = {"connect_timeout": "5", "keepalives_idle": "30", "keepalives_interval": "10"}
"""What a connection does where neither its address nor the environment sets it; in seconds."""
READ_ONLY, NO_TABLE = "25006", "42P01"
"""Codes of errors: something would be written, or read that does not exist."""
BOOLEAN = 16
"""The number of the type bool."""
KINDS: Mapping[int, Kind] = {
    BOOLEAN: "truth value",
    **dict.fromkeys((20, 21, 23), "whole number"),
    **dict.fromkeys((700, 701, 1700), "number"),
    **dict.fromkeys((18, 19, 25, 1042, 1043, 1082, 1114, 1184, 2950), "text"),
}
"""What columns hold by the number of their type: int8, int2, int4; float4, float8, numeric; char, name, text,
bpchar, varchar, date, timestamp, timestamptz, uuid. Others, such as enums, are read as text."""
SAME_TEXT = (
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'postgres'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL bytea_output = 'hex'",
)
"""Times and numbers always have the same text, whatever a server's or user's settings."""
TABLES = """
SELECT c.relname, n.nspname, pg_table_is_visible(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1, 2
"""


def fetch(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    """Fetch a table or the result of one SELECT, in a read-only transaction that sees one moment.

    Values become text as a CSV export writes them, true and false in words, times in UTC.
    """
    with opened(remote, folder) as database, database.errors():
        query = database.select.encode()
        described = _described(database.connection, query)
        columns = [column for column, _ in described]
        booleans = {column for column, kind in described if kind == BOOLEAN}
        check_columns(columns, database.name)
        copied = b"COPY (" + query + b"\n) TO STDOUT (FORMAT csv)"
        with database.connection.cursor() as cursor, cursor.copy(copied) as rows:
            return land(rows, columns, folder, database.name, booleans)


@dataclass(frozen=True, eq=False)
class PostgreSql:
    """A connection within one read-only transaction, which sees one moment of the database."""

    connection: psycopg.Connection
    name: str
    select: str
    dialect: Dialect = "postgres"
    one_moment: bool = True

    def columns(self) -> Mapping[str, Kind]:
        """Return what each column of the table holds."""
        with self.errors():
            described = _described(self.connection, self.select.encode())
        check_columns([column for column, _ in described], self.name)
        return {column: KINDS.get(kind, "text") for column, kind in described}

    def rows(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement, which is taken as one or not at all."""
        with self.errors(), self.connection.cursor(binary=True) as cursor:
            described = _described(self.connection, statement.encode())
            cursor.execute(statement.encode(), prepare=True)
            schema = {column: FRAMED.get(KINDS.get(kind, "text"), pl.String()) for column, kind in described}
            return pl.DataFrame(cursor.fetchall(), schema, orient="row")

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise RemoteError for what the server refuses."""
        try:
            yield
        except psycopg.Error as error:
            raise RemoteError(
                f"{self.name}: {_first_line(error)}{_table_guess(self.connection, error)}"
            ) from None


@contextmanager
def opened(remote: Remote, _: Path) -> Iterator[PostgreSql]:
    """Connect for reading alone; every value has one text, whatever a server's or user's settings."""
    with _connected(remote) as connection:
        database = PostgreSql(connection, shown(remote), select(remote))
        with database.errors():
            for setting in SAME_TEXT:
                connection.execute(setting)
        yield database


@contextmanager
def _connected(remote: Remote) -> Iterator[psycopg.Connection]:
    place = bare(remote.url)
    try:
        # Return how to connect; libpq adds what its environment, password and service files say.
        given = {key: value for key, value in conninfo_to_dict(remote.url).items() if value is not None}
        # What the environment or a service file sets otherwise than libpq itself.
        inherited = {
            option.keyword.decode()
            for option in pq.Conninfo.get_defaults()
            if option.val is not None and option.val != option.compiled
        }
        missing = {key: value for key, value in DEFAULTS.items() if key not in inherited}
        conninfo = make_conninfo("", **(missing | given | {"client_encoding": "UTF8"}))
    except psycopg.Error as error:
        named = re.search(r'parameter: "(.+)"', str(error))
        known = [option.keyword.decode() for option in pq.Conninfo.get_defaults()]
        guess = did_you_mean(named[1], known) if named else ""
        raise RemoteError(f"{place}: {_first_line(error)}{guess}") from None
    try:
        connection = psycopg.connect(conninfo)
    except psycopg.Error as error:
        raise RemoteError(f"{place}: {_first_line(error)}{_hint(conninfo, str(error))}") from None
    with connection:
        connection.read_only = True
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        yield connection


def _described(connection: psycopg.Connection, query: bytes) -> list[tuple[str, int]]:
    """Return the columns of a query, each with the number of its type.

    The server takes it as one statement here, or not at all: what it would do inside COPY is known.
    """
    prepared = connection.pgconn.prepare(b"", query)
    if prepared.status != pq.ExecStatus.COMMAND_OK:
        raise error_from_result(prepared)
    result = connection.pgconn.describe_prepared(b"")
    return [((result.fname(i) or b"").decode(), result.ftype(i)) for i in range(result.nfields)]


def _first_line(error: psycopg.Error) -> str:
    """Return what the server or libpq reports, on one line; neither repeats a password."""
    text = error.diag.message_primary or str(error).strip().partition("\n")[0]
    if "multiple commands" in text:
        return "expected one SELECT, not several statements"
    also = "; expected one SELECT" if error.sqlstate == READ_ONLY else ""
    return re.sub(r"^connection (failed|is bad): |\b(FATAL|ERROR):  |\[Errno -?\d+\] ", "", text) + also


def _hint(conninfo: str, message: str) -> str:
    if "password" in message:
        return f" (a password is read from {WHERE_THEY_BELONG['postgresql']})"
    missing = re.search(r'database "(.+)" does not exist', message)
    if not missing:
        return ""
    try:
        with psycopg.connect(make_conninfo(conninfo, dbname="postgres")) as connection:
            databases = connection.execute("SELECT datname FROM pg_database WHERE datallowconn ORDER BY 1")
            return did_you_mean(missing[1], [str(name) for (name,) in databases])
    except psycopg.Error:
        return ""


def _table_guess(connection: psycopg.Connection, error: psycopg.Error) -> str:
    named = re.search(r'"(.+)"', error.diag.message_primary or "")
    if error.sqlstate != NO_TABLE or not named:
        return ""
    try:
        connection.rollback()
        tables = connection.execute(TABLES).fetchall()
        names = [str(name) for name, _, visible in tables if visible]
        return did_you_mean(named[1], [*names, *(f"{schema}.{name}" for name, schema, _ in tables)])
    except psycopg.Error:
        return ""
