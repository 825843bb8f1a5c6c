"""Columns of limits along a curve."""

from __future__ import annotations

from reporting.core.engine.sample import Statistic
from reporting.core.resampling.design import Design
from reporting.core.stats.curve_limits import LimitsOfCurve
from reporting.document.frames.contract import Columns

LIMITS = ("ci_low", "ci_high", "band_low", "band_high")
"""The columns of ``LimitsOfCurve``."""


def limits_of(of: Statistic, limits: LimitsOfCurve | None) -> Columns:
    """Return the columns of a curve's limits; nothing where resamples give none."""
    if limits is None or of.design.too_few:
        return {}
    return dict(zip(LIMITS, limits, strict=True)) | resampled(len(of.replicates) // of.design.sets, of.design)


def resampled(replicates: int, design: Design) -> Columns:
    """Return the columns that say what limits were made of."""
    return {"level": design.level, "replicates": replicates, "unit": design.unit}
