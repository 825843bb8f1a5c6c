"""Texts in lines and columns for a terminal; control characters are shown."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from shutil import get_terminal_size

from reporting.errors import one_line


def prints_unicode() -> bool:
    """Return whether what is printed may hold any letter: the encoding of stdout is UTF-8."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def terminal_width(most: int = 110) -> int:
    """Return the places of a line on the terminal, from 60 to ``most``; 100 where there is no terminal."""
    return max(60, min(get_terminal_size((100, 24)).columns, most))


def fitted(text: str, width: int) -> str:
    """Return a text in one line of so many places at most, control characters shown; ``…`` for the rest."""
    shown = one_line(text)
    if places(shown) <= width:
        return shown
    while shown and places(shown) > width - 1:
        shown = shown[:-1]
    return f"{shown}…"


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text at its spaces into lines of so many places at most, control characters shown."""
    lines: list[str] = []
    line = ""
    for word in one_line(text).split(" "):
        for piece in _pieces(word, width - len(indent)):
            longer = f"{line} {piece}" if line else (indent if lines else "") + piece
            if line and places(longer) > width:
                lines.append(line)
                longer = indent + piece
            line = longer
    return [*lines, line]


def _pieces(word: str, width: int) -> list[str]:
    """Split a word that is longer than a line."""
    pieces, taken = [""], 0
    for letter in word:
        taken += _places(letter)
        if taken > width:
            pieces.append("")
            taken = _places(letter)
        pieces[-1] += letter
    return pieces


def places(text: str) -> int:
    """How many places of a terminal a text takes: wide letters two, those that join others none."""
    return sum(_places(letter) for letter in text)


def _places(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def table(rows: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[int] = ()) -> list[str]:
    """Lay texts out in columns two places apart, each as wide as its longest text and at most its width."""
    cut = [[fitted(text, width) for text, width in zip(row, widths, strict=True)] for row in rows]
    wide = [max(places(row[at]) for row in cut) for at in range(len(widths))] if cut else []
    lines = []
    for row in cut:
        cells = []
        for at, text in enumerate(row):
            gap = " " * (wide[at] - places(text))
            cells.append(gap + text if at in right else text + gap)
        lines.append("  ".join(cells).rstrip())
    return lines


def plain(text: str) -> str:
    """Return a text in ASCII, for terminals that show no other."""
    signs = {"−": "-", "–": "-", "—": "-", "…": "~", "\u202f": " ", "∞": "inf", "α": "alpha"}
    shown = "".join(signs.get(letter, letter) for letter in text)
    return shown.encode("ascii", "backslashreplace").decode("ascii")
