"""Digests of values by what they hold: equal values have equal digests, in every process and version."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import FunctionType
from typing import Any, Protocol, runtime_checkable

import numpy as np


class Hash(Protocol):
    """What takes bytes in."""

    def update(self, data: Any, /) -> None:
        """Take in bytes."""


@runtime_checkable
class Sparse(Protocol):
    """A sparse array, known by what it can do: SciPy, which has them, need not be imported."""

    def tocsr(self) -> Any:
        """Return its rows."""


def fingerprint(*values: Any) -> str:
    """Return the sha256 of values, in hexadecimal.

    Numbers, texts, arrays (sparse ones too), sequences, sets of texts, mappings in their order, frozen
    dataclasses, and functions of a module by name. TypeError for anything else: what has no digest is never
    taken as equal.
    """
    digest = hashlib.sha256()
    _feed(digest, values)
    return digest.hexdigest()


def _feed(digest: Hash, value: Any) -> None:
    for kinds, feed in _KINDS:
        if isinstance(value, kinds):
            feed(digest, value)
            return
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"a value of {type(value)} has no fingerprint")
    _begin(digest, "value", type(value).__module__, type(value).__qualname__)
    for field in fields(value):
        _begin(digest, field.name)
        _feed(digest, getattr(value, field.name))


def _begin(digest: Hash, *words: object) -> None:
    """Take in words so that no two rows of them are one."""
    digest.update(repr(words).encode("utf-8", "surrogatepass"))


def _array(digest: Hash, value: np.ndarray[Any, Any]) -> None:
    if value.dtype.hasobject:
        raise TypeError("an array of objects has no fingerprint")
    _begin(digest, "array", value.dtype.str, value.shape)
    digest.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)


def _sparse(digest: Hash, value: Sparse) -> None:
    rows = value.tocsr()
    _begin(digest, "sparse", rows.shape)
    for part in (rows.indptr, rows.indices, rows.data):
        _array(digest, part)


def _sequence(digest: Hash, value: tuple[Any, ...] | list[Any]) -> None:
    _begin(digest, "sequence", len(value))
    for item in value:
        _feed(digest, item)


def _mapping(digest: Hash, value: Mapping[Any, Any]) -> None:
    _begin(digest, "mapping", len(value))
    for key, item in value.items():
        _feed(digest, key)
        _feed(digest, item)


def _function(digest: Hash, value: FunctionType) -> None:
    if "<" in value.__qualname__:
        raise TypeError(f"{value.__qualname__} is no function of a module, and has no fingerprint")
    _begin(digest, "function", value.__module__, value.__qualname__)


def _partial(digest: Hash, value: partial[Any]) -> None:
    _begin(digest, "partial")
    _sequence(digest, (value.func, value.args, value.keywords))


_KINDS: tuple[tuple[Any, Callable[[Hash, Any], None]], ...] = (
    (np.ndarray, _array),
    (np.generic, lambda digest, value: _begin(digest, "scalar", value.dtype.str, value.item())),
    (
        (str, bytes, bool, int, float, type(None)),
        lambda digest, value: _begin(digest, type(value).__name__, value),
    ),
    (Sparse, _sparse),
    ((tuple, list), _sequence),
    (frozenset, lambda digest, value: _begin(digest, "set", sorted(value))),
    (Mapping, _mapping),
    (FunctionType, _function),
    (partial, _partial),
)
