"""What every executor can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from reporting.progress import Step, unheard

S = TypeVar("S")
I = TypeVar("I")  # noqa: E741
R = TypeVar("R")


class Executor(ABC):
    """Runs tasks somewhere, and gives the same results wherever that is."""

    folder: Path | None = None
    """Where values pass between processes; None: all work runs in this process."""
    step: Step = staticmethod(unheard)
    """Hears how many tasks are done."""

    def run(self, work: Callable[[S, I], R], shared: S, items: Iterable[I], what: str = "") -> list[R]:
        """Return ``[work(shared, item) for item in items]``, in the order of the items.

        ``work`` is a function of a module and has no side effect. Where tasks fail, the fault of the first
        of them in order is raised. With ``what``, a word for the items, ``step`` hears of each in order.
        """
        tasks, results = list(items), []
        for result in self.results(work, shared, tasks):
            results.append(result)
            if what:
                self.step(len(results), len(tasks), what)
        return results

    @abstractmethod
    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> Iterable[R]:
        """Yield the result of every task in order."""

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
