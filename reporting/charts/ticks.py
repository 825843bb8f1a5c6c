"""Round steps for axes."""

from __future__ import annotations

import math

from reporting.report.blocks import Axis

PERCENT = tuple((float(tick), str(tick)) for tick in range(0, 101, 20))
"""The ticks of a whole in percent."""

FARTHEST = 1e300
"""No score is drawn beyond: the spans of larger floats overflow."""
NARROWEST = 1e-9
"""An axis spans at least this share of its values: ticks on neighbouring floats would read alike."""


def nice_step(span: float, parts: int) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a span into at most ``parts`` parts."""
    rough = max(span, 1e-6) / parts
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))


def nice_axis(title: str, low: float, high: float, parts: int = 6) -> Axis:
    """Return an axis over at least [low, high] that begins and ends on a round tick."""
    size = max(abs(low), abs(high))
    if high - low <= NARROWEST * size:
        half = max(1.0, size) / 2
        low, high = low - half, high + half
    step = nice_step(high - low, parts)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    # One division or product a tick: sums of steps would drift.
    ticks = tuple((step * k, f"{step * k:.6g}".replace("-", "−")) for k in range(first, last + 1))
    return Axis(title, step * first, step * last, ticks)
