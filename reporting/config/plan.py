"""What a config means once it is read: the values the rest of the program works with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reporting.frames.study import Study
from reporting.trials.spec import TrialSpec


@dataclass(frozen=True)
class ReportSpec:
    """Which formats to write, and how they speak."""

    formats: tuple[str, ...]
    interactive: bool
    vocabulary: str


@dataclass(frozen=True)
class Execution:
    """Where work runs; never changes a byte of the frames. ``workers`` None: all cores."""

    executor: Literal["auto", "serial", "thread"]
    workers: int | None


@dataclass(frozen=True)
class Plan:
    """A config as values.

    ``resolved`` is the whole config with its defaults as plain JSON-able data, for the manifest;
    paths stand in it as the user wrote them.
    """

    source: Path
    trials: TrialSpec
    study: Study
    report: ReportSpec
    execution: Execution
    resolved: dict[str, Any]
