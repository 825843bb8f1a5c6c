"""The pilot of a plan: its config is read, its trials counted, and its primary measure compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import counted_trials
from reporting.app.run.report import build_results, frames_of
from reporting.base.progress import Stages
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.pairs import difference
from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import primary_question
from reporting.core.engine.study import Study
from reporting.core.stats.readers import ReaderVariances
from reporting.document.frames.comparisons import COMPARISONS, ComparisonRow
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.results import Results
from reporting.document.frames.tests import TESTS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.phrases import reason, units
from reporting.document.words.terms import terms
from reporting.document.words.view import DatasetView, views
from reporting.errors import (
    ConfigError,
    DataError,
    NotInTableError,
    TooFewError,
    instead,
    listed,
    quoted,
)
from reporting.features.frames import recipe_of
from reporting.features.planning import pilot
from reporting.features.planning.goals import POWER
from reporting.features.planning.options import Given
from reporting.features.planning.questions import PILOT
from reporting.features.planning.sample_plan import SamplePlan

CONFIGS = (".yaml", ".yml")


def is_config(path: Path) -> bool:
    """Whether a path is that of a config: by its ending, or because there is such a file."""
    return path.suffix.lower() in CONFIGS or path.is_file()


def plan_pilot(
    config: Path,
    options: Mapping[str, Any],
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
    where: str = "",
) -> SamplePlan:
    """Return the plan of a pilot's config; ConfigError or DataError for what cannot be planned.

    ``where`` names the Python function; the command line is meant without one.
    """
    given = PILOT.read(options, where)
    aims = [name for name in ("width", "difference", "margin") if name in given]
    if not aims:
        raise ConfigError("plan: give --difference or --margin, in units of the primary measure, or --width")
    if "width" in given and len(aims) > 1:
        raise ConfigError(f"plan: --width and --{aims[1]} are two questions; plan one at a time")
    results, over_readers = _measured(read_plan(config, overrides), given, Stages(tell))
    measure = results.study.primary.measure
    measured = pilot.Measured(
        terms(results.study.vocabulary).measure(measure), measure.printed_in == "percent", config.name
    )
    if "width" in given:
        return pilot.plan_width(_values(results, given), measured, given)
    return pilot.plan_difference(_differences(results, over_readers, given), measured, given)


OverReaders = dict[tuple[str, str, str], tuple[ReaderVariances, int]]
"""Variances over readers and how many there are, by dataset, model and baseline."""


def _measured(plan: Plan, given: Given, stages: Stages) -> tuple[Results, OverReaders]:
    """Return the pilot's results in its primary measure alone, with the test that plans."""
    over_readers: OverReaders = {}

    def visit_readers(part: Part, drawn: Resampling) -> None:
        for pair in model_pairs(part.models, study):
            if pair.read_by(study) and pair.same_readers:
                key = part.dataset, pair.model.key.model, pair.baseline.key.model
                of = difference(pair, primary_question(study), drawn, study)
                over_readers[key] = of.reader_variances, len(pair.model.runs)

    with counted_trials(plan, stages, partial(_primary_alone, given=given)) as counted:
        study, table = counted.plan.study, counted.table
        if study.many and "width" not in given:
            raise ConfigError(
                f"plan: a difference needs the model to compare with, and the pilot has {len(table.models)}:"
                f" name it as baseline (found: {listed(table.models)})"
            )
        with stages.stage("measuring and comparing"):
            visit = visit_readers if study.runs == "reader" and len(table.models) > 1 else None
            for frame in (METRICS, COMPARISONS):
                recipe_of(frame.name)
            frames = frames_of(counted, visit, only=(TRIALS, METRICS, COMPARISONS, TESTS))
        return build_results(counted.plan, table, frames), over_readers


def _primary_alone(study: Study, given: Given) -> Study:
    """Return a study of its primary measure alone, with the test that plans."""
    settings = replace(
        study.inference,
        tests=("power",),
        margin=None,
        level=given.get("level", study.inference.level),
        power=given.get("power", POWER),
    )
    return replace(study.alone(), inference=settings)


