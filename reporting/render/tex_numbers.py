"""Columns of numbers -> ``S`` columns of siunitx: aligned on the decimal, with the very digits printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reporting.render.tex import Tex, escape
from reporting.render.tex_width import BOLD, width
from reporting.report.blocks import Cell

GROUPED = 5
"""From so many digits on siunitx would set thin spaces between decimals too."""


@dataclass(frozen=True)
class Number:
    """One number in its parts, as printed: ``< -1234.50 (3/4)``."""

    comparator: str
    sign: str
    integer: str
    decimals: str
    exponent: str
    counts: str


@dataclass(frozen=True)
class NumberColumn:
    """An ``S`` column: its specification, its cells, and its width in em."""

    specification: Tex
    cells: list[Tex]
    width: float


def number_column(cells: Sequence[Cell]) -> NumberColumn | None:
    """Set a column on its decimal point; None where siunitx would print other texts than the cells'."""
    read = [read_number(cell.text) for cell in cells]
    aligned = [number for number in read if number is not None and not number.exponent]
    bare = {number.integer == "" for number in aligned if number.integer in ("", "0")}
    if not aligned or len(bare) > 1:
        return None
    extent = _extent(aligned)
    widest = max((number.counts for number in aligned), key=len)
    after = [_after(c.mark, n.counts if n else "", widest) for c, n in zip(cells, read, strict=True)]
    bold = any(cell.bold for cell in cells)
    mark = max((cell.mark for cell in cells), key=len)
    reserved = _after(mark, widest, widest)
    options = [
        f"table-format={_format(extent)}",
        *(["print-zero-integer=false"] if True in bare else []),
        *(["group-digits=integer"] if len(extent.decimals) >= GROUPED else []),
        *([f"table-space-text-post={reserved}"] if reserved else []),
        *(["detect-weight"] if bold else []),
    ]
    set_ = [_cell(cell, number, behind) for cell, number, behind in zip(cells, read, after, strict=True)]
    wide = max(_width(extent, bold) + width(f" {widest}" if widest else ""), *(width(c.text) for c in cells))
    return NumberColumn(Tex(f"S[{','.join(options)}]"), set_, wide + 0.7 * width(mark))


def read_number(text: str) -> Number | None:
    """Take a printed number apart; None where the text is no number."""
    found = _NUMBER.fullmatch(text)
    return Number(**{name: part or "" for name, part in found.groupdict().items()}) if found else None


_NUMBER = re.compile(
    r"(?:(?P<comparator>[<>]) )?(?P<sign>−)?(?P<integer>[0-9]{1,3}(?:\u202f[0-9]{3})+|[0-9]*)"
    r"(?:\.(?P<decimals>[0-9]+))?(?<=[0-9])(?:e(?P<exponent>[+−]?[0-9]+))?"
    r"(?: (?P<counts>\([0-9\u202f]+/[0-9\u202f]+\)))?"
)


def _extent(numbers: Sequence[Number]) -> Number:
    """Return the number that fills the column: the longest of every part."""
    return Number(
        comparator=max(number.comparator for number in numbers),
        sign=max(number.sign for number in numbers),
        integer=max((_digits(number.integer) for number in numbers), key=len),
        decimals=max((number.decimals for number in numbers), key=len),
        exponent="",
        counts="",
    )


def _format(extent: Number) -> str:
    comparator = "<" if extent.comparator else ""
    sign = "-" if extent.sign else ""
    return f"{comparator}{sign}{len(extent.integer)}.{len(extent.decimals)}"


def _cell(cell: Cell, number: Number | None, after: str) -> Tex:
    if number is None or number.exponent:
        return _beside(cell, number)
    weight = r"\bfseries " if cell.bold else ""
    return Tex(f"{weight}{_plain(number)}{after}")


def _beside(cell: Cell, number: Number | None) -> Tex:
    """Set what has no decimal point to stand on in braces, which siunitx leaves alone."""
    text = escape(cell.text) if number is None else _scientific(number)
    set_ = rf"\textbf{{{text}}}" if cell.bold else text
    return Tex(f"{{{set_}{raised(cell.mark)}}}" if text else "")


def _scientific(number: Number) -> str:
    counts = f" {escape(number.counts)}" if number.counts else ""
    return rf"\num{{{_plain(number)}e{number.exponent.replace('−', '-')}}}{counts}"


def _plain(number: Number) -> str:
    point = "." if number.decimals else ""
    sign = number.sign.replace("−", "-")
    return f"{number.comparator}{sign}{_digits(number.integer)}{point}{number.decimals}"


def _digits(integer: str) -> str:
    return integer.replace("\u202f", "")


def raised(mark: str) -> str:
    """Set a mark behind a value as an exponent."""
    return rf"\textsuperscript{{{escape(mark)}}}" if mark else ""


def _after(mark: str, counts: str, widest: str) -> str:
    """Set what stands behind a number: its mark, and its counts flush right."""
    if not mark and not counts:
        return ""
    digits = sum(c.isdigit() for c in widest) - sum(c.isdigit() for c in counts)
    spaces = widest.count("\u202f") - counts.count("\u202f")
    missing = "0" * digits + r"\," * spaces
    room = rf"\phantom{{{missing}}}" if counts and missing else ""
    # Counts are no claim: they stay light beside a bold rate.
    behind = rf"\mdseries\ {room}{escape(counts)}" if counts else ""
    return f"{{{raised(mark)}{behind}}}"


def _width(extent: Number, bold: bool) -> float:
    groups = (len(extent.integer) - 1) // 3 if len(extent.integer) >= GROUPED else 0
    digits = 0.5 * (len(extent.integer) + len(extent.decimals)) + 0.17 * groups
    point = 0.278 if extent.decimals else 0.0
    ahead = (1.06 if extent.comparator else 0.0) + (0.78 if extent.sign else 0.0)
    return (digits + point) * (BOLD if bold else 1.0) + ahead
