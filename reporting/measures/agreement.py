"""Indices of agreement between decisions and labels at a threshold."""

from __future__ import annotations

from reporting.contents import parameter
from reporting.measures.measure import Measure
from reporting.measures.predictive import PREVALENCE
from reporting.stats import confusion

F1 = Measure(
    key="f1",
    parameters=(PREVALENCE,),
    label="F1",
    name="F1 score",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=confusion.f1,
    synonyms=(
        "F-measure",
        "F-score",
        "f",
        "Dice coefficient",
        "Sorensen-Dice coefficient",
        "Czekanowski index",
        "harmonic mean of precision and recall",
    ),
    definition="2 TP / (2 TP + FP + FN); 0 where no target is accepted",
    source="van Rijsbergen 1979, Information Retrieval, ch. 7",
)
F_BETA = Measure(
    key="f_beta",
    parameters=(parameter("beta", 1.0, 1e-3, 1e3), PREVALENCE),
    label="F-beta",
    name="F-beta score",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=confusion.f_beta,
    synonyms=("fbeta", "effectiveness (1 - E)", "F2", "F0.5"),
    definition="(1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)",
    source="van Rijsbergen 1979, Information Retrieval, ch. 7",
)
JACCARD = Measure(
    key="jaccard",
    parameters=(PREVALENCE,),
    label="Jaccard",
    name="Jaccard index",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
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
FOWLKES_MALLOWS = Measure(
    key="fowlkes_mallows",
    parameters=(PREVALENCE,),
    label="Fowlkes-Mallows",
    name="Fowlkes-Mallows index",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=confusion.fowlkes_mallows,
    synonyms=("FM", "G-measure", "Ochiai coefficient", "geometric mean of precision and recall"),
    definition="sqrt(precision recall)",
    source="Fowlkes, Mallows 1983, doi:10.1080/01621459.1983.10478008",
)
MCC = Measure(
    key="mcc",
    parameters=(PREVALENCE,),
    label="MCC",
    name="Matthews correlation coefficient",
    over="threshold",
    better="higher",
    bounds=(-1.0, 1.0),
    printed_in="number",
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
KAPPA = Measure(
    key="kappa",
    parameters=(PREVALENCE,),
    label="kappa",
    name="Cohen's kappa",
    over="threshold",
    better="higher",
    bounds=(-1.0, 1.0),
    printed_in="number",
    formula=confusion.kappa,
    synonyms=("Cohen kappa", "Heidke skill score", "chance-corrected accuracy"),
    definition="(accuracy - e) / (1 - e), e the accuracy of decisions independent of the labels",
    source="Cohen 1960, doi:10.1177/001316446002000104",
)
CHI_SQUARED = Measure(
    key="chi_squared",
    label="chi-squared",
    name="Pearson's chi-squared statistic",
    over="threshold",
    better="higher",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=confusion.chi_squared,
    synonyms=("chisq", "chi-square test statistic"),
    definition="N (TP TN - FP FN)^2 / ((TP + FP) (TP + FN) (TN + FP) (TN + FN)) = N MCC^2, uncorrected",
    source="Pearson 1900, doi:10.1080/14786440009463897",
)
MUTUAL_INFORMATION = Measure(
    key="mutual_information",
    parameters=(PREVALENCE,),
    label="mutual information",
    name="mutual information of decision and label",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=confusion.mutual_information,
    synonyms=("mi", "information gain", "transmitted information"),
    definition="sum over the four cells of p log2(p / (p_decision p_label)), in bits",
    source="Shannon 1948, doi:10.1002/j.1538-7305.1948.tb01338.x",
)
