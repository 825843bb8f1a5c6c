"""What operating points ask for: criteria that choose their thresholds, costs, and minimum costs."""

from __future__ import annotations

from reporting.criteria.catalogue import CRITERIA
from reporting.criteria.criterion import Criterion
from reporting.frames.study import Study
from reporting.measures.catalogue import MEASURES
from reporting.measures.measure import Measure
from reporting.measures.presets import OperatingPoint

SOURCES = {"dev": "min_dcf", "bayes": "bayes"}
"""Where the threshold of an actual cost comes from, and the criterion that places it there."""


def cost_criterion(point: OperatingPoint, source: str) -> Criterion:
    """Return the criterion that places the threshold of an operating point."""
    return CRITERIA[SOURCES[source]].at(p_target=point.p_target, c_miss=point.c_miss, c_fa=point.c_fa)


def point_criteria(study: Study) -> tuple[Criterion, ...]:
    """Return every criterion the study's operating points need."""
    return tuple(cost_criterion(point, source) for point in study.operating_points for source in SOURCES)


def cost(point: OperatingPoint) -> Measure:
    """Return the detection cost at a threshold."""
    return MEASURES["dcf"].at(**_arguments(point))


def minimum(point: OperatingPoint) -> Measure:
    """Return the least detection cost over all thresholds."""
    return MEASURES["mindcf"].at(**_arguments(point))


def point_minima(study: Study) -> tuple[Measure, ...]:
    """Return the minimum costs of the study's operating points."""
    return tuple(minimum(point) for point in study.operating_points)


def _arguments(point: OperatingPoint) -> dict[str, float | bool | str]:
    return {
        "norm": point.norm,
        "p_target": point.p_target,
        "c_miss": point.c_miss,
        "c_fa": point.c_fa,
        "normalised": point.normalised,
    }
