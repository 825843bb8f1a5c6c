"""The trials of a config, counted for a command that asks more of them than a report has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from reporting.app.config.read import read_plan
from reporting.app.run.inputs import counted_trials
from reporting.app.run.report import build_results, frames_of
from reporting.base.progress import Stages
from reporting.base.records import dataclass
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS


@dataclass(frozen=True)
class TrialsOfConfig:
    """Counts the trials of a config, with its executor and its cache."""

    stages: Stages

    def __call__(
        self,
        config: Path,
        overrides: Sequence[str],
        frames: Callable[[JudgedRun], Mapping[str, pl.DataFrame]],
    ) -> Results:
        """Return frames that are made of them, and those of trials, values and comparisons."""
        with counted_trials(read_plan(config, overrides), self.stages) as counted:
            with self.stages.stage("measuring and comparing"):
                usual = frames_of(counted, only=(TRIALS, METRICS, COMPARISONS))
            plan, table = counted.plan, counted.table
            with self.stages.stage("simulating"):
                run = JudgedRun(table, counted.counts, plan.study, pool=counted.pool, cache=counted.cache)
                more = frames(run)
        return build_results(plan, table, {**usual, **more})
