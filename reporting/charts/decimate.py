"""Fewer vertices, the same picture: never more than a pixel from the full curve."""

from __future__ import annotations

import numpy as np

from reporting.report.blocks import Axis
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

PAGE_PIXELS = 720
PRINT_PIXELS = 300

FEW = 256
"""So many vertices are kept as they are."""
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
    """Keep the ends, then what is farthest from a chord until nothing is far (Douglas and Peucker, 1973)."""
    keep = np.zeros(len(x), dtype=bool)
    keep[[0, -1]] = True
    stretches = [(0, len(x) - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        far = _distances(x[first : last + 1], y[first : last + 1])
        middle = int(np.argmax(far))
        if far[middle] > STRAIGHT:
            keep[first + middle] = True
            stretches += [(first, first + middle), (first + middle, last)]
    return keep


def _distances(x: FloatArray, y: FloatArray) -> FloatArray:
    """How far each vertex lies from the stretch between the first and the last."""
    along_x, along_y, from_x, from_y = x[-1] - x[0], y[-1] - y[0], x - x[0], y - y[0]
    length = along_x**2 + along_y**2
    share = np.clip((from_x * along_x + from_y * along_y) / length, 0.0, 1.0) if length else np.zeros(len(x))
    return np.asarray(np.hypot(from_x - share * along_x, from_y - share * along_y), dtype=np.float64)
