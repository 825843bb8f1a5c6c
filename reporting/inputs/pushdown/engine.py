"""Engines that count trials where they are: what each is asked, and how one is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import polars as pl

from reporting.errors import ConfigError
from reporting.inputs.pushdown.statements import Kind
from reporting.inputs.remote.fetch import extra
from reporting.inputs.spec import Dialect, Remote

COUNTING = ("duckdb", "postgresql", "spark")
"""The schemes of engines that can count."""


class Engine(Protocol):
    """A connection that reads alone and, where the engine can, sees the trials of one moment.

    What goes wrong there is a RemoteError in plain words.
    """

    @property
    def dialect(self) -> Dialect:
        """The dialect of its statements."""
        ...

    @property
    def select(self) -> str:
        """The SELECT that gives the rows of the table, in this dialect."""
        ...

    @property
    def one_moment(self) -> bool:
        """Whether all statements see the same rows; otherwise two surveys are compared."""
        ...

    def columns(self) -> Mapping[str, Kind]:
        """Return what each column of the table holds."""
        ...

    def rows(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement; their order means nothing."""
        ...


Opener = Callable[[Remote, Path], AbstractContextManager[Engine]]


def open_engine(remote: Remote, folder: Path) -> AbstractContextManager[Engine]:
    """Return the engine at an address; what it cannot hold in memory it may put into ``folder``."""
    return OPENERS[remote.scheme](remote, folder)


def _duckdb(remote: Remote, folder: Path) -> AbstractContextManager[Engine]:
    with extra("duckdb", "trials.source"):
        from reporting.inputs.remote.duckdb import opened_duckdb
    return opened_duckdb(remote, folder)


def _postgresql(remote: Remote, folder: Path) -> AbstractContextManager[Engine]:
    with extra("postgres", "trials.source"):
        from reporting.inputs.remote.postgresql import opened_postgresql
    return opened_postgresql(remote)


def _spark(remote: Remote, folder: Path) -> AbstractContextManager[Engine]:
    try:
        from reporting.inputs.remote.spark import opened_spark
    except ImportError:
        raise ConfigError(
            "trials.source: spark needs pyspark (with pyarrow), in the version of its cluster"
        ) from None
    return opened_spark(remote)


OPENERS: Mapping[str, Opener] = {"duckdb": _duckdb, "postgresql": _postgresql, "spark": _spark}
"""By scheme."""
