"""How a measure is printed: its unit, and as many digits as its standard errors support.

One printing serves every place that shows a measure, so that no number appears with two roundings.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from reporting.measures.measure import Measure
from reporting.report import numbers
from reporting.wording.view import Row, View

Z95 = 1.96
NARROW_SPACE = "\u202f"
SMALLEST_ERROR = 1e-9


@dataclass(frozen=True)
class Printing:
    """Texts of one measure's values and differences."""

    percent: bool
    decimals: int

    @property
    def scale(self) -> float:
        """What a value is multiplied by."""
        return 100.0 if self.percent else 1.0

    @property
    def unit(self) -> str:
        """The unit of values."""
        return "%" if self.percent else ""

    @property
    def difference_unit(self) -> str:
        """The unit of differences."""
        return "points" if self.percent else ""

    def scaled(self, value: float | None) -> float | None:
        """Return a value in the printed unit."""
        return None if value is None else self.scale * value

    def value(self, value: float | None) -> str:
        """Print a value or a difference without its unit."""
        return numbers.fixed(self.scaled(value), self.decimals)

    def interval(self, low: float | None, high: float | None) -> str:
        """Print an interval without its unit."""
        return numbers.bracket(low, high, self.decimals, self.scale)

    def value_with_unit(self, value: float) -> str:
        """Print a value for running text; no line ever breaks before the percent sign."""
        return f"{self.value(value)}{NARROW_SPACE}%" if self.percent else self.value(value)

    def difference_with_unit(self, value: float) -> str:
        """Print a difference for running text."""
        return f"{self.value(value)} {self.difference_unit}".rstrip()


def printing(view: View, measure: Measure) -> Printing:
    """Return how a measure is printed in a view: two digits of the typical error on test.

    Values and differences share their decimals, so that a reader's subtraction agrees.
    """
    percent = measure.printed_in == "percent"
    rows = [row for row in view.metrics if row["measure"] == str(measure) and row["split"] == "test"]
    rows += [row for row in view.comparisons if row["measure"] == str(measure)]
    return Printing(percent, _decimals(rows, percent))


def _decimals(rows: Iterable[Row], percent: bool) -> int:
    """Without any interval, what such a measure is usually given: 12.34 % or 0.1234."""
    most = 2 if percent else 4
    errors = [
        (row["ci_high"] - row["ci_low"]) / 2 / Z95
        for row in rows
        if row["ci_low"] is not None and row["ci_high"] is not None
    ]
    defined = [error for error in errors if error > SMALLEST_ERROR]
    if not defined:
        return most
    return numbers.decimals_for(statistics.median(defined) * (100 if percent else 1), most=most)
