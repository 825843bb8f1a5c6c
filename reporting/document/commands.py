"""What a command of a question is given, and what it ends with besides a text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reporting.base.records import dataclass

if TYPE_CHECKING:
    import polars as pl

    from reporting.base.provenance import Provenance
    from reporting.document.blocks import Report
    from reporting.document.frames.contract import Frame
    from reporting.document.frames.judged import JudgedRun
    from reporting.document.frames.results import Results


@dataclass(frozen=True)
class Verdict:
    """A text to print, and the exit status: 0, or 1 where what was checked does not hold."""

    text: str
    status: int


@dataclass(frozen=True, eq=False)
class PageToWrite:
    """A page for a file that the user names; the command prints the name."""

    report: Report
    provenance: Provenance
    file: Path


class Analyses(Protocol):
    """The primary question of a config, analysed in one way after the other.

    ConfigError and DataError are raised as of a run.
    """

    def __call__(
        self,
        only: Collection[Frame[Any]],
        overrides: Sequence[str] = (),
        left_out: tuple[str, str] | None = None,
    ) -> Results:
        """Return some frames of a config with overrides, and with a value of a column left out."""
        ...

    def values(self, column: str) -> list[str]:
        """Return the values of a column of the trials."""
        ...


class AnalysesOf(Protocol):
    """Opens the analyses of a config, or of files of scores; a command asks for it by type."""

    def __call__(self, words: Sequence[str], overrides: Sequence[str]) -> AbstractContextManager[Analyses]:
        """Return a block in which they are run; rows that two in a row share are read once."""
        ...


class TrialsCounted(Protocol):
    """The trials of a config, counted; a command asks for them by type. Errors are those of a run."""

    def __call__(
        self,
        config: Path,
        overrides: Sequence[str],
        frames: Callable[[JudgedRun], Mapping[str, pl.DataFrame]],
    ) -> Results:
        """Return frames that are made of them, and those of trials, values and comparisons."""
        ...
