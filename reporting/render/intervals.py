"""The interval drawn inside a table row: where dot, whisker and zero line stand, in pixels."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.report.blocks import Column, Drawn
from reporting.report.numbers import significant

WIDTH = 176
MARGIN = 6


@dataclass(frozen=True)
class Mark:
    """Positions along the row as text; an empty one is not drawn."""

    dot: str
    low: str
    high: str
    low_end: str
    high_end: str
    """The ends carry a cap only where the limit lies inside the axis."""
    zero: str


def mark(column: Column, drawn: Drawn | None) -> Mark | None:
    """Place an interval on the axis of its column."""
    if drawn is None or column.axis is None:
        return None
    axis = column.axis
    whiskers = drawn.low is not None and drawn.high is not None
    low = drawn.low if drawn.low is not None else drawn.value
    high = drawn.high if drawn.high is not None else drawn.value
    return Mark(
        dot=_inside(drawn.value, axis),
        low=_pixel(_clamped(low, axis), axis) if whiskers else "",
        high=_pixel(_clamped(high, axis), axis) if whiskers else "",
        low_end=_inside(low, axis) if whiskers else "",
        high_end=_inside(high, axis) if whiskers else "",
        zero=_inside(0.0, axis) if column.zero_line else "",
    )


def axis_ends(column: Column) -> tuple[str, str] | None:
    """Return the printed ends of a drawn column's axis."""
    if column.axis is None:
        return None
    return _short(column.axis[0]), _short(column.axis[1])


def _inside(value: float, axis: tuple[float, float]) -> str:
    return _pixel(value, axis) if axis[0] <= value <= axis[1] else ""


def _clamped(value: float, axis: tuple[float, float]) -> float:
    return min(max(value, axis[0]), axis[1])


def _pixel(value: float, axis: tuple[float, float]) -> str:
    low, high = axis
    share = (value - low) / (high - low) if high > low else 0.5
    return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"


def _short(value: float) -> str:
    text = significant(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text
