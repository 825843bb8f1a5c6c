"""What a run has of earlier ones and leaves for later ones: verdicts, what has changed, that it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from reporting.app.config.plan import Plan
from reporting.base.extensions import imported
from reporting.base.progress import Stages
from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.document.frames.gates import held_back
from reporting.document.frames.results import Results
from reporting.document.runs import Judge, Memory, Sources
from reporting.features.catalogue import asked_by


def memory_of(plan: Plan) -> Memory | None:
    """Return the memory that a config names."""
    for feature in asked_by(plan.study):
        if feature.memory and (memory := imported(feature.memory)(plan.study, plan.source.parent)):
            named: Memory = memory
            return named
    return None


class Judges:
    """All that judges a run of a study."""

    def __init__(self, study: Study) -> None:
        questions = asked_by(study)
        self.each: list[Judge] = [imported(feature.judge)(study) for feature in questions if feature.judge]

    def visit(self, part: Part, drawn: Resampling) -> None:
        """Take the evidence of one part."""
        for judge in self.each:
            judge.visit(part, drawn)


def look_back(
    plan: Plan, memory: Memory | None, sources: Sources, judges: Judges, results: Results, stages: Stages
) -> tuple[Results, Callable[[], object]]:
    """Return the results with verdicts and what has changed, and what keeps this run for the next one."""
    for judge in judges.each:
        results = judge.judged(sources, results, memory)
    if memory is None:
        return results, lambda: None
    with stages.stage("looking back"):
        return memory.remember(sources, results, plan.resolved, stages)


def is_held_back(folder: Path) -> bool:
    """Return whether a gate of the report in a folder counts as failed."""
    frame = folder / "frames" / "gates.parquet"
    return frame.exists() and held_back(pl.read_parquet(frame))
