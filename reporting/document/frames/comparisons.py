"""Comparisons of two models as contracts: tests, the resamples of differences, and who may be best."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass, field
from reporting.document.frames.contract import KEY, Frame, GroupColumns, GroupValues, KeyRow, PlaceRow


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonRow(PlaceRow):
    """A row of ``comparisons``."""

    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    parameter: Annotated[float | None, "alpha along an EPC; null elsewhere"] = None
    model: Annotated[str, "key of the model in the trial table"]
    baseline: Annotated[str, "key of the model it is compared with"]
    inference: Annotated[
        str | None,
        "procedure or given_thresholds; null without a threshold. Of both, the first screen has procedure",
    ] = None
    unit: Annotated[str | None, "unit of inference, trial or cluster; null without any"] = None
    difference: Annotated[float | None, "the measure, model less baseline; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    band_low: Annotated[float | None, "lower limit over the curve or family; null without one"] = None
    band_high: Annotated[float | None, "upper limit over the curve or family; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    ci_method: Annotated[str | None, "how the interval was made; null without one"] = None
    p_value: Annotated[float | None, "two-sided p, unadjusted; null where not tested"] = None
    p_method: Annotated[str | None, "how p_value was made; null where not tested"] = None
    p_percentile: Annotated[float | None, "two-sided p from percentiles; null without resamples"] = None
    p_exact: Annotated[float | None, "exact mid-p; null where none applies"] = None
    p_adjusted: Annotated[float | None, "p adjusted over the family; null outside it"] = None
    correction: Annotated[str | None, "correction for several comparisons; null outside the family"] = None
    family: Annotated[str, "primary, all, or descriptive: the family it is adjusted in"]
    family_size: Annotated[int | None, "comparisons in the family; null outside it"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    mc_error: Annotated[float | None, "Monte Carlo standard error of p; null without resamples"] = None
    n_units: Annotated[int | None, "how many units there are; null without inference"] = None
    design_effect: Annotated[float | None, "variance relative to independent trials; null if unknown"] = None
    status: Annotated[str | None, "why the difference is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)
    se: Annotated[float | None, "standard error behind interval and p; null where there is none"] = None
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)


COMPARISONS = Frame(
    "comparisons",
    ComparisonRow,
    ("dataset", "split", "group", "measure", "criterion", "parameter", "model", "baseline", "inference"),
)


QUESTION = ("dataset", "split", "group", "measure", "criterion", "model", "baseline", "inference")
"""The columns that name a comparison, as in the frame ``comparisons``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceRow(PlaceRow):
    """A row of ``differences``."""

    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the thresholds; null over the sweep"] = None
    model: Annotated[str, "key of the model"]
    baseline: Annotated[str, "key of the model it is compared with"]
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    low: Annotated[float, "lower end of the bin of differences"]
    high: Annotated[float, "upper end of the bin of differences"]
    count: Annotated[int, "resamples in the bin"]


DIFFERENCES = Frame("differences", DifferenceRow, (*QUESTION, "low"))


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingRow(KeyRow):
    """A row of ``standing``."""

    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    value: Annotated[float | None, "the measure; null where undefined"] = None
    p_best: Annotated[float | None, "p against being the best, one-sided; null without joint draws"] = None
    may_be_best: Annotated[bool | None, "whether not ruled out as best; null where undefined"] = None
    behind: Annotated[float | None, "how much worse than the best observed; null without p_best"] = None
    behind_low: Annotated[float | None, "lower limit, above 0 where ruled out; null without one"] = None
    behind_high: Annotated[float | None, "upper limit, simultaneous over all models; null without one"] = None
    n_models: Annotated[int, "models that took part"]
    level: Annotated[float, "confidence level"]
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    replicates: Annotated[int | None, "resamples or exchanges drawn; null without any"] = None
    p_method: Annotated[str | None, "maxt (joint resamples) or swap (of pairs); null without p_value"] = None


STANDING = Frame("standing", StandingRow, (*KEY, "measure", "criterion"))
