"""The executor that a config asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from reporting.errors import ConfigError
from reporting.execution.executor import Executor
from reporting.execution.local import AutoExecutor, SerialExecutor, ThreadExecutor, cores
from reporting.execution.task import Tell

Kind = Literal["auto", "serial", "thread", "process", "dask"]
"""``auto``: threads, but for small tables none."""


def open_executor(
    kind: Kind,
    workers: int | None,
    work: Path,
    *,
    address: str | None = None,
    tell: Tell = lambda line: None,
) -> Executor:
    """Return the executor of a config; ``workers`` None: all cores this process may use.

    ``work`` is the folder of the run, through which values reach other processes. ``tell`` hears of
    workers that die.
    """
    count = workers or cores()
    if kind == "process":
        from reporting.execution.processes import ProcessExecutor

        return ProcessExecutor(count, work, tell)
    if kind == "dask":
        from reporting.execution.cluster import DaskExecutor

        if address is None:
            raise ConfigError("run.address: executor dask needs the address of its scheduler")
        return DaskExecutor(address, work, tell)
    if kind == "serial" or count == 1:
        return SerialExecutor()
    return AutoExecutor(count) if kind == "auto" else ThreadExecutor(count)
