"""Python values -> a tree of entries, as if a file held them: scalars as text, within a file's bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, time
from decimal import Decimal
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from reporting.app.config.document import MOST_DEPTH, MOST_VALUES, ConfigEntry, FilePosition, Trail, located
from reporting.document.keys import path_fault
from reporting.errors import ConfigError, kind_of_value, quoted

SCALARS = (str, Real, Decimal, date, time, np.generic)
NO_LISTS = (bytes, bytearray, memoryview, set, frozenset)
"""They have entries, but no order, or are no text."""


def entry_of(config: Mapping[str, Any], where: str) -> ConfigEntry:
    """Return the tree of a config; ``where`` names it in messages. ConfigError for what no file can hold."""
    return _Writer(FilePosition(0, 0, where)).entry(config)


def plain_values(config: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return a config of text, lists, mappings and None alone, which can be read more than once."""
    return dict(entry_of(config, where).plain())


class _Writer:
    """Writes entries, and counts them: a generator may never end, a list may contain itself."""

    def __init__(self, mark: FilePosition) -> None:
        self.mark, self.values = mark, 0

    def entry(self, value: Any, trail: Trail = ()) -> ConfigEntry:
        self.values += 1
        if len(trail) > MOST_DEPTH:
            raise self._fault(
                trail[:1], f"nested more than {MOST_DEPTH} deep, or a list that contains itself"
            )
        if self.values > MOST_VALUES:
            raise self._fault(trail[:1], f"more than {MOST_VALUES} values")
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, Mapping):
            return ConfigEntry(self._mapping(value, trail), self.mark, self.mark)
        if isinstance(value, Iterable) and not isinstance(value, (str, type, PathLike, *NO_LISTS)):
            parts = enumerate(value)
            return ConfigEntry([self.entry(part, (*trail, at)) for at, part in parts], self.mark, self.mark)
        return ConfigEntry(None if value is None else self._text(value, trail), self.mark, self.mark)

    def _mapping(self, value: Mapping[Any, Any], trail: Trail) -> dict[str, ConfigEntry]:
        entries: dict[str, ConfigEntry] = {}
        for key, below in value.items():
            if not isinstance(key, (str, Real)):
                raise self._fault(trail, f"a key must be plain text, found {kind_of_value(key)}")
            name = self._text(key, trail)
            if name in entries:
                raise self._fault((*trail, name), "given twice")
            entries[name] = self.entry(below, (*trail, name))
        return entries

    def _text(self, value: Any, trail: Trail) -> str:
        if not isinstance(value, (*SCALARS, PathLike)):
            raise self._fault(
                trail, f"expected text, a number, a list or a mapping, found {kind_of_value(value)}"
            )
        try:
            text = str(fspath(value)) if isinstance(value, PathLike) else str(value)
        except ValueError:  # more digits than Python prints
            raise self._fault(trail, "a number of thousands of digits") from None
        if not is_text(text):
            raise self._fault(trail, f"{quoted(text)} is not text")
        return text

    def _fault(self, trail: Trail, text: str) -> ConfigError:
        return ConfigError(f"{located(trail, self.mark)}: {text}")


def path_of(given: Any, place: str, what: str) -> Path:
    """Return an argument as a path; ConfigError names its ``place`` where no file can have it."""
    if not isinstance(given, str | PathLike):
        raise ConfigError(f"{place}: expected the path {what}, found {kind_of_value(given)}")
    text = fspath(given)
    wrong = (
        path_fault(text) if isinstance(text, str) and is_text(text) else f"{quoted(str(text))} is not text"
    )
    if wrong:
        raise ConfigError(f"{place}: {wrong}")
    return Path(text)


def is_text(text: str) -> bool:
    """Whether a file can hold a text: half of a surrogate pair it cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
