"""Results that were computed once, by what they were computed from: a run computes only what is new.

A key is the sha256 of the operation, of all that its result follows from, and of the program: the source
of the rooms that compute, and the versions of NumPy and SciPy. So an entry never has to be taken back; what
nobody asks for any more stays until the cache is cleared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy

from reporting.cache.entry import FORMAT, Arrays, Damaged, pieces, read
from reporting.cache.fingerprint import fingerprint
from reporting.cache.place import open_folder, path_of, write_whole

K = TypeVar("K")

COMPUTING = ("contents.py", "criteria", "curves", "measures", "significance", "stats")
"""The rooms whose code decides what a result is; a change of their source makes every entry anew."""


class Cache:
    """A folder of results; without one nothing is remembered. ``tell`` hears what is wrong with it."""

    def __init__(self, folder: Path | None = None, tell: Callable[[str], None] = lambda line: None) -> None:
        self._folder = None if folder is None else open_folder(folder)
        self._tell = tell
        self._broken = False
        self.found = self.made = 0
        """Results that were there, and that were computed."""

    def fill(
        self,
        operation: str,
        items: Sequence[K],
        told: Callable[[K], Any],
        make: Callable[[Sequence[K]], Mapping[K, Arrays]],
    ) -> Mapping[K, Arrays]:
        """Return the result of every item: as it stands here, or as ``make`` computes all others at once.

        ``told`` returns everything that an item's result follows from.
        """
        if self._folder is None:
            return make(items) if items else {}
        keys = {item: fingerprint(operation, FORMAT, program(), told(item)) for item in items}
        found = {item: arrays for item, key in keys.items() if (arrays := self._get(key)) is not None}
        lacking = [item for item in items if item not in found]
        made = make(lacking) if lacking else {}
        for item in lacking:
            self._put(keys[item], made[item])
        self.found, self.made = self.found + len(found), self.made + len(lacking)
        return {**found, **made}

    def _get(self, key: str) -> Arrays | None:
        assert self._folder is not None
        path = path_of(self._folder, key)
        try:
            return read(path, key)
        except FileNotFoundError:
            return None
        except Damaged:
            self._tell(f"run.cache: {path} does not hold what was written there; it is made again")
        except OSError as error:
            self._warn(path, error)
        return None

    def _put(self, key: str, arrays: Arrays) -> None:
        assert self._folder is not None
        path = path_of(self._folder, key)
        try:
            write_whole(self._folder, path, pieces(key, arrays))
        except OSError as error:
            self._warn(path, error)

    def _warn(self, path: Path, error: OSError) -> None:
        """Say once that the folder fails: the report needs none."""
        if not self._broken:
            why = error.strerror or error
            self._tell(f"run.cache: {path} cannot be used ({why}); the run goes on without")
        self._broken = True


NO_CACHE = Cache()
"""Remembers nothing."""


@cache
def program() -> tuple[str, ...]:
    """What computes: the digest of the source, and the versions of the libraries that draw and sum."""
    digest = hashlib.sha256()
    for name in COMPUTING:
        _read_source(files("reporting") / name, name, digest.update)
    return digest.hexdigest(), np.__version__, scipy.__version__


def _read_source(source: Traversable, name: str, take: Callable[[bytes], None]) -> None:
    if source.is_file():
        take(f"{name}\n".encode() + source.read_bytes())
        return
    for each in sorted(source.iterdir(), key=lambda one: one.name):
        if each.name.endswith(".py") or (each.is_dir() and each.name != "__pycache__"):
            _read_source(each, f"{name}/{each.name}", take)
