"""Trials in an SQLite database."""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reporting.errors import RemoteError, did_you_mean, quoted
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.address import database_file, select, shown
from reporting.inputs.remote.fetch import check_columns, land
from reporting.inputs.spec import File, Remote

LONGEST_WAIT = 5.0
"""Seconds for which a lock of another program is waited for."""
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


def fetch(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    """Fetch a table or the result of one SELECT; the database is opened for reading alone.

    Values become text as SQLite's own CSV export writes them, whatever their column was declared as.
    """
    path, name = database_file(remote), shown(remote)
    if not path.is_file():
        raise RemoteError(f"{name}: there is no such file{neighbour(path)}")
    try:
        with closing(_opened(path)) as connection:
            try:
                cursor = connection.execute(select(remote))
                columns = [str(column[0]) for column in cursor.description or ()]
                check_columns(columns, name)
                return land(csv_lines(cursor, columns, name), columns, folder, name)
            except sqlite3.OperationalError as error:
                raise RemoteError(f"{name}: {_plain(error)}{_table_guess(connection, str(error))}") from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise RemoteError(f"{name}: {_plain(error)}") from None


def neighbour(path: Path) -> str:
    """Guess which file next to a missing one is meant."""
    try:
        names = sorted(file.name for file in path.parent.iterdir() if file.is_file())
    except OSError:
        return ""
    return did_you_mean(path.name, names)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=LONGEST_WAIT, isolation_level=None
    )
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY
    )
    return connection


def csv_lines(rows: Iterable[tuple[Any, ...]], columns: list[str], name: str) -> Iterator[bytes]:
    """Yield rows as CSV; RemoteError where one holds bytes."""
    line = _Line()
    # Texts in quotes: a carriage return would be lost outside them.
    writer = csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    for row in rows:
        if bytes in map(type, row):
            column = next(column for column, value in zip(columns, row, strict=True) if type(value) is bytes)
            raise RemoteError(f"{name}: column {quoted(column)} holds bytes; expected text or numbers")
        writer.writerow(row)
        yield line.text.encode()


class _Line:
    """Keeps the last line that was written."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text


def _table_guess(connection: sqlite3.Connection, message: str) -> str:
    missing = re.fullmatch(r"no such table: (?:main\.)?(.+)", message)
    if not missing:
        return ""
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    )
    return did_you_mean(missing[1], [str(name) for (name,) in tables])


def _plain(error: Exception) -> str:
    text = str(error)
    if "not authorized" in text or "prohibited" in text:
        return "expected one SELECT; nothing else is allowed"
    return "expected one SELECT, not several statements" if "one statement" in text else text
