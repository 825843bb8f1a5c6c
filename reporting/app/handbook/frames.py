"""The result frames as a page of Markdown, every column with its type and meaning; and one word of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reporting.document.frames.contract import Frame
from reporting.errors import listed
from reporting.features.frames import FRAMES


def page_of_frames() -> str:
    """Return the columns of every frame as Markdown; the tests compare it with FRAMES.md."""
    lines = [
        "# Result frames",
        "",
        "Each frame is a file `frames/<name>.parquet` of a report. Rows are sorted by the columns named"
        " first,"
        " nulls first. An undefined number is null, and `status` gives the reason; only `threshold` and"
        " `llr` may be"
        " infinite. A frame that the config does not ask for is left out.",
        "",
        "Thresholds and score bins are on the scale of the trial table. A trial is accepted at or above its"
        " threshold; with `higher_is: nontarget`, at or below it.",
    ]
    for recipe in FRAMES.values():
        lines += _section(recipe.frame)
    return "\n".join(lines) + "\n"


def _section(frame: Frame[Any]) -> Iterator[str]:
    yield from ("", f"## {frame.name}", "", f"Sorted by {', '.join(frame.sorted_by)}.", "")
    yield from ("| column | type | may be null | meaning |", "|---|---|---|---|")
    for column in frame.columns:
        null = "yes" if column.nullable else "no"
        yield f"| `{column.name}` | {column.dtype} | {null} | {column.meaning} |"


def names_of_frames() -> list[str]:
    """Return the names of all frames and of their columns."""
    return [name for recipe in FRAMES.values() for name in (recipe.key, *recipe.frame.schema.names())]


def facts_of(word: str) -> list[tuple[str, str]]:
    """Return what a name of a frame, or of a column of several, means; nothing where it is none."""
    if word in FRAMES:
        frame = FRAMES[word].frame
        return [
            ("frame", f"frames/{frame.name}.parquet, described in FRAMES.md"),
            ("sorted by", ", ".join(frame.sorted_by)),
            ("columns", ", ".join(frame.schema.names())),
        ]
    frames: dict[str, list[str]] = {}
    for recipe in FRAMES.values():
        for column in recipe.frame.columns:
            if column.name == word:
                frames.setdefault(column.meaning, []).append(recipe.key)
    return [(f"column of {listed(names, 6)}", meaning) for meaning, names in frames.items()]
