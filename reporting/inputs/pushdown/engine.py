"""Engines that count trials where they are: what each is asked, and how one is reached."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import polars as pl

from reporting.base.extensions import attribute, extra
from reporting.errors import ConfigError
from reporting.inputs.pushdown.statements import Kind
from reporting.inputs.remote.fetch import DRIVERS
from reporting.inputs.spec import Dialect, Remote

COUNTING = ("duckdb", "postgresql", "spark")
"""The schemes of engines that can count: ``opened(remote, folder)`` of the module of that name is one."""


class Engine(Protocol):
    """A connection that reads alone and, where the engine can, sees the trials of one moment.

    What goes wrong there is a RemoteError in plain words.
    """

    @property
    def dialect(self) -> Dialect:
        """The dialect of its statements."""

    @property
    def select(self) -> str:
        """The SELECT that gives the rows of the table, in this dialect."""

    @property
    def one_moment(self) -> bool:
        """Whether all statements see the same rows; otherwise two surveys are compared."""

    def columns(self) -> Mapping[str, Kind]:
        """Return what each column of the table holds."""

    def rows(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement; their order means nothing."""


def open_engine(remote: Remote, folder: Path) -> AbstractContextManager[Engine]:
    """Return the engine at an address; what it cannot hold in memory it may put into ``folder``."""
    try:
        with extra("" if remote.scheme == "spark" else DRIVERS[remote.scheme][1], "trials.source"):
            opened = attribute(f"reporting.inputs.remote.{remote.scheme}", "opened")
    except ImportError:
        raise ConfigError(
            "trials.source: spark needs pyspark (with pyarrow), in the version of its cluster"
        ) from None
    engine: AbstractContextManager[Engine] = opened(remote, folder)
    return engine
