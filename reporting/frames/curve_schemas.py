"""The frames of curves and costs as contracts, beside those of ``frames/schemas.py``."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class DcfRow(KeyRow):
    """A row of ``dcf``."""

    name: str
    p_target: float
    c_miss: float
    c_fa: float
    normalised: bool
    actual: float | None
    actual_ci_low: float | None
    actual_ci_high: float | None
    minimum: float | None
    minimum_ci_low: float | None
    minimum_ci_high: float | None
    threshold: float | None
    threshold_source: str
    status: str | None


DCF = Frame("dcf", DcfRow, (*KEY, "name", "threshold_source"))


@dataclass(frozen=True, kw_only=True, slots=True)
class PrRow(KeyRow):
    """A row of ``pr``."""

    threshold: float
    precision: float | None
    recall: float | None
    true_positives: int
    false_alarms: int


PR = Frame("pr", PrRow, (*KEY, "threshold"))


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRow(KeyRow):
    """A row of ``cost``."""

    calibration: str
    prior_log_odds: float
    bayes_error: float | None
    min_bayes_error: float | None
    trivial: float


COST = Frame("cost", CostRow, (*KEY, "calibration", "prior_log_odds"))


@dataclass(frozen=True, kw_only=True, slots=True)
class AreaRow(KeyRow):
    """A row of ``areas``."""

    criterion: str
    measure: str
    low: float
    high: float
    area: float | None
    mean: float | None
    value_oracle: float | None
    status: str | None


AREAS = Frame("areas", AreaRow, (*KEY, "criterion", "measure", "low", "high"))


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRow(KeyRow):
    """A row of ``epc_steps``."""

    criterion: str
    alpha_low: float
    alpha_high: float
    threshold: float
    misses: int
    false_alarms: int


STEPS = Frame("epc_steps", StepRow, (*KEY, "criterion", "alpha_low"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedRow(KeyRow):
    """A row of ``expected``."""

    criterion: str
    rate: str
    alpha: float
    expected: float | None
    obtained: float | None
    band_low: float | None
    band_high: float | None
    errors_dev: int
    trials_dev: int
    errors: int
    trials: int
    status: str | None


EXPECTED = Frame("expected", ExpectedRow, (*KEY, "criterion", "rate", "alpha"))


@dataclass(frozen=True, kw_only=True, slots=True)
class HistogramRow(KeyRow):
    """A row of ``histogram``."""

    low: float
    high: float
    n_target: int
    n_nontarget: int


HISTOGRAM = Frame("histogram", HistogramRow, (*KEY, "low", "high"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityRow(KeyRow):
    """A row of ``reliability``."""

    low: float
    high: float
    mean_probability: float
    observed: float
    ci_low: float | None
    ci_high: float | None
    n_target: int
    n_nontarget: int


RELIABILITY = Frame("reliability", ReliabilityRow, (*KEY, "low"))


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionRow(KeyRow):
    """A row of ``decision``."""

    probability: float
    net_benefit: float | None
    treat_all: float


DECISION = Frame("decision", DecisionRow, (*KEY, "probability"))

CONTRACTS = {
    contract.name: contract
    for contract in (DCF, PR, COST, HISTOGRAM, RELIABILITY, DECISION, STEPS, AREAS, EXPECTED)
}
