"""The only place that rounds: numbers to text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

MINUS = "−"
EXACT = 1e9
"""Smaller numbers are rounded as the decimals they are meant to be."""


def decimals_for(error: float | None, least: int = 0, most: int = 6) -> int:
    """Return how many decimals show two significant digits of a standard error.

    ``error`` is in the printed unit. Without one (None, 0 or not finite) the answer is ``least + 1``.
    """
    if error is None or not math.isfinite(error) or error <= 0:
        return min(most, least + 1)
    return max(least, min(most, 1 - math.floor(math.log10(error))))


def fixed(value: float | None, decimals: int) -> str:
    """Print with a fixed number of decimals, halves away from zero, a true minus, never a negative zero."""
    if value is None:
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    # A share of counts such as 45/800 ends in a 5 that its nearest float may miss: 14 digits bring it back.
    text = f"{value:.{decimals}f}"
    if abs(value) < EXACT:
        text = f"{Decimal(f'{value:.14g}').quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def percent(value: float | None, decimals: int) -> str:
    """Print a proportion in percent, without the sign of the unit."""
    return fixed(None if value is None else 100 * value, decimals)


def bracket(low: float | None, high: float | None, decimals: int, scale: float = 1.0) -> str:
    """Print an interval as ``[low, high]``, or an em rule where a limit is undefined."""
    if low is None or high is None:
        return "—"
    return f"[{fixed(scale * low, decimals)}, {fixed(scale * high, decimals)}]"


USUAL_ALPHA = (0.1, 0.05)
"""Error rates that tests are usually held to."""


def p_value(p: float | None) -> str:
    """Print a p-value to two places, below .1 to three: ``.41``, ``.013``, ``< .001``, never ``.000``.

    A p that would round to one of ``USUAL_ALPHA`` gets a fourth: ``.0504`` is above .05.
    """
    if p is None:
        return "—"
    if p < 0.001:
        return "< .001"
    if p > 0.9949:
        return "1.0" if p >= 0.99995 else "> .99"
    digits = 2 if p >= 0.0995 else 3
    near = any(round(p, digits) == alpha and not math.isclose(p, alpha) for alpha in USUAL_ALPHA)
    return f"{p:.{4 if near else digits}f}".lstrip("0")


def error_rate(alpha: float) -> str:
    """Print the error rate that tests are held to, which is exact: ``.05``."""
    return f"{alpha:.10g}".removeprefix("0")


def equation(p: float | None) -> str:
    """Print ``p = .013`` or ``p < .001`` for running text."""
    text = p_value(p)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def unbroken(text: str) -> str:
    """Return a text for print, in which no line ends within ``p = .013`` or ``95% CI``."""
    return _LEVEL.sub("%\u00a0", _EQUATION.sub("p\u00a0\\1\u00a0", text))


_EQUATION = re.compile(r"\bp ([=<>≤]) (?=\.|\d)")
_LEVEL = re.compile(r"(?<=\d)% (?=CIs?\b)")


def count(n: int) -> str:
    """Print an integer with a comma between groups of three."""
    return f"{n:,}".replace("-", MINUS)


def significant(value: float | None, digits: int = 4) -> str:
    """Print a free number, such as a threshold, to some significant digits."""
    if value is None:
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if -4 <= exponent < 6:
        return fixed(value, max(0, digits - 1 - exponent))
    return f"{value:.{digits - 1}e}".replace("-", MINUS)


ALIKE = 1e3
"""So many times as large may be the largest of numbers that share their decimals."""


def thresholds(values: Sequence[float], digits: int = 4, most: int = 10) -> list[str]:
    """Print thresholds with the same decimals, or as many more as keep them apart.

    These show four significant digits of the largest and three of every other: a threshold that is rounded
    for the sake of a larger one decides other trials. Where they differ by more, each has four of its own.
    """
    distinct = set(values)
    several = (_apart(values, n) for n in range(digits, most + 1))
    return next((texts for texts in several if len(set(texts)) == len(distinct)), _apart(values, digits))


def _apart(values: Sequence[float], digits: int) -> list[str]:
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    if not sizes or max(sizes) > ALIKE * min(sizes) or not 1e-4 <= max(sizes) < EXACT:
        return [_threshold(value, digits) for value in values]
    places = (
        digits - 1 - math.floor(math.log10(max(sizes))),
        digits - 2 - math.floor(math.log10(min(sizes))),
    )
    return [fixed(value, max(0, *places)) if value else "0" for value in values]


def _threshold(value: float, digits: int) -> str:
    """Print a whole part in full, which scores that are counts need."""
    if 1 <= abs(value) < EXACT:
        return fixed(value, max(0, digits - 1 - math.floor(math.log10(abs(value)))))
    return significant(value, digits)