def _values(results: Results, given: Given) -> list[pilot.PilotValue]:
    measure, why = results.study.primary.measure, ""
    pilot_values: list[pilot.PilotValue] = []
    for view in (view for view in views(results) if view.whole):
        for model in _models(view, given):
            row = view.primary(model)
            if row is None or row.value is None or row.ci_low is None or row.ci_high is None:
                why = why or (reason(row.status) if row is not None and row.status else "")
                continue
            pilot_values.append(
                pilot.PilotValue(
                    **_data(view, row, row.unit, row.n_units),
                    model=view.names[model],
                    value=row.value,
                    low=row.ci_low,
                    high=row.ci_high,
                    bounded=measure.bounds == (0.0, 1.0),
                )
            )
    if not pilot_values:
        raise _nothing(results, "value with an interval", why)
    return pilot_values


def _differences(results: Results, over_readers: OverReaders, given: Given) -> list[pilot.PilotDifference]:
    if len(results.models) < 2:
        raise NotInTableError(
            "plan: a difference needs two models, and the pilot has one; give --width, or another pilot"
        )
    why, pairs = "", []
    for view in (view for view in views(results) if view.whole):
        wanted = _models(view, given)
        for row in view.headlines:
            pair = row.model, row.baseline
            if not set(pair) & set(wanted):
                continue
            first, second = (view.primary(model) for model in pair)
            if first is None or row.se is None or not row.se > 0 or row.difference is None:
                why = why or (reason(row.status, of_spread=True) if row.status else "")
                continue
            variances, n_readers = over_readers.get((view.dataset, *pair), (None, None))
            tests = [each for each in view.rows(TESTS) if (each.model, each.baseline) == pair]
            pairs.append(
                pilot.PilotDifference(
                    **_data(view, first, row.unit, row.n_units),
                    model=view.names[pair[0]],
                    baseline=view.names[pair[1]],
                    estimate=row.difference,
                    se=row.se,
                    df=next((each.df for each in tests if each.test == "power"), None),
                    design_effect=row.design_effect,
                    correlation=_correlation(first, second, row),
                    readers=variances,
                    n_readers=n_readers and given.get("readers", n_readers),
                )
            )
    if not pairs:
        raise _nothing(results, "difference with a standard error", why)
    return pairs


def _models(view: DatasetView, given: Given) -> list[str]:
    name = given.get("model")
    if name is None:
        return list(view.names)
    keys = [key for key, printed in view.names.items() if name in (key, printed)]
    if not keys:
        raise NotInTableError(
            f"plan: --model {quoted(name)} is no model of the pilot{instead(name, view.names)}"
        )
    return keys


def _data(view: DatasetView, row: MetricRow, unit: str | None, n_units: int | None) -> Mapping[str, Any]:
    clustered = unit == "cluster"
    n_trials = row.n_target + row.n_nontarget
    return {
        "place": f" on {view.where}" if view.where else "",
        "units": units(view.results, unit or "trial"),
        "n_units": n_units if n_units and clustered else n_trials,
        "clustered": clustered,
        "n_target": row.n_target,
        "n_nontarget": row.n_nontarget,
    }


def _correlation(first: MetricRow, second: MetricRow | None, row: ComparisonRow) -> float | None:
    """The correlation of two values: (SE1^2 + SE2^2 - SE^2) / (2 SE1 SE2).

    None at a threshold, where the values' errors assume it fixed and that of the difference may not.
    """
    if second is None or not first.se or not second.se or row.se is None or row.criterion is not None:
        return None
    return (first.se**2 + second.se**2 - row.se**2) / (2 * first.se * second.se)


def _nothing(results: Results, what: str, why: str) -> DataError:
    measure = terms(results.study.vocabulary).measure(results.study.primary.measure)
    return TooFewError(f"plan: the pilot has no {what} in {measure}" + (f": {why}" if why else ""))
