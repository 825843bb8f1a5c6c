"""How long each stage of a run took; it never changes a result."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
