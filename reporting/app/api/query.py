"""What a call asks: a table and keys of the config -> the counts, and the study reduced to the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike
from typing import Any

import polars as pl

from reporting.app.api.column_names import columns_recognised
from reporting.app.api.tables import no_table, table_of
from reporting.app.config.plan import Plan, study_of_all
from reporting.app.config.read import plan_of
from reporting.app.config.values import is_text, path_of, plain_values
from reporting.app.run.inputs import counted_trials
from reporting.base.execution import Executor
from reporting.base.records import dataclass, replace
from reporting.core.counts.count import Counts
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.parts import Part, parts
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.measure import Measure
from reporting.document.frames.contract import Frame
from reporting.document.words.one_kind import paid_by
from reporting.errors import ConfigError
from reporting.features.compute import compute_frames
from reporting.features.frames import recipe_of
from reporting.inputs.spec import InMemory
from reporting.inputs.table import TrialTable


@dataclass(frozen=True, eq=False)
class Query:
    """A question and the counts that answer it."""

    study: Study
    """Without the criteria that need a dev set, where there is none."""
    table: TrialTable
    counts: Counts
    pool: Executor
    without_dev: tuple[Criterion, ...] = ()
    """The criteria that would choose on a development set, where there is none."""

    def parts(self) -> Iterator[Part]:
        """Yield every dataset, and its groups."""
        return parts(self.counts, self.study)

    def frames(self, *wanted: Frame[Any]) -> dict[str, pl.DataFrame]:
        """Return some frames of the answer by name; ConfigError where no question makes one."""
        for frame in wanted:
            recipe_of(frame.name)
        return compute_frames(self.table, self.counts, self.study, self.pool, only=wanted)

    def frame(self, frame: Frame[Any]) -> pl.DataFrame:
        """Return one frame of the answer."""
        return self.frames(frame)[frame.name]


@contextmanager
def asking(
    name: str, trials: Any, settings: Mapping[str, Any], *, needs_dev: bool = False, **without: Any
) -> Iterator[Query]:
    """Read and count what a call of ``reporting.<name>`` is about; keys that are None are left out.

    ``without`` replaces fields of the study, to leave out what the call has no use for.
    """
    config = {
        key: [value] if key in LISTS and isinstance(value, str) else value
        for key, value in plain_keys(name, settings).items()
    }
    plan = plan_for(name, trials, config)
    plan = replace(plan, trials=replace(plan.trials, needs_dev=needs_dev))
    with ExitStack() as stack:
        with columns_recognised(plan.trials, f"reporting.{name}"):
            counted = stack.enter_context(counted_trials(plan))
        table = counted.table
        study = replace(
            focused(study_of_all(plan.study, table.models), config), operating_points=(), **without
        )
        chosen = tuple(criterion for criterion in study.criteria if criterion.threshold is None)
        if table.dev_of or table.spec.thresholds.policy not in ("dev", "train", "none"):
            chosen = ()
        given = tuple(criterion for criterion in study.criteria if criterion not in chosen)
        yield Query(replace(study, criteria=given), table, counted.counts, counted.pool, chosen)


def plain_keys(name: str, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return keys of the config as text, lists and mappings; those that are None are left out."""
    given = {key: value for key, value in settings.items() if value is not None}
    return plain_values(given, f"reporting.{name}")


LISTS = ("measures", "criteria", "fits", "curves")


def plan_for(name: str, trials: Any, config: Mapping[str, Any]) -> Plan:
    """Return the plan of a table and keys of the config; ``trials=`` holds the keys next to ``source``."""
    where = f"reporting.{name}"
    keys = config.get("trials", {})
    if not isinstance(keys, Mapping):
        raise ConfigError(f"trials ({where}): expected a mapping of keys next to the table")
    return plan_of({**config, "trials": {**keys, "source": source_of(trials, where)}}, where)


def source_of(trials: Any, where: str) -> Any:
    """Return a table as a source: a frame in memory, or the paths unchanged."""
    if isinstance(trials, str | PathLike):
        return _place(trials, where)
    if (
        isinstance(trials, list | tuple)
        and trials
        and all(isinstance(path, str | PathLike) for path in trials)
    ):
        return [_place(path, where) for path in trials]
    table = table_of(trials, where)
    if table is None:
        raise no_table(trials, where)
    return InMemory(table)


def _place(trials: str | PathLike[Any], where: str) -> str:
    if isinstance(trials, str) and is_text(trials):
        return trials
    return str(path_of(trials, f"trials ({where})", "of a table"))


def focused(study: Study, settings: Mapping[str, Any]) -> Study:
    """Return the study of what was asked alone.

    Where no primary question is given, it is the first measure, at the first criterion that is not
    chosen on test (``first_question``); the one of the defaults then adds nothing.
    """
    if "primary" in settings:
        return study
    measures = _given(study.measures, settings.get("measures"))
    criteria = _given(study.criteria, settings.get("criteria"))
    a_priori = [criterion for criterion in criteria if not criterion.oracle]
    criterion = a_priori[0] if a_priori else study.primary.criterion
    first = first_question(measures or (study.primary.measure,), criterion)
    return replace(study, measures=measures, criteria=criteria, primary=first)


def first_question(measures: Sequence[Measure], criterion: Criterion) -> Primary:
    """Return the first measure that the other error rate cannot buy at such thresholds, else the first."""
    questions = [Primary(measure, criterion) for measure in measures]
    return next((each for each in questions if not paid_by(each)), questions[0])


def _given(values: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    """Leave out the first value where it was not given, but added for the primary question."""
    return values if given is None or len(values) <= len(list(given)) else values[1:]
