"""Measures at a threshold: error rates, shares of trials and of decisions, and indices of agreement.

Shares of all trials and of decisions depend on the prevalence. A test set's is often a choice of its makers;
``prevalence`` declares another.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from reporting.base.contents import parameter, word_or_number
from reporting.core.measures.costs import NORMED_COST_PARAMETERS
from reporting.core.measures.measure import Measure
from reporting.core.stats import confusion, rates

PREVALENCE = word_or_number("prevalence", "sample", 1e-12, 1 - 1e-12)
"""The share of targets: the sample's own, or that of the population meant."""

rate = partial(Measure, over="threshold")
index = partial(rate, printed_in="number")


def share(formula: confusion.Share, **described: Any) -> Measure:
    """Declare a share of trials: its formula, its range and the counts behind it are one value."""
    of_a_class = formula.whole in ("target", "nontarget")
    described = {"name": described["label"], "parameters": () if of_a_class else (PREVALENCE,)} | described
    return rate(formula=formula, counted=formula, **described)


# A function of this module, not a lambda: a measure travels to other processes by the names of its functions.
def weights_of_alpha(alpha: float, **_: Any) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of a weighted error, whatever else it takes."""
    return alpha, 1.0 - alpha


def _whole(**_: Any) -> float:
    """Return the 1 from which error rates are taken off."""
    return 1.0


FAR = rate(
    key="far",
    label="FAR",
    name="false acceptance rate",
    better="lower",
    formula=rates.far,
    weights=(1.0, 0.0),
    counted=confusion.Share("fp", "nontarget"),
    synonyms=(
        "FPR",
        "FMR",
        "APCER",
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
FRR = rate(
    key="frr",
    label="FRR",
    name="false rejection rate",
    better="lower",
    formula=rates.frr,
    weights=(0.0, 1.0),
    counted=confusion.Share("fn", "target"),
    synonyms=(
        "FNR",
        "FNMR",
        "BPCER",
        "false negative rate",
        "miss rate",
        "miss",
        "type II error rate",
        "1 - recall",
    ),
    definition="misses / targets",
    source="Bengio, Mariethoz, Keller, eq. (2)",
)
HTER = rate(
    key="hter",
    label="HTER",
    name="half total error rate",
    better="lower",
    formula=rates.hter,
    weights=(0.5, 0.5),
    synonyms=("balanced error rate", "ACER", "1 - balanced accuracy"),
    definition="(FAR + FRR) / 2",
    source="Bengio, Mariethoz, Keller, eq. (3)",
)
WEIGHTED_ERROR = rate(
    key="weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    label="weighted error",
    name="weighted error rate",
    better="lower",
    formula=rates.weighted_error,
    weights=weights_of_alpha,
    swept="alpha",
    definition="alpha FAR + (1 - alpha) FRR",
    source="Bengio, Mariethoz, Keller, eq. (10)",
)
DCF = index(
    key="dcf",
    parameters=NORMED_COST_PARAMETERS,
    always_said=("p_target",),
    label="DCF",
    name="detection cost",
    better="lower",
    bounds=(0.0, float("inf")),
    formula=rates.dcf,
    weights=rates.cost_weights,
    synonyms=("Cdet", "detection cost function", "expected cost", "cost", "Bayes risk of the threshold"),
    definition="c_miss p_target FRR + c_fa (1 - p_target) FAR,"
    " normalised: divided by the smaller of the two weights, or by that of FRR with norm=miss",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, de Villiers",
)
RECALL = share(
    key="recall",
    label="recall",
    better="higher",
    formula=confusion.recall,
    synonyms=(
        "sensitivity",
        "TPR",
        "true positive rate",
        "hit rate",
        "rec",
        "sens",
        "probability of detection",
        "power",
        "TAR",
        "true acceptance rate",
        "GAR",
        "VR",
        "verification rate",
        "1 - FRR",
    ),
    definition="accepted targets / targets = 1 - FRR",
    source="Fawcett 2006, doi:10.1016/j.patrec.2005.10.010",
)


SPECIFICITY = share(
    key="specificity",
    label="specificity",
    better="higher",
    formula=confusion.specificity,
    synonyms=("TNR", "true negative rate", "spec", "selectivity", "correct rejection rate", "TRR", "1 - FAR"),
    definition="rejected non-targets / non-targets = 1 - FAR",
    source="Altman, Bland 1994, doi:10.1136/bmj.308.6943.1552",
)
BALANCED_ACCURACY = rate(
    key="balanced_accuracy",
    label="balanced accuracy",
    name="balanced accuracy",
    better="higher",
    formula=confusion.balanced_accuracy,
    weights=(-0.5, -0.5),
    offset=_whole,
    synonyms=("1 - HTER", "BAC", "macro-averaged recall", "area under the ROC of one threshold"),
    definition="(recall + specificity) / 2 = 1 - HTER",
    source="Brodersen, Ong, Stephan, Buhmann 2010, doi:10.1109/ICPR.2010.764",
)
G_MEAN = index(
    key="g_mean",
    label="G-mean",
    name="geometric mean of recall and specificity",
    better="higher",
    formula=confusion.g_mean,
    synonyms=("geometric mean score",),
    definition="sqrt(recall specificity)",
    source="Kubat, Holte, Matwin 1998, doi:10.1023/A:1007452223027",
)
YOUDEN = index(
    key="youden",
    label="Youden's J",
    name="Youden's index",
    better="higher",
    bounds=(-1.0, 1.0),
    formula=confusion.youden,
    weights=(-1.0, -1.0),
    offset=_whole,
    synonyms=(
        "J",
        "informedness",
        "bookmaker informedness",
        "Peirce skill score",
        "true skill statistic",
        "Hanssen-Kuipers discriminant",
        "delta P'",
        "adjusted balanced accuracy",
        "Kolmogorov-Smirnov distance at the threshold",
    ),
    definition="recall + specificity - 1 = 1 - FAR - FRR",
    source="Youden 1950, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3",
)
CORNER_DISTANCE = index(
    key="corner_distance",
    label="corner distance",
    name="distance to the corner of no errors",
    better="lower",
    bounds=(0.0, math.sqrt(2.0)),
    formula=confusion.corner_distance,
    synonyms=("closest to the corner", "closest.topleft (its square)", "distance to (0, 1) of the ROC"),
    definition="sqrt(FAR^2 + FRR^2), the distance of (FAR, FRR) to (0, 0); it has no cost interpretation",
    source="Perkins, Schisterman 2006, doi:10.1093/aje/kwj063",
)
LR_POSITIVE = index(
    key="lr_positive",
    label="LR+",
    name="positive likelihood ratio",
    better="higher",
    bounds=(0.0, float("inf")),
    formula=confusion.lr_positive,
    synonyms=(
        "likelihood ratio of a positive result",
        "PLR",
        "DLR+",
        "diagnostic likelihood ratio",
        "Bayes factor of an acceptance",
    ),
    definition="recall / FAR; undefined without false alarms",
    source="Deeks, Altman 2004, doi:10.1136/bmj.329.7458.168",
)
LR_NEGATIVE = index(
    key="lr_negative",
    label="LR−",
    name="negative likelihood ratio",
    better="lower",
    bounds=(0.0, float("inf")),
    formula=confusion.lr_negative,
    synonyms=("likelihood ratio of a negative result", "NLR", "DLR-", "Bayes factor of a rejection"),
    definition="FRR / specificity; undefined where no non-target is rejected",
    source="Deeks, Altman 2004, doi:10.1136/bmj.329.7458.168",
)
ODDS_RATIO = index(
    key="odds_ratio",
    label="odds ratio",
    name="diagnostic odds ratio",
    better="higher",
    bounds=(0.0, float("inf")),
    formula=confusion.odds_ratio,
    synonyms=("DOR", "odds", "cross-product ratio", "LR+ / LR-"),
    definition="TP TN / (FP FN); undefined where a kind of error is absent",
    source="Glas, Lijmer, Prins, Bonsel, Bossuyt 2003, doi:10.1016/S0895-4356(03)00177-X",
)
ACCURACY = share(
    key="accuracy",
    label="accuracy",
    better="higher",
    formula=confusion.accuracy,
    synonyms=(
        "acc",
        "correct classification rate",
        "recognition rate",
        "proportion correct",
        "Rand accuracy",
        "1 - error rate",
    ),
    definition="right decisions / trials",
    source="Fawcett 2006, doi:10.1016/j.patrec.2005.10.010",
)
ERROR_RATE = share(
    key="error_rate",
    label="error rate",
    better="lower",
    formula=confusion.error_rate,
    synonyms=(
        "err",
        "misclassification rate",
        "zero-one loss",
        "Hamming loss",
        "total error rate",
        "1 - accuracy",
    ),
    definition="wrong decisions / trials",
    source="Fawcett 2006, doi:10.1016/j.patrec.2005.10.010",
)
PRECISION = share(
    key="precision",
    label="precision",
    better="higher",
    formula=confusion.precision,
    synonyms=("PPV", "positive predictive value", "prec", "purity", "success ratio", "1 - FDR"),
    definition="accepted targets / acceptances",
    source="Fawcett 2006, doi:10.1016/j.patrec.2005.10.010",
)
NPV = share(
    key="npv",
    label="NPV",
    name="negative predictive value",
    better="higher",
    formula=confusion.npv,
    synonyms=("inverse precision", "1 - false omission rate"),
    definition="rejected non-targets / rejections",
    source="Altman, Bland 1994, doi:10.1136/bmj.309.6947.102",
)
FDR = share(
    key="fdr",
    label="FDR",
    name="false discovery rate",
    better="lower",
    formula=confusion.fdr,
    synonyms=(
        "false discovery proportion",
        "FDP",
        "prediction-conditioned fallout",
        "pcfall",
        "false alarm ratio",
        "1 - precision",
    ),
    definition="false alarms / acceptances; the share observed, not its expectation",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
FALSE_OMISSION_RATE = share(
    key="false_omission_rate",
    label="FOR",
    name="false omission rate",
    better="lower",
    formula=confusion.false_omission_rate,
    synonyms=("prediction-conditioned miss", "pcmiss", "fomr", "1 - NPV"),
    definition="misses / rejections",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
MARKEDNESS = index(
    key="markedness",
    parameters=(PREVALENCE,),
    label="markedness",
    name="markedness",
    better="higher",
    bounds=(-1.0, 1.0),
    formula=confusion.markedness,
    synonyms=("delta P", "MK", "predictive summary index", "PSI"),
    definition="precision + NPV - 1",
    source="Powers 2011, arXiv:2010.16061",
)
LIFT = index(
    key="lift",
    parameters=(PREVALENCE,),
    label="lift",
    name="lift",
    better="higher",
    bounds=(0.0, float("inf")),
    formula=confusion.lift,
    synonyms=("lift value", "gain over random", "relative precision"),
    definition="precision / prevalence",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
NUMBER_NEEDED_TO_EVALUATE = index(
    key="number_needed_to_evaluate",
    parameters=(PREVALENCE,),
    label="NNE",
    name="number needed to evaluate",
    better="lower",
    bounds=(1.0, float("inf")),
    formula=confusion.number_needed_to_evaluate,
    synonyms=("workup to detection ratio", "alerts per true alert"),
    definition="acceptances / accepted targets, 1 / precision; undefined where no target is accepted",
    source="Romero-Brufau et al. 2015, doi:10.1186/s13054-015-0999-1",
)
ACCEPTANCE_RATE = share(
    key="acceptance_rate",
    label="acceptance rate",
    better="lower",
    formula=confusion.acceptance_rate,
    synonyms=(
        "rpp",
        "rate of positive predictions",
        "predicted positive rate",
        "alert rate",
        "flag rate",
        "share of the population targeted",
    ),
    definition="acceptances / trials: a share of work, whose sense no error gives (fewer count as better)",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
REJECTION_RATE = share(
    key="rejection_rate",
    label="rejection rate",
    better="higher",
    formula=confusion.rejection_rate,
    synonyms=("rnp", "rate of negative predictions", "predicted negative rate"),
    definition="rejections / trials = 1 - acceptance rate",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
NET_BENEFIT = index(
    key="net_benefit",
    parameters=(parameter("p_threshold", 0.5, 1e-12, 1 - 1e-12), PREVALENCE),
    always_said=("p_threshold",),
    label="net benefit",
    name="net benefit",
    better="higher",
    bounds=(-float("inf"), 1.0),
    formula=confusion.net_benefit,
    synonyms=("decision curve analysis", "NB"),
    definition="TP / N - FP / N p / (1 - p), with p = p_threshold; undefined where a class is missing",
    source="Vickers, Elkin 2006, doi:10.1177/0272989X06295361",
)
F1 = index(
    key="f1",
    parameters=(PREVALENCE,),
    label="F1",
    name="F1 score",
    better="higher",
    formula=confusion.f1,
    synonyms=(
        "F-measure",
        "F-score",
        "f1_score",
        "f",
        "Dice coefficient",
        "Sorensen-Dice coefficient",
        "Czekanowski index",
        "harmonic mean of precision and recall",
    ),
    definition="2 TP / (2 TP + FP + FN); 0 where no target is accepted",
    source="van Rijsbergen 1979, Information Retrieval, ch. 7",
)


F_BETA = index(
    key="f_beta",
    parameters=(parameter("beta", 1.0, 1e-3, 1e3), PREVALENCE),
    label="F{beta}",
    name="F-beta score",
    better="higher",
    formula=confusion.f_beta,
    synonyms=("fbeta", "effectiveness (1 - E)", "F2", "F0.5"),
    definition="(1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)",
    source="van Rijsbergen 1979, Information Retrieval, ch. 7",
)
JACCARD = index(
    key="jaccard",
    parameters=(PREVALENCE,),
    label="Jaccard",
    name="Jaccard index",
    better="higher",
    formula=confusion.jaccard,
    synonyms=(
        "critical success index",
        "CSI",
        "threat score",
        "Gilbert's ratio of verification",
        "intersection over union",
        "IoU",
        "Tanimoto coefficient",
    ),
    definition="TP / (TP + FP + FN)",
    source="Jaccard 1912, doi:10.1111/j.1469-8137.1912.tb05611.x;"
    " Schaefer 1990, doi:10.1175/1520-0434(1990)005<0570:TCSIAA>2.0.CO;2",
)
FOWLKES_MALLOWS = index(
    key="fowlkes_mallows",
    parameters=(PREVALENCE,),
    label="Fowlkes-Mallows",
    name="Fowlkes-Mallows index",
    better="higher",
    formula=confusion.fowlkes_mallows,
    synonyms=("FM", "G-measure", "Ochiai coefficient", "geometric mean of precision and recall"),
    definition="sqrt(precision recall)",
    source="Fowlkes, Mallows 1983, doi:10.1080/01621459.1983.10478008",
)
P4 = index(
    key="p4",
    parameters=(PREVALENCE,),
    label="P4",
    name="P4 metric",
    better="higher",
    formula=confusion.p4,
    synonyms=("symmetric F", "FS"),
    definition="4 / (1/precision + 1/recall + 1/specificity + 1/NPV)"
    " = 4 TP TN / (4 TP TN + (TP + TN) (FP + FN)); 0 where TP TN = 0 and there are errors",
    source="Sitarz 2022, arXiv:2210.11997",
)
MCC = index(
    key="mcc",
    parameters=(PREVALENCE,),
    label="MCC",
    name="Matthews correlation coefficient",
    better="higher",
    bounds=(-1.0, 1.0),
    formula=confusion.mcc,
    synonyms=(
        "phi coefficient",
        "phi",
        "mat",
        "Yule phi",
        "Pearson correlation of decisions and labels",
        "Doolittle skill score (its square)",
    ),
    definition="(TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)); 0 where a factor is 0",
    source="Matthews 1975, doi:10.1016/0005-2795(75)90109-9",
)
KAPPA = index(
    key="kappa",
    parameters=(PREVALENCE,),
    label="kappa",
    name="Cohen's kappa",
    better="higher",
    bounds=(-1.0, 1.0),
    formula=confusion.kappa,
    synonyms=("Cohen kappa", "Heidke skill score", "chance-corrected accuracy"),
    definition="(accuracy - e) / (1 - e), e the accuracy of decisions independent of the labels",
    source="Cohen 1960, doi:10.1177/001316446002000104",
)
CHI_SQUARED = index(
    key="chi_squared",
    label="chi-squared",
    name="Pearson's chi-squared statistic",
    better="higher",
    bounds=(0.0, float("inf")),
    formula=confusion.chi_squared,
    totals=True,
    synonyms=("chisq", "chi-square test statistic"),
    definition="N (TP TN - FP FN)^2 / ((TP + FP) (TP + FN) (TN + FP) (TN + FN)) = N MCC^2, uncorrected;"
    " undefined where a factor is 0",
    source="Pearson 1900, doi:10.1080/14786440009463897",
)
MUTUAL_INFORMATION = index(
    key="mutual_information",
    parameters=(PREVALENCE,),
    label="mutual information",
    name="mutual information of decision and label",
    better="higher",
    formula=confusion.mutual_information,
    synonyms=("mi", "information gain", "transmitted information"),
    definition="sum over the four cells of p log2(p / (p_decision p_label)), in bits",
    source="Shannon 1948, doi:10.1002/j.1538-7305.1948.tb01338.x",
)
