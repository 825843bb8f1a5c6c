"""What happens while a run works: its stages as they begin, count and end, their seconds and memory."""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from reporting.base.records import dataclass

Step = Callable[[int, int, str], None]
"""Hears that so many of so many things are done: ``step(3, 10, "models")``."""


@dataclass(frozen=True)
class Event:
    """One thing worth reporting. Seconds and megabytes are known at the end of a stage."""

    kind: Literal["begin", "step", "end", "retry", "caution", "in_report", "gate", "note"]
    """``in_report`` is a caution that the report prints, for logs that are read by programs."""
    stage: str | None
    message: str = ""
    done: int = 0
    of: int = 0
    seconds: float | None = None
    peak_mb: float | None = None
    holds_back: bool = False
    """Whether it makes a run exit 1."""
    also_quiet: bool = False
    """Whether it is written where only errors are."""
    code: str = ""
    """Its code, as ``reporting explain`` knows it."""


@runtime_checkable
class Progress(Protocol):
    """Hears every event, and single lines where no more than a line is known."""

    def __call__(self, line: str) -> None:
        """Hear a line."""

    def hear(self, event: Event) -> None:
        """Hear an event."""


class Stages:
    """Wall time and peak memory of each stage of a run, reported to ``tell``.

    A plain function hears a line as a stage begins, and of retries, cautions and gates; a ``Progress`` hears
    every event. Steps may come from any thread.
    """

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        self._hear = tell.hear if isinstance(tell, Progress) else _in_lines(tell)
        # The high-water mark of a process is reset only by our own command line: elsewhere the caller has it.
        self._own = isinstance(tell, Progress)
        self._current: str | None = None
        self._start = time.perf_counter()
        self.done: list[dict[str, float | str]] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        fresh = self._own and _reset_peak()
        self._current = name
        self._hear(Event("begin", name))
        start = time.perf_counter()
        yield
        seconds, peak = round(time.perf_counter() - start, 3), _peak_mb(resource.RUSAGE_SELF)
        self.done.append(
            {
                "stage": name,
                "seconds": seconds,
                "peak_mb": peak,
                "peak_of": "stage" if fresh else "process so far",
                "children_peak_mb": _peak_mb(resource.RUSAGE_CHILDREN),
            }
        )
        self._hear(Event("end", name, seconds=seconds, peak_mb=peak))
        self._current = None

    def step(self, done: int, of: int, what: str) -> None:
        """Report that ``done`` of ``of`` things are done in this stage."""
        self._hear(Event("step", self._current, what, done, of))

    def retry(self, message: str) -> None:
        """Report that something failed and is tried again."""
        self._hear(Event("retry", self._current, message))

    def caution(self, message: str, code: str = "", *, also_quiet: bool = False) -> None:
        """Report what a reader should know, though the run continues."""
        self._hear(Event("caution", self._current, message, code=code, also_quiet=also_quiet))

    def in_report(self, message: str, code: str) -> None:
        """Report a caution that the report prints."""
        self._hear(Event("in_report", self._current, message, code=code))

    def gate(self, message: str, code: str, *, holds_back: bool) -> None:
        """Report a gate that did not pass, and whether it holds the run back."""
        self._hear(Event("gate", self._current, message, holds_back=holds_back, code=code))

    def timings(self) -> Mapping[str, Any]:
        """What a clock and a machine decide: the stages so far, their total, and where they ran.

        Seconds are wall time. Megabytes are 2^20 bytes: ``peak_mb`` of this process, within the stage or, as
        ``peak_of`` states, up to its end; ``children_peak_mb`` of the largest child that has ended so far.
        """
        return {
            "machine": machine(),
            "stages": self.done,
            "total": {
                "seconds": round(time.perf_counter() - self._start, 3),
                "peak_mb": max((float(stage["peak_mb"]) for stage in self.done), default=0.0),
                "children_peak_mb": _peak_mb(resource.RUSAGE_CHILDREN),
            },
        }


def unheard(done: int, of: int, what: str) -> None:
    """The ``Step`` that no one hears."""


def machine() -> Mapping[str, Any]:
    """Cores, those this process may use, memory in megabytes, and the platform."""
    allowed = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
    return {
        "cores": os.cpu_count(),
        "cores_allowed": allowed,
        "memory_mb": round(memory),
        "platform": platform.platform(),
        "python": platform.python_version(),
    }


def _in_lines(tell: Callable[[str], None]) -> Callable[[Event], None]:
    def hear(event: Event) -> None:
        if event.kind == "begin":
            tell(str(event.stage))
        elif event.kind in ("retry", "caution"):
            tell(f"{event.kind}: {event.message}")
        elif event.kind == "gate":
            tell(event.message)

    return hear


def _reset_peak() -> bool:
    """Set the high-water mark of this process to what it holds now; False where that is not offered.

    From then on programs that watch from outside (``time -v``) see the mark of the last stage.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _peak_mb(who: int) -> float:
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(who).ru_maxrss / unit, 1)
