"""Big values on disk, so that many processes read one copy: the ``shared`` value of tasks.

A value is pickled into one file; every large array or Polars column inside it goes into a file of its
own, which readers map into memory and never write. Files bear the sha256 of their bytes as name. Only
path and hash travel with a task: what does not match the hash is not unpickled.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import IO, Any

import numpy as np

LARGE = 2**16
"""Bytes from which an array gets a file of its own."""

MOST_HELD = 2
"""Values a worker keeps: stages follow one another, and two parts of one report may overlap."""


class Unseen(Exception):  # noqa: N818
    """A file on the shelf is not to be seen from here."""


class Damaged(Exception):  # noqa: N818
    """A file on the shelf does not hold what was put there."""


@dataclass(frozen=True)
class Shelved:
    """Where a value stands, and the hash of its file."""

    path: str
    digest: str


@contextmanager
def lent(value: Any, folder: Path) -> Iterator[Shelved]:
    """Put a value on a shelf of its own in the folder, and take it away afterwards."""
    shelf = Path(mkdtemp(prefix="shared-", dir=folder))
    try:
        yield put(value, shelf)
    finally:
        for file in shelf.iterdir():
            file.unlink(missing_ok=True)
        with suppress(OSError):  # a network file system keeps the name of a file that a worker still maps
            shelf.rmdir()


def put(value: Any, folder: Path) -> Shelved:
    """Write a value, each of its large arrays once."""
    return _written(folder, "pickle", lambda file: _Shelver(file, folder).dump(value))


def get(shelved: Shelved) -> Any:
    """Return a value, read-only; Unseen or Damaged where it cannot be had.

    Kept in this process until others come: all threads of a worker share one.
    """
    with _LOCK:
        if shelved.digest not in _HELD:
            with verified(Path(shelved.path), shelved.digest) as file:
                _HELD[shelved.digest] = _Unshelver(file, Path(shelved.path).parent).load()
            for old in list(_HELD)[:-MOST_HELD]:
                del _HELD[old]
        return _HELD[shelved.digest]


def forget() -> None:
    """Let go of every value, and so of its files."""
    with _LOCK:
        _HELD.clear()


_LOCK = threading.Lock()
_HELD: dict[str, Any] = {}


class _Hashing:
    """A file that is hashed as it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def write(self, data: Any) -> int:
        """Write and hash."""
        self.digest.update(data)
        return self.file.write(data)


def _written(folder: Path, kind: str, write: Callable[[Any], object]) -> Shelved:
    """Write a file beside, and move it to the name of its hash: whoever sees it sees it whole."""
    beside = folder / f".{token_hex(8)}"
    with beside.open("xb") as file:
        hashing = _Hashing(file)
        write(hashing)
    digest = hashing.digest.hexdigest()
    path = folder / f"{digest}.{kind}"
    beside.rename(path)
    return Shelved(str(path), digest)


class _Shelver(pickle.Pickler):
    """Pickles a value but for its large arrays."""

    def __init__(self, file: Any, folder: Path) -> None:
        super().__init__(file, protocol=5)
        self.folder = folder
        self.known: dict[int, tuple[Any, tuple[str, str]]] = {}

    def persistent_id(self, value: Any) -> tuple[str, str] | None:
        """Return kind and hash of what has a file of its own."""
        write = _writer(value)
        if write is None:
            return None
        if id(value) not in self.known:
            kind, write_file = write
            # The value is kept beside: its id must stay its own.
            self.known[id(value)] = value, (kind, _written(self.folder, kind, write_file).digest)
        return self.known[id(value)][1]


def _writer(value: Any) -> tuple[str, Callable[[Any], object]] | None:
    if isinstance(value, np.ndarray):
        if value.nbytes < LARGE or value.dtype.hasobject:
            return None
        return "npy", lambda file: np.lib.format.write_array(file, value, allow_pickle=False)
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(value, polars.Series | polars.DataFrame):
        return None
    if value.estimated_size() < LARGE:
        return None
    kind, frame = ("series", value.to_frame()) if isinstance(value, polars.Series) else ("frame", value)
    return kind, lambda file: file.write(_ipc(frame))


def _ipc(frame: Any) -> memoryview:
    buffer = frame.write_ipc(None, compression="uncompressed")
    return memoryview(buffer.getbuffer())


class _Unshelver(pickle.Unpickler):
    """Unpickles a value whose large arrays stand beside."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        super().__init__(file)
        self.folder = folder
        self.known: dict[tuple[str, str], Any] = {}

    def persistent_load(self, pid: Any) -> Any:
        """Map an array of the shelf, once."""
        if pid not in self.known:
            self.known[pid] = self._mapped(*pid)
        return self.known[pid]

    def _mapped(self, kind: str, digest: str) -> Any:
        path = self.folder / f"{digest}.{kind}"
        with verified(path, digest):
            pass
        if kind == "npy":
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        import polars as pl

        frame = pl.read_ipc(path)
        return frame.to_series() if kind == "series" else frame


@contextmanager
def verified(path: Path, digest: str) -> Iterator[IO[bytes]]:
    """Open a file that holds what was put there."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise Unseen(f"{path}: {error.strerror}") from None
    with file:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise Damaged(str(path))
        file.seek(0)
        yield file
