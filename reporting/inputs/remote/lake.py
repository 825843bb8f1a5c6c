"""Trials in a Delta or Iceberg table on this machine: its latest snapshot, which the manifest names.

Such a table is a folder of Parquet files of which some may have been replaced; its log shows which are in
force. The digest is that of the files in force, so that it changes whenever the rows may have changed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import polars as pl

from reporting.base.provenance import Digest
from reporting.base.records import dataclass
from reporting.errors import RemoteError
from reporting.inputs.files import UNREADABLE, first_line
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.address import database_file
from reporting.inputs.spec import File, Remote

AT_ONCE = 2**20
"""Rows that are held before they become a file."""
CHUNK = 1 << 20


@dataclass(frozen=True)
class Snapshot:
    """The state of a table: what it is called, the files in force, and its rows, batch by batch."""

    word: str
    files: tuple[Path, ...]
    batches: Iterable[Any]


def fetch(remote: Remote, folder: Path, _: PathNaming) -> list[File]:
    """Copy the rows of the latest snapshot into ``folder``; RemoteError where the table cannot be read."""
    place, path = remote.url.partition(":///")[2], database_file(remote)
    try:
        snapshot = _delta(path) if remote.scheme == "delta" else _iceberg(path)
        digest = Digest()
        for file in snapshot.files:
            with file.open("rb") as opened:
                shutil.copyfileobj(opened, digest, CHUNK)
        paths = list(_written(snapshot, folder))
    except (*UNREADABLE, ValueError, LookupError) as error:
        raise RemoteError(f"{place}: the table cannot be read: {first_line(error)}") from None
    origin = digest.of_input(f"{place} ({snapshot.word})")
    return [File(written, origin=origin) for written in paths]


def _written(snapshot: Snapshot, folder: Path) -> Iterator[Path]:
    held: list[pl.DataFrame] = []
    frames = map(pl.DataFrame, snapshot.batches)
    for number in count():
        while sum(map(len, held)) < AT_ONCE and (frame := next(frames, None)) is not None:
            held.append(frame)
        if not held:
            if number:
                return
            raise ValueError("it has no rows")
        path = folder / f"{number:06}.parquet"
        pl.concat(held).write_parquet(path)
        held.clear()
        yield path


def _delta(path: Path) -> Snapshot:
    # Its own engine reads the rows: Polars does not find the files of a table below a name with blanks.
    import deltalake

    try:
        table = deltalake.DeltaTable(path)
        files = _local(table.file_uris())
        rows = deltalake.QueryBuilder().register("rows", table).execute("SELECT * FROM rows")
        return Snapshot(f"Delta, version {table.version()}", files, rows)
    except deltalake.exceptions.DeltaError as error:
        raise ValueError(str(error)) from None


def _iceberg(path: Path) -> Snapshot:
    from pyiceberg.exceptions import ValidationError
    from pyiceberg.table import StaticTable

    try:
        table = StaticTable.from_metadata(str(latest_metadata(path)))
    except ValidationError as error:
        raise ValueError(str(error)) from None
    snapshot = table.current_snapshot()
    if snapshot is None:
        raise ValueError("it has no snapshot yet")
    files = _local(task.file.file_path for task in table.scan().plan_files())
    return Snapshot(f"Iceberg, snapshot {snapshot.snapshot_id}", files, table.scan().to_arrow_batch_reader())


def latest_metadata(path: Path) -> Path:
    """Return the metadata file of the highest number: ``00003-….metadata.json`` or ``v3.metadata.json``."""
    numbers = {
        int(number[1]): file
        for file in (path / "metadata").iterdir()
        if (number := re.fullmatch(r"v?(\d+)(?:-.*)?\.metadata\.json", file.name))
    }
    return numbers[max(numbers)]


def _local(addresses: Iterable[str]) -> tuple[Path, ...]:
    """Return files in the order of their addresses; only those of this machine are read."""
    files = []
    for address in sorted(addresses):
        parts = urlsplit(address)
        if parts.scheme not in ("", "file"):
            raise ValueError(f"its files are at {parts.scheme}://, and only tables on this machine are read")
        files.append(Path(unquote(parts.path)))
    return tuple(files)
