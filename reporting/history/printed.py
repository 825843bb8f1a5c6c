"""How values of several runs are printed: one number of decimals for all, by their standard errors."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from reporting.errors import ConfigError
from reporting.measures.catalogue import read_measure
from reporting.measures.measure import Measure
from reporting.report import numbers
from reporting.wording.terms import terms

Z95 = 1.96
SMALLEST_ERROR = 1e-9


@dataclass(frozen=True)
class Printed:
    """The texts of one measure."""

    label: str
    percent: bool
    decimals: int

    @property
    def unit(self) -> str:
        """The unit of values."""
        return "%" if self.percent else ""

    @property
    def scale(self) -> float:
        """What a value is multiplied by."""
        return 100.0 if self.percent else 1.0

    @property
    def titled(self) -> str:
        """The measure with its unit, for the head of a column or an axis."""
        return f"{self.label} (%)" if self.percent else self.label

    def value(self, value: float | None) -> str:
        """Print a value or a difference without its unit."""
        return numbers.fixed(None if value is None else self.scale * value, self.decimals)

    def interval(self, low: float | None, high: float | None) -> str:
        """Print an interval without its unit; nothing where there is none."""
        return "" if low is None or high is None else numbers.bracket(low, high, self.decimals, self.scale)

    def both(self, value: float | None, low: float | None, high: float | None) -> str:
        """Print a value and its interval."""
        return f"{self.value(value)} {self.interval(low, high)}".rstrip()


def known_measure(text: str) -> Measure | None:
    """Read a measure; None where this version does not know it."""
    try:
        return read_measure(text)
    except ConfigError:
        return None


def printed(
    text: str, limits: Iterable[tuple[float | None, float | None]], vocabulary: str = "detection"
) -> Printed:
    """Return how a measure is printed beside these intervals: two digits of their typical error."""
    measure = known_measure(text)
    percent = measure is not None and measure.printed_in == "percent"
    label = text if measure is None else terms(vocabulary).measure(measure)
    most = 2 if percent else 4
    errors = [(high - low) / 2 / Z95 for low, high in limits if low is not None and high is not None]
    defined = [error for error in errors if error > SMALLEST_ERROR]
    if not defined:
        return Printed(label, percent, most)
    error = statistics.median(defined) * (100 if percent else 1)
    return Printed(label, percent, numbers.decimals_for(error, most=most))
