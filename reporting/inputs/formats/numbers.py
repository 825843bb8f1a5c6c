"""Written numbers: the decimal sign, groups of thousands and percent signs of every column.

A column's own values show what its signs mean: ``0,5`` has a decimal comma, ``1,234.5`` groups. ``1,234``
alone shows neither, and then the other columns of the file decide, or its reader (``trials.reading``);
where none does, the text stays as it is and is no number.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
from polars.selectors import by_name

from reporting.base.records import dataclass
from reporting.inputs.values import NO_NUMBERS

FIRST_ROWS = 1_000
"""Rows in which signs that want a closer look are looked for."""
SIGN, EXPONENT = "[+\\-\u2212]?", r"([eE][+-]?[0-9]+)?"
BLANKS_OF_THOUSANDS = " \u00a0\u2009\u202f'\u2019"
"""What separates thousands besides a comma or a point: blanks of four widths, and two apostrophes."""
PERCENT = r"[ \u00a0\u202f]?%$"
GROUPED = f"^{SIGN}[0-9]{{1,3}}([{BLANKS_OF_THOUSANDS}][0-9]{{3}})+([.,][0-9]+)?$"
PLAIN = rf"^{SIGN}([0-9]+(\.[0-9]*)?|\.[0-9]+){EXPONENT}$"
COMMA = rf"^{SIGN}[0-9]*,[0-9]+{EXPONENT}$"
EITHER_COMMA, EITHER_POINT = (
    rf"^{SIGN}[1-9][0-9]{{0,2}},[0-9]{{3}}$",
    rf"^{SIGN}[1-9][0-9]{{0,2}}\.[0-9]{{3}}$",
)
BY_COMMAS = rf"^{SIGN}[0-9]{{1,3}}(,[0-9]{{3}})+\.[0-9]*$|^{SIGN}[0-9]{{1,3}}(,[0-9]{{3}}){{2,}}$"
BY_POINTS = rf"^{SIGN}[0-9]{{1,3}}(\.[0-9]{{3}})+,[0-9]+$|^{SIGN}[0-9]{{1,3}}(\.[0-9]{{3}}){{2,}}$"
SIGNS = f"[,%\u2212{BLANKS_OF_THOUSANDS}]"


@dataclass(frozen=True)
class Shapes:
    """How many values of a column look how; ``other`` are neither numbers nor missing."""

    other: int
    comma: int
    """A decimal comma for sure."""
    point: int
    """A decimal point, or commas between thousands, for sure."""
    either: int
    """``1,234``, which may be either."""
    percent: int
    values: int

    @property
    def decimal(self) -> str:
        """The decimal sign that the values show; empty: none, or both."""
        if bool(self.comma) == bool(self.point):
            return ""
        return "," if self.comma else "."


def undecided(rows: pl.LazyFrame, columns: Iterable[str]) -> list[str]:
    """Return the columns whose decimal sign nothing shows, ``1,234``."""
    shapes = shapes_of(rows, columns)
    if any(each.decimal for each in shapes.values()):
        return []
    return [name for name, each in shapes.items() if each.either]


def with_points(rows: pl.LazyFrame, columns: Iterable[str], decimal: str = "") -> pl.LazyFrame:
    """Return text columns whose numbers are written with a decimal point and nothing else; lazy.

    ``decimal`` is the sign that a config names. A column that holds anything but numbers, or numbers of which
    some contradict the sign, stays as it is. A percentage becomes its hundredth.
    """
    shapes = shapes_of(rows, columns)
    shown = {each.decimal for each in shapes.values()} - {""}
    shared = decimal or (next(iter(shown)) if len(shown) == 1 else "")
    changed = []
    for name, its in shapes.items():
        sign = decimal or its.decimal or shared
        if (not sign and its.either) or (its.comma and sign != ",") or (its.point and sign == ","):
            continue
        changed.append(_rewritten(name, sign, percent=its.percent == its.values))
    return rows.with_columns(changed)


def shapes_of(rows: pl.LazyFrame, columns: Iterable[str]) -> dict[str, Shapes]:
    """Count the shapes of the values of those columns whose first rows hold unusual signs, in one pass."""
    names = list(columns)
    first = rows.select(by_name(names)).head(FIRST_ROWS)
    if not names:
        return {}
    has_signs = first.select(by_name(name).str.contains(SIGNS).any() for name in names).collect()
    wanted = [name for name in names if has_signs[name].item()]
    if not wanted:
        return {}
    counted = rows.select(
        expr.sum().alias(f"{at} {what}")
        for at, name in enumerate(wanted)
        for what, expr in _tests(name).items()
    ).collect(engine="streaming")
    held = {
        name: Shapes(
            **{what: int(counted[f"{at} {what}"].item() or 0) for what in Shapes.__dataclass_fields__}
        )
        for at, name in enumerate(wanted)
    }
    return {name: its for name, its in held.items() if its.values and not its.other}


def _tests(name: str) -> dict[str, pl.Expr]:
    text = by_name(name).as_expr().str.strip_chars()
    bare = text.str.replace(PERCENT, "")
    held = text.is_not_null() & ~text.is_in(NO_NUMBERS)
    groups = bare.str.contains(GROUPED)
    comma, either = bare.str.contains(COMMA), bare.str.contains(EITHER_COMMA)
    by_commas, by_points = bare.str.contains(BY_COMMAS), bare.str.contains(BY_POINTS)
    plain = bare.str.contains(PLAIN)
    a_point = plain & bare.str.contains(".", literal=True) & ~bare.str.contains(EITHER_POINT)
    grouped_comma = groups & bare.str.contains(",", literal=True)
    grouped_point = groups & bare.str.contains(".", literal=True)
    return {
        "other": held & ~(groups | comma | by_commas | by_points | plain),
        "comma": held & ((comma & ~either) | by_points | grouped_comma),
        "point": held & (a_point | by_commas | grouped_point),
        "either": held & either,
        "percent": held & text.str.contains(PERCENT),
        "values": held,
    }


def _rewritten(name: str, decimal: str, *, percent: bool) -> pl.Expr:
    whole = by_name(name).as_expr()
    text = whole.str.strip_chars().str.replace(PERCENT, "") if percent else whole.str.strip_chars()
    dropped = f"[{BLANKS_OF_THOUSANDS}{'.' if decimal == ',' else ','}]"
    bare = text.str.replace_all(dropped, "").str.replace("\u2212", "-", literal=True)
    plain = bare.str.replace(",", ".", literal=True)
    if percent:
        plain = (plain.cast(pl.Float64, strict=False) / 100).cast(pl.String)
    is_stated = ~text.is_in(NO_NUMBERS)
    return pl.when(is_stated).then(plain).otherwise(whole).alias(name)


def decimal_commas(rows: pl.LazyFrame, columns: Iterable[str]) -> pl.LazyFrame:
    """Return text columns in which every number with one comma has a point in its place; lazy."""
    numbers = by_name(list(columns)).as_expr()
    pattern = rf"^\s*[+-]?[0-9]+,[0-9]+{EXPONENT}\s*$"
    return rows.with_columns(
        pl.when(numbers.str.contains(pattern))
        .then(numbers.str.replace(",", ".", literal=True))
        .otherwise(numbers)
    )
