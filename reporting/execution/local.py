"""Work in this process: one task after the other, or in threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from reporting.execution.executor import Executor, I, R, S

WORTH_THREADS = 50_000
"""Rows (trials times models) below which a report takes longer in threads: its arrays are so short that
threads mostly wait for one another's Python."""


class SerialExecutor(Executor):
    """Runs every task at once, in the calling thread."""

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> Iterable[R]:
        """Run one after the other."""
        return (work(shared, item) for item in tasks)


class ThreadExecutor(Executor):
    """Runs tasks in threads of this process; NumPy and compiled loops let them run side by side."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers)

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> Iterable[R]:
        """Run side by side."""
        return self._pool.map(lambda item: work(shared, item), tasks)

    def close(self, *, failed: bool = False) -> None:
        """Wait for tasks under way; a thread cannot be stopped. Those that wait are dropped."""
        self._pool.shutdown(cancel_futures=True)


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
