"""What the program, and questions about several runs, know of a run: its verdicts, and the runs before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import polars as pl

from reporting.base.progress import Stages
from reporting.base.provenance import InputFile
from reporting.base.records import dataclass
from reporting.core.counts.count import Counts
from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.document.frames.contract import Frame, R
from reporting.document.frames.results import Results
from reporting.inputs.table import TrialTable

Sources = tuple[TrialTable, Counts]


@dataclass(frozen=True)
class GateResult:
    """A gate of one model on one dataset: its name, its verdict and the sentence that explains it."""

    gate: str
    place: str
    """The model, and the dataset and group where there are several."""
    outcome: str
    """pass, fail or undecided."""
    counts_as: str
    """pass or fail."""
    sentence: str

    @property
    def line(self) -> str:
        """The verdict in one line, such as ``gate failed: FAR (A): the FAR of A is above 1%.``"""
        verdict, _, why = self.sentence.partition(": ")
        return f"gate {VERDICTS.get(verdict, verdict)}: {self.gate} ({self.place}): {why}"


VERDICTS = {"pass": "passed", "fail": "failed"}
"""How a line begins, where a sentence begins in one word."""


@dataclass(frozen=True, eq=False)
class PastRun:
    """One run of the history, with those of the frames ``gates``, ``metrics``, ``outcomes`` that it has."""

    name: str
    frames: Mapping[str, pl.DataFrame]

    def rows(self, frame: Frame[R], **where: object) -> list[R]:
        """Return the rows of a frame that have these values; none where the run has no such frame."""
        if frame.name not in self.frames:
            return []
        wanted = [pl.col(name).eq_missing(pl.lit(value)) for name, value in where.items()]
        return frame.rows(self.frames[frame.name].filter(*wanted))


class Memory(Protocol):
    """The runs before one, and the place where it is kept for the next; none is read before it is asked."""

    @property
    def as_of(self) -> str | None:
        """The date of the run, where the config has one."""

    @property
    def salt(self) -> str:
        """What digests of keys are made with here."""

    def prepare(self) -> None:
        """Raise HistoryError where no run can be kept, before anything is computed."""

    def earlier(self, results: Results) -> Sequence[PastRun]:
        """Return the runs of this report at earlier dates, oldest first."""

    def remember(
        self, sources: Sources, results: Results, resolved: Mapping[str, object], stages: Stages
    ) -> tuple[Results, Callable[[], object]]:
        """Return the results with what has changed, and what keeps the run; ``resolved`` is the config."""

    def snapshot(self, as_of: str) -> InputFile | None:
        """Return what a report of a date depends on, as an input; None without earlier runs."""


class Judge(Protocol):
    """Judges one run: takes the evidence part by part, and decides when all is there."""

    def visit(self, part: Part, drawn: Resampling) -> None:
        """Take the evidence of a part while its resamples are at hand."""

    def judged(self, sources: Sources, results: Results, memory: Memory | None) -> Results:
        """Return the results with its verdicts."""
