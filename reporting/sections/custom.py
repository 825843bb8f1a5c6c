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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Template

from reporting.errors import ConfigError
from reporting.frames.results import Results
from reporting.report.blocks import UNDEFINED, Block, Caution, Cell, Column, Prose, Report, Section, Table
from reporting.sections.frame_rows import chosen, values

LONGEST_TABLE = 2000
Values = Mapping[str, Any]
"""What the templates see."""


@dataclass(frozen=True)
class OwnColumn:
    """A column of a table of rows: its head, and the templates of its cells."""

    head: Column
    text: Template
    order: Template | None
    reason: Template | None


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
        said = _line(part.template, seen)
        return [Caution(said)] if said else []
    paragraphs = re.split(r"\n[ \t]*\n", part.template.render(seen))
    return [Prose(said) for said in map(_flowing, paragraphs) if said]


def _table(part: OwnTable, name: str, results: Results, seen: Values) -> Table:
    try:
        rows = chosen(results, part.frame, part.where)
    except ValueError as error:
        raise ConfigError(f"{part.place}: {error}") from None
    if len(rows) > LONGEST_TABLE:
        raise ConfigError(
            f"{part.place}: {len(rows)} rows; a table holds up to {LONGEST_TABLE}: narrow `where`"
        )
    notes = [_line(note, seen) for note in part.notes] + ([] if rows else ["No rows."])
    return Table(
        name=name,
        caption=_line(part.caption, seen),
        columns=tuple(column.head for column in part.columns),
        rows=tuple(
            tuple(_cell(column, part.place, {**seen, "row": row}) for column in part.columns) for row in rows
        ),
        notes=tuple(note for note in notes if note),
    )


def _cell(column: OwnColumn, place: str, seen: Values) -> Cell:
    text = _line(column.text, seen) or UNDEFINED
    reason = _line(column.reason, seen) if column.reason and text == UNDEFINED else ""
    return Cell(text, _order(column, place, seen), reason)


def _order(column: OwnColumn, place: str, seen: Values) -> float | None:
    """What the cell is sorted by; nothing where it is undefined."""
    said = UNDEFINED if column.order is None else _line(column.order, seen)
    if said in ("", UNDEFINED):
        return None
    try:
        order = float(said)
    except ValueError:
        raise ConfigError(f"{place}: the order of {column.head.title!r} is {said!r}, not a number") from None
    return None if math.isnan(order) else order


def _line(template: Template, seen: Values) -> str:
    return _flowing(template.render(seen))


def _flowing(text: str) -> str:
    """One line of the text; spaces that do not break stay what they are."""
    return re.sub(r"[ \t\n]+", " ", text).strip(" ")
