"""What a report holds, whatever the nesting: its blocks, tables and figures, and safe names for files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reporting.report.blocks import Block, Figure, Report, Section, Table

SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def blocks(report: Report) -> Iterator[Block]:
    """Yield every block in reading order, a section before what it holds."""
    for section in report.sections:
        yield from _within(section)


def tables(report: Report) -> list[Table]:
    """Return all tables in reading order."""
    return [block for block in blocks(report) if isinstance(block, Table)]


def figures(report: Report) -> list[Figure]:
    """Return all figures in reading order."""
    return [block for block in blocks(report) if isinstance(block, Figure)]


def check_names(report: Report) -> None:
    """Raise ValueError unless every name that becomes a file or an anchor is safe and used once."""
    sections = [block for block in blocks(report) if isinstance(block, Section)]
    _check("table", [table.name for table in tables(report)])
    _check("figure", [figure.name for figure in figures(report)])
    _check("section", [section.anchor for section in sections])


def _within(block: Block) -> Iterator[Block]:
    yield block
    if isinstance(block, Section):
        for inner in block.blocks:
            yield from _within(inner)


def _check(kind: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not SAFE.fullmatch(name):
            raise ValueError(f"{kind} name {name!r} is no safe identifier: letters, digits, '_', '-' only")
        # Some file systems do not tell upper from lower case.
        if name.lower() in seen:
            raise ValueError(f"two {kind}s share the name {name!r}")
        seen.add(name.lower())
