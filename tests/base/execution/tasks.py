"""Work for tests of executors: functions of a module, which workers import by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np


def scaled(shared: Any, item: float) -> Any:
    """Return a number that depends on all of the shared array."""
    return float((np.asarray(shared) * item).sum())


def repeated(shared: Any, item: int) -> Any:
    """Return an array too large for a message."""
    return np.tile(shared, item)


def written(shared: Any, item: int) -> bool:
    """Try to change the shared array."""
    shared[0] = item
    return True


def refused(shared: Any, item: int) -> Any:
    """Fail on every second item."""
    if item % 2:
        raise ValueError(f"no {item}")
    return item


def killed_once(shared: tuple[str, int], item: int) -> tuple[int, int]:
    """Kill the worker that takes up one item for the first time."""
    folder, victim = shared
    once = Path(folder) / "killed"
    if item == victim and not once.exists():
        once.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item, item**2


def always_killed(shared: Any, item: int) -> int:
    """Kill every worker."""
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def threads_of(shared: Any, item: int) -> tuple[int, str]:
    """Return how many threads Polars has here, and who this is."""
    import polars as pl

    return pl.thread_pool_size(), str(os.getpid())


def slow(shared: str, item: int) -> int:
    """Tell who works, and take long."""
    (Path(shared) / f"{os.getpid()}.pid").touch()
    time.sleep(60)
    return item


def killed(shared: Any, item: int) -> Any:
    """Kill the worker."""
    os.kill(os.getpid(), signal.SIGKILL)
