"""Fewer vertices, the same picture: never more than a pixel from the full curve."""

from __future__ import annotations

import numpy as np

from reporting.report.blocks import Axis
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

PAGE_PIXELS = 720
PRINT_PIXELS = 300


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
