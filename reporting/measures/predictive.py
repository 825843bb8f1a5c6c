"""Shares of all trials and of decisions at a threshold: they depend on the prevalence.

A test set's prevalence is often a choice of its makers; ``prevalence`` declares another.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.contents import Value, parameter, word_or_number
from reporting.measures.measure import Measure
from reporting.stats import confusion

PREVALENCE = word_or_number("prevalence", "sample", 1e-12, 1 - 1e-12)
"""The share of targets: the sample's own, or that of the population meant."""


@dataclass(frozen=True)
class Share:
    """Counts a share such as ``"tp"`` of ``"tp fp"``: one of trials only at the sample's own prevalence."""

    part: str
    whole: str

    def __call__(
        self, misses: int, false_alarms: int, n_target: int, n_nontarget: int, prevalence: Value
    ) -> tuple[int, int | None]:
        """Return k and n of k of n trials."""
        cell = {"tp": n_target - misses, "fn": misses, "fp": false_alarms, "tn": n_nontarget - false_alarms}
        of = sum(cell[name] for name in self.whole.split())
        return sum(cell[name] for name in self.part.split()), of if prevalence == "sample" else None


ACCURACY = Measure(
    key="accuracy",
    parameters=(PREVALENCE,),
    label="accuracy",
    name="accuracy",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.accuracy,
    counted=Share("tp tn", "tp fn fp tn"),
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
ERROR_RATE = Measure(
    key="error_rate",
    parameters=(PREVALENCE,),
    label="error rate",
    name="error rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=confusion.error_rate,
    counted=Share("fn fp", "tp fn fp tn"),
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
PRECISION = Measure(
    key="precision",
    parameters=(PREVALENCE,),
    label="precision",
    name="precision",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.precision,
    counted=Share("tp", "tp fp"),
    synonyms=("PPV", "positive predictive value", "prec", "purity", "success ratio", "1 - FDR"),
    definition="accepted targets / acceptances",
    source="Fawcett 2006, doi:10.1016/j.patrec.2005.10.010",
)
NPV = Measure(
    key="npv",
    parameters=(PREVALENCE,),
    label="NPV",
    name="negative predictive value",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.npv,
    counted=Share("tn", "fn tn"),
    synonyms=("inverse precision", "1 - false omission rate"),
    definition="rejected non-targets / rejections",
    source="Altman, Bland 1994, doi:10.1136/bmj.309.6947.102",
)
FDR = Measure(
    key="fdr",
    parameters=(PREVALENCE,),
    label="FDR",
    name="false discovery rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=confusion.fdr,
    counted=Share("fp", "tp fp"),
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
FALSE_OMISSION_RATE = Measure(
    key="false_omission_rate",
    parameters=(PREVALENCE,),
    label="FOR",
    name="false omission rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=confusion.false_omission_rate,
    counted=Share("fn", "fn tn"),
    synonyms=("prediction-conditioned miss", "pcmiss", "fomr", "1 - NPV"),
    definition="misses / rejections",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
MARKEDNESS = Measure(
    key="markedness",
    parameters=(PREVALENCE,),
    label="markedness",
    name="markedness",
    over="threshold",
    better="higher",
    bounds=(-1.0, 1.0),
    printed_in="number",
    formula=confusion.markedness,
    synonyms=("delta P", "MK", "predictive summary index", "PSI"),
    definition="precision + NPV - 1",
    source="Powers 2011, arXiv:2010.16061",
)
LIFT = Measure(
    key="lift",
    parameters=(PREVALENCE,),
    label="lift",
    name="lift",
    over="threshold",
    better="higher",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=confusion.lift,
    synonyms=("lift value", "gain over random", "relative precision"),
    definition="precision / prevalence",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
ACCEPTANCE_RATE = Measure(
    key="acceptance_rate",
    parameters=(PREVALENCE,),
    label="acceptance rate",
    name="acceptance rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=confusion.acceptance_rate,
    counted=Share("tp fp", "tp fn fp tn"),
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
REJECTION_RATE = Measure(
    key="rejection_rate",
    parameters=(PREVALENCE,),
    label="rejection rate",
    name="rejection rate",
    over="threshold",
    better="higher",
    bounds=(0.0, 1.0),
    formula=confusion.rejection_rate,
    counted=Share("fn tn", "tp fn fp tn"),
    synonyms=("rnp", "rate of negative predictions", "predicted negative rate"),
    definition="rejections / trials = 1 - acceptance rate",
    source="Sing, Sander, Beerenwinkel, Lengauer 2005, doi:10.1093/bioinformatics/bti623",
)
NET_BENEFIT = Measure(
    key="net_benefit",
    parameters=(parameter("p_threshold", 0.5, 1e-12, 1 - 1e-12), PREVALENCE),
    label="net benefit",
    name="net benefit",
    over="threshold",
    better="higher",
    bounds=(-float("inf"), 1.0),
    printed_in="number",
    formula=confusion.net_benefit,
    synonyms=("decision curve analysis", "NB"),
    definition="TP / N - FP / N p / (1 - p), with p = p_threshold",
    source="Vickers, Elkin 2006, doi:10.1177/0272989X06295361",
)
