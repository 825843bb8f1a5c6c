"""Round steps for axes."""

from __future__ import annotations

import math


def nice_step(span: float, parts: int) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a span into at most ``parts`` parts."""
    rough = max(span, 1e-6) / parts
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))
