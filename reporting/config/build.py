"""A valid config -> the values the other rooms take."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeVar

from reporting.config.plan import Execution, Plan, ReportSpec
from reporting.config.schema import Config
from reporting.config.sources import find_files
from reporting.config.trial_keys import ValueNames, spellings
from reporting.frames.study import EpcPlan, ModelEntry, Primary, Study
from reporting.significance.settings import Inference
from reporting.trials.spec import TrialSpec, Values

T = TypeVar("T")


def build_plan(config: Config, source: Path) -> Plan:
    """Turn a valid config into a plan; ``source`` is the config file."""
    trials = _trials(config, source.parent)
    study = _study(config, source.stem)
    return Plan(
        source=source,
        trials=trials,
        study=study,
        report=ReportSpec(tuple(config.report.formats), config.report.interactive, config.report.vocabulary),
        execution=Execution(config.run.executor, config.run.workers),
        resolved=_resolved(config, trials, study),
    )


def _trials(config: Config, folder: Path) -> TrialSpec:
    said = config.trials
    return TrialSpec(
        sources=tuple(file for text in said.source for file in find_files(text, folder)),
        columns=said.columns.model_dump(exclude_none=True),
        values=_values(said.values),
        missing=said.missing,
        unlabelled=said.unlabelled,
        negated=frozenset(key for key, model in config.models.items() if model.higher_is == "nontarget"),
    )


def _values(said: ValueNames) -> Values:
    if said.target is None:
        return Values(dev=said.dev, test=said.test)
    nontarget: tuple[str, ...] | Literal["rest"] | None = None
    if said.nontarget is not None:
        nontarget = "rest" if said.nontarget == ["rest"] else spellings(said.nontarget)
    return Values(spellings(said.target), nontarget, said.dev, said.test)


def _study(config: Config, stem: str) -> Study:
    primary = Primary(config.primary.measure, config.primary.criterion)
    at_threshold = primary.measure.over == "threshold"
    criteria = tuple(config.criteria)
    epc = config.epc
    return Study(
        title=config.title or stem,
        primary=primary,
        criteria=_with_first(primary.criterion, criteria) if at_threshold else criteria,
        measures=_with_first(primary.measure, tuple(config.measures)),
        epc=EpcPlan(tuple(epc.criteria), tuple(epc.measures), epc.alphas) if epc else None,
        curves=tuple(config.curves),
        models=tuple(ModelEntry(key, model.name or key, model.scale) for key, model in config.models.items()),
        baseline=config.baseline,
        ties=config.thresholds.ties,
        threshold_at=config.thresholds.threshold_at,
        inference=Inference(**config.significance.model_dump()),
        vocabulary=config.report.vocabulary,
    )


def _with_first(value: T, values: tuple[T, ...]) -> tuple[T, ...]:
    return values if value in values else (value, *values)


def _resolved(config: Config, trials: TrialSpec, study: Study) -> dict[str, Any]:
    """Return the config with all defaults and additions spelt out; read again, it gives the same plan."""
    values, plain = trials.values, config.model_dump(mode="json", by_alias=True)
    plain["title"] = study.title
    plain["trials"]["columns"] = dict(trials.columns)
    plain["trials"]["values"] = {
        "target": list(values.target),
        "nontarget": list(values.nontarget) if isinstance(values.nontarget, tuple) else values.nontarget,
        "dev": values.dev,
        "test": values.test,
    }
    plain["criteria"] = [str(criterion) for criterion in study.criteria]
    plain["measures"] = [str(measure) for measure in study.measures]
    if study.primary.measure.over == "sweep":
        plain["primary"]["criterion"] = None
    for entry in study.models:
        plain["models"][entry.key]["name"] = entry.name
    plain["epc"] = plain["epc"] or "none"
    return plain
