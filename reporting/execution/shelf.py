"""Large arrays on disk instead of in memory: memory then holds those that are just worked on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from reporting.errors import OutputError

K = TypeVar("K")
LARGE = 2**23
"""Bytes from which an array is put on the shelf."""


@dataclass(frozen=True)
class Kept:
    """An array on the shelf: travels as a path, and a hash where other processes open it."""

    path: Path
    digest: str | None = None

    def open(self) -> npt.NDArray[Any]:
        """Return the array, mapped from disk, read only; its memory goes with the last who holds it."""
        if self.digest is not None and self.path not in VERIFIED:
            if hashlib.sha256(self.path.read_bytes()).hexdigest() != self.digest:
                raise OutputError(f"run.folder: {self.path} does not hold what was written there")
            VERIFIED.add(self.path)
        array: npt.NDArray[Any] = np.load(self.path, mmap_mode="r")
        return array.view(np.ndarray)


VERIFIED: set[Path] = set()
"""Files whose hash this process has seen to be right, or that it wrote."""

Held = npt.NDArray[Any] | Kept
"""An array in memory, or on the shelf."""


def opened(held: Held) -> npt.NDArray[Any]:
    """Return the array itself."""
    return held.open() if isinstance(held, Kept) else held


class Shelf:
    """A folder for large arrays; without one all stay in memory. ``hashed``: other processes open them."""

    def __init__(self, folder: Path | None = None, *, hashed: bool = False) -> None:
        self._folder, self._hashed = folder, hashed

    def takes(self, array: npt.NDArray[Any]) -> bool:
        """Tell whether an array is large, and there is a folder for it."""
        return self._folder is not None and array.nbytes >= LARGE

    def keep(self, array: npt.NDArray[Any]) -> Held:
        """Put an array on the shelf if it is large."""
        if self._folder is None or not self.takes(array):
            return array
        path = self._folder / f"{token_hex(8)}.npy"
        np.save(path, array)
        VERIFIED.add(path)
        return Kept(path, hashlib.sha256(path.read_bytes()).hexdigest() if self._hashed else None)


class Shelved(Mapping[K, npt.NDArray[Any]]):
    """Arrays by key, some of them on the shelf: every look at one opens it."""

    def __init__(self, held: Mapping[K, Held]) -> None:
        self._held = held

    def __getitem__(self, key: K) -> npt.NDArray[Any]:
        return opened(self._held[key])

    def __iter__(self) -> Iterator[K]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


IN_MEMORY = Shelf()
"""Keeps everything in memory."""
