"""What scikit-learn says of a table, beside the measure of ours that it should equal."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import config_context, metrics
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

Value = Callable[[Any], Any]
TRUSTING = {"assume_finite": True, "skip_parameter_validation": True}


def decided(
    function: Callable[..., Any], part: Callable[[Any], Any] = lambda value: value, **fixed: Any
) -> Value:
    """A function of labels and decisions, at every threshold of the table."""

    def value(table: Any) -> Any:
        decisions = [table.accepted(t) for t in table.thresholds]
        known: dict[bytes, float] = {}
        with warnings.catch_warnings(), config_context(**TRUSTING):
            warnings.simplefilter("ignore")
            for accepted in decisions:
                if accepted.tobytes() not in known:
                    known[accepted.tobytes()] = float(part(function(table.label, accepted, **fixed)))
        return np.array([known[accepted.tobytes()] for accepted in decisions])

    return value


def scored(function: Callable[..., Any], **fixed: Any) -> Value:
    """A function of labels and scores."""
    return lambda table: function(table.label, table.score, **fixed)


def stated(function: Callable[..., Any], **fixed: Any) -> Value:
    """A function of labels and probabilities."""
    return lambda table: function(table.label, table.probability, **fixed)


def _cell(row: int, column: int) -> Callable[[Any], float]:
    """A share of a row of the confusion matrix, whose rows are the labels."""
    return lambda matrix: matrix[row, column] / matrix[row].sum()


def _share(column: int) -> Callable[[Any], float]:
    return lambda matrix: matrix[:, column].sum() / matrix.sum()


def _curve(table: Any) -> tuple[Any, Any]:
    precision, recall, _ = metrics.precision_recall_curve(table.label, table.score)
    return precision, recall


def _trapezoid(table: Any) -> float:
    precision, recall = _curve(table)
    return float(metrics.auc(recall, precision))


def _recall_at(least: float) -> Value:
    def value(table: Any) -> float:
        precision, recall = _curve(table)
        return float(recall[precision >= least].max())

    return value


def _max_f1(table: Any) -> float:
    precision, recall = _curve(table)
    return float((2 * precision * recall / (precision + recall + (precision + recall == 0))).max())


def _max_mcc(table: Any) -> float:
    with config_context(**TRUSTING):
        return max(metrics.matthews_corrcoef(table.label, table.score >= t) for t in np.unique(table.score))


def _roc(table: Any) -> tuple[Any, Any]:
    fpr, tpr, _ = metrics.roc_curve(table.label, table.score, drop_intermediate=False)
    return fpr, tpr


def _youden(table: Any) -> float:
    fpr, tpr = _roc(table)
    return float((tpr - fpr).max())


def _corner(table: Any) -> float:
    fpr, tpr = _roc(table)
    return float(np.hypot(fpr, 1 - tpr).min())


def _min_cost(table: Any) -> float:
    fpr, tpr = _roc(table)
    return float((0.1 * (1 - tpr) + 0.9 * fpr).min() / 0.1)


def _best_recall(most: float) -> Value:
    def value(table: Any) -> float:
        fpr, tpr = _roc(table)
        return float(1 - tpr[fpr <= most].max())

    return value


def _weights(table: Any, p_target: float) -> Any:
    n_target = table.label.sum()
    return np.where(table.label, p_target / n_target, (1 - p_target) / (len(table.label) - n_target))


def _cross_entropy(p_target: float) -> Value:
    def value(table: Any) -> float:
        odds = np.exp(table.score) * p_target / (1 - p_target)
        posterior = odds / (1 + odds)
        weights = _weights(table, p_target)
        return float(metrics.log_loss(table.label, posterior, sample_weight=weights)) / math.log(2)

    return value


def _least_cross_entropy(table: Any) -> float:
    weights = _weights(table, 0.5)
    fitted = IsotonicRegression().fit_transform(table.score, table.label, sample_weight=weights)
    # Sums of weights leave the last bits of a pure block beside 0 and 1.
    posterior = np.clip(fitted, 0, 1)
    return float(metrics.log_loss(table.label, posterior, sample_weight=weights)) / math.log(2)


def _binned(n_bins: int) -> Value:
    def value(table: Any) -> float:
        true, stated = calibration_curve(table.label, table.probability, n_bins=n_bins)
        bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], table.probability)
        share = np.bincount(bins, minlength=n_bins) / len(bins)
        return float((share[share > 0] * abs(true - stated)).sum())

    return value


def _reversed_det(table: Any) -> Any:
    far, frr, _ = metrics.det_curve(table.label, table.score)
    return np.concatenate([far, frr])


AS_NAN = {"zero_division": math.nan}
CELLS = {"labels": [False, True]}

FUNCTIONS: dict[tuple[str, str], Value] = {
    ("far", "confusion_matrix: FP / (FP + TN)"): decided(metrics.confusion_matrix, _cell(0, 1), **CELLS),
    ("frr", "confusion_matrix: FN / (FN + TP)"): decided(metrics.confusion_matrix, _cell(1, 0), **CELLS),
    ("hter", "1 - balanced_accuracy_score"): decided(metrics.balanced_accuracy_score, lambda v: 1 - v),
    ("recall", "recall_score"): decided(metrics.recall_score),
    ("specificity", "recall_score(pos_label=0)"): decided(metrics.recall_score, pos_label=False),
    ("balanced_accuracy", "balanced_accuracy_score"): decided(metrics.balanced_accuracy_score),
    ("youden", "balanced_accuracy_score(adjusted=True)"): decided(
        metrics.balanced_accuracy_score, adjusted=True
    ),
    ("lr_positive", "class_likelihood_ratios[0]"): decided(
        metrics.class_likelihood_ratios, lambda v: v[0], **CELLS
    ),
    ("lr_negative", "class_likelihood_ratios[1]"): decided(
        metrics.class_likelihood_ratios, lambda v: v[1], **CELLS
    ),
    ("accuracy", "accuracy_score"): decided(metrics.accuracy_score),
    ("error_rate", "zero_one_loss"): decided(metrics.zero_one_loss),
    ("error_rate", "hamming_loss"): decided(metrics.hamming_loss),
    ("acceptance_rate", "confusion_matrix: (TP + FP) / N"): decided(
        metrics.confusion_matrix, _share(1), **CELLS
    ),
    ("rejection_rate", "confusion_matrix: (TN + FN) / N"): decided(
        metrics.confusion_matrix, _share(0), **CELLS
    ),
    ("precision", "precision_score(zero_division=nan)"): decided(metrics.precision_score, **AS_NAN),
    ("precision", "precision_score"): decided(metrics.precision_score),
    ("npv", "precision_score(pos_label=0, zero_division=nan)"): decided(
        metrics.precision_score, pos_label=False, **AS_NAN
    ),
    ("f1", "f1_score"): decided(metrics.f1_score),
    ("f_beta(beta=2)", "fbeta_score(beta=2)"): decided(metrics.fbeta_score, beta=2),
    ("jaccard", "jaccard_score"): decided(metrics.jaccard_score),
    ("fowlkes_mallows", "fowlkes_mallows_score"): decided(metrics.fowlkes_mallows_score),
    ("mcc", "matthews_corrcoef"): decided(metrics.matthews_corrcoef),
    ("kappa", "cohen_kappa_score"): decided(metrics.cohen_kappa_score),
    ("mutual_information", "mutual_info_score / ln 2"): decided(
        metrics.mutual_info_score, lambda nats: nats / math.log(2)
    ),
    ("mutual_information", "mutual_info_score"): decided(metrics.mutual_info_score),
    ("auc", "roc_auc_score"): scored(metrics.roc_auc_score),
    ("error_area", "1 - roc_auc_score"): lambda table: 1 - metrics.roc_auc_score(table.label, table.score),
    ("gini", "2 roc_auc_score - 1"): lambda table: 2 * metrics.roc_auc_score(table.label, table.score) - 1,
    ("pauc(far_max=0.1,mcclish=true)", "roc_auc_score(max_fpr=0.1)"): scored(
        metrics.roc_auc_score, max_fpr=0.1
    ),
    ("pauc(far_max=0.3,mcclish=true)", "roc_auc_score(max_fpr=0.3)"): scored(
        metrics.roc_auc_score, max_fpr=0.3
    ),
    ("ks", "roc_curve: max(tpr - fpr)"): _youden,
    ("min_corner", "roc_curve: min hypot(fpr, 1 - tpr)"): _corner,
    ("mindcf(p_target=0.1)", "roc_curve: min cost"): _min_cost,
    ("frr_at_far(far=0.1)", "roc_curve: 1 - max(tpr[fpr <= 0.1])"): _best_recall(0.1),
    ("far and recall at every cut", "roc_curve(drop_intermediate=False)"): lambda table: np.concatenate(
        _roc(table)
    ),
    ("far and frr at the cuts between the DET curve's ends", "det_curve"): _reversed_det,
    ("precision at every cut", "precision_recall_curve"): lambda table: _curve(table)[0],
    ("ap_step", "average_precision_score"): scored(metrics.average_precision_score),
    ("ap_trapezoid", "auc(recall, precision) of precision_recall_curve"): _trapezoid,
    ("ap_dg", "auc(recall, precision) of precision_recall_curve"): _trapezoid,
    ("ap_dg", "average_precision_score"): scored(metrics.average_precision_score),
    ("max_f1", "precision_recall_curve: max F1"): _max_f1,
    ("max_mcc", "max matthews_corrcoef"): _max_mcc,
    ("recall_at(precision=0.6)", "precision_recall_curve: max(recall[precision >= 0.6])"): _recall_at(0.6),
    ("recall_at(precision=0.9)", "precision_recall_curve: max(recall[precision >= 0.9])"): _recall_at(0.9),
    ("cllr", "log_loss, classes of equal weight / ln 2"): _cross_entropy(0.5),
    ("ece(p_target=0.1)", "log_loss, targets weighing 0.1 / ln 2"): _cross_entropy(0.1),
    ("mincllr", "IsotonicRegression, log_loss, equal weight / ln 2"): _least_cross_entropy,
    ("brier", "brier_score_loss"): stated(metrics.brier_score_loss),
    ("rmse", "root_mean_squared_error"): stated(metrics.root_mean_squared_error),
    ("brier_skill", "r2_score (d2_brier_score since 1.8)"): stated(metrics.r2_score),
    ("log_loss", "log_loss"): stated(metrics.log_loss),
    ("calibration_error(bins=5)", "calibration_curve(n_bins=5)"): _binned(5),
    ("calibration_error", "calibration_curve(n_bins=10)"): _binned(10),
}
"""By our measure and their function."""
