"""The primary question of one config, analysed in several ways."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from reporting.app.config.plan import Plan
from reporting.app.config.read import plan_of, read_plan
from reporting.app.init.lines import settled
from reporting.app.init.starter import drafted, questions_of
from reporting.app.run.inputs import CountedPlan, counted_trials, materialise_sources, work_folder
from reporting.app.run.pilot import CONFIGS
from reporting.app.run.report import build_results, frames_of
from reporting.base.records import replace
from reporting.core.criteria.catalogue import oracle
from reporting.core.engine.study import Study
from reporting.document.frames.contract import Frame
from reporting.document.frames.results import Results
from reporting.errors import ConfigError, listed
from reporting.inputs.scan import Scan
from reporting.inputs.spec import TrialSpec
from reporting.inputs.table import with_whole_paths


@contextmanager
def repeated_analyses(words: Sequence[str], overrides: Sequence[str] = ()) -> Iterator[RepeatedAnalyses]:
    """Yield the analyses of a config, or of the config that ``init`` would write of files of scores."""
    with ExitStack() as rows:
        yield RepeatedAnalyses(words, overrides, rows)


@dataclasses.dataclass
class RepeatedAnalyses:
    """The analyses of a config; rows are read again only where they are not those of the analysis before."""

    words: Sequence[str]
    overrides: Sequence[str]
    rows: ExitStack
    """Holds the counts of the last analysis."""
    spec: TrialSpec | None = None
    counted: CountedPlan = dataclasses.field(init=False)

    def __call__(
        self,
        only: Collection[Frame[Any]],
        overrides: Sequence[str] = (),
        left_out: tuple[str, str] | None = None,
    ) -> Results:
        """Return some frames of the primary question, with a value of a column left out."""
        plan = self._plan(overrides)
        plan = replace(plan, trials=replace(plan.trials, left_out=left_out))
        if plan.trials == self.spec:
            counted = self.counted.answering(plan, _ranked)
        else:
            self.rows.close()
            self.spec = None
            counted = self.counted = self.rows.enter_context(counted_trials(plan, focus=_ranked))
            self.spec = plan.trials
        return build_results(counted.plan, counted.table, frames_of(counted, only=only))

    def values(self, column: str) -> list[str]:
        """Return the values of a column of the trials, whose rows the first analysis has checked."""
        plan = self._plan()
        with work_folder(plan.execution.folder) as work:
            return Scan(with_whole_paths(materialise_sources(plan.trials, work))).values_of(column)

    def _plan(self, overrides: Sequence[str] = ()) -> Plan:
        overrides = (*self.overrides, *overrides)
        if len(self.words) == 1 and Path(self.words[0]).suffix.lower() in CONFIGS:
            return read_plan(Path(self.words[0]), overrides)
        return plan_of(self._drafted, "the config that init writes", overrides)

    @cached_property
    def _drafted(self) -> Mapping[str, Any]:
        lines = drafted(self.words, Path("report.yaml")).lines
        if questions := questions_of(lines):
            raise ConfigError(
                *(f"{listed(keys, 3)}: {why}" for why, keys in questions.items()),
                "'reporting init' writes a config of these files; settle what it asks, and audit the config",
            )
        return settled(lines)


def _ranked(study: Study) -> Study:
    """Return a study of its primary question alone, with its choice on the test set and with ranks."""
    chosen = study.primary.criterion
    on_test = [oracle(chosen)] if chosen.has_oracle else []
    return replace(study.alone(*on_test), sections=("ranking",))
