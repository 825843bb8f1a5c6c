"""The ``dcf`` frame: actual and minimum detection costs at the operating points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from reporting.curves.epc import Errors, Operation
from reporting.engine.intervals import interval
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import SOURCES, JudgedModel, cost, cost_criterion, minimum
from reporting.engine.resampling import Resampling
from reporting.engine.sample import Question, sample
from reporting.engine.study import Study
from reporting.engine.values import defined, value_at
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.measures.costs import OperatingPoint


@dataclass(frozen=True, kw_only=True, slots=True)
class DcfRow(KeyRow):
    """A row of ``dcf``."""

    name: Annotated[str, "name of the operating point"]
    p_target: Annotated[float, "prior probability of a target"]
    c_miss: Annotated[float, "cost of a miss"]
    c_fa: Annotated[float, "cost of a false alarm"]
    normalised: Annotated[bool, "whether costs are relative to ignoring the scores"]
    actual: Annotated[float | None, "cost at the threshold; null where undefined"] = None
    actual_ci_low: Annotated[float | None, "lower limit of actual; null without one"] = None
    actual_ci_high: Annotated[float | None, "upper limit of actual; null without one"] = None
    minimum: Annotated[float | None, "least cost of any threshold; null where undefined"] = None
    minimum_ci_low: Annotated[float | None, "lower limit of minimum; null without one"] = None
    minimum_ci_high: Annotated[float | None, "upper limit of minimum; null without one"] = None
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    threshold_source: Annotated[str, "where the threshold comes from: dev, cv, oracle, fixed or bayes"]
    status: Annotated[str | None, "why a cost is undefined; null where all are defined"] = None


DCF = Frame("dcf", DcfRow, (*KEY, "name", "threshold_source"))


def dcf_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[DcfRow]:
    """Yield the rows of one model: for each operating point the threshold of dev, and that of Bayes."""
    for point in study.operating_points:
        for source in SOURCES:
            operation = model.single.get(cost_criterion(point, source))
            if operation is None:
                yield _row(model, point, "test", source, "not_calibrated_scale")
                continue
            if operation.dev is not None and model.dev_key is not None:
                row = replace(_row(model, point, "dev", source, None), **model.dev_key._asdict())
                yield _on_dev(row, model, point, operation, operation.dev)
            row = _row(model, point, "test", source, None)
            yield _on_test(row, model, point, operation, drawn, study)


def _row(model: JudgedModel, point: OperatingPoint, split: str, source: str, status: str | None) -> DcfRow:
    least = model.value(minimum(point), split)
    return DcfRow(
        **model.key._replace(split=split)._asdict(),
        name=point.name,
        p_target=point.p_target,
        c_miss=point.c_miss,
        c_fa=point.c_fa,
        normalised=point.normalised,
        threshold_source=source,
        minimum=defined(least.number),
        status=status or least.status,
    )


def _on_dev(
    row: DcfRow, model: JudgedModel, point: OperatingPoint, operation: Operation, errors: Errors
) -> DcfRow:
    assert model.dev is not None
    return replace(
        row,
        actual=defined(value_at(cost(point), errors, 0, model.dev)),
        threshold=float(operation.chosen.shared[0]),
    )


def _on_test(
    row: DcfRow,
    model: JudgedModel,
    point: OperatingPoint,
    operation: Operation,
    drawn: Resampling,
    study: Study,
) -> DcfRow:
    alone, criterion = ModelRuns((model,)), operation.chosen.criterion
    actual = sample(alone, Question(cost(point), criterion), drawn, study)
    at, below = interval(actual), interval(sample(alone, Question(minimum(point)), drawn, study))
    threshold = float(operation.chosen.shared[0])
    return replace(
        row,
        actual=defined(actual.point[0]),
        actual_ci_low=at.low,
        actual_ci_high=at.high,
        minimum_ci_low=below.low,
        minimum_ci_high=below.high,
        threshold=None if threshold != threshold else threshold,
        threshold_source=operation.chosen.source,
    )
