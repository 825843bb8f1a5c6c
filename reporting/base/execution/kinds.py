"""The kinds of executors that a config names, and how one is opened."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from reporting.base.execution import (
    AutoExecutor,
    Executor,
    LentPool,
    SerialExecutor,
    Tell,
    ThreadExecutor,
    cores,
)
from reporting.errors import ConfigError

Kind = Literal["auto", "serial", "thread", "process", "dask"]
"""``auto``: threads, but for small tables none."""


def open_executor(
    kind: Kind,
    workers: int | None,
    work: Path,
    *,
    address: str | None = None,
    pool: LentPool | None = None,
    tell: Tell = lambda line: None,
) -> Executor:
    """Return the executor of a config; ``workers`` None: all cores this process may use.

    ``work`` is the folder of the run, through which values reach other processes. A ``pool`` that is lent
    runs the tasks instead, and is not closed. ``tell`` hears of workers that die.
    """
    if pool is not None:
        from reporting.base.execution.lent_pool import LentExecutor, LentThreads

        return LentThreads(pool) if isinstance(pool, ThreadPoolExecutor) else LentExecutor(pool, work, tell)
    count = workers or cores()
    if kind == "process":
        from reporting.base.execution.processes import ProcessExecutor

        return ProcessExecutor(count, work, tell)
    if kind == "dask":
        from reporting.base.execution.cluster import DaskExecutor

        if address is None:
            raise ConfigError("run.address: executor dask needs the address of its scheduler")
        return DaskExecutor(address, work, tell)
    if kind == "serial" or count == 1:
        return SerialExecutor()
    return AutoExecutor(count) if kind == "auto" else ThreadExecutor(count)
