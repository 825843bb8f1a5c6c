"""What a config may name, written out: a seed gives the same combination whatever a program offers.

``test_names`` holds these lists against the catalogues of the program, so that none is forgotten.
"""

from __future__ import annotations

import random
from typing import NamedTuple

Choices = dict[str, tuple[object, ...]]
"""Values of parameters that are drawn; the default is drawn by leaving a parameter out, so it is not here."""


class Offered(NamedTuple):
    """A measure: what it is computed over, which side is better, a limit inside its range, its parameters."""

    over: str
    better: str
    limits: tuple[float, ...]
    parameters: Choices


_SHARE: Choices = {"prevalence": (0.01, 0.2, 0.5)}
_DCF: Choices = {
    "p_target": (0.01, 0.3),
    "c_miss": (10,),
    "c_fa": (5,),
    "normalised": ("false",),
    "norm": ("miss",),
}
_MIX: Choices = {
    "p_nontarget": (0.1, 0.2),
    "p_spoof": (0.02, 0.3),
    "c_miss": (2,),
    "c_fa": (1, 5),
    "c_spoof": (5, 15),
}
_ADCF: Choices = {**_MIX, "normalised": ("false",)}
_TANDEM: Choices = {**_ADCF, "asv_miss": (0.0, 0.05), "asv_fa": (0.02, 0.1), "asv_spoof_fa": (0.3, 0.9)}
_CALIBRATED: Choices = {"calibration": ("affine", "pav")}
_PROBABLE: Choices = {**_CALIBRATED, **_SHARE}
_HOW: tuple[object, ...] = ("nearest", "interp")
_POINTS: Choices = {
    "points": ("SRE16", "SRE08", "SRE10", "SRE12", "SRE18", "SRE21", "VoxSRC", "ASVspoof5", "EVALITA")
}


def _low(over: str, limits: tuple[float, ...] = (0.2, 0.6), **parameters: tuple[object, ...]) -> Offered:
    return Offered(over, "lower", limits, parameters)


def _high(over: str, limits: tuple[float, ...] = (0.4, 0.8), **parameters: tuple[object, ...]) -> Offered:
    return Offered(over, "higher", limits, parameters)


