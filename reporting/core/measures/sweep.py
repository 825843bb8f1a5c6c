"""Areas, equal error rates and distances over the sweep of thresholds."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from reporting.base.contents import Parameter, parameter, show_value, word
from reporting.core.measures.measure import HULL_CORRECTION, LEAST_ERRORS, LeastCost, Measure, Optimum
from reporting.core.measures.threshold import PREVALENCE
from reporting.core.stats import confusion, precision_recall, rates, sweep
from reporting.core.stats.staircase import FixedRate

HANLEY = "Hanley, McNeil 1982, doi:10.1148/radiology.143.1.7063747"
MCCLISH = "McClish 1989, doi:10.1177/0272989X8900900307"
ZHOU = "Zhou, Obuchowski, McClish 2011, doi:10.1002/9780470906514"
MANNING = "Manning, Raghavan, Schütze 2008, doi:10.1017/CBO9780511809071"
DAVIS = "Davis, Goadrich 2006, doi:10.1145/1143844.1143874"
MCSHERRY = "McSherry, Najork 2008, doi:10.1007/978-3-540-78646-7_38"

HOW = word("how", "at_most", "nearest", "interp")
"""The threshold that keeps to the bound, the nearest to it, or the line through thresholds at the bound."""
OTHERWISE = (
    "; how=nearest: at the threshold nearest to it, of two equally near the one within the bound;"
    " how=interp: at the bound itself, between two thresholds"
)

swept = partial(Measure, over="sweep")
at_own_cut = partial(swept, own_cut=True)
area = partial(swept, better="higher", printed_in="number")
best_cut = partial(area, own_cut=True)


def _top(n_trials: int, k: float) -> float:
    return min(k, n_trials)


def _top_share(n_trials: int, share: float) -> float:
    return share * n_trials


def _of_mcclish(mcclish: bool, **_: Any) -> float | None:
    return 0.5 if mcclish else None


def _both() -> list[tuple[float, float]]:
    return [(1.0, 1.0)]


def _complement(number: Any) -> Any:
    return 1 - number


EER_ROCCH = at_own_cut(
    key="eer_rocch",
    label="EER",
    name="equal error rate on the ROC convex hull",
    better="lower",
    bounds=(0.0, 0.5),
    formula=sweep.eer_rocch,
    least_cost=LeastCost(weights=None),
    synonyms=("EER", "ROCCH-EER"),
    definition="the rate at which FAR = FRR on the lower-left hull of (FAR, FRR)",
    source="Brümmer, de Villiers: The BOSARIS toolkit user guide",
)
EER_INTERP = at_own_cut(
    key="eer_interp",
    label="EER (interpolated)",
    name="equal error rate on the staircase",
    better="lower",
    formula=sweep.eer_interp,
    definition="the rate at which FAR = FRR on the line through all thresholds",
    source="van Leeuwen: ROCAnalysis.jl",
)
EER_DISCRETE = at_own_cut(
    key="eer_discrete",
    label="EER (discrete)",
    name="equal error rate at a threshold",
    on_runs=False,
    better="lower",
    formula=sweep.eer_discrete,
    synonyms=("a posteriori EER", "HTER at the EER threshold", "eer (bob.measure)"),
    definition="(FAR + FRR) / 2 at the threshold where FAR and FRR differ least",
    source="Bengio, Mariethoz, Keller, eq. (8)",
)
DPRIME = best_cut(
    key="dprime",
    label="d'",
    name="sensitivity index of equal variances",
    bounds=(0.0, float("inf")),
    formula=sweep.dprime,
    least_cost=LeastCost(weights=None, cost=sweep.eer_of_dprime, value=sweep.dprime_of_eer),
    synonyms=("d-prime", "detectability index", "sensitivity index", "discriminability"),
    definition="-2 times the normal quantile of the equal error rate on the convex hull",
    source="Green, Swets 1966, Signal detection theory and psychophysics",
)
DET_SLOPE = Measure(
    key="det_slope",
    label="DET slope",
    name="steepness of the DET line",
    over="scores",
    better="lower",
    ideal=1.0,
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=sweep.det_slope,
    synonyms=("slope of the DET curve", "ratio of standard deviations"),
    definition="standard deviation of the non-target scores / that of the target scores: how steeply"
    " the DET line of two normal classes falls, 1 where they spread alike",
    source="Martin et al. 1997, doi:10.21437/Eurospeech.1997-504; van Leeuwen: ROCAnalysis.jl",
)
KS = best_cut(
    key="ks",
    label="KS",
    name="Kolmogorov-Smirnov distance",
    formula=sweep.ks,
    least_cost=LeastCost(_both, cost=_complement, value=_complement),
    synonyms=("max Youden J", "Youden index", "KS statistic", "max informedness", "1 - 2 min HTER"),
    definition="max over thresholds of TPR - FAR",
    source="Youden 1950, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3",
)
MIN_CORNER = at_own_cut(
    key="min_corner",
    label="minimum corner distance",
    name="distance of the ROC curve from its ideal corner",
    better="lower",
    printed_in="number",
    formula=sweep.min_corner,
    optimum=Optimum(partial(sweep.held_at_best, confusion.corner_distance, -1), 1.0),
    synonyms=("closest to (0, 1)", "closest.topleft (pROC)", "ER criterion", "Euclidean index"),
    definition="min over thresholds of the root of FAR^2 + FRR^2; it has no reading as a cost",
    source="Perkins, Schisterman 2006, doi:10.1093/aje/kwj063",
)
FAILURE_TO_ACQUIRE = Measure(
    key="failure_to_acquire",
    label="FTA",
    name="failure to acquire",
    over="scores",
    better="lower",
    formula=rates.failure_to_acquire,
    synonyms=("FTA", "FTA rate", "failure-to-acquire rate", "FTX", "no-score rate"),
    definition="share of the trials that are rejected whatever the threshold: score -inf, as missing scores"
    " become with missing: reject",
    source="ISO/IEC 19795-1:2021",
)


# A function of this module, not a lambda: a measure travels to other processes by the names of its functions.
def _unless_nearest(how: str, **_: Any) -> bool:
    return how != "nearest"


FRR_AT_FAR = at_own_cut(
    key="frr_at_far",
    parameters=(parameter("far", 0.01, 0.0, 1.0), HOW),
    label="FRR at {far} FAR",
    name="false rejection rate at a fixed false acceptance rate",
    on_runs=_unless_nearest,
    better="lower",
    formula=sweep.frr_at_far,
    synonyms=(
        "FRR@FAR",
        "FNMR at FMR",
        "FNMR@FMR",
        "FMR100",
        "FMR1000",
        "BPCER10",
        "BPCER20",
        "BPCER100",
        "miss rate at fixed false alarm rate",
        "1 - TAR@FAR",
    ),
    definition=f"the smallest FRR of the thresholds whose FAR is not above a bound{OTHERWISE}",
    source="ISO/IEC 19795-1:2021; Bengio, Mariethoz, Keller, eq. (12)",
)
ZERO_FMR = at_own_cut(
    key="zero_fmr",
    parameters=(parameter("far", 0.0, 0.0, 0.0), word("how", "at_most")),
    label="ZeroFMR",
    name="false rejection rate at no false acceptance",
    better="lower",
    formula=sweep.frr_at_far,
    definition="the smallest FRR of the thresholds without a false alarm",
    source="Maio, Maltoni, Cappelli, Wayman, Jain 2002: FVC2000, doi:10.1109/34.990140",
)
FAR_AT_FRR = at_own_cut(
    key="far_at_frr",
    parameters=(parameter("frr", 0.01, 0.0, 1.0), HOW),
    label="FAR at {frr} FRR",
    name="false acceptance rate at a fixed false rejection rate",
    on_runs=_unless_nearest,
    better="lower",
    formula=sweep.far_at_frr,
    synonyms=(
        "FAR@FRR",
        "FMR at FNMR",
        "FMR@FNMR",
        "ZeroFNMR",
        "FPR at TPR",
        "FPR95",
        "FPR at 95% recall",
        "false alarm rate at fixed miss rate",
    ),
    definition=f"the smallest FAR of the thresholds whose FRR is not above a bound{OTHERWISE}",
    source="ISO/IEC 19795-1:2021; Bengio, Mariethoz, Keller, eq. (13)",
)
SENSITIVITY_AT = at_own_cut(
    key="sensitivity_at",
    parameters=(parameter("specificity", 0.9, 0.0, 1.0), HOW),
    label="sensitivity at {specificity} specificity",
    name="sensitivity at a fixed specificity",
    on_runs=_unless_nearest,
    better="higher",
    formula=sweep.sensitivity_at,
    synonyms=(
        "sensitivity at fixed specificity",
        "Sens.Spec95",
        "TPR at FPR",
        "TAR@FAR",
        "GAR@FAR",
        "VR@FAR",
        "recall at fixed specificity",
        "1 - FRR@FAR",
    ),
    definition=f"the largest sensitivity of the thresholds whose specificity is not below a bound{OTHERWISE}",
    source=ZHOU,
)
SPECIFICITY_AT = at_own_cut(
    key="specificity_at",
    parameters=(parameter("sensitivity", 0.9, 0.0, 1.0), HOW),
    label="specificity at {sensitivity} sensitivity",
    name="specificity at a fixed sensitivity",
    on_runs=_unless_nearest,
    better="higher",
    formula=sweep.specificity_at,
    synonyms=("specificity at fixed sensitivity", "Spec.Sens95", "TNR at TPR", "TNR at 95% TPR"),
    definition=f"the largest specificity of the thresholds whose sensitivity is not below a bound{OTHERWISE}",
    source=ZHOU,
)
AUC = area(
    key="auc",
    of_area=(0.0, 1.0),
    chance=0.5,
    label="AUC",
    name="area under the ROC curve",
    formula=sweep.auc,
    synonyms=(
        "c-statistic",
        "concordance index",
        "Mann-Whitney statistic",
        "probability of superiority",
        "A'",
        "AUROC",
        "ROC AUC",
        "roc_auc",
        "roc_auc_score (scikit-learn)",
    ),
    definition="P(target score > non-target score) + P(equal) / 2",
    source=HANLEY,
)
ERROR_AREA = swept(
    key="error_area",
    of_area=(1.0, -1.0),
    label="1 − AUC",
    name="area of errors",
    better="lower",
    printed_in="number",
    formula=sweep.error_area,
    synonyms=("auc (ROCAnalysis.jl)", "area under the DET curve in rates", "area over the ROC curve", "AOC"),
    definition="P(target score < non-target score) + P(equal) / 2",
    source=HANLEY,
)
PAUC = area(
    key="pauc",
    chance=_of_mcclish,
    parameters=(
        parameter("far_min", 0.0, 0.0, 1.0),
        parameter("far_max", 1.0, 0.0, 1.0),
        parameter("mcclish", False),
    ),
    label="pAUC",
    name="partial area under the ROC curve",
    bounds=(float("-inf"), 1.0),
    formula=sweep.pauc,
    skewed=True,
    synonyms=("partial AUC", "roc_auc_score(max_fpr=) (scikit-learn)", "AUC 0.1", "standardised pAUC"),
    definition="integral of 1 - FRR over FAR from far_min to far_max; with mcclish rescaled so that chance is"
    " 1/2 and the best is 1",
    source=MCCLISH,
)
PAUC_TPR = area(
    key="pauc_tpr",
    chance=_of_mcclish,
    parameters=(
        parameter("tpr_min", 0.0, 0.0, 1.0),
        parameter("tpr_max", 1.0, 0.0, 1.0),
        parameter("mcclish", False),
    ),
    label="pAUC",
    name="partial area under the ROC curve over sensitivities",
    bounds=(float("-inf"), 1.0),
    formula=sweep.pauc_tpr,
    skewed=True,
    synonyms=(
        "partial AUC focused on sensitivity",
        "partial.auc.focus = sens (pROC)",
        "high-sensitivity pAUC",
    ),
    definition="integral of 1 - FAR over TPR from tpr_min to tpr_max; with mcclish rescaled so that chance is"
    " 1/2 and the best is 1",
    source=f"{MCCLISH}; Jiang, Metz, Nishikawa 1996, doi:10.1148/radiology.201.3.8939225",
)
AUCH = best_cut(
    key="auch",
    label="AUCH",
    name="area under the convex hull of the ROC curve",
    bounds=(0.5, 1.0),
    formula=sweep.auch,
    optimum=Optimum(sweep.auch_held, HULL_CORRECTION, LEAST_ERRORS),
    synonyms=("ROCCH area", "AUROCCH", "area under the ROC convex hull"),
    definition="AUC of the upper-left convex hull of the ROC curve, chance included",
    source="Provost, Fawcett 2001, doi:10.1023/A:1007601015854",
)
GINI = area(
    key="gini",
    of_area=(-1.0, 2.0),
    chance=0.0,
    label="Gini",
    name="Gini coefficient",
    bounds=(-1.0, 1.0),
    formula=sweep.gini,
    synonyms=(
        "Gini index",
        "Somers' D",
        "accuracy ratio",
        "AR",
        "rank-biserial correlation",
        "Cliff's delta",
    ),
    definition="2 AUC - 1",
    source="Hand, Till 2001, doi:10.1023/A:1010920819831",
)
H_MEASURE = best_cut(
    key="h_measure",
    parameters=(Parameter("severity_ratio", "sample", "sample", 1e-6, 1e6, words=("sample", "hand2014")),),
    label="H",
    name="H-measure",
    formula=sweep.h_measure,
    optimum=Optimum(sweep.h_held, HULL_CORRECTION),
    synonyms=("H measure", "HMeasure (hmeasure)", "Hand's measure"),
    definition="1 - expected minimum loss / that of ignoring the scores, where the relative cost of a"
    " false alarm"
    " follows a beta distribution whose mode is r / (1 + r) at the severity ratio r, by default"
    " that of targets to non-targets",
    source="Hand 2009, doi:10.1007/s10994-009-5119-5; Hand, Anagnostopoulos 2014,"
    " doi:10.1016/j.patrec.2013.12.011",
)
AP_STEP = area(
    key="ap_step",
    parameters=(PREVALENCE,),
    label="AP",
    name="average precision",
    on_runs=False,
    formula=precision_recall.ap_step,
    skewed=True,
    synonyms=(
        "AP",
        "average precision",
        "average_precision",
        "average_precision_score (scikit-learn)",
        "uninterpolated average precision",
        "PR-AUC",
        "AUPRC",
        "AUPR",
    ),
    definition="sum over thresholds of precision times the recall gained there",
    source="Buckley, Voorhees 2000, doi:10.1145/345508.345543",
)
AP_DG = area(
    key="ap_dg",
    parameters=(PREVALENCE,),
    label="AP (continuous)",
    name="area under the continuous precision-recall curve",
    formula=precision_recall.ap_dg,
    skewed=True,
    synonyms=(
        "AUPRC",
        "AUPR",
        "aucpr",
        "PR-AUC (Davis, Goadrich)",
        "auc.integral (PRROC)",
        "area under the precision-recall curve",
    ),
    definition="area under the precision-recall curve along which false alarms and hits grow in proportion"
    " between two thresholds",
    source=f"{DAVIS}; Keilwagen, Grosse, Grau 2014, doi:10.1371/journal.pone.0092209",
)
AP_TRAPEZOID = area(
    key="ap_trapezoid",
    parameters=(PREVALENCE,),
    label="AP (trapezoid)",
    name="area under straight lines in the precision-recall plane",
    on_runs=False,
    formula=precision_recall.ap_trapezoid,
    skewed=True,
    synonyms=("auc(recall, precision) (scikit-learn)", "linear PR-AUC", "trapezoidal AUPRC"),
    definition="area under straight lines between the points (recall, precision) of all thresholds, from"
    " (0, 1) on;"
    " precision does not run straight between them, and where scores are tied the area is too high",
    source=f"{DAVIS}; Boyd, Eng, Page 2013, doi:10.1007/978-3-642-40994-3_29",
)
AP_11PT = area(
    key="ap_11pt",
    parameters=(PREVALENCE,),
    label="11-point AP",
    name="11-point interpolated average precision",
    formula=precision_recall.ap_11pt,
    skewed=True,
    synonyms=("11-point average", "11-pt AP", "interpolated average precision", "iprec_at_recall (mean)"),
    definition="mean over the recalls 0, 0.1, ..., 1 of the best precision at that recall or more",
    source=MANNING,
)
BREAK_EVEN = at_own_cut(
    key="break_even",
    parameters=(PREVALENCE,),
    label="BEP",
    name="precision-recall break-even point",
    better="higher",
    formula=precision_recall.break_even,
    synonyms=("PRBE", "prbe (ROCR)", "R-precision", "Rprec", "precision-recall breakeven point"),
    definition="precision where it equals recall: among as many of the highest scores as there are targets",
    source=f"{MANNING}; Joachims 2005, doi:10.1145/1102351.1102399",
)
PRG_AREA = area(
    key="prg_area",
    chance=0.0,
    parameters=(PREVALENCE,),
    label="AUPRG",
    name="area under the precision-recall-gain curve",
    bounds=(float("-inf"), 1.0),
    formula=precision_recall.prg_area,
    skewed=True,
    synonyms=("AUPRG", "auprg (prg)", "PRG-AUC", "area under the PRG curve"),
    definition="area over recall gains from 0 to 1 under the precision gain 1 - FAR / TPR against the"
    " recall gain 1 - FRR / TPR times the odds of a target; 0 is chance",
    source="Flach, Kull 2015, Precision-recall-gain curves: PR analysis done right, NeurIPS 28",
)
MAX_F1 = best_cut(
    key="max_f1",
    parameters=(PREVALENCE,),
    label="max F1",
    name="largest F1",
    formula=precision_recall.max_f1,
    optimum=Optimum(partial(sweep.held_at_best, confusion.f1, 1), 1.0),
    synonyms=("optimal F1", "best F1", "F1-max", "Fmax"),
    definition="max over thresholds of 2 TP / (2 TP + FP + FN)",
    source="Lipton, Elkan, Naryanaswamy 2014, doi:10.1007/978-3-662-44851-9_15",
)
MAX_MCC = best_cut(
    key="max_mcc",
    label="max MCC",
    name="largest Matthews correlation",
    formula=precision_recall.max_mcc,
    optimum=Optimum(partial(sweep.held_at_best, confusion.mcc, 1), 1.0),
    synonyms=("best phi coefficient", "max mat (ROCR)", "optimal MCC"),
    definition="max over thresholds of the correlation between label and decision",
    source="Matthews 1975, doi:10.1016/0005-2795(75)90109-9",
)
PRECISION_AT = at_own_cut(
    key="precision_at",
    parameters=(parameter("k", 10.0, 1.0, 1e12, whole=True),),
    label="precision in the top {k}",
    name="precision among the k highest scores",
    better="higher",
    formula=precision_recall.precision_at,
    totals=True,
    highest=_top,
    synonyms=("P@k", "prec@k", "precision at n", "P_10 (trec_eval)", "top-k precision"),
    definition="targets among the k highest scores / k, ties in random order",
    source=MCSHERRY,
)
PRECISION_AT_SHARE = at_own_cut(
    key="precision_at_share",
    parameters=(parameter("share", 0.1, 1e-12, 1.0),),
    label="precision in the top {share}",
    name="precision among the highest scores of a share of all trials",
    better="higher",
    formula=precision_recall.precision_at_share,
    highest=_top_share,
    synonyms=("precision in the top decile", "P@x%", "response rate at depth"),
    definition="targets among the highest scores / that share of all trials, ties in random order",
    source=MCSHERRY,
)
LIFT_AT = best_cut(
    key="lift_at",
    parameters=(parameter("share", 0.1, 1e-12, 1.0),),
    label="lift in the top {share}",
    name="lift among the highest scores of a share of all trials",
    bounds=(0.0, float("inf")),
    formula=precision_recall.lift_at,
    synonyms=("top-decile lift", "TDL", "enrichment factor", "EF", "cumulative lift"),
    definition="precision among the highest scores of that share / share of targets in all trials",
    source="Piatetsky-Shapiro, Masand 1999, doi:10.1145/312129.312225",
)
RECALL_AT = at_own_cut(
    key="recall_at",
    parameters=(parameter("precision", 0.9, 0.0, 1.0), PREVALENCE),
    label="recall at {precision} precision",
    name="recall at a fixed precision",
    better="higher",
    formula=precision_recall.recall_at,
    unreached="no_such_precision",
    unknown_of_pairs=True,
    synonyms=("R@P", "recall at fixed precision", "RecallAtFixedPrecision", "RecallAtPrecision"),
    definition="largest recall of the thresholds whose precision is not below a bound",
    source="Eban et al. 2017, arXiv:1608.04802",
)


RULE_OF_30 = 30
LEAST_ALLOWED = 4
"""With fewer errors at a fixed rate no trial lies beyond the true threshold in 1 of 40 tables or more."""


def unresolvable(measure: Measure, n_target: int, n_nontarget: int) -> bool:
    """Return whether fewer than one error is allowed at the fixed rate, though some share of one is.

    The value is then that at no error at all. A rate fixed at 0 asks for just that. Methods 5.2.
    """
    allowed = errors_allowed(measure, n_target, n_nontarget)
    return allowed is not None and 0 < allowed < 1


def allows_too_few(measure: Measure, n_target: int, n_nontarget: int) -> bool:
    """Return whether the fixed rate allows too few errors for an interval, though some share of one.

    With chance (1 - rate)^n no trial lies beyond the true threshold, and then no resample does.
    """
    allowed = errors_allowed(measure, n_target, n_nontarget)
    return allowed is not None and 0 < allowed < LEAST_ALLOWED


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
