"""What a run writes on stderr: bars on a terminal, else lines, as text or JSON; quietly, only errors."""

from __future__ import annotations

import json
import os
import traceback
from datetime import UTC, datetime
from enum import Enum
from typing import TextIO

from reporting.base.progress import Event
from reporting.errors import one_line

INTERNAL = "TR901"
"""The code of what is a fault of the program."""


class Log(Enum):
    """Format of the lines on stderr."""

    TEXT = "text"
    JSON = "json"


class Voice:
    """Plain lines: one a stage, with its seconds when verbose.

    When quiet, it writes only errors, the gates that hold a run back, and that nothing new was tested.
    """

    def __init__(self, stream: TextIO, *, quiet: bool = False, verbose: bool = False) -> None:
        self.stream, self.quiet, self.verbose = stream, quiet, verbose
        self._unended = False

    def __call__(self, line: str) -> None:
        """Hear a line that belongs to no stage."""
        self.hear(Event("note", None, line))

    def hear(self, event: Event) -> None:
        """Write an event; when quiet, only what holds the run back or makes it void."""
        if event.holds_back or event.also_quiet or not self.quiet:
            self.tell(event)

    def tell(self, event: Event) -> None:
        """Write the event's line, if it has one."""
        if event.kind == "begin":
            self._write(str(event.stage) + ("" if self.verbose else "\n"))
            self._unended = self.verbose
        elif event.kind == "end" and self.verbose:
            ended = f" {event.seconds:.3f} s\n"
            self._write(ended if self._unended else f"{event.stage}{ended}")
            self._unended = False
        elif line := line_of(event):
            self.close()
            self._write(line + "\n")

    def error(self, message: str, code: str) -> None:
        """Write what ended the run; the message of an internal error may be several lines long."""
        self.close()
        self._write(f"error: {one_line(message)} [{code}]\n")

    def failure(self, error: BaseException) -> None:
        """Write that an internal error occurred, after the traceback when verbose."""
        self.close()
        if self.verbose:
            self._write("".join(traceback.format_exception(error)))
        self.error(failed(error), INTERNAL)

    def close(self) -> None:
        """End a line that waits for its seconds."""
        if self._unended:
            self._write("\n")
        self._unended = False

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except BrokenPipeError:
            # No one listens any more: that ends no run. Python flushes at exit; give it somewhere to go.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


class JsonLines(Voice):
    """One JSON object a line: time, level, stage, event, code, seconds, peak_mb, message; null if unknown."""

    _stage: str | None = None

    def tell(self, event: Event) -> None:
        """Write the event; steps are for terminals."""
        if event.kind == "step":
            return
        if event.kind == "begin":
            self._stage = event.stage
        level = "warning" if event.kind in ("retry", "caution", "in_report", "gate") else "info"
        level = "error" if event.holds_back else level
        self._record(level, event.kind, event.message or None, event)
        if event.kind == "end":
            self._stage = None

    def error(self, message: str, code: str) -> None:
        """Write what ended the run, and in which stage."""
        self._record("error", "error", message, Event("note", None, code=code))

    def failure(self, error: BaseException) -> None:
        """Write that an internal error occurred, with the traceback in the message when verbose."""
        trace = "\n" + "".join(traceback.format_exception(error)) if self.verbose else ""
        self.error(failed(error) + trace, INTERNAL)

    def _record(self, level: str, kind: str, message: str | None, event: Event) -> None:
        record = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": level,
            "stage": event.stage or self._stage,
            "event": kind,
            "code": event.code or None,
            "seconds": event.seconds,
            "peak_mb": event.peak_mb,
            "message": message,
        }
        self._write(json.dumps(record) + "\n")


def line_of(event: Event) -> str:
    """The line of a retry, a caution, a gate or a note; empty for other events."""
    code = f" [{event.code}]" if event.code else ""
    if event.kind in ("retry", "caution"):
        return f"{event.kind}: {one_line(event.message)}{code}"
    return f"{one_line(event.message)}{code}" if event.kind in ("gate", "note") else ""


def failed(error: BaseException) -> str:
    """Return the error in one sentence."""
    return f"internal error: {type(error).__name__}: {error}"
