"""The frame ``transfer``: what it costs to judge one dataset at thresholds of another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from reporting.core.curves.epc import errors_at
from reporting.core.engine.exact_curves import ExactCurves
from reporting.core.engine.intervals import rates_interval
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part
from reporting.core.engine.rechoosing import units_of
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, Sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of, value_at
from reporting.core.resampling.estimate import NO_INTERVAL
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.recipe import frame_of
from reporting.document.frames.transfer import TRANSFER, TransferRow

Asked = tuple[str, str, str, str, str]
"""Model, run, over what (a threshold, or the area of an EPC), criterion and measure."""


def transfer_of(run: JudgedRun) -> Iterator[TransferRow]:
    """Yield the rows of ``transfer`` once all datasets are judged."""
    return transfer_rows(run.parts, run.study.of_mix(None))


def transfer_rows(parts: Sequence[Part], study: Study) -> Iterator[TransferRow]:
    """Yield the rows of every ordered pair of datasets that each have a dev of their own and a test.

    ``cost`` = value - value_own, the own thresholds being those of the judged dataset's dev;
    ``threshold_shift`` = value - value_oracle; ``discrimination`` = value_oracle less that of the
    choosing dataset's own test. A dataset with itself is a pair too: its cost is 0, and its row holds the
    value_oracle from which the others' ``discrimination`` counts. For an area along the weighted error of
    that error itself, value_oracle is the refinement part, and threshold_shift >= 0 the calibration loss
    (methods 7.5, 7.6); other shifts may be negative. Undefined differences are None; ``status`` has the
    reason why a value is. ``low`` and ``high`` are the interval of a share of trials, or of a sum of FAR and
    FRR, given the threshold, as in ``metrics``; None where none is known in closed form. Groups are left out;
    nothing where fewer than two datasets qualify.
    """
    wholes = [part for part in parts if not part.group and _chooses_itself(part)]
    if len(wholes) < 2:
        return
    own = {part.dataset: _judged(part, part, study) for part in wholes}
    for dev in wholes:
        for test in wholes:
            judged = own[test.dataset] if dev is test else _judged(dev, test, study)
            for question, row in judged.items():
                yield _compared(row, own[test.dataset][question], own[dev.dataset][question])


def _chooses_itself(part: Part) -> bool:
    """Return whether every model has its thresholds from the dev of the dataset on which it is judged."""
    return bool(part.models) and all(
        model.dev_key is not None and model.dev_key.dataset == part.dataset for model in part.models
    )


def _compared(row: TransferRow, own: TransferRow, at_home: TransferRow) -> TransferRow:
    """Compare a value with the judged dataset's own, and with that of the choosing dataset at home."""
    return replace(
        row,
        value_own=own.value,
        cost=_less(row.value, own.value),
        threshold_shift=_less(row.value, row.value_oracle),
        discrimination=_less(row.value_oracle, at_home.value_oracle),
    )


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def _judged(dev: Part, test: Part, study: Study) -> dict[Asked, TransferRow]:
    """Judge the thresholds of one dataset on the test of another, for the models that both have."""
    chosen = {model.key[:2]: model for model in dev.models}
    pairs = [(chosen[model.key[:2]], model) for model in test.models if model.key[:2] in chosen]
    drawn, rows = Resampling(test.ranks, units_of(test, study).test), dict[Asked, TransferRow]()
    for source, model in pairs:
        n_target, n_nontarget = model.test.trials
        row_of = partial(
            TransferRow,
            model=model.key.model,
            run=model.key.run,
            dev_dataset=dev.dataset,
            test_dataset=test.dataset,
            n_target=n_target,
            n_nontarget=n_nontarget,
        )
        for row in (
            *_at_thresholds(row_of, source, model, drawn, study),
            *_areas(row_of, source, model, study),
        ):
            rows[row.model, row.run, row.over, row.criterion, row.measure] = row
    return rows


def _at_thresholds(
    row_of: Callable[..., TransferRow],
    source: JudgedModel,
    model: JudgedModel,
    drawn: Resampling,
    study: Study,
) -> Iterator[TransferRow]:
    """Every criterion chosen on the development set, and every measure at its threshold, which is given."""
    for criterion in dict.fromkeys(study.criteria):
        chosen = source.single.get(criterion)
        if chosen is None or chosen.chosen.source != "dev":
            continue
        errors = errors_at(model.test, cut_at(model.test.score, chosen.chosen.threshold))
        moved = replace(model.single[criterion], chosen=chosen.chosen, dev=None, test=errors)
        system = ModelRuns((replace(model, single={criterion: moved}),))
        for measure in (measure for measure in study.measures if measure.over == "threshold"):
            of = Sample(system, Question(measure, criterion), "given_thresholds", drawn, study)
            none = of.status() or of.design.too_few_clusters
            limits = NO_INTERVAL if none else rates_interval(of, 0, of.level)
            limits = limits.of(float(of.point[0]), measure.bounds)
            best = math.nan if moved.oracle is None else value_at(measure, moved.oracle, 0, model.test)
            yield row_of(
                over="threshold",
                criterion=str(criterion),
                measure=str(measure),
                threshold=float(chosen.chosen.threshold[0]),
                value=defined(of.point[0]),
                value_oracle=defined(best),
                low=limits.low,
                high=limits.high,
                misses=int(errors.missed_trials[0]),
                false_alarms=int(errors.false_alarm_trials[0]),
                status=of.status(),
            )


def _areas(
    row_of: Callable[..., TransferRow], source: JudgedModel, model: JudgedModel, study: Study
) -> Iterator[TransferRow]:
    """The EPCs' exact areas over all of [0, 1], as the frame ``areas`` has them."""
    exact = ExactCurves(replace(model, scaling=replace(model.scaling, dev=source.dev)), study)
    for measure in study.epc.measures if study.epc else ():
        for criterion, (area, best) in exact.areas(measure, (0.0, 1.0)):
            yield row_of(
                over="area",
                criterion=criterion,
                measure=str(measure),
                value=defined(area),
                value_oracle=defined(best),
                status=status_of(area, *model.test.trials),
            )


RECIPES = (frame_of(TRANSFER, run=transfer_of),)
