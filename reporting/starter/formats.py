"""The field's text formats, told by the first lines of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from reporting.starter.look import lines_in
from reporting.trials.layouts import asvspoof, bob, nist
from reporting.trials.layouts.lines import BLANKS
from reporting.trials.layouts.numbers import is_number
from reporting.trials.spec import File, Layout

Part = Literal["keys", "scores", "both"]
Rows = list[list[str]]
COLUMNS: dict[Layout, tuple[str, ...]] = {
    "kaldi": ("enroll", "test"),
    "voxsrc": ("enroll", "test"),
    "bob": ("claimed_id", "real_id"),
    "nist": ("modelid", "segmentid"),
    "asvspoof": ("speaker",),
}
"""The columns of a format that may serve as clusters."""


@dataclass(frozen=True)
class Reading:
    """What a file may be: a layout, and what part of it."""

    layout: Layout
    part: Part


def readings(source: File) -> tuple[Reading, ...]:
    """Return every reading of a file; none where it is none of these formats."""
    lines = lines_in(source)
    if not lines:
        return ()
    by_tabs = _nist(lines[0].removeprefix("\ufeff").rstrip("\r").split("\t"))
    if by_tabs:
        return (by_tabs,)
    rows = [[field for field in _fields(line) if field] for line in lines]
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        return ()
    return tuple(Reading(layout, part) for layout, part in _of_width(width, rows))


def _fields(line: str) -> list[str]:
    for blank in BLANKS:
        line = line.replace(blank, " ")
    return line.removeprefix("\ufeff").split(" ")


def _nist(header: Sequence[str]) -> Reading | None:
    names = {nist.OTHERWISE.get(name, name) for name in header}
    if not names.issuperset(nist.TRIAL):
        return None
    if "targettype" in names:
        return Reading("nist", "keys")
    return Reading("nist", "scores") if "LLR" in names else None


def _of_width(width: int, rows: Rows) -> Iterator[tuple[Layout, Part]]:
    if width in {len(shape) for shape in asvspoof.PROTOCOLS}:
        shape = next(shape for shape in asvspoof.PROTOCOLS if len(shape) == width)
        if _words(rows, shape.index("label")) <= set(asvspoof.WORDS):
            yield "asvspoof", "keys"
    if width == 2 and _numbers(rows, 1):
        yield "asvspoof", "scores"
    if width == 3:
        yield from _of_three(rows)
    if width in (len(bob.FOUR), len(bob.FIVE)) and _numbers(rows, -1):
        if width == 4 and _words(rows, 2) <= set(asvspoof.WORDS):
            yield "asvspoof", "scores"
        else:
            yield "bob", "both"


def _of_three(rows: Rows) -> Iterator[tuple[Layout, Part]]:
    if _words(rows, 2) <= {"target", "nontarget"}:
        yield "kaldi", "keys"
    if _words(rows, 0) <= {"0", "1"} and not _numbers(rows, 2):
        yield "voxsrc", "keys"
    if _numbers(rows, 2):
        yield "kaldi", "scores"
    if _numbers(rows, 0) != _numbers(rows, 2):
        yield "voxsrc", "scores"


def _words(rows: Rows, at: int) -> set[str]:
    return {row[at] for row in rows}


def _numbers(rows: Rows, at: int) -> bool:
    texts = pl.Series([row[at] for row in rows], dtype=pl.String).to_frame("it")
    return bool(texts.select(is_number(pl.col("it")).all()).item())


def shared_layout(found: Sequence[tuple[Reading, ...]]) -> tuple[Layout, list[Part]] | None:
    """Return the one layout that all files can be read in, keys and scores, and each file's part."""
    for layout in COLUMNS:
        parts = [[one.part for one in each if one.layout == layout] for each in found]
        if not all(parts):
            continue
        # A list of trials may look like scores of 0 and 1.
        chosen = [each[0] for each in parts]
        if layout == "bob" or {"keys", "scores"} <= set(chosen):
            return layout, chosen
    return None


def by_words(source: File, layout: Layout) -> list[str]:
    """Return the columns of a key file that may serve breakdowns."""
    lines = lines_in(source, 1)
    if layout == "nist":
        known = {*nist.TRIAL, *nist.OTHERWISE, "targettype"}
        return [name for name in lines[0].rstrip("\r").split("\t") if name and name not in known]
    if layout == "asvspoof":
        width = len([field for field in _fields(lines[0]) if field])
        shape = next((shape for shape in asvspoof.PROTOCOLS if len(shape) == width), ())
        return [name for name in shape if name and name not in ("speaker", "utterance", "label")]
    return []
