"""What every format is given: the report in legible texts, its pictures, and where its numbers come from.

Whatever the nesting, a format asks here for blocks, tables and figures; names that become files are safe,
and what no reader can see does not affect a page, a picture or a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from jinja2 import Environment

from reporting.base.provenance import Provenance
from reporting.base.records import dataclass, field
from reporting.document.blocks import Block, Figure, Report, Section, Table
from reporting.render.environment import tex_environment
from reporting.render.pictures import DrawnFigure
from reporting.render.tex import Tex


class Numbers(Protocol):
    """A table of numbers as it is computed: what a format reads of a data frame."""

    @property
    def height(self) -> int:
        """Return how many rows it has."""

    @property
    def width(self) -> int:
        """Return how many columns it has."""

    @property
    def columns(self) -> list[str]:
        """Return the names of its columns."""

    def slice(self, offset: int, length: int | None = None) -> Numbers:
        """Return some rows."""

    def iter_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield every row."""


@dataclass(frozen=True)
class RenderContext:
    """The input of a format. ``pictures`` are keyed by figure name."""

    report: Report
    provenance: Provenance
    pictures: Mapping[str, DrawnFigure]
    interactive: bool
    """False where the page is shown by viewers that run no script."""
    templates: Path | None = None
    """A folder of the user's templates, which take precedence."""
    formats: tuple[str, ...] = ()
    """Everything that is written, this format among it."""
    frames: Mapping[str, Numbers] = field(default_factory=dict)
    """The numbers of the report by the names of their frames."""
    tex_tables: dict[str, Tex] = field(default_factory=dict)
    """The sources in LaTeX of the tables that are set already, by their names."""

    @cached_property
    def tex_templates(self) -> Environment:
        """The templates of LaTeX."""
        return tex_environment(self.templates)


SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


PAPER = "tables"
"""The anchor of the section of tables for a paper."""


def blocks(report: Report) -> Iterator[Block]:
    """Yield every block in reading order, a section before what it holds."""
    for section in report.sections:
        yield from within(section)


def tables(report: Report) -> list[Table]:
    """Return all tables in reading order."""
    return [block for block in blocks(report) if isinstance(block, Table)]


def for_papers(report: Report) -> list[Table]:
    """Return the tables that the config lays out for a paper."""
    sections = [section for section in report.sections if section.anchor == PAPER]
    return [block for section in sections for block in section.blocks if isinstance(block, Table)]


def figures(report: Report) -> list[Figure]:
    """Return all figures in reading order."""
    return [block for block in blocks(report) if isinstance(block, Figure)]


def png_files(material: RenderContext, shown: Iterable[Figure]) -> dict[str, bytes]:
    """Return the pictures of some figures as PNG, which takes longer than to draw them."""
    return {f"figures/{figure.name}.png": material.pictures[figure.name].png for figure in shown}


_SPACES = re.compile(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """Close up white space, as a page does: elsewhere a line end in a name would be one on paper."""
    return _SPACES.sub(" ", text).strip(" ")


def ended(title: str) -> str:
    """Return a title as a sentence among sentences: with a full stop, unless it ends a sentence itself."""
    return f"{title}." if title and not title.endswith((".", "!", "?")) else title


def check_names(report: Report) -> None:
    """Raise ValueError unless every name that becomes a file or an anchor is safe and used once."""
    sections = [block for block in blocks(report) if isinstance(block, Section)]
    _check("table", [table.name for table in tables(report)])
    _check("figure", [figure.name for figure in figures(report)])
    _check("section", [section.anchor for section in sections])


def within(block: Block) -> Iterator[Block]:
    """Yield a block and, of a section, every block in it."""
    yield block
    if isinstance(block, Section):
        for inner in block.blocks:
            yield from within(inner)


def _check(kind: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not SAFE.fullmatch(name):
            raise ValueError(f"{kind} name {name!r} is no safe identifier: letters, digits, '_', '-' only")
        # Some file systems do not distinguish upper and lower case.
        if name.lower() in seen:
            raise ValueError(f"two {kind}s share the name {name!r}")
        seen.add(name.lower())
