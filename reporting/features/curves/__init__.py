"""ROC, DET and precision-recall curves, scores and errors along the threshold, and their bands."""

from __future__ import annotations

from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, SCORES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="curves",
    asks="How do errors trade off along the threshold?",
    needs=(BOTH_CLASSES, SCORES),
    sections=(SectionSpec(key="curves", title="Curves", writer="reporting.features.pictures:curve_figures"),),
    frames=(
        f"{__name__}.roc_frame",
        f"{__name__}.bands",
        f"{__name__}.precision_bands",
    ),
    curves=(
        Curve(key="roc", frame="roc", drawn_in=f"{__name__}.roc_chart", bands=True, synonyms=("roc_curve",)),
        Curve(key="det", frame="roc", drawn_in=f"{__name__}.det_chart", bands=True, synonyms=("det_curve",)),
        Curve(
            key="pr",
            frame="pr",
            drawn_in=f"{__name__}.pr_chart",
            synonyms=("precision_recall", "precision_recall_curve"),
        ),
        Curve(
            key="histogram",
            frame="histogram",
            drawn_in=f"{__name__}.histogram_chart",
            synonyms=("scores", "distribution", "score_distribution", "density"),
        ),
        Curve(key="f1", frame="pr", drawn_in=f"{__name__}.pr_chart"),
        Curve(key="prg", frame="pr", drawn_in=f"{__name__}.pr_chart"),
        Curve(key="fdr", frame="pr", drawn_in=f"{__name__}.pr_chart"),
        Curve(
            key="gain",
            frame="pr",
            drawn_in=f"{__name__}.gain_chart",
            synonyms=("gains", "cumulative_gain", "cumulative_gains", "cap"),
        ),
        Curve(
            key="lift", frame="pr", drawn_in=f"{__name__}.gain_chart", synonyms=("lift_curve", "lift_chart")
        ),
        Curve(key="roc_error", frame="roc", drawn_in=f"{__name__}.roc_chart", bands=True),
        Curve(key="roc_log", frame="roc", drawn_in=f"{__name__}.roc_chart", bands=True),
        Curve(key="roc_threshold", frame="histogram", drawn_in=f"{__name__}.roc_chart"),
        Curve(key="pr_threshold", frame="pr", drawn_in=f"{__name__}.threshold_chart"),
        Curve(key="error_threshold", frame="pr", drawn_in=f"{__name__}.threshold_chart"),
        Curve(
            key="risk_distribution",
            frame="risks",
            drawn_in=f"{__name__}.histogram_chart",
            synonyms=("risks", "risk_distributions", "predicted_risks"),
        ),
        Curve(
            key="pr_band",
            frame="precision_bands",
            drawn_in=f"{__name__}.pr_band_chart",
            synonyms=("pr_bands", "precision_band", "precision_bands", "precision_recall_band"),
        ),
    ),
)
