"""The result frames as contracts: columns, types and sort keys of every file in ``frames/``.

Long and tidy, keys first. Counts are Int64, numbers Float64, ``flags`` a sorted list of text;
an undefined number is null with a ``status``. Infinite values stand in ``threshold`` and ``llr`` only.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.frames.contract import KEY, Frame, FrameRow, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialsRow(KeyRow):
    """A row of ``trials``."""

    n_target: int
    n_nontarget: int
    n_unlabelled: int
    n_missing: int
    n_infinite: int
    rows_read: int
    rows_dropped: int
    n_clusters: int | None
    prevalence: float | None
    n_distinct: int


TRIALS = Frame("trials", TrialsRow, KEY)


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricRow(KeyRow):
    """A row of ``metrics``."""

    measure: str
    criterion: str | None
    threshold: float | None
    threshold_source: str | None
    value: float | None
    ci_low: float | None
    ci_high: float | None
    level: float | None
    ci_method: str | None
    inference: str | None
    unit: str | None
    n_units: int | None
    replicates: int | None
    misses: int | None
    false_alarms: int | None
    n_target: int
    n_nontarget: int
    status: str | None
    flags: list[str]


METRICS = Frame("metrics", MetricRow, (*KEY, "measure", "criterion"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonRow(FrameRow):
    """A row of ``comparisons``."""

    dataset: str
    split: str
    group: str
    measure: str
    criterion: str | None
    parameter: float | None
    model: str
    baseline: str
    inference: str | None
    unit: str | None
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    band_low: float | None
    band_high: float | None
    level: float | None
    ci_method: str | None
    p_value: float | None
    p_method: str | None
    p_percentile: float | None
    p_exact: float | None
    p_adjusted: float | None
    correction: str | None
    family: str
    family_size: int | None
    replicates: int | None
    mc_error: float | None
    n_units: int | None
    design_effect: float | None
    status: str | None
    flags: list[str]


COMPARISONS = Frame(
    "comparisons",
    ComparisonRow,
    ("dataset", "split", "group", "measure", "criterion", "parameter", "model", "baseline", "inference"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RocRow(KeyRow):
    """A row of ``roc``."""

    threshold: float
    misses: int
    false_alarms: int
    p_miss: float | None
    p_fa: float | None
    on_hull: bool
    llr: float | None


ROC = Frame("roc", RocRow, (*KEY, "threshold"))


@dataclass(frozen=True, kw_only=True, slots=True)
class EpcRow(KeyRow):
    """A row of ``epc``."""

    criterion: str
    alpha: float
    threshold: float | None
    measure: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    band_low: float | None
    band_high: float | None
    value_dev: float | None
    value_oracle: float | None
    inference: str | None
    status: str | None


EPC = Frame("epc", EpcRow, (*KEY, "criterion", "measure", "alpha"))

CONTRACTS = {contract.name: contract for contract in (TRIALS, METRICS, COMPARISONS, ROC, EPC)}
