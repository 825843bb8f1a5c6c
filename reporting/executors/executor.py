"""What every executor can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

S = TypeVar("S")
I = TypeVar("I")  # noqa: E741
R = TypeVar("R")


class Executor(ABC):
    """Runs tasks somewhere, and gives the same results wherever that is."""

    folder: Path | None = None
    """Where values pass between processes; None: all work runs in this process."""

    @abstractmethod
    def run(self, work: Callable[[S, I], R], shared: S, items: Iterable[I]) -> list[R]:
        """Return ``[work(shared, item) for item in items]``, in the order of the items.

        ``work`` is a function of a module and has no side effect. Where tasks fail, the fault of the first
        of them in order is raised.
        """

    @property
    def here(self) -> Executor:
        """The executor for work in this process, where its values are not worth sending."""
        return self

    def suited(self, rows: int) -> Executor:
        """Return the executor for a table of so many rows, which only ``auto`` asks for."""
        return self

    def close(self, *, failed: bool = False) -> None:  # noqa: B027
        """Let go of what was opened; where the run ``failed``, do not wait for tasks under way."""

    def __enter__(self) -> Self:
        """Open nothing: workers start with the first task."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close(failed=kind is not None)
