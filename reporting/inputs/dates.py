"""Ranges of days, months or years, by which trials are development or test."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from reporting.base.records import dataclass

if TYPE_CHECKING:  # a config is read without Polars
    import polars as pl

DATE = r"\d{4}(?:-\d{2}(?:-\d{2})?)?"
RANGE = re.compile(rf"(?:from ({DATE}))?(?:(?:^| )until ({DATE}))?")
IN_DATA = r"^\s*\d{4}(?:([-/]?)(?:0[1-9]|1[0-2])(?:[-/]?(?:0[1-9]|[12]\d|3[01])(?:[ T].*)?)?)?\s*$"
"""A date in the table, whose time of day has no part in it."""
EXPECTED = (
    "expected 'until 2026-03' (a day, month or year, inclusive), 'from 2026-04' or"
    " 'from 2026-04 until 2026-06'"
)


@dataclass(frozen=True)
class DateRange:
    """Dates from ``first`` until ``last``, both inclusive, as digits (2026, 202603); empty: open."""

    first: str = ""
    last: str = ""
    text: str = ""
    """As the config has it."""

    @property
    def digits(self) -> int:
        """How many digits a date needs so that it is in the range or outside."""
        return max(len(self.first), len(self.last))

    def meets(self, other: DateRange) -> bool:
        """Return whether both ranges have a day in common."""
        first = max(self.first.ljust(8, "0"), other.first.ljust(8, "0"))
        return first <= min((self.last or "9").ljust(8, "9"), (other.last or "9").ljust(8, "9"))

    def holds(self, digits: pl.Expr) -> pl.Expr:
        """Return which dates, as digits, are in the range."""
        after = digits.str.head(len(self.first)) >= self.first
        return after & (digits.str.head(len(self.last)) <= self.last) if self.last else after


def is_range(text: str) -> bool:
    """Return whether a text is meant as a range of dates, and not as the name of a set."""
    return re.match(r"(from|until|to|before|after) .*\d", text) is not None


def date_range(text: str) -> DateRange:
    """Read a range; ValueError where it is none."""
    parts = RANGE.fullmatch(text)
    if parts is None or not any(parts.groups()):
        raise ValueError(f"{EXPECTED}, found {text!r}")
    first, last = (part or "" for part in parts.groups())
    for part in (first, last):
        try:
            date.fromisoformat((part or "2000") + "2000-01-01"[len(part) or 4 :])
        except ValueError:
            raise ValueError(f"there is no date {part!r} ({text!r})") from None
    of_it = DateRange(first.replace("-", ""), last.replace("-", ""), text)
    if not of_it.meets(of_it):
        raise ValueError(f"{text!r} holds no day: it ends before it begins")
    return of_it
