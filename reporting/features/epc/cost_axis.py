"""The axis of cost ratios: what a false acceptance weighs against a false rejection, on a logarithmic scale.

At the weight alpha the ratio is alpha : (1 - alpha) = c_fa (1 - p) : c_miss p, so that at equal costs the
prior of targets is 1 - alpha.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.document.blocks import Axis
from reporting.document.words.phrases import listing
from reporting.document.words.terms import Terms, with_article

RATIOS = (2, 9, 32, 199, 999, 9999)
"""The labelled ratios, either way round."""
ROOM = 0.06
"""What the axis shows beyond the first and the last alpha, in decades."""


def place(alpha: float) -> float:
    """Return where a weight lies: the decimal logarithm of its cost ratio."""
    return math.log10(alpha / (1 - alpha))


def along(alpha: FloatArray) -> FloatArray:
    """Return where weights lie."""
    return np.asarray(np.log10(alpha / (1 - alpha)), dtype=np.float64)


def ratio_text(alpha: float) -> str:
    """Print a cost ratio to two digits: ``1:9`` at a weight of 0.1."""
    larger = max(alpha, 1 - alpha) / min(alpha, 1 - alpha)
    text = f"{larger:.2g}" if larger < 100 else f"{float(f'{larger:.2g}'):.0f}"
    return f"{text}:1" if alpha > 0.5 else f"1:{text}"


def cost_axis(spoken: Terms, alphas: Sequence[float]) -> Axis:
    """Return the axis over some weights; its ends say which error costs more, its numbers how many times."""
    low, high = place(min(alphas)) - ROOM, place(max(alphas)) + ROOM
    labelled = [1 / (1 + ratio) for ratio in RATIOS[::-1]] + [0.5] + [r / (1 + r) for r in RATIOS]
    ticks = tuple(
        (place(a), f"{max(a, 1 - a) / min(a, 1 - a):.0f}×") for a in labelled if low <= place(a) <= high
    )
    miss, false_alarm = (with_article(error) for error in (spoken.miss, spoken.false_alarm))
    return Axis("", low, high, ticks, (f"← {miss} costs more", f"{false_alarm} costs more →"))


def spans(inside: Sequence[bool], alphas: Sequence[float]) -> list[tuple[float, float]]:
    """Return from and to which weights something holds without a gap."""
    runs = itertools.groupby(zip(inside, alphas, strict=True), key=lambda pair: pair[0])
    holding = [[alpha for _, alpha in run] for holds, run in runs if holds]
    return [(span[0], span[-1]) for span in holding]


def spans_text(
    spans: Sequence[tuple[float, float]], alphas: Sequence[float], every: str = "at every ratio"
) -> str:
    """Return at which ratios: ``from 1:9 to 2:1``, or at every one of ``alphas``."""
    if list(spans) == [(alphas[0], alphas[-1])]:
        return every
    parts = (
        f"at {ratio_text(low)}" if low == high else f"from {ratio_text(low)} to {ratio_text(high)}"
        for low, high in spans
    )
    return listing(parts, len(spans))