MEASURES: dict[str, Offered] = {
    "far": _low("threshold"),
    "frr": _low("threshold"),
    "hter": _low("threshold"),
    "weighted_error": _low("threshold", alpha=(0, 0.1, 0.9, 1)),
    "dcf": _low("threshold", (0.5, 2.0), **_DCF),
    "recall": _high("threshold"),
    "specificity": _high("threshold"),
    "balanced_accuracy": _high("threshold"),
    "g_mean": _high("threshold"),
    "youden": _high("threshold", (-0.2, 0.5)),
    "corner_distance": _low("threshold", (0.3, 1.2)),
    "lr_positive": _high("threshold", (1.0, 5.0)),
    "lr_negative": _low("threshold", (0.3, 1.5)),
    "odds_ratio": _high("threshold", (1.0, 8.0)),
    "accuracy": _high("threshold", **_SHARE),
    "error_rate": _low("threshold", **_SHARE),
    "precision": _high("threshold", **_SHARE),
    "npv": _high("threshold", **_SHARE),
    "fdr": _low("threshold", **_SHARE),
    "false_omission_rate": _low("threshold", **_SHARE),
    "markedness": _high("threshold", (-0.1, 0.5), **_SHARE),
    "lift": _high("threshold", (0.8, 2.0), **_SHARE),
    "number_needed_to_evaluate": _low("threshold", (1.5, 4.0), **_SHARE),
    "acceptance_rate": _low("threshold", **_SHARE),
    "rejection_rate": _high("threshold", **_SHARE),
    "net_benefit": _high("threshold", (-0.5, 0.2), p_threshold=(0.05, 0.3, 0.9), **_SHARE),
    "f1": _high("threshold", **_SHARE),
    "f_beta": _high("threshold", beta=(0.5, 2), **_SHARE),
    "jaccard": _high("threshold", **_SHARE),
    "gilbert_skill": _high("threshold", (-0.1, 0.3), **_SHARE),
    "fowlkes_mallows": _high("threshold", **_SHARE),
    "p4": _high("threshold", **_SHARE),
    "mcc": _high("threshold", (-0.3, 0.4), **_SHARE),
    "kappa": _high("threshold", (-0.3, 0.4), **_SHARE),
    "chi_squared": _high("threshold", (1.0, 20.0)),
    "mutual_information": _high("threshold", (0.05, 0.4), **_SHARE),
    "eer_rocch": _low("sweep", (0.1, 0.4)),
    "eer_interp": _low("sweep"),
    "eer_discrete": _low("sweep"),
    "dprime": _high("sweep", (0.3, 2.0)),
    "det_slope": _low("scores", (0.5, 2.0)),
    "ks": _high("sweep"),
    "min_corner": _low("sweep"),
    "failure_to_acquire": _low("scores", (0.05, 0.3)),
    "mean_score": _high("scores", (-0.5, 0.5)),
    "mean_cost": _low("scores", (-0.5, 0.5)),
    "frr_at_far": _low("sweep", far=(0, 0.1, 0.3), how=_HOW),
    "zero_fmr": _low("sweep"),
    "far_at_frr": _low("sweep", frr=(0, 0.1, 0.3), how=_HOW),
    "sensitivity_at": _high("sweep", specificity=(0.5, 0.8, 1), how=_HOW),
    "specificity_at": _high("sweep", sensitivity=(0.5, 0.8, 1), how=_HOW),
    "auc": _high("sweep"),
    "error_area": _low("sweep"),
    "pauc": _high("sweep", (0.05, 0.3), far_min=(0.1,), far_max=(0.3, 0.5), mcclish=("true",)),
    "pauc_tpr": _high("sweep", (0.05, 0.3), tpr_min=(0.5,), tpr_max=(0.8, 0.9), mcclish=("true",)),
    "auch": _high("sweep", (0.6, 0.9)),
    "gini": _high("sweep", (-0.2, 0.6)),
    "h_measure": _high("sweep", (0.1, 0.6), severity_ratio=("hand2014", 2)),
    "ap_step": _high("sweep", **_SHARE),
    "ap_dg": _high("sweep", **_SHARE),
    "ap_trapezoid": _high("sweep", **_SHARE),
    "ap_11pt": _high("sweep", **_SHARE),
    "break_even": _high("sweep", **_SHARE),
    "prg_area": _high("sweep", (-0.5, 0.7), **_SHARE),
    "max_f1": _high("sweep", **_SHARE),
    "max_mcc": _high("sweep"),
    "precision_at": _high("sweep", k=(1, 3, 500)),
    "precision_at_share": _high("sweep", share=(0.3, 1)),
    "lift_at": _high("sweep", (0.8, 1.5), share=(0.3, 1)),
    "recall_at": _high("sweep", precision=(0.5, 0.8), **_SHARE),
    "mindcf": _low("sweep", (0.3, 0.9), **_DCF),
    "actdcf": _low("scores", (0.5, 2.0), **_DCF, **_CALIBRATED),
    "cprimary": _low("scores", (0.5, 2.0), **_POINTS, **_CALIBRATED),
    "mincprimary": _low("sweep", (0.5, 0.9), **_POINTS),
    "adcf": _low("threshold", (0.5, 2.0), **_ADCF),
    "minadcf": _low("sweep", (0.5, 2.0), **_ADCF),
    "spoofing_error": _low("threshold", (0.3, 0.6), alpha=(0.2, 0.8), spoof_share=(0.1, 0.3)),
    "tdcf": _low("threshold", (0.5, 2.0), **_TANDEM),
    "mintdcf": _low("sweep", (0.5, 2.0), **_TANDEM),
    "cllr": _low("scores", (0.5, 2.0), **_CALIBRATED),
    "mincllr": _low("sweep", (0.5, 0.95), laplace=("true",)),
    "calibration_loss": _low("scores", (0.1, 0.5), **_CALIBRATED),
    "ece": _low("scores", (0.4, 1.5), p_target=(0.1, 0.5), **_CALIBRATED),
    "minece": _low("sweep", (0.4, 0.9), p_target=(0.1, 0.5)),
    "bayes_error": _low("scores", (0.2, 0.5), prior_log_odds=(-1, 2), **_CALIBRATED),
    "brier": _low("scores", (0.1, 0.4), **_PROBABLE),
    "brier_skill": _high("scores", (-0.5, 0.3), **_PROBABLE),
    "rmse": _low("scores", (0.2, 0.6), **_PROBABLE),
    "log_loss": _low("scores", (0.4, 1.2), **_PROBABLE),
    "oe_ratio": _low("scores", (0.5, 2.0), **_PROBABLE),
    "calibration_intercept": _low("scores", (-1.0, 1.0), **_PROBABLE),
    "calibration_slope": _low("scores", (0.5, 1.5), **_PROBABLE),
    "calibration_error": _low("scores", (0.05, 0.3), bins=(5, 15, 20, 25, 50, 100), **_PROBABLE),
    "ici": _low("scores", (0.05, 0.3), **_PROBABLE),
    "e50": _low("scores", (0.05, 0.3), **_PROBABLE),
    "e90": _low("scores", (0.05, 0.3), **_PROBABLE),
    "emax": _low("scores", (0.05, 0.3), **_PROBABLE),
    "eci": _low("scores", (1.0, 20.0), **_PROBABLE),
}
MIXED = ("adcf", "minadcf", "spoofing_error")
"""Costs of three kinds of trials."""
TANDEM = ("tdcf", "mintdcf")
"""Costs that need the error rates of another system, all three."""
OF_GRADES = ("mean_score", "mean_cost")
"""Means of the scores themselves, which missing scores may not be a part of."""
BUT_GRADES = {key: offered for key, offered in MEASURES.items() if key not in OF_GRADES}
OF_CLASSES = (
    *(
        "mcc",
        "kappa",
        "jaccard",
        "npv",
        "far",
        "hter",
        "youden",
        "lr_positive",
        "net_benefit",
        "f_beta(beta=2)",
    ),
    *(
        "recall",
        "accuracy",
        "gini",
        "auc",
        "pauc(far_max=0.2)",
        "ap_dg",
        "brier",
        "log_loss",
        "calibration_slope",
    ),
)
"""Further measures of several classes, of which some always are there."""
OF_NUMBERS = ("precision_at", "chi_squared")
"""Measures that depend on the number of trials, which weights do not give."""
LINEAR = ("far", "frr", "hter", "weighted_error", "dcf")
BOTH_SIDES = ("det_slope", "oe_ratio", "calibration_intercept", "calibration_slope")
"""Measures that are best in the middle of their range."""

