"""What every layout makes of its sources: rows in long form, under the names that the table uses."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from reporting.base.records import dataclass
from reporting.errors import UnreadableError
from reporting.inputs.bundle import Bundle
from reporting.inputs.files import UNREADABLE, cause
from reporting.inputs.spec import File, InMemory, Source


@dataclass(frozen=True, eq=False)
class Raw:
    """Rows of one source, one a trial and model, under the table's own names; lazy.

    ``name`` is what messages call the source. ``model`` is the only model it holds; None: any.
    """

    name: str
    rows: pl.LazyFrame
    model: str | None = None
    source: Source | None = None
    """The one source it is made of, whose faults explain why it cannot be read; None: several."""
    size: int = 0
    """Bytes of the files that it reads and no piece before it."""
    numbered: bool = True
    """Whether a row's number gives its place; not of a database, nor where rows of one class were chosen."""


@dataclass(frozen=True, eq=False)
class LayoutRows:
    """What a layout makes of all sources of a table."""

    pieces: list[Raw]
    faults: Callable[[], list[str]] = list
    """Reads what it must and returns a message for each broken rule that long form no longer shows."""
    bundle: Bundle | None = None
    """The counts that the rows are unfolded from; None: they are trials as they were scored."""


@dataclass(frozen=True, eq=False)
class Opened:
    """One source whose rows are not in long form yet, under the table's own names; lazy.

    ``faults`` reads what it must of it and returns a message for each rule that its rows break.
    """

    source: Source
    rows: pl.LazyFrame
    faults: Callable[[], list[str]] = list

    @property
    def name(self) -> str:
        """What messages call it."""
        return source_name(self.source)


def source_name(source: Source) -> str:
    """Name a source in a message, with what its path gives: ``dev.txt (model A, split dev)``."""
    values = ", ".join(f"{name} {text}" for name, text in path_values(source).items())
    return f"{source.name} ({values})" if values else source.name


def path_values(source: Source) -> dict[str, str]:
    """Return what the path of a source gives of all its rows, by the table's columns."""
    return {} if isinstance(source, InMemory) else dict(source.path_values)


def size_of(*sources: Source) -> int:
    """Return the bytes of files; tables in memory have none."""
    return sum(source.path.stat().st_size for source in sources if isinstance(source, File))


def collected(query: pl.LazyFrame, source: Source) -> pl.DataFrame:
    """Run a query over one source; DataError where that cannot be read."""
    try:
        return query.collect(engine="streaming")
    except UNREADABLE as error:
        raise UnreadableError(f"{source_name(source)}: cannot be read: {cause(source, error)}") from None


def is_plain(kind: pl.DataType) -> bool:
    """Return whether a column of this type holds values that have a text."""
    return not (kind.is_nested() or kind in (pl.Binary, pl.Duration, pl.Object))
