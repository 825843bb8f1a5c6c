"""Areas, equal error rates and distances over the sweep of thresholds."""

from __future__ import annotations

from typing import Any

from reporting.contents import Parameter, parameter
from reporting.measures.measure import Measure
from reporting.stats import sweep

HANLEY = "Hanley, McNeil 1982, doi:10.1148/radiology.143.1.7063747"
MCCLISH = "McClish 1989, doi:10.1177/0272989X8900900307"


# Functions of this module, not lambdas: a measure travels to other processes by their names.
def _one_half() -> float:
    return 0.5


def _nought() -> float:
    return 0.0


def _of_mcclish(mcclish: bool, **_: Any) -> float | None:
    return 0.5 if mcclish else None


EER_ROCCH = Measure(
    key="eer_rocch",
    label="EER",
    name="equal error rate on the ROC convex hull",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 0.5),
    formula=sweep.eer_rocch,
    synonyms=("EER", "ROCCH-EER"),
    definition="the rate at which FAR = FRR on the lower-left hull of (FAR, FRR)",
    source="Brümmer, de Villiers: The BOSARIS toolkit user guide",
)
EER_INTERP = Measure(
    key="eer_interp",
    label="EER (interpolated)",
    name="equal error rate on the staircase",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    formula=sweep.eer_interp,
    definition="the rate at which FAR = FRR on the line through all cuts",
    source="van Leeuwen: ROCAnalysis.jl",
)
AUC = Measure(
    key="auc",
    of_area=(0.0, 1.0),
    chance=_one_half,
    label="AUC",
    name="area under the ROC curve",
    over="sweep",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=sweep.auc,
    synonyms=(
        "c-statistic",
        "concordance index",
        "Mann-Whitney statistic",
        "probability of superiority",
        "A'",
        "AUROC",
        "ROC AUC",
    ),
    definition="P(target score > non-target score) + P(equal) / 2",
    source=HANLEY,
)
EER_DISCRETE = Measure(
    key="eer_discrete",
    label="EER (discrete)",
    name="equal error rate at a cut",
    over="sweep",
    on_runs=False,
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    formula=sweep.eer_discrete,
    synonyms=("a posteriori EER", "HTER at the EER threshold", "eer (bob.measure)"),
    definition="(FAR + FRR) / 2 at the cut where FAR and FRR differ least",
    source="Bengio, Mariethoz, Keller, eq. (8)",
)
ERROR_AREA = Measure(
    key="error_area",
    of_area=(1.0, -1.0),
    label="1 - AUC",
    name="area of errors",
    over="sweep",
    better="lower",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=sweep.error_area,
    synonyms=("auc (ROCAnalysis.jl)", "area under the DET curve in rates", "area over the ROC curve", "AOC"),
    definition="P(target score < non-target score) + P(equal) / 2",
    source=HANLEY,
)
PAUC = Measure(
    key="pauc",
    chance=_of_mcclish,
    parameters=(
        parameter("far_min", 0.0, 0.0, 1.0),
        parameter("far_max", 1.0, 0.0, 1.0),
        parameter("mcclish", False),
    ),
    label="pAUC",
    name="partial area under the ROC curve",
    over="sweep",
    better="higher",
    bounds=(float("-inf"), 1.0),
    printed_in="number",
    formula=sweep.pauc,
    synonyms=("partial AUC", "roc_auc_score(max_fpr=) (scikit-learn)", "AUC 0.1", "standardised pAUC"),
    definition="integral of 1 - FRR over FAR from far_min to far_max; with mcclish rescaled so that chance is"
    " 1/2 and the best is 1",
    source=MCCLISH,
)
PAUC_TPR = Measure(
    key="pauc_tpr",
    chance=_of_mcclish,
    parameters=(
        parameter("tpr_min", 0.0, 0.0, 1.0),
        parameter("tpr_max", 1.0, 0.0, 1.0),
        parameter("mcclish", False),
    ),
    label="pAUC (TPR)",
    name="partial area under the ROC curve over sensitivities",
    over="sweep",
    better="higher",
    bounds=(float("-inf"), 1.0),
    printed_in="number",
    formula=sweep.pauc_tpr,
    synonyms=(
        "partial AUC focused on sensitivity",
        "partial.auc.focus = sens (pROC)",
        "high-sensitivity pAUC",
    ),
    definition="integral of 1 - FAR over TPR from tpr_min to tpr_max; with mcclish rescaled so that chance is"
    " 1/2 and the best is 1",
    source=f"{MCCLISH}; Jiang, Metz, Nishikawa 1996, doi:10.1148/radiology.201.3.8939225",
)
AUCH = Measure(
    key="auch",
    label="AUCH",
    name="area under the convex hull of the ROC curve",
    over="sweep",
    better="higher",
    bounds=(0.5, 1.0),
    printed_in="number",
    formula=sweep.auch,
    synonyms=("ROCCH area", "AUROCCH", "area under the ROC convex hull"),
    definition="AUC of the upper-left convex hull of the ROC curve, chance included",
    source="Provost, Fawcett 2001, doi:10.1023/A:1007601015854",
)
GINI = Measure(
    key="gini",
    of_area=(-1.0, 2.0),
    chance=_nought,
    label="Gini",
    name="Gini coefficient",
    over="sweep",
    better="higher",
    bounds=(-1.0, 1.0),
    printed_in="number",
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
KS = Measure(
    key="ks",
    label="KS",
    name="Kolmogorov-Smirnov distance",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=sweep.ks,
    synonyms=("max Youden J", "Youden index", "KS statistic", "max informedness", "1 - 2 min HTER"),
    definition="max over cuts of TPR - FAR",
    source="Youden 1950, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3",
)
MIN_CORNER = Measure(
    key="min_corner",
    label="corner distance (min)",
    name="distance of the ROC curve from its ideal corner",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=sweep.min_corner,
    synonyms=("closest to (0, 1)", "closest.topleft (pROC)", "ER criterion", "Euclidean index"),
    definition="min over cuts of the root of FAR^2 + FRR^2; it has no reading as a cost",
    source="Perkins, Schisterman 2006, doi:10.1093/aje/kwj063",
)
DPRIME = Measure(
    key="dprime",
    label="d'",
    name="sensitivity index of equal variances",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=sweep.dprime,
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
    definition="standard deviation of the non-target scores over that of the target scores: how steeply"
    " the DET line of two normal classes falls, 1 where they spread alike",
    source="Martin et al. 1997, doi:10.21437/Eurospeech.1997-504; van Leeuwen: ROCAnalysis.jl",
)
H_MEASURE = Measure(
    key="h_measure",
    parameters=(Parameter("severity_ratio", "sample", "sample", 1e-6, 1e6, words=("sample", "hand2014")),),
    label="H",
    name="H-measure",
    over="sweep",
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=sweep.h_measure,
    synonyms=("H measure", "HMeasure (hmeasure)", "Hand's measure"),
    definition="1 - expected minimum loss / that without scores, where the relative cost of a false alarm"
    " follows a beta distribution whose mode is r / (1 + r) at the severity ratio r, by default"
    " that of targets to non-targets",
    source="Hand 2009, doi:10.1007/s10994-009-5119-5; Hand, Anagnostopoulos 2014,"
    " doi:10.1016/j.patrec.2013.12.011",
)