CRITERIA: dict[str, Choices] = {
    "weighted_error": {"alpha": (0.1, 0.7, 1)},
    "precision_recall": {"alpha": (0.2, 0.8)},
    "target_far": {"far": (0, 0.1, 0.3), "how": ("at_most",)},
    "target_frr": {"frr": (0, 0.1, 0.3), "how": ("at_most",)},
    "min_hter": {},
    "min_dcf": {"p_target": (0.1, 0.7), "c_miss": (5,), "c_fa": (5,)},
    "eer": {},
    "best": {"measure": ("mcc", "kappa", "accuracy", "f_beta(beta=2)", "net_benefit(p_threshold=0.2)")},
    "target": {
        "measure": ("precision", "npv", "frr"),
        "value": (0.2, 0.5),
        "how": ("at_most", "at_least"),
    },
    "break_even": {"v1": ("precision",), "v2": ("recall",)},
    "weighted": {"v1": ("precision", "fdr"), "v2": ("recall",), "alpha": (0.3, 0.6)},
    "bayes": {"p_target": (0.1, 0.6), "c_miss": (5,), "c_fa": (5,)},
    "fixed": {"threshold": (0.5, 1, -0.25)},
    "guarantee": {"far": (0.2, 0.4), "confidence": (0.8, 0.9)},
    "guarantee_frr": {"frr": (0.2, 0.4), "confidence": (0.8, 0.9)},
    "guarantee_precision": {"precision": (0.2, 0.4), "confidence": (0.8, 0.9)},
    "worst_far": {"far": (0.15, 0.3)},
    "min_adcf": _MIX,
    "spoofing_error": {"alpha": (0.2, 0.8), "spoof_share": (0.1, 0.3)},
    "min_tdcf": {name: values for name, values in _TANDEM.items() if name != "normalised"},
}
SWEPT = (
    *("weighted_error", "precision_recall", "target_far", "target_frr", "target", "weighted", "bayes"),
    "spoofing_error",
)
"""Criteria with a parameter for an expected performance curve to run along."""
WITHOUT_ORACLE = ("bayes", "fixed", "guarantee", "guarantee_frr", "guarantee_precision", "worst_far")
MIXED_CRITERIA = ("min_adcf", "spoofing_error")
NEED_NO_DEV = ("bayes", "fixed")
OTHERWISE = ("bpcer10", "bpcer20", "bpcer100")
"""Other names of a criterion at a value."""

