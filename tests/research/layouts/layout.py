"""One layout that people have: where it is described, what it looks like, and what a right report says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.research.layouts.truth import areas

Write = Callable[[Path], list[str]]
"""Writes its files into a folder and returns what ``init`` is shown."""


@dataclass(frozen=True)
class Layout:
    """A layout; ``edits`` are the answers that its owner gives in the config: text, and what takes its place."""

    key: str
    source: str
    write: Write
    values: tuple[float, ...]
    measure: str = "auc"
    edits: tuple[tuple[str, str], ...] = ()


LAYOUTS: dict[str, Layout] = {}


def layout(
    source: str,
    *models: str,
    values: Sequence[float] | None = None,
    measure: str = "auc",
    edits: Sequence[tuple[str, str]] = (),
) -> Callable[[Write], Write]:
    """Enter a function as a layout of some models (by their areas), or of some values."""

    def enter(write: Write) -> Write:
        key = write.__name__
        assert key not in LAYOUTS
        expected = tuple(values) if values is not None else areas(*(models or ("ours",)))
        LAYOUTS[key] = Layout(key, source, write, expected, measure, tuple(edits))
        return write

    return enter
