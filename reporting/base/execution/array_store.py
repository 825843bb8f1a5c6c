"""The one store of arrays on disk: values that many processes share, and arrays that would not fit in memory.

A shared value is pickled into one file; every large array or Polars column inside it goes into a file of its
own, which readers map into memory and never write. Files that other processes open bear the sha256 of their
bytes as name. Only path and hash travel with a task: what does not match the hash is not unpickled.
"""

from __future__ import annotations

import ctypes
import hashlib
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import IO, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from reporting.base.records import dataclass
from reporting.errors import OutputError, room_in

LARGE = 2**16
"""Bytes from which an array in a shared value gets a file of its own."""
LARGE_ARRAY = 2**20
"""Bytes from which an array is kept on disk and not in memory."""
SMALL_ARRAY = 2**12
"""Bytes below which it always stays in memory."""
ROOM = 2**28
"""Bytes of arrays between the two that stay in memory; what comes after goes to disk."""

K = TypeVar("K")

MOST_HELD = 2
"""Values a worker keeps: stages follow one another, and two parts of one report may overlap."""


class UnseenFile(Exception):  # noqa: N818
    """A file of the store cannot be seen from here."""


class DamagedFile(Exception):  # noqa: N818
    """A file of the store does not hold what was put there."""


@dataclass(frozen=True)
class StoredFile:
    """Where a value is stored, and the hash of its file; empty: no other process opens it."""

    path: Path
    digest: str


@contextmanager
def lent(value: Any, folder: Path) -> Iterator[StoredFile]:
    """Store a value in a folder of its own inside the folder, and remove it afterwards."""
    inside = Path(mkdtemp(prefix="shared-", dir=folder))
    try:
        yield put(value, inside)
    finally:
        for file in inside.iterdir():
            file.unlink(missing_ok=True)
        with suppress(OSError):  # a network file system keeps the name of a file that a worker still maps
            inside.rmdir()


def put(value: Any, folder: Path) -> StoredFile:
    """Write a value, each of its large arrays once."""
    return _written(folder, "pickle", lambda file: _Pickler(file, folder).dump(value))


def get(stored: StoredFile) -> Any:
    """Return a value, read-only; UnseenFile or DamagedFile where it cannot be had.

    Kept in this process until others come: all threads of a worker share one.
    """
    with _LOCK:
        if stored.digest not in _HELD:
            with verified(stored.path, stored.digest) as file:
                _HELD[stored.digest] = _Unpickler(file, stored.path.parent).load()
            for old in list(_HELD)[:-MOST_HELD]:
                del _HELD[old]
        return _HELD[stored.digest]


def forget() -> None:
    """Let go of every value, and so of its files."""
    with _LOCK:
        _HELD.clear()


_LOCK = threading.Lock()
_HELD: dict[str, object] = {}


class _Hashing:
    """A file that is hashed as it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def write(self, data: Any) -> int:
        """Write and hash."""
        self.digest.update(data)
        return self.file.write(data)


def _written(folder: Path, kind: str, write: Callable[[Any], object], *, hashed: bool = True) -> StoredFile:
    """Write a temporary file, and move it to the name of its hash: whoever sees it sees it whole."""
    beside = folder / f".{token_hex(8)}"
    with room_in(f"run.folder: {folder}"), beside.open("xb") as file:
        hashing = _Hashing(file)
        write(hashing if hashed else SimpleNamespace(write=file.write))  # NumPy hides a file's errors
    digest = hashing.digest.hexdigest() if hashed else ""
    path = folder / f"{digest or beside.name[1:]}.{kind}"
    beside.rename(path)
    return StoredFile(path, digest)


class _Pickler(pickle.Pickler):
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
            # The value is kept, too: its id must stay its own.
            self.known[id(value)] = value, (kind, _written(self.folder, kind, write_file).digest)
        return self.known[id(value)][1]


def _writer(value: Any) -> tuple[str, Callable[[Any], object]] | None:
    if isinstance(value, np.ndarray):
        if value.nbytes < LARGE or value.dtype.hasobject:
            return None
        return "npy", partial(_write_array, value)
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(value, polars.Series | polars.DataFrame):
        return None
    if value.estimated_size() < LARGE:
        return None
    kind, frame = ("series", value.to_frame()) if isinstance(value, polars.Series) else ("frame", value)
    return kind, lambda file: file.write(frame.write_ipc(None, compression="uncompressed").getbuffer())


def _write_array(array: npt.NDArray[Any], file: Any) -> None:
    np.lib.format.write_array(file, array, allow_pickle=False)


class _Unpickler(pickle.Unpickler):
    """Unpickles a value whose large arrays are in files of their own."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        super().__init__(file)
        self.folder = folder
        self.known: dict[tuple[str, str], Any] = {}

    def persistent_load(self, pid: Any) -> Any:
        """Map an array of the store, once."""
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
        raise UnseenFile(f"{path}: {error.strerror}") from None
    with file:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise DamagedFile(str(path))
        file.seek(0)
        yield file


