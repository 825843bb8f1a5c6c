"""Resamples of very many models: drawn for some of them at a time, and kept where there is room.

Every model sees the same draws, whichever others are drawn with it, so that no number depends on either.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from typing import Any, TypeVar

from reporting.base.execution.array_store import ArrayStore, Held, opened
from reporting.base.records import dataclass
from reporting.core.counts.cuts import narrow
from reporting.core.resampling.bootstrap import Replicates, ThresholdKey

AT_ONCE = 16
"""So many models at most are drawn together."""
REPLICATES = 100_000
"""So many resamples of all of them: each takes some 12 kB, and less when it is put away."""

T = TypeVar("T")


def some_at_once(models: list[T], replicates: int) -> list[list[T]]:
    """Return the models in stretches that are drawn one after the other; all in one unless there are many."""
    step = max(1, min(AT_ONCE, REPLICATES // replicates))
    return [models[start : start + step] for start in range(0, len(models), step)] or [models]


@dataclass(frozen=True, eq=False)
class _Shelved:
    """Errors in as few bytes as they need, and the types that they had."""

    counts: Mapping[str, tuple[Held, Any]]
    redrawn: bool

    @classmethod
    def of(cls, drawn: Replicates, shelf: ArrayStore) -> _Shelved:
        counts = {name: value for name, value in vars(drawn).items() if name != "redrawn"}
        return cls({name: (shelf.keep(narrow(c)), c.dtype) for name, c in counts.items()}, drawn.redrawn)

    def open(self) -> Replicates:
        counts = {name: opened(held).astype(dtype) for name, (held, dtype) in self.counts.items()}
        return Replicates(**counts, redrawn=self.redrawn)


class ShelvedErrors(UserDict[ThresholdKey, Any]):
    """Errors by place, the large ones on disk: every look at one opens it."""

    def __init__(self, shelf: ArrayStore) -> None:
        super().__init__()
        self._shelf = shelf

    def __setitem__(self, place: ThresholdKey, errors: Replicates) -> None:
        self.data[place] = _Shelved.of(errors, self._shelf)

    def __getitem__(self, place: ThresholdKey) -> Replicates:
        errors: _Shelved = self.data[place]
        return errors.open()
