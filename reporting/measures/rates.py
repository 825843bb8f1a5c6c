"""Error rates and their weighted sums at a threshold."""

from __future__ import annotations

from reporting.contents import parameter
from reporting.measures.costs import NORMED_COST_PARAMETERS
from reporting.measures.measure import Measure
from reporting.stats import rates


# Functions of this module, not lambdas: a measure travels to other processes by their names.
def _far_alone() -> tuple[float, float]:
    return 1.0, 0.0


def _frr_alone() -> tuple[float, float]:
    return 0.0, 1.0


def _halves() -> tuple[float, float]:
    return 0.5, 0.5


def _by_alpha(alpha: float) -> tuple[float, float]:
    return alpha, 1.0 - alpha


def _false_alarms(misses: int, false_alarms: int, n_target: int, n_nontarget: int) -> tuple[int, int]:
    return false_alarms, n_nontarget


def _misses(misses: int, false_alarms: int, n_target: int, n_nontarget: int) -> tuple[int, int]:
    return misses, n_target


FAR = Measure(
    key="far",
    label="FAR",
    name="false acceptance rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.far,
    weights=_far_alone,
    counted=_false_alarms,
    synonyms=(
        "FPR",
        "FMR",
        "false positive rate",
        "false alarm rate",
        "fall-out",
        "fall",
        "type I error rate",
        "probability of false detection",
        "1 - specificity",
    ),
    definition="false alarms / non-targets",
    source="Bengio, Mariethoz, Keller, eq. (2)",
)
FRR = Measure(
    key="frr",
    label="FRR",
    name="false rejection rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.frr,
    weights=_frr_alone,
    counted=_misses,
    synonyms=(
        "FNR",
        "FNMR",
        "false negative rate",
        "miss rate",
        "miss",
        "type II error rate",
        "1 - recall",
    ),
    definition="misses / targets",
    source="Bengio, Mariethoz, Keller, eq. (2)",
)
HTER = Measure(
    key="hter",
    label="HTER",
    name="half total error rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.hter,
    weights=_halves,
    synonyms=("balanced error rate", "1 - balanced accuracy"),
    definition="(FAR + FRR) / 2",
    source="Bengio, Mariethoz, Keller, eq. (3)",
)
WEIGHTED_ERROR = Measure(
    key="weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    label="weighted error",
    name="weighted error rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.weighted_error,
    weights=_by_alpha,
    swept="alpha",
    definition="alpha FAR + (1 - alpha) FRR",
    source="Bengio, Mariethoz, Keller, eq. (10)",
)
FAILURE_TO_ACQUIRE = Measure(
    key="failure_to_acquire",
    label="FTA",
    name="failure to acquire",
    over="scores",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.failure_to_acquire,
    synonyms=("FTA", "FTA rate", "failure-to-acquire rate", "FTX", "no-score rate"),
    definition="share of the trials that are rejected whatever the threshold: score -inf, as missing scores"
    " become with missing: reject",
    source="ISO/IEC 19795-1:2021",
)
DCF = Measure(
    key="dcf",
    parameters=NORMED_COST_PARAMETERS,
    label="DCF",
    name="detection cost",
    over="threshold",
    better="lower",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=rates.dcf,
    weights=rates.cost_weights,
    synonyms=("Cdet", "detection cost function", "expected cost", "cost", "Bayes risk of the threshold"),
    definition="c_miss p_target FRR + c_fa (1 - p_target) FAR,"
    " normalised: over the smaller of the two weights, or over that of FRR with norm=miss",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, de Villiers",
)
