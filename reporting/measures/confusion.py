"""Measures at a threshold that join the two error rates, whatever the prevalence."""

from __future__ import annotations

import math

from reporting.measures.measure import Measure
from reporting.stats import confusion


# Functions of this module, not lambdas: a measure travels to other processes by their names.
def _hits(misses: int, false_alarms: int, n_target: int, n_nontarget: int) -> tuple[int, int]:
    return n_target - misses, n_target


def _rejections(misses: int, false_alarms: int, n_target: int, n_nontarget: int) -> tuple[int, int]:
    return n_nontarget - false_alarms, n_nontarget


RECALL = Measure(
    key="recall",
    label="recall",
    name="recall",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.recall,
    counted=_hits,
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
SPECIFICITY = Measure(
    key="specificity",
    label="specificity",
    name="specificity",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.specificity,
    counted=_rejections,
    synonyms=("TNR", "true negative rate", "spec", "selectivity", "correct rejection rate", "TRR", "1 - FAR"),
    definition="rejected non-targets / non-targets = 1 - FAR",
    source="Altman, Bland 1994, doi:10.1136/bmj.308.6943.1552",
)
BALANCED_ACCURACY = Measure(
    key="balanced_accuracy",
    label="balanced accuracy",
    name="balanced accuracy",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.balanced_accuracy,
    synonyms=("1 - HTER", "BAC", "macro-averaged recall", "area under the ROC of one threshold"),
    definition="(recall + specificity) / 2 = 1 - HTER",
    source="Brodersen, Ong, Stephan, Buhmann 2010, doi:10.1109/ICPR.2010.764",
)
G_MEAN = Measure(
    key="g_mean",
    label="G-mean",
    name="geometric mean of recall and specificity",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=confusion.g_mean,
    synonyms=("geometric mean score",),
    definition="sqrt(recall specificity)",
    source="Kubat, Holte, Matwin 1998, doi:10.1023/A:1007452223027",
)
YOUDEN = Measure(
    key="youden",
    label="Youden's J",
    name="Youden's index",
    over="threshold",
    better="higher",
    bounds=(-1.0, 1.0),
    printed_in="number",
    formula=confusion.youden,
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
CORNER_DISTANCE = Measure(
    key="corner_distance",
    label="corner distance",
    name="distance to the corner of no errors",
    over="threshold",
    better="lower",
    bounds=(0.0, math.sqrt(2.0)),
    printed_in="number",
    formula=confusion.corner_distance,
    synonyms=("closest to the corner", "closest.topleft (its square)", "distance to (0, 1) of the ROC"),
    definition="sqrt(FAR^2 + FRR^2), the distance of (FAR, FRR) to (0, 0); it has no cost interpretation",
    source="Perkins, Schisterman 2006, doi:10.1093/aje/kwj063",
)
LR_POSITIVE = Measure(
    key="lr_positive",
    label="LR+",
    name="positive likelihood ratio",
    over="threshold",
    better="higher",
    bounds=(0.0, float("inf")),
    printed_in="number",
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
LR_NEGATIVE = Measure(
    key="lr_negative",
    label="LR−",
    name="negative likelihood ratio",
    over="threshold",
    better="lower",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=confusion.lr_negative,
    synonyms=("likelihood ratio of a negative result", "NLR", "DLR-", "Bayes factor of a rejection"),
    definition="FRR / specificity; undefined where no non-target is rejected",
    source="Deeks, Altman 2004, doi:10.1136/bmj.329.7458.168",
)
ODDS_RATIO = Measure(
    key="odds_ratio",
    label="odds ratio",
    name="diagnostic odds ratio",
    over="threshold",
    better="higher",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=confusion.odds_ratio,
    synonyms=("DOR", "odds", "cross-product ratio", "LR+ / LR-"),
    definition="TP TN / (FP FN); undefined where a kind of error is absent",
    source="Glas, Lijmer, Prins, Bonsel, Bossuyt 2003, doi:10.1016/S0895-4356(03)00177-X",
)
