"""Where the name of a line goes in a picture: next to the line, over nothing, as near to its end as may be.

All is reckoned in pixels of the frame: the lines are drawn onto a grid of cells, and a name may go where its
box covers no cell that a line, a dot or another name has taken.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.document.blocks import Axis, Label, Series, is_context

MOST_CONTEXT = 5
"""Of more models in grey none is named in the picture."""
MOST_LETTERS = 26
"""A longer name is shortened where it has no room."""
CELL = 3
"""The side of a cell in pixels."""
HIGH, SIZE = 15.0, 13.0
"""The height of a line of text and the size of its letters, in pixels: that of captions."""
CROWDED = ((8.0, 120.0), (20.0, 40.0))
"""What another line within so many pixels of a name costs, in pixels of distance from the end of its own."""
DOT = 6.0
MOST_MARGIN = 84.0
"""A name right of the frame is at most so wide: two pictures share the width of a page."""
AWAY = (0.0, 12.0)
"""How much farther off a name may be where there is no room next to its line."""
EVERY = 7
"""A name is tried at every so many pixels along its line."""
MARGIN_COST, BROAD_COST, SHIFT_COST, SHARED_COST, MOST_SHIFT = 14.0, 0.4, 1.2, 1000.0, 2
"""The cost of a name in the right margin, of each pixel it is long, or shifted, and of an end lines share; by
how many lines it may be shifted."""

Boxes = FloatArray
"""Left, right, lower and upper edge of each box, in pixels from the lower left corner of the frame."""


@dataclass(frozen=True)
class Pane:
    """A frame in pixels; ``margin``: whether names may be right of it."""

    x_axis: Axis
    y_axis: Axis
    width: float
    height: float
    margin: bool = False

    def place(self, x: Sequence[float], y: Sequence[float]) -> FloatArray:
        """Return places in pixels, one row each."""
        columns = ((x, self.x_axis, self.width), (y, self.y_axis, self.height))
        return np.stack(
            [
                side * np.clip((np.asarray(v) - axis.low) / (axis.high - axis.low), -1.0, 2.0)
                for v, axis, side in columns
            ],
            axis=1,
        )

    def label(self, series: Series, text: str, at: tuple[float, float], anchor: str) -> Label:
        """Return a name at a place in pixels."""
        x, y = (
            round(axis.low + pixel / side * (axis.high - axis.low), 5)
            for pixel, axis, side in ((at[0], self.x_axis, self.width), (at[1], self.y_axis, self.height))
        )
        ends = anchor == "end"
        return Label(text, series.style, x, y, ends, of_line=series.kind == "line", owner=series.label)


def labels(series: Sequence[Series], frame: Pane) -> tuple[Label, ...]:
    """Return the names of lines and guides that find room; those of lines in colour choose first."""
    first = {s.label: s for s in reversed(series) if s.kind == "line" and s.label.strip()}
    lines = [s for s in series if first.get(s.label) is s]
    context = [line for line in lines if is_context(line.style)]
    lines = [line for line in lines if not is_context(line.style)]
    lines += context if len(context) <= MOST_CONTEXT else []
    guides = [s for s in series if s.kind == "guide" and s.label.strip()]
    paths = {id(s): _path(s, frame) for s in series if s.kind in ("line", "guide")}
    room = _Room(frame, [*paths.values(), *_marks(series, frame)])
    placed = [room.name(line, paths[id(line)]) for line in lines]
    placed += [room.name(guide, paths[id(guide)]) for guide in guides]
    return tuple(label for label in placed if label is not None)


def _path(series: Series, frame: Pane) -> FloatArray:
    """Return places along a line at most two pixels apart, as far as they lie in the frame."""
    corners = frame.place(series.x, series.y)
    if len(corners) < 2:
        return _inside(corners, frame)
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    at = np.concatenate(([0.0], np.cumsum(lengths)))
    every = np.linspace(0.0, at[-1], max(2, int(at[-1] / 2) + 1))
    dense = np.stack([np.interp(every, at, corners[:, i]) for i in (0, 1)], axis=1)
    return _inside(dense, frame)


def _inside(places: FloatArray, frame: Pane) -> FloatArray:
    room = 1.0
    return places[((places >= -room) & (places <= np.array([frame.width, frame.height]) + room)).all(axis=1)]


def _marks(series: Sequence[Series], frame: Pane) -> Iterator[FloatArray]:
    """Places that dots and rings cover."""
    square = np.stack(np.meshgrid(*[np.arange(-DOT, DOT + 1, CELL)] * 2), axis=-1).reshape(-1, 2)
    for each in series:
        if each.kind in ("points", "rings"):
            for place in frame.place(each.x, each.y):
                yield _inside(place + square, frame)


class _Room:
    """What of a frame is taken, line by line."""

    def __init__(self, frame: Pane, taken: Sequence[FloatArray]) -> None:
        self.frame = frame
        self.last = np.array([int(np.ceil(side / CELL)) for side in (frame.width, frame.height)])
        self.total = np.zeros(self.last + 1, dtype=np.int64)
        for places in taken:
            self.total += self._cells(places)
        self.in_margin: list[tuple[float, float]] = []

    def _cells(self, places: FloatArray) -> IntArray:
        cells = np.zeros_like(self.total)
        column, row = np.clip(places // CELL, 0, self.last).astype(np.int64).T
        cells[column, row] = 1
        return cells

    def name(self, series: Series, path: FloatArray) -> Label | None:
        """Return the name of a line at its best place, and take that place; None where there is no room."""
        if not len(path):
            return None
        whole = series.label
        cut = whole if len(whole) <= MOST_LETTERS else f"{whole[: MOST_LETTERS - 1]}…"
        # A colour shows whose a name farther off is.
        farther = AWAY if series.kind == "line" and not is_context(series.style) else AWAY[:1]
        tries = ((text, away) for away in farther for text in dict.fromkeys((whole, cut)))
        placed = (self._placed(series, path, text, away) for text, away in tries)
        return next((label for label in placed if label is not None), None)

    def _placed(self, series: Series, path: FloatArray, text: str, away: float) -> Label | None:
        is_guide, wide = series.kind == "guide", SIZE * letters(text)
        wanted = self._wanted(series, path)
        tried = path[:: max(1, EVERY // 2)]
        boxes, anchors = _around(tried, wide, away)
        far = np.hypot(*(np.tile(tried, (len(boxes) // len(tried), 1)) - wanted).T)
        others = self.total - self._cells(path)
        crowd = sum(cost * (_covered(np.maximum(others, 0), boxes, apart) > 0) for apart, cost in CROWDED)
        # At the end itself a name is behind its line rather than over it.
        cost = far + crowd + np.where(np.arange(len(boxes)) < len(tried), 0.0, 4.0)
        ends = np.repeat([self.frame.width, self.frame.height], 2) - 2
        inside = (boxes >= 2).all(axis=1) & (boxes <= ends).all(axis=1)
        over = _covered(self.total, boxes, 0.0)
        free = inside & (over == 0)
        best = int(np.argmin(np.where(free, cost, np.inf)))
        margin = None if is_guide else self._in_margin(path, wide)
        if margin is not None and (not free[best] or margin[1] < cost[best]):
            self.in_margin.append((margin[0] - HIGH / 2, margin[0] + HIGH / 2))
            return self.frame.label(series, text, (self.frame.width + 5, margin[0]), "start")
        if not free[best]:
            return None
        left, right, low, high = boxes[best]
        first, last, lower, upper = np.clip(boxes[best] // CELL, 0, np.repeat(self.last, 2)).astype(np.int64)
        self.total[first : last + 1, lower : upper + 1] += 1
        anchor = anchors[best]
        return self.frame.label(series, text, (right if anchor == "end" else left, (low + high) / 2), anchor)

    def _wanted(self, series: Series, path: FloatArray) -> FloatArray:
        """Return where a name is best placed.

        A guide's at its middle vertex, that of a line that rises from the axis and returns to it at the top,
        and any other at the right end.
        """
        if series.kind == "guide":
            middle = len(series.x) // 2
            (at,) = self.frame.place(series.x[middle : middle + 1], series.y[middle : middle + 1])
            return np.asarray(at, dtype=np.float64)
        if max(path[0, 1], path[-1, 1]) < 3 < self.frame.height / 4 < path[:, 1].max():
            return np.asarray(path[np.argmax(path[:, 1])], dtype=np.float64)
        return np.asarray(path[np.lexsort((path[:, 1], path[:, 0]))[-1]], dtype=np.float64)

    def _in_margin(self, path: FloatArray, wide: float) -> tuple[float, float] | None:
        """Return the height of a name right of the frame and its cost; None where the line ends before."""
        ends = path[path[:, 0] >= self.frame.width - 2]
        if not self.frame.margin or not len(ends) or wide > MOST_MARGIN:
            return None
        height = float(ends[:, 1].mean())
        end = np.array([[self.frame.width - CELL, self.frame.width, height - CELL, height + CELL]])
        others = np.maximum(self.total - self._cells(path), 0)
        is_shared = bool(_covered(others, end, CELL)[0])
        cost = MARGIN_COST + BROAD_COST * wide + SHARED_COST * is_shared
        for shift in sorted(np.arange(-MOST_SHIFT * HIGH, MOST_SHIFT * HIGH + 1, 2.0), key=abs):
            low, high = height + shift - HIGH / 2, height + shift + HIGH / 2
            if all(high <= below or low >= above for below, above in self.in_margin):
                return height + float(shift), cost + SHIFT_COST * abs(float(shift))
        return None


def _around(places: FloatArray, wide: float, away: float) -> tuple[Boxes, list[str]]:
    """Return the boxes of a text around every place, and at which of its ends it is held there.

    ``away``: by how many pixels more than usual they are from it.
    """
    x, y = places.T
    up, aside = HIGH / 2 + 3 + away, 6.0 + away
    boxes, anchors = [], []
    for over, right in ((0, True), (1, True), (-1, True), (1, False), (-1, False), (0, False)):
        left = x + (aside if not over else 3.0) if right else x - wide - (aside if not over else 3.0)
        middle = y + over * up
        boxes.append(np.stack([left, left + wide, middle - HIGH / 2, middle + HIGH / 2], axis=1))
        anchors += ["start" if right else "end"] * len(places)
    return np.concatenate(boxes), anchors


def _covered(cells: IntArray, boxes: Boxes, around: float) -> IntArray:
    """Return how much is taken within each box, and so many pixels around it."""
    columns, rows = cells.shape
    sums = np.zeros((columns + 1, rows + 1), dtype=np.int64)
    sums[1:, 1:] = cells.cumsum(0).cumsum(1)
    left, right, low, high = boxes.T
    a, c = (
        np.clip((v - around) // CELL, 0, n - 1).astype(np.int64) for v, n in ((left, columns), (low, rows))
    )
    b, d = (
        np.clip((v + around) // CELL + 1, 1, n).astype(np.int64) for v, n in ((right, columns), (high, rows))
    )
    return np.asarray(sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c], dtype=np.int64)


CAPITAL = 0.8
"""An upper-case letter in the bold type of names: NDKA is a quarter wider than four small letters."""
NARROW, BROAD = "iIjlt.,:;|!'`()[]{} -f", "mwMW@%—"


def letters(text: str) -> float:
    """Return about how wide a text is, in sizes of its letters."""
    return sum(_letter(character) for character in text)


def _letter(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if character in NARROW:
        return 0.36
    return 0.92 if character in BROAD else CAPITAL if character.isupper() else 0.62
