"""Axes with round ticks, and fewer vertices for the same picture: never more than a pixel from the curve."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.document.blocks import Axis

PERCENT = tuple((float(tick), str(tick)) for tick in range(0, 101, 20))
"""The ticks of a whole in percent."""

FARTHEST = 1e300
"""No score is drawn beyond: the spans of larger floats overflow."""
NEAREST = 1e-300
"""No axis is shorter: spans of the smallest floats divide into nothing."""
NARROWEST = 1e-9
"""An axis spans at least this share of its values: ticks on neighbouring floats would read alike."""


def nice_step(span: float, parts: int) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a span into at most ``parts`` parts."""
    rough = max(span, NEAREST) / parts
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))


def nice_axis(title: str, low: float, high: float, parts: int = 6) -> Axis:
    """Return an axis over at least [low, high] that begins and ends on a round tick."""
    size = max(abs(low), abs(high))
    if high - low <= max(NARROWEST * size, NEAREST):
        half = max(1.0, size) / 2
        low, high = low - half, high + half
    step = nice_step(high - low, parts)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    # One division or product a tick: sums of steps would drift.
    ticks = tuple((step * k, f"{step * k:.6g}".replace("-", "−")) for k in range(first, last + 1))
    return Axis(title, step * first, step * last, ticks)


MANY, FAR_OUT = 5, 8.0
"""Of so many rows one may lie out of the axis: so many median distances from the middle one."""
Ends = tuple[float, float]


def interval_axis(rows: Sequence[Sequence[float]], bounds: Ends, holds: Sequence[float] = ()) -> Ends:
    """Return the axis of intervals that are drawn in the rows of a table, with round ends within ``bounds``.

    A row has the value first, then the limits. Values far out of all others are left outside.
    """
    middle = float(np.median([row[0] for row in rows])) if rows else 0.0
    away = float(np.median([abs(row[0] - middle) for row in rows])) if rows else 0.0
    near_by = [row for row in rows if len(rows) < MANY or not away or abs(row[0] - middle) <= FAR_OUT * away]
    ends = [*holds, *(end for row in near_by for end in row)] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    air = 0.01 * (high - low) or 0.5
    step = nice_step(high - low + 2 * air, 10)
    first, last = step * math.floor((low - air) / step), step * math.ceil((high + air) / step)
    return round(max(first, bounds[0]), 9), round(min(last, bounds[1]), 9)


MARGIN = 0.02


def cut_off(columns: Sequence[FloatArray], axes: Sequence[Axis]) -> list[FloatArray]:
    """Return a polyline, or a band, that shows the same within the frame and stays near it.

    Where a stroke crosses a line just outside the frame it gets a vertex, and what lies beyond is moved onto
    that line. Pictures of far-off vertices take long to draw, and printers know no huge lengths.
    """
    # What is one frame's width away is far enough to keep the direction of a stroke to infinity.
    columns = [near(values, axis, 1.0) for values, axis in zip(columns, axes, strict=True)]
    at = [np.arange(len(columns[0]), dtype=np.float64)]
    for values, axis in zip(columns, axes, strict=True):
        room = MARGIN * (axis.high - axis.low)
        for line in (axis.low - room, axis.high + room):
            crossed = np.flatnonzero((values[:-1] < line) != (values[1:] < line))
            at.append(crossed + (line - values[crossed]) / (values[crossed + 1] - values[crossed]))
    order = np.unique(np.concatenate(at))
    return [
        near(np.interp(order, at[0], values), axis, MARGIN)
        for values, axis in zip(columns, axes, strict=True)
    ]


def near(values: FloatArray, axis: Axis, frames: float) -> FloatArray:
    """Return places no farther out of an axis than so many times its length."""
    room = frames * (axis.high - axis.low)
    return np.clip(values, axis.low - room, axis.high + room)


def places(values: FloatArray) -> tuple[float, ...]:
    """Drawn coordinates as plain numbers, to a ten-thousandth of a pixel and no longer than that."""
    return tuple(float(v) for v in np.round(values, 5))


def steps(x: FloatArray, ys: list[FloatArray]) -> tuple[FloatArray, list[FloatArray]]:
    """Return the corners of steps that change half-way between two alphas; flat runs keep their ends."""
    middle = (x[1:] + x[:-1]) / 2
    corners = np.concatenate((x[:1], np.repeat(middle, 2), x[-1:]))
    twice = [np.repeat(y, 2) for y in ys]
    keep = np.ones(len(corners), dtype=bool)
    keep[1:-1] = np.any([(y[1:-1] != y[:-2]) | (y[1:-1] != y[2:]) for y in twice], axis=0)
    return corners[keep], [y[keep] for y in twice]


