"""Precision and recall over the sweep of thresholds: average precision and its kin."""

from __future__ import annotations

from typing import Any

from reporting.contents import parameter
from reporting.measures.measure import Measure
from reporting.measures.predictive import PREVALENCE
from reporting.stats import precision_recall

MANNING = "Manning, Raghavan, Schütze 2008, doi:10.1017/CBO9780511809071"
DAVIS = "Davis, Goadrich 2006, doi:10.1145/1143844.1143874"
MCSHERRY = "McSherry, Najork 2008, doi:10.1007/978-3-540-78646-7_38"


def _nought(**_: Any) -> float:
    # Not a lambda: a measure travels to other processes by the names of its functions.
    return 0.0


AP_STEP = Measure(
    key="ap_step",
    parameters=(PREVALENCE,),
    label="AP",
    name="average precision",
    over="sweep",
    on_runs=False,
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=precision_recall.ap_step,
    synonyms=(
        "AP",
        "average precision",
        "average_precision_score (scikit-learn)",
        "uninterpolated average precision",
        "PR-AUC",
        "AUPRC",
        "AUPR",
    ),
    definition="sum over cuts of precision times the recall gained there",
    source="Buckley, Voorhees 2000, doi:10.1145/345508.345543",
)
AP_DG = Measure(
    key="ap_dg",
    parameters=(PREVALENCE,),
    label="AP (continuous)",
    name="area under the continuous precision-recall curve",
    over="sweep",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=precision_recall.ap_dg,
    synonyms=(
        "AUPRC",
        "AUPR",
        "aucpr",
        "PR-AUC (Davis, Goadrich)",
        "auc.integral (PRROC)",
        "area under the precision-recall curve",
    ),
    definition="area under the precision-recall curve along which false alarms and hits grow in proportion"
    " between two cuts",
    source=f"{DAVIS}; Keilwagen, Grosse, Grau 2014, doi:10.1371/journal.pone.0092209",
)
AP_TRAPEZOID = Measure(
    key="ap_trapezoid",
    parameters=(PREVALENCE,),
    label="AP (trapezoid)",
    name="area under straight lines in the precision-recall plane",
    over="sweep",
    on_runs=False,
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=precision_recall.ap_trapezoid,
    synonyms=("auc(recall, precision) (scikit-learn)", "linear PR-AUC", "trapezoidal AUPRC"),
    definition="area under straight lines between the points (recall, precision) of all cuts, from (0, 1) on;"
    " precision does not run straight between them, and where scores are tied the area is too high",
    source=f"{DAVIS}; Boyd, Eng, Page 2013, doi:10.1007/978-3-642-40994-3_29",
)
AP_11PT = Measure(
    key="ap_11pt",
    parameters=(PREVALENCE,),
    label="11-point AP",
    name="11-point interpolated average precision",
    over="sweep",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=precision_recall.ap_11pt,
    synonyms=("11-point average", "11-pt AP", "interpolated average precision", "iprec_at_recall (mean)"),
    definition="mean over the recalls 0, 0.1, ..., 1 of the best precision at that recall or more",
    source=MANNING,
)
BREAK_EVEN = Measure(
    key="break_even",
    parameters=(PREVALENCE,),
    label="BEP",
    name="precision-recall break-even point",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    formula=precision_recall.break_even,
    synonyms=("PRBE", "prbe (ROCR)", "R-precision", "Rprec", "precision-recall breakeven point"),
    definition="precision where it equals recall: among as many of the highest scores as there are targets",
    source=f"{MANNING}; Joachims 2005, doi:10.1145/1102351.1102399",
)
MAX_F1 = Measure(
    key="max_f1",
    parameters=(PREVALENCE,),
    label="max F1",
    name="largest F1",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=precision_recall.max_f1,
    synonyms=("optimal F1", "best F1", "F1-max", "Fmax"),
    definition="max over cuts of 2 TP / (2 TP + FP + FN)",
    source="Lipton, Elkan, Naryanaswamy 2014, doi:10.1007/978-3-662-44851-9_15",
)
MAX_MCC = Measure(
    key="max_mcc",
    label="max MCC",
    name="largest Matthews correlation",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=precision_recall.max_mcc,
    synonyms=("best phi coefficient", "max mat (ROCR)", "optimal MCC"),
    definition="max over cuts of the correlation between label and decision",
    source="Matthews 1975, doi:10.1016/0005-2795(75)90109-9",
)
PRG_AREA = Measure(
    key="prg_area",
    chance=_nought,
    parameters=(PREVALENCE,),
    label="AUPRG",
    name="area under the precision-recall-gain curve",
    over="sweep",
    better="higher",
    bounds=(float("-inf"), 1.0),
    printed_in="number",
    formula=precision_recall.prg_area,
    synonyms=("AUPRG", "auprg (prg)", "PRG-AUC", "area under the PRG curve"),
    definition="area over recall gains from 0 to 1 under the precision gain 1 - FAR / TPR against the"
    " recall gain 1 - FRR / TPR times the odds of a target; 0 is chance",
    source="Flach, Kull 2015, Precision-recall-gain curves: PR analysis done right, NeurIPS 28",
)
PRECISION_AT = Measure(
    key="precision_at",
    always_said=("k",),
    parameters=(parameter("k", 10.0, 1.0, 1e12, whole=True),),
    label="precision at k",
    name="precision among the k highest scores",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    formula=precision_recall.precision_at,
    synonyms=("P@k", "prec@k", "precision at n", "P_10 (trec_eval)", "top-k precision"),
    definition="targets among the k highest scores / k, ties in random order",
    source=MCSHERRY,
)
PRECISION_AT_SHARE = Measure(
    key="precision_at_share",
    always_said=("share",),
    parameters=(parameter("share", 0.1, 1e-12, 1.0),),
    label="precision at share",
    name="precision among the highest scores of a share of all trials",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    formula=precision_recall.precision_at_share,
    synonyms=("precision in the top decile", "P@x%", "response rate at depth"),
    definition="targets among the highest scores / that share of all trials, ties in random order",
    source=MCSHERRY,
)
LIFT_AT = Measure(
    key="lift_at",
    always_said=("share",),
    parameters=(parameter("share", 0.1, 1e-12, 1.0),),
    label="lift at share",
    name="lift among the highest scores of a share of all trials",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=precision_recall.lift_at,
    synonyms=("top-decile lift", "TDL", "enrichment factor", "EF", "cumulative lift"),
    definition="precision among the highest scores of that share / share of targets in all trials",
    source="Piatetsky-Shapiro, Masand 1999, doi:10.1145/312129.312225",
)
RECALL_AT = Measure(
    key="recall_at",
    always_said=("precision",),
    parameters=(parameter("precision", 0.9, 0.0, 1.0), PREVALENCE),
    label="recall at precision",
    name="recall at a fixed precision",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    formula=precision_recall.recall_at,
    synonyms=("R@P", "recall at fixed precision", "RecallAtFixedPrecision", "RecallAtPrecision"),
    definition="largest recall of the cuts whose precision is not below a bound",
    source="Eban et al. 2017, arXiv:1608.04802",
)
