"""What is shown -> files, and a sample of each: never more than so many rows of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from reporting.config.sources import DATABASES, find_sources
from reporting.errors import ConfigError, DataError, listed, quoted
from reporting.starter.places import at_config
from reporting.trials.files import cause, open_file
from reporting.trials.kinds import TEXT, kind_of
from reporting.trials.paths import Naming
from reporting.trials.remote.address import bare, table_name
from reporting.trials.remote.fetch import fetched
from reporting.trials.spec import File, Remote, Source, TrialSpec
from reporting.trials.text import lines_of

MOST_ROWS = 100_000
"""Rows of one file that are looked at."""
MOST_FILES = 40
"""Files that are looked at; of the others only what their paths say."""
SLICES = 20
"""Places of a large file from which its rows are taken, where it tells rows apart."""
LARGE_JSON = 50_000_000
"""Bytes of JSON lines beyond which not all lines are read for their names."""
LISTING = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name",
    "postgresql": "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables"
    " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY name",
}


@dataclass(frozen=True)
class Shown:
    """One thing that was shown: what the config calls it, and the files it stands for."""

    text: str
    files: tuple[File, ...]
    local: bool = True
    """Whether the files are its own; else copies made to be looked at."""
    is_around: bool = False
    """Whether it is a folder that will hold the config too, and the report."""


def shown_by(texts: Sequence[str], table: str | None, out: Path, work: Path) -> list[Shown]:
    """Look up what was shown; ``out`` is the config, ``work`` keeps copies of what is far away.

    A database is asked for some rows of its ``table``; ConfigError lists its tables where none is named.
    """
    found, folder = [], out.parent
    for number, text in enumerate(map(_address, texts)):
        _check_text(text)
        if "://" in text:
            place = work / str(number)
            place.mkdir()
            found.append(_from_afar(text, table, folder, place))
        else:
            files = _files(text)
            others = tuple(one for one in files if not (out.exists() and one.path.samefile(out)))
            around = Path(text).is_dir() and folder.resolve().is_relative_to(Path(text).resolve())
            found.append(Shown(at_config(text, folder), others or files, is_around=around))
    if table and not any(is_database(one.text) for one in found):
        raise ConfigError("--table goes with a database: sqlite:///FILE or postgresql://HOST/DATABASE")
    return found


def is_database(text: str) -> bool:
    """Tell whether a source is a database."""
    return text.startswith(DATABASES)


def _address(text: str) -> str:
    """Take a file that is an SQLite database for its address."""
    try:
        with Path(text).open("rb") as file:
            return f"sqlite:///{text}" if file.read(15) == b"SQLite format 3" else text
    except (OSError, ValueError):
        return text


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{text!a} is not UTF-8, which no config can hold; rename it") from None


def _files(text: str) -> tuple[File, ...]:
    """Find tables; where there are none, files of any name."""
    try:
        found = find_sources(text, Path())
    except ConfigError as error:
        try:
            found = find_sources(text, Path(), Naming(any_kind=True))
        except ConfigError:
            raise error from None
    return tuple(one for one in found if isinstance(one, File))


def _from_afar(text: str, table: str | None, folder: Path, work: Path) -> Shown:
    (remote,) = find_sources(text, Path())
    assert isinstance(remote, Remote)
    if not is_database(text):
        return Shown(text, _fetched(remote, work), local=False)
    if table is None:
        names = [name for file in _fetched(replace(remote, query=LISTING[remote.scheme]), work)
                 for name in pl.read_parquet(file.path, glob=False).to_series()]  # fmt: skip
        raise ConfigError(
            f"{quoted(bare(text))} is a database; name a table of it with --table"
            f" (found: {listed(map(quoted, names)) or 'none'})"
        )
    some = replace(remote, query=f"SELECT * FROM {table_name(table)} LIMIT {MOST_ROWS}")
    files = _fetched(some, work)
    path = text.removeprefix("sqlite:///")
    there = f"sqlite:///{at_config(path, folder)}" if remote.scheme == "sqlite" else text
    return Shown(there, files, local=False)


def _fetched(remote: Remote, work: Path) -> tuple[File, ...]:
    spec = fetched(TrialSpec((remote,)), work)
    return tuple(one for one in spec.sources if isinstance(one, File))


def some_of(files: Sequence[File]) -> list[File]:
    """Return the files that are looked at: all, or some from end to end."""
    step = max(len(files) / MOST_FILES, 1)
    return [files[int(at * step)] for at in range(min(len(files), MOST_FILES))]


def sample_of(source: Source, most: int = MOST_ROWS) -> pl.DataFrame:
    """Read some rows of a table, with what its path says; of large ones from many places, or the first.

    DataError where it cannot be read.
    """
    try:
        rows = _first_lines(source) if _is_large_json(source) else open_file(source)
        kind = kind_of(source.path.name) if isinstance(source, File) else None
        if kind in TEXT:
            return rows.head(most).collect(engine="streaming")
        n = rows.select(pl.len()).collect().item()
        if n <= most:
            return rows.collect()
        some = max(most // SLICES, 1)
        starts = (at * (n - some) // (SLICES - 1) for at in range(SLICES))
        return pl.concat(rows.slice(start, some) for start in starts).collect()
    except (PolarsError, OSError) as error:
        raise DataError(f"{source.name}: cannot be read: {cause(source, error)}") from None


def _is_large_json(source: Source) -> bool:
    if not isinstance(source, File) or kind_of(source.path.name) != "ndjson":
        return False
    return source.path.stat().st_size > LARGE_JSON


def _first_lines(source: Source) -> pl.LazyFrame:
    assert isinstance(source, File)
    try:
        rows = [json.loads(line) for line in islice(lines_of(source.path), MOST_ROWS // 10) if line.strip()]
        names = dict.fromkeys(name for row in rows for name in row)
        text = {name: [_as_text(row.get(name)) for row in rows] for name in names}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return open_file(source)  # which says what is wrong
    return pl.LazyFrame(text).with_columns(pl.lit(said).alias(name) for name, said in source.said)


def _as_text(value: object) -> str | None:
    return value if isinstance(value, str | None) else json.dumps(value)


def lines_in(source: File, most: int = 400) -> list[str]:
    """Read the first lines of a text that are not blank; none where it is no text."""
    try:
        return [line for line in islice(lines_of(source.path), most) if line.strip()]
    except (PolarsError, OSError):
        return []