@dataclass(frozen=True)
class StoredArray(StoredFile):
    """An array on disk: travels as a path, and a hash where other processes open it.

    It is opened many times, and parsing a header takes ten times as long as mapping a file: what the header
    holds is kept.
    """

    dtype: str
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    offset: int

    def open(self) -> npt.NDArray[Any]:
        """Return the array, mapped from disk, read only; its memory goes with the last who holds it."""
        if self.digest and self.path not in VERIFIED:
            try:
                with verified(self.path, self.digest):
                    VERIFIED.add(self.path)
            except DamagedFile:
                raise OutputError(f"run.folder: {self.path} does not hold what was written there") from None
        array = np.memmap(self.path, self.dtype, "r", self.offset, self.shape, self.order)
        return array.view(np.ndarray)


VERIFIED: set[Path] = set()
"""Files whose hash this process has seen to be right, or that it wrote."""

Held = npt.NDArray[Any] | StoredArray
"""An array in memory, or on disk."""


def opened(held: Held) -> npt.NDArray[Any]:
    """Return the array itself."""
    return held.open() if isinstance(held, StoredArray) else held


class ArrayStore:
    """A folder for large arrays; without one all stay in memory. ``hashed``: other processes open them."""

    def __init__(self, folder: Path | None = None, *, hashed: bool = False) -> None:
        self._folder, self._hashed = folder, hashed
        self._stay = 0

    def takes(self, array: npt.NDArray[Any], times: int = 1) -> bool:
        """Return whether an array goes to disk; one that stays takes ``times`` its bytes of the room.

        So memory depends on how large arrays are, and not on how many.
        """
        if self._folder is None:
            return False
        if array.nbytes >= LARGE_ARRAY:
            return True
        if array.nbytes >= SMALL_ARRAY and self._stay + times * array.nbytes > ROOM:
            return True
        self._stay += times * array.nbytes
        return False

    def keep(self, array: npt.NDArray[Any]) -> Held:
        """Write an array to disk if it is large, or memory has no room left for it."""
        return self.store(array) if self.takes(array) else array

    def store(self, array: npt.NDArray[Any]) -> Held:
        """Write an array to disk, whatever its size; without a folder it stays in memory."""
        if self._folder is None:
            return array
        file = _written(self._folder, "npy", partial(_write_array, array), hashed=self._hashed)
        VERIFIED.add(file.path)
        order: Literal["C", "F"] = "F" if array.flags.fnc else "C"
        offset = file.path.stat().st_size - array.nbytes
        return StoredArray(file.path, file.digest, array.dtype.str, array.shape, order, offset)


class StoredArrays(Mapping[K, npt.NDArray[Any]]):
    """Arrays by key, some of them on disk: every look at one opens it."""

    def __init__(self, held: Mapping[K, Held]) -> None:
        self._held = held

    def __getitem__(self, key: K) -> npt.NDArray[Any]:
        return opened(self._held[key])

    def __iter__(self) -> Iterator[K]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


IN_MEMORY = ArrayStore()
"""Keeps everything in memory."""


def give_back_memory() -> None:
    """Give freed memory back to the system, which GNU's C library keeps where smaller values lie above it."""
    if sys.platform == "linux":
        with suppress(AttributeError):  # other C libraries on Linux do not know it
            ctypes.CDLL(None).malloc_trim(0)
