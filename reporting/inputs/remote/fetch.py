"""Remote trials become local files before they are read.

Every byte comes over once, into the work folder of the run, and is hashed as it arrives: what the digest
names is what was read. Rows of a database become Parquet files of texts, and one digest whatever their order.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError
from polars.selectors import by_name

from reporting.base.extensions import attribute, extra
from reporting.base.provenance import InputFile
from reporting.base.publish import parquet
from reporting.errors import ConfigError, RemoteError, listed, quoted, repeated, room_in
from reporting.inputs.files import first_line
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.address import bare
from reporting.inputs.spec import TABLES, File, Remote, TrialSpec

DRIVERS = {
    "s3": ("objects", "s3"),
    "postgresql": ("postgresql", "postgres"),
    "sqlite": ("sqlite", ""),
    "duckdb": ("duckdb", "duckdb"),
    "delta": ("lake", "delta"),
    "iceberg": ("lake", "iceberg"),
}
"""By scheme, the module whose ``fetch(remote, folder, naming)`` brings its rows into an empty folder as files
(DataError in plain words where that fails), and the extra that brings its library."""
PASTED = ("bigquery", "snowflake")
"""Schemes of engines that only the user asks."""


def fetched(spec: TrialSpec, folder: Path) -> TrialSpec:
    """Return the spec with all its sources in files, those from afar in ``folder``."""
    naming = PathNaming(spec.columns, (spec.values.dev, spec.values.test), spec.layout not in TABLES)
    sources, keys = (
        tuple(
            local
            for number, source in enumerate(places)
            for local in (
                _fetched(source, folder / kind / str(number), naming)
                if isinstance(source, Remote)
                else [source]
            )
        )
        for kind, places in (("sources", spec.sources), ("keys", spec.keys))
    )
    return replace(spec, sources=sources, keys=keys)


def _fetched(remote: Remote, folder: Path, naming: PathNaming) -> list[File]:
    if remote.scheme in PASTED:
        raise ConfigError(
            f"trials.source: {remote.scheme}:// is not reached from here; 'reporting counts CONFIG --sql"
            f" {remote.scheme}' prints statements to run there, whose results are a source (layout: counts)"
        )
    if remote.scheme not in DRIVERS:
        raise ConfigError(f"trials.source: rows of {remote.scheme}:// stay there; set trials.count: there")
    module, library = DRIVERS[remote.scheme]
    try:
        with room_in(folder), extra(library, "trials.source"):
            folder.mkdir(parents=True)
            fetch = attribute(f"reporting.inputs.remote.{module}", "fetch")
            files: list[File] = fetch(remote, folder, naming)
            return files
    except OSError as error:
        raise RemoteError(f"{bare(remote.url)}: cannot be kept in {folder}: {error.strerror}") from None


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
    if twice := repeated(columns):
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
        raise RemoteError(f"{name}: its rows cannot be read as text: {first_line(error)}") from None
    path.write_bytes(parquet(rows.with_columns(by_name(column).replace(words) for column in booleans)))
    return path
