"""The frame ``metrics`` as a contract: one row per measure, model and split."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass, field
from reporting.document.frames.contract import KEY, Frame, GroupColumns, GroupValues, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricRow(KeyRow):
    """A row of ``metrics``."""

    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    threshold_source: Annotated[str | None, "dev, cv, oracle, fixed, bayes; null over the sweep"] = None
    value: Annotated[float | None, "the measure; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    ci_method: Annotated[str | None, "how the interval was made; null without one"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    unit: Annotated[str | None, "unit of inference, trial or cluster; null without any"] = None
    n_units: Annotated[int | None, "how many units there are; null without inference"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    misses: Annotated[int | None, "rejected targets; null where no single threshold holds"] = None
    false_alarms: Annotated[int | None, "accepted non-targets; null where no single threshold holds"] = None
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)
    se: Annotated[float | None, "standard error that made the interval; null where none did"] = None
    folds: Annotated[int | None, "folds with a threshold each; null where one threshold holds"] = None
    threshold_low: Annotated[float | None, "lowest threshold of the folds; null where one holds"] = None
    threshold_high: Annotated[float | None, "highest threshold of the folds; null where one holds"] = None
    between: Annotated[int | None, "trials that the folds' thresholds decide both ways; null likewise"] = None
    optimism: Annotated[
        float | None, "of an optimum: how much better than the truth it looks, estimated; null of others"
    ] = None
    along_curve: Annotated[
        float | None, "of eer_rocch: eer_interp, the EER along the curve itself; null of other measures"
    ] = None
    ruled_out_targets: Annotated[
        int | None, "targets to which scores give probability 0, where status is ruled_out; null else"
    ] = None
    ruled_out_nontargets: Annotated[
        int | None, "non-targets that scores call certain targets, where status is ruled_out; null else"
    ] = None


METRICS = Frame("metrics", MetricRow, (*KEY, "measure", "criterion"))
