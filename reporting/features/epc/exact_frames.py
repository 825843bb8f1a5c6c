"""The frames ``epc_steps``, ``areas`` and ``expected``: what an EPC is without a grid of alphas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated

from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.curves.epc import Errors
from reporting.core.engine.exact_curves import RATES, ExactCurves
from reporting.core.engine.operations import alphas
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of, values_at
from reporting.core.measures.catalogue import MEASURES
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.features.epc.formulas import predicted_errors


@dataclass(frozen=True, kw_only=True, slots=True)
class AreaRow(KeyRow):
    """A row of ``areas``."""

    criterion: Annotated[str, "what chooses the thresholds"]
    measure: Annotated[str, "name of the measure with its parameters"]
    low: Annotated[float, "lower end of alpha"]
    high: Annotated[float, "upper end of alpha"]
    area: Annotated[float | None, "area under the measure between low and high; null where undefined"] = None
    mean: Annotated[float | None, "area over high - low; null where undefined"] = None
    value_oracle: Annotated[float | None, "the area, thresholds chosen on test; null without one"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


AREAS = Frame("areas", AreaRow, (*KEY, "criterion", "measure", "low", "high"))


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRow(KeyRow):
    """A row of ``epc_steps``."""

    criterion: Annotated[str, "what chose the threshold"]
    alpha_low: Annotated[float, "lower end of the stretch of alpha"]
    alpha_high: Annotated[float, "upper end of the stretch of alpha"]
    threshold: Annotated[float, "threshold on that stretch, on the scale of the trial table"]
    misses: Annotated[int, "rejected targets of test"]
    false_alarms: Annotated[int, "accepted non-targets of test"]


STEPS = Frame("epc_steps", StepRow, (*KEY, "criterion", "alpha_low"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedRow(KeyRow):
    """A row of ``expected``."""

    criterion: Annotated[str, "what chose the threshold: a targeted rate"]
    rate: Annotated[str, "far or frr"]
    alpha: Annotated[float, "the targeted rate"]
    expected: Annotated[float | None, "the rate on the development set; null where undefined"] = None
    obtained: Annotated[float | None, "the rate on test; null where undefined"] = None
    band_low: Annotated[float | None, "lower prediction limit of obtained; null with weights"] = None
    band_high: Annotated[float | None, "upper prediction limit of obtained; null with weights"] = None
    errors_dev: Annotated[int, "errors of that kind on the development set"]
    trials_dev: Annotated[int, "trials of that class on the development set"]
    errors: Annotated[int, "errors of that kind on test"]
    trials: Annotated[int, "trials of that class on test"]
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


EXPECTED = Frame("expected", ExpectedRow, (*KEY, "criterion", "rate", "alpha"))


MOST_STEPS = 5_000
"""Criteria that target a rate have a step per distinct development rate: beyond this only areas are kept."""


def step_rows(judged: JudgedPart) -> Iterator[StepRow]:
    """Yield the rows of ``epc_steps``: the interval of alpha on which each threshold holds."""
    for model in judged.models:
        for criterion, curve in judged.once(ExactCurves, model, judged.study).curves.items():
            for at, threshold in enumerate(curve.threshold if len(curve.threshold) <= MOST_STEPS else ()):
                yield StepRow(
                    **model.key._asdict(),
                    criterion=str(criterion),
                    alpha_low=float(curve.steps.low[at]),
                    alpha_high=float(curve.steps.high[at]),
                    threshold=float(threshold),
                    misses=int(curve.test.missed_trials[at]),
                    false_alarms=int(curve.test.false_alarm_trials[at]),
                )


def area_rows(judged: JudgedPart) -> Iterator[AreaRow]:
    """Yield the rows of ``areas``: exact areas over [0, 1] and the plan's bounds, on both estimands."""
    plan = judged.study.epc
    if plan is None:
        return
    ranges = dict.fromkeys(((0.0, 1.0), plan.bounds))
    for model, (low, high), measure in product(judged.models, ranges, plan.measures):
        curves = judged.once(ExactCurves, model, judged.study)
        for criterion, (area, best) in curves.areas(measure, (low, high)):
            yield AreaRow(
                **model.key._asdict(),
                criterion=criterion,
                measure=str(measure),
                low=low,
                high=high,
                area=defined(area),
                mean=defined(area / (high - low)),
                value_oracle=defined(best),
                status=status_of(area, *model.test.trials),
            )


def expected_of(judged: JudgedPart) -> Iterator[ExpectedRow]:
    """Yield the rows of ``expected``: the rates of test and development set, with the band; methods 7.8."""
    for model in judged.models:
        for criterion, operation in model.along.items():
            rate = RATES.get(criterion.key)
            if rate is not None and operation.dev is not None and model.dev is not None:
                sides = (operation.dev, model.dev), (operation.test, model.test)
                yield from _expected(model.key, str(criterion), rate, sides, judged.study)


def _expected(
    key: Key, criterion: str, rate: str, sides: tuple[tuple[Errors, Cuts], ...], study: Study
) -> Iterator[ExpectedRow]:
    """Yield the rows of one curve; ``sides``: the errors on either set, with the trials they are of."""
    which = 1 if rate == "far" else 0
    dev, test = ((of.missed_trials, of.false_alarm_trials)[which] for of, _ in sides)
    n_dev, n_test = (cuts.trials[which] for _, cuts in sides)
    expected, obtained = (values_at(MEASURES[rate], *side) for side in sides)
    # The band is of trials that weigh the same, and treats them as independent, as its caption states.
    same = all(cuts.raw is None for _, cuts in sides) and n_dev and n_test
    limits = predicted_errors(dev, n_dev, n_test, study.inference.level) if same else None
    for at, alpha in enumerate(alphas(study)):
        yield ExpectedRow(
            **key._asdict(),
            criterion=criterion,
            rate=rate,
            alpha=float(alpha),
            expected=defined(expected[at]),
            obtained=defined(obtained[at]),
            band_low=None if limits is None else float(limits[0][at] / n_test),
            band_high=None if limits is None else float(limits[1][at] / n_test),
            errors_dev=int(dev[at]),
            trials_dev=n_dev,
            errors=int(test[at]),
            trials=n_test,
            status=status_of(obtained[at], *sides[1][1].trials),
        )


RECIPES = (
    frame_of(AREAS, area_rows, under_noise=True),
    frame_of(STEPS, step_rows, under_noise=True),
    frame_of(EXPECTED, expected_of),
)