def outline(edges: FloatArray, heights: FloatArray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the corners of the bars' upper edge; neighbours of one height lose the corners between them."""
    x, y = np.repeat(edges, 2), np.concatenate(([0.0], np.repeat(heights, 2), [0.0]))
    keep = np.ones(len(x), dtype=bool)
    keep[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return tuple(float(v) for v in x[keep]), places(y[keep])


PAGE_PIXELS = 720
PRINT_PIXELS = 300

FEW = 256
"""So many vertices are kept unchanged."""
FINER, STRAIGHT = 4, 0.6
"""Of more, those that lie this near, in pixels, to the line between kept ones are left out.

What is left out before that shares a pixel of a finer grid with what stays: 0.6 + sqrt(2) / 4 < 1.
"""


def reduce(x: FloatArray, ys: tuple[FloatArray, ...], x_axis: Axis, y_axis: Axis, pixels: int) -> IntArray:
    """Return the vertices to keep of one polyline, or of several that share their x.

    Few ones as ``decimate`` leaves them; of more, those on straight stretches go too. What is dropped lies
    less than a pixel from the polyline through what is kept, wherever the curve is within the window.
    """
    kept = decimate(x, ys, x_axis, y_axis, pixels)
    if len(kept) <= FEW:
        return kept
    fine = decimate(x, ys, x_axis, y_axis, FINER * pixels)
    across = _places(x[fine], x_axis, pixels)
    keep = np.zeros(len(fine), dtype=bool)
    for y in ys:
        keep |= _corners(across, _places(y[fine], y_axis, pixels))
    return fine[keep]


def decimate(x: FloatArray, ys: tuple[FloatArray, ...], x_axis: Axis, y_axis: Axis, pixels: int) -> IntArray:
    """Return the vertices to keep of one polyline, or of several that share their x.

    First and last vertex of every run within one pixel column, and of every run within one pixel
    row, stay. Everything between two kept vertices lies in one pixel with them; beyond the drawn
    window all is one pixel.
    """
    keep = _run_ends(_pixel(x, x_axis, pixels))
    for y in ys:
        keep |= _run_ends(_pixel(y, y_axis, pixels))
    return np.flatnonzero(keep).astype(np.int64)


def spread(x: FloatArray, y: FloatArray, x_axis: Axis, y_axis: Axis, pixels: int) -> IntArray:
    """Return vertices about a pixel apart, both ends of the curve among them."""
    cells = np.stack([_pixel(x, x_axis, pixels), _pixel(y, y_axis, pixels)])
    keep = np.ones(len(x), dtype=bool)
    keep[1:-1] = (cells[:, 1:-1] != cells[:, :-2]).any(axis=0)
    return np.flatnonzero(keep).astype(np.int64)


def _pixel(values: FloatArray, axis: Axis, pixels: int) -> IntArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = np.floor((values - axis.low) / (axis.high - axis.low) * pixels)
    pixel: IntArray = np.clip(np.nan_to_num(place), -1, pixels).astype(np.int64)
    return pixel


def _run_ends(pixel: IntArray) -> BoolArray:
    keep = np.ones(len(pixel), dtype=bool)
    change = pixel[1:] != pixel[:-1]
    keep[1:-1] = change[1:] | change[:-1]
    return keep


def _places(values: FloatArray, axis: Axis, pixels: int) -> FloatArray:
    """In pixels, a frame's width beyond the window at the most."""
    share = np.nan_to_num((values - axis.low) / (axis.high - axis.low))
    return pixels * np.clip(share, -1.0, 2.0)


def _corners(x: FloatArray, y: FloatArray) -> BoolArray:
    """Keep the ends, then what is farthest from a chord until nothing is far (Douglas and Peucker, 1973).

    All stretches that are not straight yet are divided together.
    """
    keep = np.zeros(len(x), dtype=bool)
    keep[[0, -1]] = True
    at = np.arange(len(x) - 1)
    first, last = np.zeros_like(at), np.full_like(at, len(x) - 1)
    while len(at):
        far = _distances(x, y, at, first, last)
        begins = np.flatnonzero(np.diff(first, prepend=-1))
        most = np.maximum.reduceat(far, begins)
        most = np.repeat(most, np.diff(begins, append=len(at)))
        bent = most > STRAIGHT
        at, first, last, farthest = at[bent], first[bent], last[bent], (far == most)[bent]
        stretches, once = np.unique(first[farthest], return_index=True)
        divided = at[farthest][once]
        keep[divided] = True
        middle = divided[np.searchsorted(stretches, first)]
        first, last = np.where(at < middle, first, middle), np.where(at < middle, middle, last)
    return keep


def _distances(x: FloatArray, y: FloatArray, at: IntArray, first: IntArray, last: IntArray) -> FloatArray:
    """Return how far vertices lie from the chord between two others each."""
    from_x, from_y = x[at] - x[first], y[at] - y[first]
    along_x, along_y = x[last] - x[first], y[last] - y[first]
    length = along_x**2 + along_y**2
    towards = from_x * along_x + from_y * along_y
    share = np.divide(towards, length, out=np.zeros(len(first)), where=length > 0).clip(0.0, 1.0)
    return np.asarray(np.hypot(from_x - share * along_x, from_y - share * along_y), dtype=np.float64)
