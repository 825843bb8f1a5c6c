"""Arrows at the frame of a picture, each with the number of a value that lies beyond it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.document.blocks import Axis, Label
from reporting.document.numbers import significant

Number = Callable[[float], str]
"""How a place along an axis is printed, in the units of its ticks."""

NOTE = "Arrows mark values beyond the axes."
ARROWS = {
    (-1, 0): "←", (1, 0): "→", (0, -1): "↓", (0, 1): "↑",
    (-1, -1): "↙", (1, -1): "↘", (-1, 1): "↖", (1, 1): "↗",
}  # fmt: skip
ACROSS, UP = 0.01, 0.03
"""Shares of the frame between an arrow and the edge next to it."""
WIDE, HIGH = 0.14, 0.05
"""The share of the frame that an arrow with its number takes."""
SLACK = 1e-9
"""A value so small a share of the axis beyond its end is at the end."""


def plain(place: float, digits: int = 3) -> str:
    """Return a place as the number that it is, without zeros at its end."""
    text = significant(place, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def side(value: float, axis: Axis) -> int:
    """Return -1 for a value below the axis, 1 for one above it, and 0 for one on it."""
    return int(sides(np.float64(value), axis))


def sides(values: FloatArray | np.float64, axis: Axis) -> IntArray:
    """Return the side of each value."""
    room = SLACK * (axis.high - axis.low)
    return np.subtract(values > axis.high + room, values < axis.low - room, dtype=np.int64)


def arrow(
    place: tuple[float, float],
    axes: tuple[Axis, Axis],
    numbers: tuple[Number, Number],
    style: int,
    owner: str,
) -> Label:
    """Return the arrow and the number of a point beyond the axes, at the nearest place within them."""
    out = side(place[0], axes[0]), side(place[1], axes[1])
    beyond = ", ".join(number(value) for value, number, way in zip(place, numbers, out, strict=True) if way)
    ends = place[0] > axes[0].high - WIDE * (axes[0].high - axes[0].low)
    text = f"{beyond} {ARROWS[out]}" if ends else f"{ARROWS[out]} {beyond}"
    x, y = (
        min(max(value, axis.low + pad * (axis.high - axis.low)), axis.high - pad * (axis.high - axis.low))
        for value, axis, pad in zip(place, axes, (ACROSS, UP), strict=True)
    )
    return Label(text, style, x, y, ends=ends, owner=owner, beyond=True)


def apart(arrows: Iterable[Label], axes: tuple[Axis, Axis]) -> Iterator[Label]:
    """Yield arrows moved up or down, into the frame, until none lies over another."""
    taken: list[tuple[float, float]] = []
    x_axis, y_axis = axes
    wide, high = WIDE * (x_axis.high - x_axis.low), HIGH * (y_axis.high - y_axis.low)
    for each in arrows:
        way = 1 if each.y < (y_axis.low + y_axis.high) / 2 else -1
        free = (each.y + way * n * high for n in count())
        y = next(y for y in free if not any(abs(x - each.x) < wide and abs(y - at) < high for x, at in taken))
        taken.append((each.x, y))
        yield replace(each, y=y)
