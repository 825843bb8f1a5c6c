"""The curve pictures that a report may ask for: the frame each is drawn from, and where it is drawn.

The table is light, so that the config knows its words, and the frames which pictures want them, without
importing what draws (Polars and Altair take longer than all the rest of the start). ``drawn_in`` is therefore
a name: the module of ``reporting/features`` that is imported once a picture is drawn. To add a curve, write
that module and add a line here.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.base.contents import Contents, Named
from reporting.base.extensions import contributed


@dataclass(frozen=True, kw_only=True)
class Curve(Named):
    """A curve picture; its key is the word in ``curves:`` of the config.

    ``frame`` is the name of the frame that it is drawn from, with ``roc``, which is always there. In the
    module ``drawn_in`` the picture's drawing, caption and number are a value named as the key in upper case.
    """

    frame: str
    drawn_in: str
    synonyms: tuple[str, ...] = ()
    """Other names, which a message answers with the key."""
    bands: bool = False
    """Whether the picture shows the bands of the curves of FAR and FRR."""


CURVES: Contents[Curve] = Contents(
    "curve",
    (
        Curve(
            key="roc",
            frame="roc",
            drawn_in="reporting.features.curves.roc_chart",
            bands=True,
            synonyms=("roc_curve",),
        ),
        Curve(
            key="det",
            frame="roc",
            drawn_in="reporting.features.curves.det_chart",
            bands=True,
            synonyms=("det_curve",),
        ),
        Curve(
            key="pr",
            frame="pr",
            drawn_in="reporting.features.curves.pr_chart",
            synonyms=("precision_recall", "precision_recall_curve"),
        ),
        Curve(key="ape", frame="cost", drawn_in="reporting.features.likelihood_ratios.ape_chart"),
        Curve(key="nbe", frame="cost", drawn_in="reporting.features.likelihood_ratios.ape_chart"),
        Curve(
            key="cross_entropy",
            frame="cross_entropy",
            drawn_in="reporting.features.likelihood_ratios.cross_entropy_chart",
            synonyms=("ece", "empirical_cross_entropy"),
        ),
        Curve(key="llr", frame="roc", drawn_in="reporting.features.likelihood_ratios.llr_chart"),
        Curve(
            key="cost",
            frame="cost",
            drawn_in="reporting.features.costs.cost_chart",
            synonyms=("cost_curve", "drummond_holte"),
        ),
        Curve(
            key="decision",
            frame="decision",
            drawn_in="reporting.features.calibration_and_benefit.probabilities_chart",
            synonyms=("decision_curve", "dca", "net_benefit"),
        ),
        Curve(
            key="tippett", frame="histogram", drawn_in="reporting.features.likelihood_ratios.tippett_chart"
        ),
        Curve(
            key="histogram",
            frame="histogram",
            drawn_in="reporting.features.curves.histogram_chart",
            synonyms=("scores", "distribution", "score_distribution", "density"),
        ),
        Curve(
            key="reliability",
            frame="reliability",
            drawn_in="reporting.features.calibration_and_benefit.probabilities_chart",
            synonyms=("calibration", "calibration_curve", "calibration_plot", "reliability_diagram"),
        ),
        Curve(key="f1", frame="pr", drawn_in="reporting.features.curves.pr_chart"),
        Curve(key="prg", frame="pr", drawn_in="reporting.features.curves.pr_chart"),
        Curve(key="fdr", frame="pr", drawn_in="reporting.features.curves.pr_chart"),
        Curve(
            key="gain",
            frame="pr",
            drawn_in="reporting.features.curves.gain_chart",
            synonyms=("gains", "cumulative_gain", "cumulative_gains", "cap"),
        ),
        Curve(
            key="lift",
            frame="pr",
            drawn_in="reporting.features.curves.gain_chart",
            synonyms=("lift_curve", "lift_chart"),
        ),
        Curve(key="roc_error", frame="roc", drawn_in="reporting.features.curves.roc_chart", bands=True),
        Curve(key="roc_log", frame="roc", drawn_in="reporting.features.curves.roc_chart", bands=True),
        Curve(key="roc_threshold", frame="histogram", drawn_in="reporting.features.curves.roc_chart"),
        Curve(key="pr_threshold", frame="pr", drawn_in="reporting.features.curves.threshold_chart"),
        Curve(key="error_threshold", frame="pr", drawn_in="reporting.features.curves.threshold_chart"),
        Curve(
            key="calibration",
            frame="calibration",
            drawn_in="reporting.features.calibration_and_benefit.calibration_chart",
            synonyms=("smooth_calibration", "calibration_plot", "calibration_curve"),
        ),
        Curve(
            key="risk_distribution",
            frame="risks",
            drawn_in="reporting.features.curves.histogram_chart",
            synonyms=("risks", "risk_distributions", "predicted_risks"),
        ),
        Curve(
            key="standardised_benefit",
            frame="net_benefit",
            drawn_in="reporting.features.calibration_and_benefit.net_benefit_chart",
            synonyms=("standardized_benefit", "standardised_net_benefit", "standardized_net_benefit", "snb"),
        ),
        Curve(
            key="benefit_difference",
            frame="net_benefit_differences",
            drawn_in="reporting.features.calibration_and_benefit.net_benefit_chart",
            synonyms=("net_benefit_difference", "delta_net_benefit"),
        ),
        Curve(
            key="standardised_difference",
            frame="net_benefit_differences",
            drawn_in="reporting.features.calibration_and_benefit.net_benefit_chart",
            synonyms=("standardized_difference", "standardised_benefit_difference"),
        ),
        Curve(
            key="pr_band",
            frame="precision_bands",
            drawn_in="reporting.features.curves.pr_band_chart",
            synonyms=("pr_bands", "precision_band", "precision_bands", "precision_recall_band"),
        ),
    ),
    added=lambda: contributed("curves"),
)
