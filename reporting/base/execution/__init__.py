"""Where work runs; it never changes a result.

Work is a function of a module, one big value that all its tasks share, and one small item a task.
``array_store`` keeps large arrays on disk while they are not in use.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from reporting.base.progress import Step, unheard

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

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
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        self.close(failed=kind is not None)


Tell = Callable[[str], None]


WORTH_THREADS = 50_000
"""Rows (trials times models) below which a report takes longer in threads: its arrays are so short that
threads mostly wait for one another's Python."""


class SerialExecutor(Executor):
    """Runs every task immediately, in the calling thread."""

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> Iterable[R]:
        """Run one after the other."""
        return map(partial(work, shared), tasks)


@cache
def _thread_pools() -> ThreadpoolController:
    """Return what sets how many threads libraries use; to look for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class ThreadExecutor(Executor):
    """Runs tasks in threads of this process; NumPy lets them run side by side.

    A product of matrices takes one thread meanwhile: those that share the cores already would wait for more.
    """

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers)
        self._limits = _thread_pools().limit(limits=1, user_api="blas")

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> Iterable[R]:
        """Run side by side."""
        return self._pool.map(lambda item: work(shared, item), tasks)

    def close(self, *, failed: bool = False) -> None:
        """Wait for tasks under way; a thread cannot be stopped. Those that wait are dropped."""
        self._pool.shutdown(cancel_futures=True)
        self._limits.restore_original_limits()


class AutoExecutor(ThreadExecutor):
    """Threads, but for small tables none."""

    def suited(self, rows: int) -> Executor:
        """Return a serial executor for a small table."""
        return SerialExecutor() if rows < WORTH_THREADS else self


def cores() -> int:
    """Count the cores this process may use, which a batch system may have limited."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Job(Protocol):
    """What a pool returns for a task: a Future of concurrent.futures, or what looks like one."""

    def result(self) -> Any:
        """Wait for the task; return what it gave or raise what it raised."""

    def cancel(self) -> object:
        """Drop the task where it has not begun."""


class LentPool(Protocol):
    """What can be lent: a concurrent.futures.Executor, or anything with its ``submit``."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any) -> Job:
        """Hand out a task."""
