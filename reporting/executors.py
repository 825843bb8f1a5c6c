"""Where work runs, and how long each stage of it took. Neither ever changes a result."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Literal


class SerialExecutor(Executor):
    """Runs every task at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the task now and return its finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # the caller meets it in result(), as with any executor
            future.set_exception(error)
        return future


def open_executor(kind: Literal["auto", "serial", "thread"], workers: int | None) -> Executor:
    """Return the executor of a config; ``auto`` means threads, as many as there are cores."""
    count = workers or os.cpu_count() or 1
    if kind == "serial" or count == 1:
        return SerialExecutor()
    return ThreadPoolExecutor(count)


class Stages:
    """Wall time and peak memory of each stage of a run; ``tell`` hears of each as it begins."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.done: list[dict[str, float | str]] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        self.tell(name)
        start = time.perf_counter()
        yield
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.done.append(
            {"stage": name, "seconds": round(time.perf_counter() - start, 3), "peak_mb": round(peak, 1)}
        )
