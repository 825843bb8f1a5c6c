"""Areas, equal error rates and distances over the sweep of thresholds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from reporting.base.arrays import FloatArray
from reporting.base.contents import Parameter, parameter, show_value, word
from reporting.core.measures.measure import (
    HULL_CORRECTION,
    LEAST_ERRORS,
    LeastCost,
    Measure,
    Optimum,
    measure,
)
from reporting.core.measures.threshold import PREVALENCE
from reporting.core.stats import confusion, precision_recall, rates, sweep
from reporting.core.stats.staircase import FixedRate

HOW = word("how", "at_most", "nearest", "interp")
"""The threshold that keeps to the bound, the nearest to it, or the line through thresholds at the bound."""
OTHERWISE = (
    "; how=nearest: at the threshold nearest to it, of two equally near the one within the bound;"
    " how=interp: at the bound itself, between two thresholds"
)

swept = partial(measure, over="sweep")
at_own_cut = partial(swept, own_cut=True)
area = partial(swept, better="higher", printed_in="number")
best_cut = partial(area, own_cut=True)


def _top(n_trials: int, k: float) -> float:
    return min(k, n_trials)


def _top_share(n_trials: int, share: float) -> float:
    return share * n_trials


def _of_mcclish(mcclish: bool, **_: Any) -> float | None:
    return 0.5 if mcclish else None


def _complement(number: Any) -> Any:
    return 1 - number


def partial_area(key: str, rate: str, formula: Callable[..., FloatArray]) -> Measure:
    """Declare an area between two values of a rate."""
    ends = parameter(f"{rate}_min", 0.0, 0.0, 1.0), parameter(f"{rate}_max", 1.0, 0.0, 1.0)
    return area(
        key,
        chance=_of_mcclish,
        parameters=(*ends, parameter("mcclish", False)),
        bounds=(float("-inf"), 1.0),
        formula=formula,
        skewed=True,
    )


EER_ROCCH = at_own_cut(
    "eer_rocch",
    better="lower",
    bounds=(0.0, 0.5),
    formula=sweep.eer_rocch,
    least_cost=LeastCost(weights=None),
)
EER_INTERP = at_own_cut("eer_interp", better="lower", formula=sweep.eer_interp)
EER_DISCRETE = at_own_cut("eer_discrete", on_runs=False, better="lower", formula=sweep.eer_discrete)
DPRIME = best_cut(
    "dprime",
    bounds=(0.0, float("inf")),
    formula=sweep.dprime,
    least_cost=LeastCost(weights=None, cost=sweep.eer_of_dprime, value=sweep.dprime_of_eer),
)
DET_SLOPE = measure(
    "det_slope",
    over="scores",
    better="lower",
    ideal=1.0,
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=sweep.det_slope,
)
KS = best_cut("ks", formula=sweep.ks, least_cost=LeastCost((1.0, 1.0), cost=_complement, value=_complement))
MIN_CORNER = at_own_cut(
    "min_corner",
    better="lower",
    printed_in="number",
    formula=sweep.min_corner,
    optimum=Optimum(partial(sweep.held_at_best, confusion.corner_distance, -1), 1.0),
)
FAILURE_TO_ACQUIRE = measure(
    "failure_to_acquire", over="scores", better="lower", formula=rates.failure_to_acquire
)


# A function of this module, not a lambda: a measure travels to other processes by the names of its functions.
def _unless_nearest(how: str, **_: Any) -> bool:
    return how != "nearest"


FRR_AT_FAR = at_own_cut(
    "frr_at_far",
    parameters=(parameter("far", 0.01, 0.0, 1.0), HOW),
    on_runs=_unless_nearest,
    better="lower",
    formula=sweep.frr_at_far,
    definition=f"the smallest FRR of the thresholds whose FAR is not above a bound{OTHERWISE}",
)
ZERO_FMR = at_own_cut(
    "zero_fmr",
    parameters=(parameter("far", 0.0, 0.0, 0.0), word("how", "at_most")),
    better="lower",
    formula=sweep.frr_at_far,
)
FAR_AT_FRR = at_own_cut(
    "far_at_frr",
    parameters=(parameter("frr", 0.01, 0.0, 1.0), HOW),
    on_runs=_unless_nearest,
    better="lower",
    formula=sweep.far_at_frr,
    definition=f"the smallest FAR of the thresholds whose FRR is not above a bound{OTHERWISE}",
)
SENSITIVITY_AT = at_own_cut(
    "sensitivity_at",
    parameters=(parameter("specificity", 0.9, 0.0, 1.0), HOW),
    on_runs=_unless_nearest,
    better="higher",
    formula=sweep.sensitivity_at,
    definition=f"the largest sensitivity of the thresholds whose specificity is not below a bound{OTHERWISE}",
)
SPECIFICITY_AT = at_own_cut(
    "specificity_at",
    parameters=(parameter("sensitivity", 0.9, 0.0, 1.0), HOW),
    on_runs=_unless_nearest,
    better="higher",
    formula=sweep.specificity_at,
    definition=f"the largest specificity of the thresholds whose sensitivity is not below a bound{OTHERWISE}",
)
AUC = area("auc", of_area=(0.0, 1.0), chance=0.5, formula=sweep.auc)
ERROR_AREA = swept(
    "error_area", of_area=(1.0, -1.0), better="lower", printed_in="number", formula=sweep.error_area
)
PAUC = partial_area("pauc", "far", sweep.pauc)
PAUC_TPR = partial_area("pauc_tpr", "tpr", sweep.pauc_tpr)
AUCH = best_cut(
    "auch",
    bounds=(0.5, 1.0),
    formula=sweep.auch,
    optimum=Optimum(sweep.auch_held, HULL_CORRECTION, LEAST_ERRORS),
)
GINI = area("gini", of_area=(-1.0, 2.0), chance=0.0, bounds=(-1.0, 1.0), formula=sweep.gini)
H_MEASURE = best_cut(
    "h_measure",
    parameters=(Parameter("severity_ratio", "sample", "sample", 1e-6, 1e6, words=("sample", "hand2014")),),
    formula=sweep.h_measure,
    optimum=Optimum(sweep.h_held, HULL_CORRECTION),
)
AP_STEP = area(
    "ap_step", parameters=(PREVALENCE,), on_runs=False, formula=precision_recall.ap_step, skewed=True
)
AP_DG = area("ap_dg", parameters=(PREVALENCE,), formula=precision_recall.ap_dg, skewed=True)
AP_TRAPEZOID = area(
    "ap_trapezoid",
    parameters=(PREVALENCE,),
    on_runs=False,
    formula=precision_recall.ap_trapezoid,
    skewed=True,
)
AP_11PT = area("ap_11pt", parameters=(PREVALENCE,), formula=precision_recall.ap_11pt, skewed=True)
BREAK_EVEN = at_own_cut(
    "break_even", parameters=(PREVALENCE,), better="higher", formula=precision_recall.break_even
)
PRG_AREA = area(
    "prg_area",
    chance=0.0,
    parameters=(PREVALENCE,),
    bounds=(float("-inf"), 1.0),
    formula=precision_recall.prg_area,
    skewed=True,
)
MAX_F1 = best_cut(
    "max_f1",
    parameters=(PREVALENCE,),
    formula=precision_recall.max_f1,
    optimum=Optimum(partial(sweep.held_at_best, confusion.f1, 1), 1.0),
)
MAX_MCC = best_cut(
    "max_mcc",
    formula=precision_recall.max_mcc,
    optimum=Optimum(partial(sweep.held_at_best, confusion.mcc, 1), 1.0),
)
PRECISION_AT = at_own_cut(
    "precision_at",
    parameters=(parameter("k", 10.0, 1.0, 1e12, whole=True),),
    better="higher",
    formula=precision_recall.precision_at,
    totals=True,
    highest=_top,
)
PRECISION_AT_SHARE = at_own_cut(
    "precision_at_share",
    parameters=(parameter("share", 0.1, 1e-12, 1.0),),
    better="higher",
    formula=precision_recall.precision_at_share,
    highest=_top_share,
)
LIFT_AT = best_cut(
    "lift_at",
    parameters=(parameter("share", 0.1, 1e-12, 1.0),),
    bounds=(0.0, float("inf")),
    formula=precision_recall.lift_at,
)
RECALL_AT = at_own_cut(
    "recall_at",
    parameters=(parameter("precision", 0.9, 0.0, 1.0), PREVALENCE),
    better="higher",
    formula=precision_recall.recall_at,
    unreached="no_such_precision",
    unknown_of_pairs=True,
)


RULE_OF_30 = 30
LEAST_ALLOWED = 4
"""With fewer errors at a fixed rate no trial lies beyond the true threshold in 1 of 40 tables or more."""


def allows_fewer(than: int, measure: Measure, n_target: int, n_nontarget: int) -> bool:
    """Return whether the fixed rate allows fewer errors than that, though some share of one.

    Where it allows fewer than 1, the value is that at no error at all; fewer than ``LEAST_ALLOWED``, no
    interval holds it: with chance (1 - rate)^n no trial lies beyond the true threshold, and then no resample
    does. A rate fixed at 0 asks for just that. Methods 5.2.
    """
    allowed = errors_allowed(measure, n_target, n_nontarget)
    return allowed is not None and 0 < allowed < than


def below_rule_of_30(measure: Measure, n_target: int, n_nontarget: int) -> bool:
    """Return whether fewer than 30 errors are allowed at the fixed rate: it is then poorly known itself."""
    allowed = errors_allowed(measure, n_target, n_nontarget)
    return allowed is not None and allowed < RULE_OF_30


def errors_allowed(measure: Measure, n_target: int, n_nontarget: int) -> Fraction | None:
    """Return the fixed error rate times its class, None for a measure that fixes none.

    Exact in decimals: a specificity of 0.9 over 10 non-targets allows one error, not a little less.
    """
    if measure.key not in FIXED:
        return None
    name, of_targets, is_error = FIXED[measure.key]
    value = measure.arguments[name]
    rate = Fraction(show_value(value))
    return (rate if is_error else 1 - rate) * (n_target if of_targets else n_nontarget)


def fixed_rate(measure: Measure) -> FixedRate | None:
    """Return the error rate at which a measure is read; None where it fixes none."""
    if measure.key not in FIXED:
        return None
    name, of_targets, is_error = FIXED[measure.key]
    value = float(str(measure.arguments[name]))
    return FixedRate(value if is_error else 1 - value, of_targets)


FIXED = {
    FRR_AT_FAR.key: ("far", False, True),
    FAR_AT_FRR.key: ("frr", True, True),
    SENSITIVITY_AT.key: ("specificity", False, False),
    SPECIFICITY_AT.key: ("sensitivity", True, False),
}
"""By key: the parameter that fixes a rate, whether it is a rate of the targets, and whether one of errors."""
