"""How a measure is printed: its unit, and as many digits as its standard errors support.

One printing serves every place that shows a measure, so that no number appears with two roundings.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from decimal import Decimal

from scipy.special import ndtri

from reporting.base.records import dataclass, replace
from reporting.core.measures.measure import Measure
from reporting.document import numbers

SMALLEST_ERROR = 1e-9
MOST_MORE = 2
"""So many decimals more show on which side of 0 a limit lies."""


@dataclass(frozen=True)
class Printing:
    """Texts of one measure's values and differences."""

    percent: bool
    decimals: int

    @classmethod
    def of(cls, measure: Measure | None, errors: Iterable[float | None]) -> Printing:
        """Return the printing of a measure that has these standard errors: two digits of the typical one.

        Without any of them, what such a measure is usually given: 12.34% or 0.1234.
        """
        percent = measure is not None and measure.printed_in == "percent"
        most = 2 if percent else 4
        known = [error for error in errors if error is not None and error > SMALLEST_ERROR]
        if not known:
            return cls(percent, most)
        return cls(
            percent, numbers.decimals_for(statistics.median(known) * (100 if percent else 1), most=most)
        )

    def off_zero(self, low: float | None, high: float | None) -> Printing:
        """Return the printing of a difference: with up to two decimals more, no limit of its CI prints as 0.

        Rounding must not hide on which side of no difference an interval ends. A limit that is 0 stays so.
        """
        ends = [end for end in (low, high) if end]
        for decimals in range(self.decimals, self.decimals + MOST_MORE + 1):
            if all(float(numbers.fixed(abs(self.scale * end), decimals)) for end in ends):
                return replace(self, decimals=decimals)
        return self

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

    def span(self, low: float | None, high: float | None) -> str:
        """Print an interval for running text, without its unit: ``1.40 to 2.94``."""
        return f"{self.value(low)} to {self.value(high)}"

    def value_with_unit(self, value: float) -> str:
        """Print a value for running text: ``2.13%``."""
        return f"{self.value(value)}%" if self.percent else self.value(value)

    def adds_up(self, difference: float | None, value: float | None, base: float | None) -> bool:
        """Return whether a printed difference is that of the two printed values; so it is where one lacks."""
        parts = [part for part in (difference, value, base) if part is not None and math.isfinite(part)]
        if len(parts) < 3:
            return True
        printed = [Decimal(self.value(part).replace(numbers.MINUS, "-")) for part in parts]
        return printed[0] == printed[1] - printed[2]

    def difference_with_unit(self, value: float) -> str:
        """Print a difference for running text."""
        text = self.value(value)
        one = text.removeprefix(numbers.MINUS) == "1"
        return f"{text} {self.difference_unit.removesuffix('s') if one else self.difference_unit}".rstrip()


def standard_error(low: float | None, high: float | None, level: float | None) -> float | None:
    """Return the standard error behind an interval of a level, or None without one: half width over z."""
    if low is None or high is None or level is None:
        return None
    return (high - low) / 2 / float(ndtri((1 + level) / 2))


def power_text(power: float) -> str:
    """Print the chance that a difference is found: ``80% power``."""
    return f"{100 * power:.10g}% power"
