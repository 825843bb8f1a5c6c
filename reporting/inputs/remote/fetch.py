"""Remote trials become local files before they are read.

Every byte comes over once, into the work folder of the run, and is hashed as it arrives: what the digest
names is what was read. Rows of a database become Parquet files of texts, and one digest whatever their order.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError
from polars.selectors import by_name

from reporting.base.provenance import InputFile
from reporting.base.publish import parquet
from reporting.errors import ConfigError, RemoteError, listed, quoted, room_in
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.address import bare
from reporting.inputs.spec import TABLES, File, Remote, Source, TrialSpec

Fetch = Callable[[Remote, Path, PathNaming], list[File]]
"""Fetches one source into an empty folder; DataError in plain words where that fails."""


def fetched(spec: TrialSpec, folder: Path) -> TrialSpec:
    """Return the spec with all its sources in files, those from afar in ``folder``."""
    naming = PathNaming(spec.columns, (spec.values.dev, spec.values.test), spec.layout not in TABLES)
    sources = _all(spec.sources, folder / "sources", naming)
    return replace(spec, sources=sources, keys=_all(spec.keys, folder / "keys", naming))


def _all(
    sources: tuple[Path | Source | Remote, ...], folder: Path, naming: PathNaming
) -> tuple[Path | Source, ...]:
    local: list[Path | Source] = []
    for number, source in enumerate(sources):
        if isinstance(source, Remote):
            local += _fetched(source, folder / str(number), naming)
        else:
            local.append(source)
    return tuple(local)


def _fetched(remote: Remote, folder: Path, naming: PathNaming) -> list[File]:
    try:
        with room_in(folder):
            folder.mkdir(parents=True)
            return _fetcher(remote)(remote, folder, naming)
    except OSError as error:
        raise RemoteError(f"{bare(remote.url)}: cannot be kept in {folder}: {error.strerror}") from None


def _fetcher(remote: Remote) -> Fetch:
    if remote.scheme in FETCHERS:
        return FETCHERS[remote.scheme]
    if remote.scheme in PASTED:
        raise ConfigError(
            f"trials.source: {remote.scheme}:// is not reached from here; 'reporting counts CONFIG --sql"
            f" {remote.scheme}' prints statements to run there, whose results are a source (layout: counts)"
        )
    raise ConfigError(f"trials.source: rows of {remote.scheme}:// stay there; set trials.count: there")


PASTED = ("bigquery", "snowflake")
"""Schemes of engines that only the user asks."""


def _objects(remote: Remote, folder: Path, naming: PathNaming) -> list[File]:
    with extra("s3", "trials.source"):
        from reporting.inputs.remote.objects import fetch_objects
    return fetch_objects(remote, folder, naming)


def _postgresql(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    with extra("postgres", "trials.source"):
        from reporting.inputs.remote.postgresql import fetch_postgresql
    return fetch_postgresql(remote, folder)


def _sqlite(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    from reporting.inputs.remote.sqlite import fetch_sqlite

    return fetch_sqlite(remote, folder)


@contextmanager
def extra(name: str, who: str) -> Iterator[None]:
    """Say what brings a library that is not installed, and who needs it."""
    try:
        yield
    except ImportError as error:
        library = (error.name or "a library").partition(".")[0]
        raise ConfigError(
            f"{who} needs {library}, which is not installed; pip install 'trial-reporting[{name}]' brings it"
        ) from None


def _duckdb(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    with extra("duckdb", "trials.source"):
        from reporting.inputs.remote.duckdb import fetch_duckdb
    return fetch_duckdb(remote, folder)


def _lake(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    with extra(remote.scheme, "trials.source"):
        from reporting.inputs.remote.lake import fetch_lake

        return fetch_lake(remote, folder)


FETCHERS: Mapping[str, Fetch] = {
    "delta": _lake,
    "iceberg": _lake,
    "s3": _objects,
    "postgresql": _postgresql,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
"""By scheme."""


Line = bytes | bytearray | memoryview
CHUNK = 32 << 20
"""Bytes of rows that are held before they become a file."""


def land(
    lines: Iterable[Line], columns: Sequence[str], folder: Path, name: str, booleans: Collection[str] = ()
) -> list[File]:
    """Write rows to Parquet files of texts in ``folder``; every line is the CSV of one row.

    Memory holds one chunk of them. In ``booleans`` t and f become true and false. The digest is the sha256
    of the header, the number of rows, and the sum of the sha256 of all lines modulo 2^256: equal for the
    same rows in any order. The size is that of header and lines in bytes.
    """
    check_columns(columns, name)
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(columns)
    header, chunk, paths = head.getvalue().encode(), bytearray(), list[Path]()
    count, total, size = 0, 0, len(header)
    for line in lines:
        chunk += line
        total += int.from_bytes(hashlib.sha256(line).digest(), "big")
        count, size = count + 1, size + len(line)
        if len(chunk) >= CHUNK:
            paths.append(_written(chunk, columns, booleans, folder / f"{len(paths):06}.parquet", name))
            chunk = bytearray()
    if chunk or not paths:
        paths.append(_written(chunk, columns, booleans, folder / f"{len(paths):06}.parquet", name))
    content = header + count.to_bytes(8, "big") + (total % 2**256).to_bytes(32, "big")
    origin = InputFile(name, hashlib.sha256(content).hexdigest(), size)
    return [File(path, origin=origin) for path in paths]


def check_columns(columns: Sequence[str], name: str) -> None:
    """Raise DataError where a result has no columns, or two of one name."""
    if not columns:
        raise RemoteError(f"{name}: the result has no columns; expected one SELECT")
    twice = [column for column, n in Counter(columns).items() if n > 1]
    if twice:
        raise RemoteError(f"{name}: column {listed(map(quoted, twice))} occurs more than once in the result")


def _written(
    chunk: bytearray, columns: Sequence[str], booleans: Collection[str], path: Path, name: str
) -> Path:
    words = {"t": "true", "f": "false"}
    try:
        rows = pl.read_csv(
            bytes(chunk),
            has_header=False,
            schema=dict.fromkeys(columns, pl.String),
            infer_schema=False,
            raise_if_empty=False,
        )
    except PolarsError as error:
        first = str(error).strip().partition("\n")[0]
        raise RemoteError(f"{name}: its rows cannot be read as text: {first}") from None
    path.write_bytes(parquet(rows.with_columns(by_name(column).replace(words) for column in booleans)))
    return path
