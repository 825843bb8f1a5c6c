"""Probabilities as a clinic uses them: calibration, net benefit, gain, and the core set of measures."""

from __future__ import annotations

from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, PROBABILITIES
from reporting.document.sections import CORE_SET, SectionSpec

FEATURE = Feature(
    key="calibration_and_benefit",
    asks="Are probabilities calibrated, and do decisions by them have a net benefit?",
    needs=(BOTH_CLASSES, PROBABILITIES),
    sections=(
        SectionSpec(
            key=CORE_SET,
            title="Core set of performance measures",
            writer=f"{__name__}.core_set:core_set",
            on_request=lambda results: True,
        ),
    ),
    frames=(
        f"{__name__}.probability_frames",
        f"{__name__}.net_benefit_frame",
        f"{__name__}.calibration_frame",
    ),
    lines=(f"{__name__}.in_words:calibration_lines",),
    below=(f"{__name__}.in_words:benefit_lines",),
    cautions=(f"{__name__}.core_set:improper_measures",),
    curves=(
        Curve(
            key="decision",
            frame="decision",
            drawn_in=f"{__name__}.probabilities_chart",
            synonyms=("decision_curve", "dca", "net_benefit"),
        ),
        Curve(
            key="reliability",
            frame="reliability",
            drawn_in=f"{__name__}.probabilities_chart",
            synonyms=("calibration", "calibration_curve", "calibration_plot", "reliability_diagram"),
        ),
        Curve(
            key="calibration",
            frame="calibration",
            drawn_in=f"{__name__}.calibration_chart",
            synonyms=("smooth_calibration", "calibration_plot", "calibration_curve"),
        ),
        Curve(
            key="standardised_benefit",
            frame="net_benefit",
            drawn_in=f"{__name__}.net_benefit_chart",
            synonyms=("standardized_benefit", "standardised_net_benefit", "standardized_net_benefit", "snb"),
        ),
        Curve(
            key="benefit_difference",
            frame="net_benefit_differences",
            drawn_in=f"{__name__}.net_benefit_chart",
            synonyms=("net_benefit_difference", "delta_net_benefit"),
        ),
        Curve(
            key="standardised_difference",
            frame="net_benefit_differences",
            drawn_in=f"{__name__}.net_benefit_chart",
            synonyms=("standardized_difference", "standardised_benefit_difference"),
        ),
    ),
    words=__name__,
)
