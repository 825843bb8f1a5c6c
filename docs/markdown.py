"""Pieces of Markdown that pages made of values are put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

SIGNS = ("\\", "|", "*", "_", "<", "[", "`", "$")


def plain(text: str) -> str:
    """Return a text of which Markdown reads nothing as a sign."""
    for sign in SIGNS:
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def code(text: str) -> str:
    """Return a text as code within a line, also within a table."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, an empty line after it; its cells are Markdown already."""
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def described(meaning: str, facts: Iterable[str]) -> str:
    """Return a cell with a meaning and, below it, short facts; both are Markdown already."""
    below = " · ".join(filter(None, facts))
    return "<br>".join(filter(None, (meaning, f"<small>{below}</small>" if below else "")))


def fields(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield facts as a list of names and values, an empty line after it; values are Markdown already."""
    for name, value in facts:
        yield f":{name}: {value}"
    yield ""


def anchor(*parts: str) -> str:
    """Return the name of a place on a page, as it is in an address."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


def heading(level: int, text: str, place: str = "") -> Iterator[str]:
    """Yield a heading; ``place`` is its anchor."""
    if place:
        yield f"({place})="
    yield f"{'#' * level} {text}"
    yield ""


def index(entries: Iterable[str]) -> Iterator[str]:
    """Yield a mark by which the search of the site finds a place first, an empty line after it.

    Entries with a comma, which parts entries, or a semicolon, which parts levels, are left out.
    """
    whole = (f"! {entry}" for entry in entries if not {",", ";"} & set(entry))
    yield from (f"```{{index}} {', '.join(whole)}", "```", "")


SEARCH = re.compile(r"^<!-- search: (.+) -->$", re.M)


def with_index(text: str) -> str:
    """Return a page that is found by the words that it names: ``<!-- search: WORDS; WORDS -->``."""
    return SEARCH.sub(lambda mark: "\n".join(index(mark[1].split("; "))), text)


def page(lines: Iterable[str]) -> str:
    """Return the text of a page."""
    return "\n".join(lines).rstrip("\n") + "\n"
