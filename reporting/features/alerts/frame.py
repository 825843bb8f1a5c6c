"""The ``alerts`` frame: alerts, targets caught and money saved per day at every threshold that is set.

Of N trials per day a share p are targets. With recall r and false alarm rate f, alerts are
A = N (p r + (1 - p) f) and targets caught N p r. Against no alerts, a loss L per missed target and a cost R
per alert save N p r L - A R, which is N p (L - R) less N times the detection cost
p (L - R) (1 - r) + (1 - p) R f, and its limits are those of that cost. N, p, L and R are taken as exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from reporting.base.records import dataclass, replace
from reporting.core.engine.intervals import interval
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel, cost
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, Sample, sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of
from reporting.core.measures.costs import OperatingPoint
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import ACCEPTANCE_RATE, PRECISION, RECALL
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.recipe import each, frame_of
from reporting.features.alerts.keys import ALERTS_KEY


@dataclass(frozen=True, kw_only=True, slots=True)
class AlertsRow(KeyRow):
    """A row of ``alerts``."""

    criterion: Annotated[str, "what chose the threshold"]
    quantity: Annotated[
        str, "alerts, caught, or saved: per day; alert_rate or precision: a share of trials, or of alerts"
    ]
    value: Annotated[float | None, "the value on test at the volume of the config; null where undefined"] = (
        None
    )
    ci_low: Annotated[float | None, "lower limit; null without one"] = None
    ci_high: Annotated[float | None, "upper limit; null without one"] = None
    prevalence: Annotated[float, "share of targets: that of the config, or of the test set"]
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


ALERTS = Frame("alerts", AlertsRow, (*KEY, "criterion", "quantity"))


def alerts_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[AlertsRow]:
    """Yield the rows of one model on a whole test set, at every threshold that is set before it is seen."""
    plan, share = ALERTS_KEY.of(study), study.prevalence
    targets, nontargets = model.test.totals
    p = targets / (targets + nontargets) if share is None else share
    if plan is None or model.key.group or not 0 < p < 1:
        return
    n = plan.per_day
    at_share = {} if share is None else {"prevalence": share}
    rate = ACCEPTANCE_RATE.at(**at_share)
    quantities: list[tuple[str, Measure, tuple[float, float]]] = [
        ("alert_rate", rate, (0.0, 1.0)),
        ("alerts", rate, (0.0, n)),
        ("caught", RECALL, (0.0, n * p)),
        ("precision", PRECISION.at(**at_share), (0.0, 1.0)),
    ]
    if plan.loss is not None and plan.review is not None:
        point = OperatingPoint("alerts", p, plan.loss - plan.review, plan.review, normalised=False)
        quantities.append(("saved", cost(point), (n * p * (plan.loss - plan.review), -n)))
    for criterion in study.criteria:
        if criterion in model.single and not criterion.oracle:
            for name, measure, line in quantities:
                row = AlertsRow(**model.key._asdict(), criterion=str(criterion), quantity=name, prevalence=p)
                yield _placed(
                    row, sample(ModelRuns((model,)), Question(measure, criterion), drawn, study), line
                )


def _placed(row: AlertsRow, of: Sample, line: tuple[float, float]) -> AlertsRow:
    """Return a row with a measure put on a line: constant + factor times the measure, and so its limits."""
    constant, factor = line
    number, limits = float(of.point[0]), interval(of)
    low, high = (limits.low, limits.high) if factor > 0 else (limits.high, limits.low)
    value, low, high = (
        None if each is None else constant + factor * each for each in (defined(number), low, high)
    )
    # A share of alerts is undefined where there are none.
    return replace(row, value=value, ci_low=low, ci_high=high, status=status_of(number, 1, 1))


RECIPES = (frame_of(ALERTS, each(alerts_rows), wanted=lambda study: ALERTS_KEY.of(study) is not None),)