FITS: dict[str, Choices] = {
    "binormal": {
        "prevalence": ("sample", 0.3),
        "ddof": (1,),
        "transform": ("box_cox", "yeo_johnson"),
        "interval": ("bootstrap",),
    },
    "alpha_binormal": {
        "prevalence": (0.3, 0.5),
        "ddof": (1,),
        "transform": ("box_cox", "yeo_johnson"),
        "interval": ("bootstrap",),
    },
    "binormal_ordinal": {
        "prevalence": (0.3, 0.5),
        "categories": (3, 5, 20),
        "interval": ("bootstrap",),
    },
}
CURVES = (
    *("roc", "det", "pr", "ape", "nbe", "cross_entropy", "llr", "cost", "decision", "tippett", "histogram"),
    *("reliability", "f1", "prg", "fdr", "gain", "lift", "roc_error", "roc_log", "roc_threshold"),
    *("pr_threshold", "error_threshold", "calibration", "risk_distribution", "standardised_benefit"),
    *("benefit_difference", "standardised_difference", "pr_band", "roc_mean"),
)
PRESETS = _POINTS["points"]
TESTS = (
    *("mcnemar", "null_z", "proportion_z", "cochran_q", "delong", "venkatraman", "permutation"),
    *("equivalence", "non_inferiority", "fragility", "power"),
)
SECTIONS = (
    *("readers", "ranking", "gates", "since-last", "core-set", "curves", "cost-choice", "operating-points"),
    "alerts",
    "what-if",
    "classes",
    *("abstention", "tables", "areas", "transfer", "costs", "other-measures", "fits", "comparisons", "tests"),
    *(
        "agreement",
        "attempts",
        "learning",
        "groups",
        "breakdowns",
        "trends",
        "passport",
        "methods",
        "data",
        "glossary",
    ),
    "provenance",
    "crosswalk",
    "handover",
)
"""The sections of a report beside ``summary`` and ``rest``."""
CODES = tuple(
    f"TR{number}" for first, last in ((101, 142), (201, 227), (301, 332)) for number in range(first, last + 1)
)
"""The codes that can be folded away."""
VOCABULARIES = ("detection", "biometrics", "pad", "forensic", "medical", "ir", "ml", "evals")
FORMATS = ("html", "latex", "markdown", "markdown-full", "json", "pdf", "docx", "xlsx", "png")


def call(rng: random.Random, key: str, choices: Choices, share: float = 0.65, every: bool = False) -> str:
    """Return a name with some of its parameters at drawn values."""
    given = [
        f"{name}={rng.choice(values)}" for name, values in choices.items() if every or rng.random() < share
    ]
    return f"{key}({', '.join(given)})" if given else key


def measure(rng: random.Random, key: str) -> str:
    """Return a measure as a config names it, with some parameters."""
    share = 0.8 if key in MIXED else 0.65
    return call(rng, key, MEASURES[key].parameters, share, every=key in (*TANDEM, "ece"))


def criterion(rng: random.Random, key: str) -> str:
    """Return a criterion as a config names it, with some parameters."""
    share = 0.85 if key in ("min_adcf", "worst_far") else 0.65
    return call(
        rng, key, CRITERIA.get(key, {}), share, every=key == "min_tdcf" or key.startswith("guarantee")
    )
