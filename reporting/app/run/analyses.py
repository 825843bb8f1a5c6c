"""The primary question of one config, analysed in several ways: the rows are read anew for each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reporting.app.config.plan import Plan
from reporting.app.config.read import plan_of, read_plan
from reporting.app.init.lines import nested
from reporting.app.init.starter import drafted, questions_of
from reporting.app.run.inputs import (
    count_all,
    executor_of,
    materialise_sources,
    open_table,
    plan_for_table,
    work_folder,
)
from reporting.app.run.pilot import CONFIGS
from reporting.app.run.report import build_results
from reporting.base.progress import Stages
from reporting.core.criteria.catalogue import oracle
from reporting.core.engine.study import Study
from reporting.document.frames.contract import Frame
from reporting.document.frames.results import Results
from reporting.errors import ConfigError, listed
from reporting.features.compute import compute_frames
from reporting.inputs.scan import Scan
from reporting.inputs.table import with_whole_paths


@dataclass(frozen=True)
class RepeatedAnalyses:
    """The analyses of a config, or of the config that ``init`` would write of files of scores."""

    stages: Stages

    def __call__(
        self,
        words: Sequence[str],
        overrides: Sequence[str] = (),
        left_out: tuple[str, str] | None = None,
        only: Collection[Frame[Any]] = (),
    ) -> Results:
        """Return some frames of the primary question, with a value of a column left out."""
        plan = _plan(words, overrides)
        plan = replace(plan, trials=replace(plan.trials, left_out=left_out), study=_ranked(plan.study))
        with work_folder(plan.execution.folder) as work, executor_of(plan, work, self.stages) as executor:
            table = open_table(plan, work)
            plan = plan_for_table(plan, table)
            counts, pool = count_all(table, executor, work, self.stages)
            return build_results(plan, table, compute_frames(table, counts, plan.study, pool, only=only))

    def values(self, words: Sequence[str], overrides: Sequence[str], column: str) -> list[str]:
        """Return the values of a column of the trials, whose rows the first analysis has checked."""
        plan = _plan(words, overrides)
        with work_folder(plan.execution.folder) as work:
            return Scan(with_whole_paths(materialise_sources(plan.trials, work))).values_of(column)


def _plan(words: Sequence[str], overrides: Sequence[str] = ()) -> Plan:
    if len(words) == 1 and Path(words[0]).suffix.lower() in CONFIGS:
        return read_plan(Path(words[0]), overrides)
    lines = drafted(words, Path("report.yaml")).lines
    if questions := questions_of(lines):
        raise ConfigError(
            *(f"{listed(keys, 3)}: {why}" for why, keys in questions.items()),
            "'reporting init' writes a config of these files; settle what it asks, and audit the config",
        )
    settled = nested([line for line in lines if not line.is_offered], 0)
    return plan_of(settled, "the config that init writes", overrides)


def _ranked(study: Study) -> Study:
    """Return a study of its primary question alone, with its choice on the test set and with ranks."""
    chosen = study.primary.criterion
    on_test = [oracle(chosen)] if chosen.has_oracle else []
    return replace(
        study,
        measures=(study.primary.measure,),
        criteria=(chosen, *on_test),
        operating_points=(),
        epc=None,
        curves=(),
        fits=(),
        by=(),
        across=(),
        sections=("ranking",),
    )
