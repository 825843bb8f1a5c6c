"""The result frames: each with its columns, types and meanings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.markdown import anchor, code, described, heading, page, plain, table
from reporting.document.frames.contract import Frame
from reporting.features.frames import FRAMES

LEAD = (
    "A report keeps every number in tables that other programs can read: `frames/NAME.parquet`. Rows are"
    " sorted by the columns named first, nulls first. An undefined number is null, and the column `status`"
    " gives the [reason](codes.md). Only `threshold` and `llr` may be infinite. A frame that the config"
    " does not request is left out."
)
SCALES = (
    "Thresholds and score bins are on the scale of the trial table. A trial is accepted at or above its"
    " threshold; with `higher_is: nontarget`, at or below it."
)


def pages() -> dict[str, str]:
    """Return the page of all frames."""
    return {"reference/frames.md": page(_lines())}


def _lines() -> Iterator[str]:
    yield from heading(1, "Frames and columns")
    yield from (LEAD, "", SCALES, "")
    for recipe in FRAMES.values():
        yield from _frame(recipe.frame)


def _frame(frame: Frame[Any]) -> Iterator[str]:
    yield from heading(2, code(frame.name), anchor("frame", frame.name))
    yield from (f"Sorted by {', '.join(map(code, frame.sorted_by))}.", "")
    rows = (
        (
            code(column.name),
            described(plain(column.meaning), (str(column.dtype), "may be null" if column.nullable else "")),
        )
        for column in frame.columns
    )
    yield from table(("column", "meaning"), rows)
