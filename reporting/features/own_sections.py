"""A section of the user's own: a YAML file whose texts are templates -> blocks that every format renders.

The file has its shape before any data come in, so that no name in the data can change it::

    title: Notes from the field
    blocks:
      - prose: "{{ name('a') }} heard {{ rows('trials', split='test') | length }} parts."
      - table:
          caption: Errors on test.
          frame: metrics
          where: {split: test, measure: hter}
          columns:
            - {title: model, text: "{{ name(row.model) }}"}
            - {title: HTER, unit: "%", text: "{{ row.value | percent(1) }}", order: "{{ row.value }}"}
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NoReturn, TypeVar, get_args

import polars as pl
from jinja2 import StrictUndefined, Template

from reporting.base.records import dataclass
from reporting.document import numbers
from reporting.document.blocks import (
    UNDEFINED,
    Block,
    Caution,
    Cell,
    Column,
    Prose,
    Report,
    Section,
    Sense,
    Table,
)
from reporting.document.frames.results import Results
from reporting.document.sandbox import Sandbox, TextLoader
from reporting.document.words.tables import ColumnOf, table_of
from reporting.errors import OwnTemplateError, did_you_mean, listed, quoted
from reporting.features.frames import FRAMES

LONGEST_TABLE = 2000
Kind = Literal["text", "number", "interval"]
SENSES: tuple[Sense, ...] = ("lower is better", "higher is better", "0 is best", "1 is best")
PRINTED = {
    "fixed": numbers.fixed,
    "percent": numbers.percent,
    "count": numbers.count,
    "p_value": numbers.p_value,
    "significant": numbers.significant,
}
"""The only filters that round."""

Row = Mapping[str, object]
"""A row of any frame, as templates see it."""

Values = Mapping[str, object]
"""The names that templates know."""

W = TypeVar("W", bound=str)


@dataclass(frozen=True)
class OwnColumn:
    """A column of a table of rows: its head, and the templates of its cells."""

    head: Column
    text: Template
    order: Template | None
    reason: Template | None

    def over(self, place: str, seen: Values) -> ColumnOf[Row]:
        """Return the column with its cells filled in; ``place`` is that of the table in the file."""

        def cell(row: Row) -> Cell:
            here = {**seen, "row": row}
            text = _line(self.text, here) or UNDEFINED
            reason = _line(self.reason, here) if self.reason and text == UNDEFINED else ""
            return Cell(text, self._order(place, here), reason)

        return ColumnOf(self.head, cell)

    def _order(self, place: str, seen: Values) -> float | None:
        """Return what the cell is sorted by; nothing where it is undefined."""
        text = UNDEFINED if self.order is None else _line(self.order, seen)
        if text in ("", UNDEFINED):
            return None
        try:
            order = float(text)
        except ValueError:
            raise OwnTemplateError(
                f"{place}: the order of {self.head.title!r} is {text!r}, not a number"
            ) from None
        return None if math.isnan(order) else order


@dataclass(frozen=True)
class OwnTable:
    """A table of the rows of ``frame`` that have the values of ``where``; ``place`` is that in the file."""

    place: str
    caption: Template
    frame: str
    where: Mapping[str, str]
    columns: tuple[OwnColumn, ...]
    notes: tuple[Template, ...]


@dataclass(frozen=True)
class OwnText:
    """Paragraphs, or a caution."""

    template: Template
    is_caution: bool


@dataclass(frozen=True)
class OwnSection:
    """A section of the user's own; ``name`` is that of its file."""

    name: str
    title: Template
    parts: tuple[OwnTable | OwnText, ...]

    def write(self, results: Results, report: Report) -> Section | None:
        """Fill in the section; None where nothing is left to say. Its anchor is ``own-<name>``."""
        seen = values(results, report)
        blocks: list[Block] = []
        for number, part in enumerate(self.parts, 1):
            if isinstance(part, OwnText):
                blocks += _texts(part, seen)
            else:
                blocks.append(_table(part, f"own_{self.name}_{number}", results, seen))
        return Section(_line(self.title, seen), f"own-{self.name}", tuple(blocks)) if blocks else None


def _texts(part: OwnText, seen: Values) -> list[Prose | Caution]:
    """A blank line parts paragraphs; a text that comes out blank is left out."""
    if part.is_caution:
        line = _line(part.template, seen)
        return [Caution(line)] if line else []
    paragraphs = map(_flowing, re.split(r"\n[ \t]*\n", part.template.render(seen)))
    return [Prose(paragraph) for paragraph in paragraphs if paragraph]


