"""Entries as bytes: named arrays after a line of JSON, all of them under one sha256. Nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from reporting.base.cache.fingerprint import fingerprint
from reporting.base.cache.place import open_folder, path_of, touch, trim, write_whole
from reporting.base.extensions import versions

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]

FORMAT = 1
"""Of these bytes; part of every key."""

ALIGNED = 64
"""Bytes to a multiple of which every array is moved."""

DIGEST, LONGEST = 65, 2**16
"""Bytes of the first line, the sha256 of all that follows it; and at most of the second."""


class Damaged(Exception):  # noqa: N818
    """An entry does not hold what was put there."""


def pieces(key: str, arrays: Arrays) -> Iterator[bytes | memoryview]:
    """Yield the bytes of an entry.

    The first line is the sha256 of the rest; the second holds the key, and name, type, shape and order of
    axes in memory of every array: sums over arrays of another order may be rounded otherwise.
    """
    laid = {name: _laid(array) for name, array in arrays.items()}
    described = [[name, array.dtype.str, list(array.shape), axes] for name, (array, axes) in laid.items()]
    line = json.dumps({"key": key, "arrays": described}).encode() + b"\n"
    body: list[bytes | memoryview] = [line.rjust(_end(DIGEST + len(line)) - DIGEST)]
    for array, _ in laid.values():
        body += [array.reshape(-1).view(np.uint8).data, bytes(_end(array.nbytes) - array.nbytes)]
    digest = hashlib.sha256()
    for piece in body:
        digest.update(piece)
    yield digest.hexdigest().encode() + b"\n"
    yield from body


def _laid(array: Array) -> tuple[Array, list[int]]:
    """Return an array with its axes as they lie in memory, and which they are."""
    if array.dtype.hasobject:
        raise TypeError("an array of objects is not kept")
    axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return np.ascontiguousarray(array.transpose(axes)).reshape([array.shape[a] for a in axes]), axes


def size_of(key: str, arrays: Arrays) -> int:
    """Return about how many bytes an entry has, at most."""
    heads = DIGEST + len(key) + sum(len(name) + 64 + 8 * array.ndim for name, array in arrays.items())
    return _end(heads) + sum(_end(array.nbytes) for array in arrays.values()) + ALIGNED


def _end(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


def read(path: Path, key: str) -> dict[str, Array]:
    """Return the arrays of an entry; Damaged where it is truncated, changed, or another one's.

    FileNotFoundError where there is none.
    """
    raw = np.fromfile(path, dtype=np.uint8)
    digest = hashlib.sha256(raw[DIGEST:].data).hexdigest().encode() + b"\n"
    if raw[:DIGEST].tobytes() != digest:
        raise Damaged(str(path))
    head = json.loads(_line(raw))
    if head["key"] != key:
        raise Damaged(str(path))
    return dict(_arrays(raw, head["arrays"]))


def _line(raw: Array) -> bytes:
    head = raw[DIGEST : DIGEST + LONGEST].tobytes()
    return head[: head.index(b"\n")]


def _arrays(
    raw: Array, described: list[tuple[str, str, list[int], list[int]]]
) -> Iterator[tuple[str, Array]]:
    start = _end(DIGEST + len(_line(raw)) + 1)
    for name, kind, shape, axes in described:
        dtype = np.dtype(kind)
        size = dtype.itemsize * int(np.prod(shape))
        laid = raw[start : start + size].view(dtype).reshape(shape)
        yield name, laid.transpose([axes.index(axis) for axis in range(len(axes))])
        start += _end(size)


K = TypeVar("K")

COMPUTING = "base/contents.py", "core", "features/fits", "inputs"
"""The rooms whose code decides what a result is; a change of their source makes every entry anew."""


LIMIT = 4 * 2**30
"""Bytes that a folder of results may take where no limit is given."""
SHARE = 16
"""A run looks at the size of the folder before it writes more than a sixteenth of the limit, and leaves two
such parts free: two runs that write concurrently stay within the limit. A larger result is not kept."""


class Cache:
    """A folder of results; without one nothing is remembered. ``tell`` hears what is wrong with it.

    With more than ``limit`` bytes, the results not used for longest go. Workers get a copy.
    """

    def __init__(
        self, folder: Path | None = None, tell: Callable[[str], None] = lambda line: None, limit: int = LIMIT
    ) -> None:
        self._folder = None if folder is None else open_folder(folder)
        self._tell, self._limit = tell, limit
        self._warned: set[str] = set()
        self._written = 0
        self._lock = threading.Lock()
        self.found = self.made = 0
        """Results that were there, and that were computed."""
        if self._folder is not None:
            self._trim()

    def __getstate__(self) -> dict[str, object]:
        return {"_folder": self._folder, "_limit": self._limit}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        self.__init__()  # type: ignore[misc]
        vars(self).update(state)

    @property
    def remembers(self) -> bool:
        """Return whether there is a folder."""
        return self._folder is not None

    def fill(
        self,
        operation: str,
        items: Sequence[K],
        inputs_of: Callable[[K], Any],
        make: Callable[[Sequence[K]], Mapping[K, Arrays]],
    ) -> Mapping[K, Arrays]:
        """Return the result of every item: the stored one, or what ``make`` computes of all others jointly.

        ``inputs_of`` returns everything that an item's result follows from.
        """
        if self._folder is None:
            return make(items) if items else {}
        keys = {item: fingerprint(operation, FORMAT, program(), inputs_of(item)) for item in items}
        held = {key: self._get(key) for key in dict.fromkeys(keys.values())}
        known = {item: arrays for item, key in keys.items() if (arrays := held[key]) is not None}
        lacking = [item for item in items if item not in known]
        computed = make(lacking) if lacking else {}
        for item in lacking:
            self._put(keys[item], computed[item])
        with self._lock:
            self.found, self.made = self.found + len(known), self.made + len(lacking)
        return {**known, **computed}

    def _get(self, key: str) -> Arrays | None:
        assert self._folder is not None
        path = path_of(self._folder, key)
        try:
            arrays = read(path, key)
            touch(path)
            return arrays
        except FileNotFoundError:
            return None
        except Damaged:
            self._tell(f"run.cache: {path} does not hold what was written there; it is made again")
        except OSError as error:
            self._warn(path, error)
        return None

    def _put(self, key: str, arrays: Arrays) -> None:
        assert self._folder is not None
        path, size, share = path_of(self._folder, key), size_of(key, arrays), self._limit // SHARE
        if size > share:
            self._tell_once(
                f"run.cache: results of more than {share / 2**20:.3g} MB are not kept; raise"
                " run.cache_limit to keep them"
            )
            return
        with self._lock:
            self._written += size
            if self._written > share:
                self._trim(size)
        try:
            write_whole(self._folder, path, pieces(key, arrays))
        except OSError as error:
            self._warn(path, error)

    def _trim(self, more: int = 0) -> None:
        """Take away what is beyond the limit once ``more`` is written."""
        assert self._folder is not None
        self._written = more
        gone = trim(self._folder, self._limit - 2 * self._limit // SHARE - more)
        if gone.entries:
            self._tell_once(
                f"run.cache: {gone} not used for longest deleted; run.cache_limit is"
                f" {self._limit / 2**20:.3g} MB"
            )

    def _warn(self, path: Path, error: OSError) -> None:
        """Say once that the folder fails: the report needs none."""
        why = error.strerror or error
        self._tell_once(f"run.cache: {path} cannot be used ({why}); the run continues without it", "broken")

    def _tell_once(self, line: str, what: str = "limit") -> None:
        if what not in self._warned:
            self._warned.add(what)
            self._tell(line)


NO_CACHE = Cache()
"""Remembers nothing."""


@cache
def program() -> tuple[str, ...]:
    """What computes: the digest of the source, and the versions of the libraries that draw and sum."""
    digest = hashlib.sha256()
    for name in COMPUTING:
        room = files("reporting") / name
        if room.is_file() or room.is_dir():  # a question may have been taken away
            _read_source(room, name, digest.update)
    return digest.hexdigest(), np.__version__, version("scipy"), *(f"{name} {of}" for name, of in versions())


def _read_source(source: Traversable, name: str, take: Callable[[bytes], None]) -> None:
    if source.is_file():
        take(f"{name}\n".encode() + source.read_bytes())
        return
    for each in sorted(source.iterdir(), key=lambda path: path.name):
        if each.name.endswith(".py") or (each.is_dir() and each.name != "__pycache__"):
            _read_source(each, f"{name}/{each.name}", take)
