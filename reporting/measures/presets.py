"""Operating points: priors and costs, and those of the evaluations that have made them known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class OperatingPoint:
    """One point of interest.

    ``normalised`` divides the cost by that of deciding without scores, or with ``norm="miss"`` by that
    of rejecting all.
    """

    name: str
    p_target: float = 0.5
    c_miss: float = 1.0
    c_fa: float = 1.0
    normalised: bool = True
    norm: Literal["trivial", "miss"] = "trivial"


@dataclass(frozen=True)
class Preset:
    """The points of an evaluation; its primary cost is the mean of their normalised costs."""

    name: str
    points: tuple[OperatingPoint, ...]
    source: str


def _preset(
    name: str,
    source: str,
    *p_targets: float,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    norm: Literal["trivial", "miss"] = "trivial",
) -> Preset:
    points = (OperatingPoint(name, p_target, c_miss, c_fa, norm=norm) for p_target in p_targets)
    return Preset(name, tuple(points), source)


# Where costs are equal and targets are rare, NIST's C / (C_miss pi) is the cost over the trivial one.
PRESETS = {
    preset.name: preset
    for preset in (
        _preset("SRE16", "NIST 2016 Speaker Recognition Evaluation Plan, 2016", 0.01, 0.005, norm="miss"),
        _preset("SRE08", "The NIST Year 2008 Speaker Recognition Evaluation Plan, 2008", 0.01, c_miss=10),
        _preset("SRE10", "The NIST Year 2010 Speaker Recognition Evaluation Plan, 2010", 0.001),
        _preset(
            "SRE12", "The NIST Year 2012 Speaker Recognition Evaluation Plan, 2012", 0.01, 0.001, norm="miss"
        ),
        _preset(
            "SRE18",
            "NIST 2018 Speaker Recognition Evaluation Plan, 2018: telephone speech (CMN2)",
            0.01,
            0.005,
            norm="miss",
        ),
        _preset("SRE21", "NIST 2021 Speaker Recognition Evaluation Plan, 2021", 0.01, 0.05, norm="miss"),
        _preset(
            "VoxSRC", "VoxCeleb Speaker Recognition Challenge, development toolkits of 2020 to 2023", 0.05
        ),
        _preset("ASVspoof5", "ASVspoof 5 Evaluation Plan, 2024: track 1 (bona fide)", 0.95, c_fa=10),
        _preset("EVALITA", "EVALITA 2009 Speaker Identity Verification, application track", 0.5, c_miss=10),
    )
}
"""The presets by name; the first is the default of measures that take one."""
