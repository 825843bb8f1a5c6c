"""The ``dcf`` frame: actual and minimum detection costs at the operating points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Annotated

from reporting.base.records import dataclass, replace
from reporting.core.counts.cuts import Key
from reporting.core.engine.intervals import interval
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import SOURCES, JudgedModel, cost, cost_criterion, minimum
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, value_at
from reporting.core.measures.costs import OperatingPoint
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.recipe import each, frame_of


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
    """Yield the rows of one model: for each operating point the development and the Bayes threshold."""
    alone = ModelRuns((model,))
    for point, source in itertools.product(study.operating_points, SOURCES):
        criterion, on_test = cost_criterion(point, source), _row(model.key, model, point, source)
        operation = model.single.get(criterion)
        if operation is None:
            yield replace(on_test, status="not_calibrated_scale")
            continue
        threshold = float(operation.chosen.shared[0])
        if operation.dev is not None and model.dev is not None and model.dev_key is not None:
            actual = defined(value_at(cost(point), operation.dev, 0, model.dev))
            yield replace(_row(model.dev_key, model, point, source), actual=actual, threshold=threshold)
        of = sample(alone, Question(cost(point), criterion), drawn, study)
        at, below = interval(of), interval(sample(alone, Question(minimum(point)), drawn, study))
        yield replace(
            on_test,
            actual=defined(of.point[0]),
            actual_ci_low=at.low,
            actual_ci_high=at.high,
            minimum_ci_low=below.low,
            minimum_ci_high=below.high,
            threshold=None if math.isnan(threshold) else threshold,
            threshold_source=operation.chosen.source,
        )


def _row(key: Key, model: JudgedModel, point: OperatingPoint, source: str) -> DcfRow:
    """The row of a split with the least cost there."""
    least = model.value(minimum(point), key.split)
    return DcfRow(
        **key._asdict(),
        name=point.name,
        p_target=point.p_target,
        c_miss=point.c_miss,
        c_fa=point.c_fa,
        normalised=point.normalised,
        threshold_source=source,
        minimum=defined(least.number),
        status=least.status,
    )


RECIPES = (frame_of(DCF, each(dcf_rows), under_noise=True),)
