"""The tree of a user's YAML file -> a section of his own; every fault with its place in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from jinja2 import StrictUndefined, Template

from reporting.errors import ConfigError, did_you_mean, listed, quoted
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Column, Sense
from reporting.report.sandbox import Sandbox, TextLoader
from reporting.sections.custom import OwnColumn, OwnSection, OwnTable, OwnText

KINDS = ("text", "number", "interval")
SENSES = ("lower is better", "higher is better", "0 is best", "1 is best")
PRINTED = {
    "fixed": numbers.fixed,
    "percent": numbers.percent,
    "count": numbers.count,
    "p_value": numbers.p_value,
    "significant": numbers.significant,
}
"""The only filters that round."""


@dataclass(frozen=True)
class Said:
    """One value of the file, and its place: text, nothing, a list, or a mapping."""

    value: str | list[Said] | dict[str, Said] | None
    place: str


def own_section(name: str, said: Said) -> OwnSection:
    """Read a section; ConfigError for the first fault."""
    return _Reader().section(name, said)


class _Reader:
    """Reads one file with one sandbox, whose budget all its texts share."""

    def __init__(self) -> None:
        self._sandbox = Sandbox(
            (), loader=TextLoader({}), undefined=StrictUndefined, finalize=_printed, trim_blocks=True
        )
        self._sandbox.filters.pop("round")
        self._sandbox.filters |= PRINTED
        self._sandbox.globals["interval"] = numbers.bracket

    def section(self, name: str, said: Said) -> OwnSection:
        keys = _mapping(said, ("title", "blocks"))
        blocks = _list(_key(said, keys, "blocks"))
        title = self._needed(said, keys, "title")
        return OwnSection(name, title, tuple(self._block(block) for block in blocks))

    def _block(self, said: Said) -> OwnTable | OwnText:
        keys = _mapping(said, ("prose", "caution", "table"))
        if len(keys) != 1:
            _refuse(said, f"one of prose, caution, table is expected, found {listed(keys) or 'nothing'}")
        ((kind, inner),) = keys.items()
        return self._table(inner) if kind == "table" else OwnText(self._text(inner), kind == "caution")

    def _table(self, said: Said) -> OwnTable:
        keys = _mapping(said, ("caption", "frame", "where", "columns", "notes"))
        where = _mapping(keys["where"], ()) if "where" in keys else {}
        columns = _list(_key(said, keys, "columns"))
        return OwnTable(
            place=said.place,
            caption=self._needed(said, keys, "caption"),
            frame=_word(_key(said, keys, "frame")),
            where={column: "" if value.value is None else _word(value) for column, value in where.items()},
            columns=tuple(self._column(column) for column in columns),
            notes=tuple(self._text(note) for note in _list(keys["notes"])) if "notes" in keys else (),
        )

    def _column(self, said: Said) -> OwnColumn:
        keys = _mapping(said, ("title", "text", "kind", "unit", "sense", "order", "reason"))
        usual = "number" if "order" in keys else "text"
        head = Column(
            title=_word(_key(said, keys, "title")),
            kind=cast(Any, _one_of(keys["kind"], KINDS) if "kind" in keys else usual),
            unit=_word(keys["unit"]) if "unit" in keys else "",
            sense=cast(Sense, _one_of(keys["sense"], SENSES) if "sense" in keys else ""),
        )
        order, reason = (self._text(keys[key]) if key in keys else None for key in ("order", "reason"))
        return OwnColumn(head, self._needed(said, keys, "text"), order, reason)

    def _needed(self, said: Said, keys: dict[str, Said], key: str) -> Template:
        return self._text(_key(said, keys, key))

    def _text(self, said: Said) -> Template:
        return self._sandbox.text(_word(said), said.place)


def _printed(value: object) -> object:
    return UNDEFINED if value is None else value


def _key(said: Said, keys: dict[str, Said], key: str) -> Said:
    return keys[key] if key in keys else _refuse(said, f"{key!r} is missing")


def _mapping(said: Said, allowed: Sequence[str]) -> dict[str, Said]:
    """Return a mapping with these keys at most, or with any where none is named."""
    if not isinstance(said.value, dict):
        _refuse(said, f"a mapping is expected, found {_shown(said)}")
    for key, inner in said.value.items():
        if allowed and key not in allowed:
            guess = did_you_mean(key, allowed)
            _refuse(inner, f"unknown key {quoted(key)}{guess} (allowed: {listed(allowed)})")
    return said.value


def _list(said: Said) -> list[Said]:
    if not isinstance(said.value, list) or not said.value:
        _refuse(said, f"a list with entries is expected, found {_shown(said)}")
    return said.value


def _word(said: Said) -> str:
    if not isinstance(said.value, str):
        _refuse(said, f"text is expected, found {_shown(said)}")
    return said.value


def _one_of(said: Said, allowed: Sequence[str]) -> str:
    word = _word(said)
    if word not in allowed:
        guess = did_you_mean(word, allowed)
        _refuse(said, f"{quoted(word)} is not allowed{guess} (allowed: {listed(allowed)})")
    return word


def _shown(said: Said) -> str:
    if isinstance(said.value, str):
        return quoted(said.value)
    names: dict[type, str] = {list: "a list", dict: "a mapping"}
    return "an empty list" if said.value == [] else names.get(type(said.value), "nothing")


def _refuse(said: Said, text: str) -> NoReturn:
    raise ConfigError(f"{said.place}: {text}")