def _table(part: OwnTable, name: str, results: Results, seen: Values) -> Table:
    try:
        rows = chosen(results, part.frame, part.where)
    except ValueError as error:
        raise OwnTemplateError(f"{part.place}: {error}") from None
    if len(rows) > LONGEST_TABLE:
        raise OwnTemplateError(
            f"{part.place}: {len(rows)} rows; a table holds up to {LONGEST_TABLE}: narrow `where`"
        )
    notes = [_line(note, seen) for note in part.notes] + ([] if rows else ["No rows."])
    columns = [column.over(part.place, seen) for column in part.columns]
    return table_of(name, _line(part.caption, seen), rows, columns, filter(None, notes))


def _line(template: Template, seen: Values) -> str:
    return _flowing(template.render(seen))


def _flowing(text: str) -> str:
    """One line of the text; spaces that do not break stay."""
    return re.sub(r"[ \t\n]+", " ", text).strip(" ")


def values(results: Results, report: Report) -> Values:
    """Return the names that templates know.

    ``rows(frame, column=value, ...)`` gives rows of a frame (those of ``frames/*.parquet``), ``name(model)``
    a model's printed name, ``models`` the models in order; the rest are texts of the report.
    """
    printed = {entry.key: entry.name for entry in results.study.models}

    def rows(frame: str, /, **where: object) -> list[Row]:
        return chosen(results, frame, where)

    def name(model: str, /) -> str:
        if model not in results.models:
            raise ValueError(f"{quoted(str(model))} is not a model{_guess(str(model), results.models)}")
        return printed.get(model, model)

    return {
        "rows": rows,
        "name": name,
        "models": results.models,
        "title": report.title,
        "verdict": report.verdict,
        "data_line": report.data_line,
        "signature": report.signature,
        "seed": results.provenance.seed,
        "as_of": results.provenance.as_of,
        "version": results.provenance.version,
    }


def chosen(results: Results, frame: str, where: Mapping[str, object]) -> list[Row]:
    """Return the rows of a frame that have these values, models in the report's order, else in its own.

    ValueError for a frame, a column, or a value that does not occur in its column.
    """
    table = _frame(results, frame)
    for column, wanted in where.items():
        if column not in table.columns:
            raise ValueError(f"{quoted(column)} is not a column of {frame!r}{_guess(column, table.columns)}")
        _check_value(table[column], wanted)
    rows: list[Row] = [
        row for row in table.to_dicts() if all(_is(row[name], wanted) for name, wanted in where.items())
    ]
    place = {model: at for at, model in enumerate(results.models)}
    return sorted(rows, key=lambda row: place.get(str(row.get("model", "")), len(place)))


def _frame(results: Results, name: str) -> pl.DataFrame:
    if name in results.frames:
        return results.frames[name]
    if name in FRAMES:
        raise ValueError(f"this report has no frame {name!r}: nothing in the config asks for it")
    raise ValueError(f"{quoted(name)} is not a frame{_guess(name, results.frames)}")


def _check_value(column: pl.Series, wanted: object) -> None:
    """Raise ValueError for a word that does not occur in its column, where the column has any."""
    there = column.unique().sort().to_list() if column.dtype == pl.String else []
    if there and not any(_is(value, wanted) for value in there) and wanted != "":
        words = [str(value) for value in there if value is not None]
        raise ValueError(
            f"{quoted(str(wanted))} does not occur in {column.name!r}{_guess(str(wanted), words)}"
        )


