"""Tables of the simulation studies within a page: ``<!-- figures: FILE; SECTION; A | B -->``.

The studies write their figures to ``tests/research/studies/*.md``; a page that names them is never behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from docs.markdown import table

STUDIES = Path(__file__).parents[1] / "tests" / "research" / "studies"
MARK = re.compile(r"^<!-- figures: (?P<file>[\w.]+); (?P<section>[^;]+?)(?:; (?P<columns>.+?))? -->$", re.M)


def with_figures(text: str) -> str:
    """Return a page with the tables that it names; KeyError for a section or column that a study lacks."""
    return MARK.sub(lambda mark: "\n".join(_chosen(mark)).rstrip(), text)


def _chosen(mark: re.Match[str]) -> Iterator[str]:
    header, *rows = _rows((STUDIES / mark["file"]).read_text(encoding="utf-8"), mark["section"])
    wanted = [name.strip() for name in mark["columns"].split("|")] if mark["columns"] else header
    missing = set(wanted) - set(header)
    if missing:
        raise KeyError(f"{mark['file']}, {mark['section']}: no column {', '.join(sorted(missing))}")
    places = [header.index(name) for name in wanted]
    # A column without a title has none for a screen reader.
    yield from table([name or "case" for name in wanted], ([row[place] for place in places] for row in rows))


def _rows(text: str, section: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, its header first."""
    heading = re.search(rf"^#+ {re.escape(section)}$", text, re.M)
    if heading is None:
        raise KeyError(f"no section {section!r}")
    lines = text[heading.end() :].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("|"))
    whole = takewhile(lambda line: line.startswith("|"), lines[first:])
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in whole]
    return [cells[0], *cells[2:]]
