"""Probabilities as a clinic uses them: calibration, net benefit, gain, and the core set of measures."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import CORE_SET, SectionSpec

FEATURE = Feature(
    key="calibration_and_benefit",
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
    cautions=(f"{__name__}.core_set:improper_measures",),
)