def _is(value: object, wanted: object) -> bool:
    """Compare as a config states it: numbers by value, all else by its text."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    if isinstance(value, int | float) and isinstance(wanted, str):
        try:
            return value == float(wanted)
        except ValueError:
            return False
    return value == wanted


def _guess(word: str, allowed: Mapping[str, object] | Sequence[str]) -> str:
    return f"{did_you_mean(word, allowed)} (allowed: {listed(allowed, 30)})"


@dataclass(frozen=True)
class Node:
    """One value of the file, and its place: text, nothing, a list, or a mapping."""

    value: str | list[Node] | dict[str, Node] | None
    place: str


def own_section(name: str, node: Node) -> OwnSection:
    """Return the section that a file writes; raise ConfigError for the first fault."""
    return _Reader().section(name, node)


class _Reader:
    """Reads one file with one sandbox, whose budget all its texts share."""

    def __init__(self) -> None:
        self._sandbox = Sandbox(
            (),
            loader=TextLoader({}),
            undefined=StrictUndefined,
            finalize=lambda value: UNDEFINED if value is None else value,
            trim_blocks=True,
        )
        self._sandbox.filters.pop("round")
        self._sandbox.filters |= PRINTED
        self._sandbox.globals["interval"] = numbers.bracket

    def section(self, name: str, node: Node) -> OwnSection:
        keys = _mapping(node, ("title", "blocks"))
        blocks = _list(_key(node, keys, "blocks"))
        title = self._needed(node, keys, "title")
        return OwnSection(name, title, tuple(self._block(block) for block in blocks))

    def _block(self, node: Node) -> OwnTable | OwnText:
        keys = _mapping(node, ("prose", "caution", "table"))
        if len(keys) != 1:
            _refuse(node, f"expected one of prose, caution, table, found {listed(keys) or 'nothing'}")
        ((kind, inner),) = keys.items()
        return self._table(inner) if kind == "table" else OwnText(self._text(inner), kind == "caution")

    def _table(self, node: Node) -> OwnTable:
        keys = _mapping(node, ("caption", "frame", "where", "columns", "notes"))
        where = _mapping(keys["where"], ()) if "where" in keys else {}
        columns = _list(_key(node, keys, "columns"))
        return OwnTable(
            place=node.place,
            caption=self._needed(node, keys, "caption"),
            frame=_word(_key(node, keys, "frame")),
            where={column: "" if value.value is None else _word(value) for column, value in where.items()},
            columns=tuple(self._column(column) for column in columns),
            notes=tuple(self._text(note) for note in _list(keys["notes"])) if "notes" in keys else (),
        )

    def _column(self, node: Node) -> OwnColumn:
        keys = _mapping(node, ("title", "text", "kind", "unit", "sense", "order", "reason"))
        usual: Kind = "number" if "order" in keys else "text"
        head = Column(
            title=_word(_key(node, keys, "title")),
            kind=_one_of(keys["kind"], get_args(Kind)) if "kind" in keys else usual,
            unit=_word(keys["unit"]) if "unit" in keys else "",
            sense=_one_of(keys["sense"], SENSES) if "sense" in keys else "",
        )
        order, reason = (self._text(keys[key]) if key in keys else None for key in ("order", "reason"))
        return OwnColumn(head, self._needed(node, keys, "text"), order, reason)

    def _needed(self, node: Node, keys: dict[str, Node], key: str) -> Template:
        return self._text(_key(node, keys, key))

    def _text(self, node: Node) -> Template:
        return self._sandbox.text(_word(node), node.place)


def _key(node: Node, keys: dict[str, Node], key: str) -> Node:
    return keys[key] if key in keys else _refuse(node, f"{key!r} is missing")


def _mapping(node: Node, allowed: Sequence[str]) -> dict[str, Node]:
    """Return a mapping with these keys at most, or with any where none is named."""
    if not isinstance(node.value, dict):
        _refuse(node, f"expected a mapping, found {_shown(node)}")
    for key, inner in node.value.items():
        if allowed and key not in allowed:
            guess = did_you_mean(key, allowed)
            _refuse(inner, f"unknown key {quoted(key)}{guess} (allowed: {listed(allowed)})")
    return node.value


def _list(node: Node) -> list[Node]:
    if not isinstance(node.value, list) or not node.value:
        _refuse(node, f"expected a list with entries, found {_shown(node)}")
    return node.value


def _word(node: Node) -> str:
    if not isinstance(node.value, str):
        _refuse(node, f"expected text, found {_shown(node)}")
    return node.value


def _one_of(node: Node, allowed: Sequence[W]) -> W:
    word = _word(node)
    if word not in allowed:
        guess = did_you_mean(word, allowed)
        _refuse(node, f"{quoted(word)} is not allowed{guess} (allowed: {listed(allowed)})")
    return next(choice for choice in allowed if choice == word)


def _shown(node: Node) -> str:
    if isinstance(node.value, str):
        return quoted(node.value)
    names: dict[type, str] = {list: "a list", dict: "a mapping"}
    return "an empty list" if node.value == [] else names.get(type(node.value), "nothing")


def _refuse(node: Node, text: str) -> NoReturn:
    raise OwnTemplateError(f"{node.place}: {text}")
