"""Entries as bytes: named arrays after a line of JSON, all of them under one sha256. Nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

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

    The first line is the sha256 of the rest; the second tells the key, and name, type, shape and order of
    axes in memory of every array: sums over arrays of another order may be rounded otherwise.
    """
    laid = {name: _laid(array) for name, array in arrays.items()}
    told = [[name, one.dtype.str, list(one.shape), axes] for name, (one, axes) in laid.items()]
    line = json.dumps({"key": key, "arrays": told}).encode() + b"\n"
    body: list[bytes | memoryview] = [line.rjust(_end(DIGEST + len(line)) - DIGEST)]
    for one, _ in laid.values():
        body += [one.reshape(-1).view(np.uint8).data, bytes(_end(one.nbytes) - one.nbytes)]
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


def _end(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


def read(path: Path, key: str) -> dict[str, Array]:
    """Return the arrays of an entry; Damaged where it is cut off, changed, or another one's.

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


def _arrays(raw: Array, told: list[tuple[str, str, list[int], list[int]]]) -> Iterator[tuple[str, Array]]:
    start = _end(DIGEST + len(_line(raw)) + 1)
    for name, kind, shape, axes in told:
        dtype = np.dtype(kind)
        size = dtype.itemsize * int(np.prod(shape))
        laid = raw[start : start + size].view(dtype).reshape(shape)
        yield name, laid.transpose([axes.index(axis) for axis in range(len(axes))])
        start += _end(size)
