"""The trials of a config, counted for a command that asks more of them than a report has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from reporting.app.config.read import read_plan
from reporting.app.run.inputs import count_all, executor_of, open_table, plan_for_table, work_folder
from reporting.app.run.report import build_results
from reporting.base.cache.cache import Cache
from reporting.base.progress import Stages
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.words.codes import CAUTIONS
from reporting.features.compute import compute_frames


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
        plan, stages = read_plan(config, overrides), self.stages
        with work_folder(plan.execution.folder) as work, executor_of(plan, work, stages) as executor:
            with stages.stage("reading trials"):
                table = open_table(plan, work)
            plan = plan_for_table(plan, table)
            unusable = partial(stages.caution, code=CAUTIONS["cache_unusable"].key)
            cache = Cache(plan.execution.cache, unusable, plan.execution.cache_limit)
            with stages.stage("measuring and comparing"):
                counts, pool = count_all(table, executor, work, stages, cache)
                wanted = TRIALS, METRICS, COMPARISONS
                usual = compute_frames(table, counts, plan.study, pool, cache=cache, only=wanted)
            with stages.stage("simulating"):
                more = frames(JudgedRun(table, counts, plan.study, pool=pool, cache=cache))
        return build_results(plan, table, {**usual, **more})
