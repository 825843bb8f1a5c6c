"""The measures on offer, in the order of their modules, and how their names are read."""

from __future__ import annotations

from reporting.contents import Contents
from reporting.errors import UnknownNameError, quoted
from reporting.measures import calibration, costs, sweep, threshold
from reporting.measures.measure import Measure

MEASURES = Contents(
    "measure",
    [
        value
        for module in (threshold, sweep, costs, calibration)
        for value in vars(module).values()
        if isinstance(value, Measure)
    ],
)

READ_AS = {
    "eer": "eer_rocch",
    "accuracy_score": "accuracy",
    "average_precision": "ap_step",
    "average_precision_score": "ap_step",
    "balanced_accuracy_score": "balanced_accuracy",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "cohen_kappa_score": "kappa",
    "f1_score": "f1",
    "fbeta_score": "f_beta",
    "jaccard_score": "jaccard",
    "matthews_corrcoef": "mcc",
    "ppv": "precision",
    "precision_score": "precision",
    "recall_score": "recall",
    "roc_auc": "auc",
    "roc_auc_score": "auc",
    "sensitivity": "recall",
    "fpr": "far",
    "fnr": "frr",
    "fmr": "far",
    "fnmr": "frr",
    "tpr": "recall",
    "tnr": "specificity",
    "zero_one_loss": "error_rate",
}
"""Names under which others, scikit-learn and pROC among them, have a measure."""


TWO_MEANINGS = (
    "has two meanings: calibration_error is the expected calibration error of probabilities, and"
    " ece(p_target=0.5) the empirical cross-entropy of likelihood ratios; name the one you mean"
)


def read_measure(text: str) -> Measure:
    """Read ``name`` or ``name(key=value,...)``, by a name of ``READ_AS`` too; ConfigError otherwise."""
    name, *rest = text.strip().split("(", 1)
    if name.strip().lower() == "ece" and "p_target" not in "".join(rest):
        raise UnknownNameError(f"{quoted(text.strip())} {TWO_MEANINGS}")
    return MEASURES.read("(".join([READ_AS.get(name.strip(), name), *rest]))
