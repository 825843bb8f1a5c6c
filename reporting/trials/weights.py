"""Weights of strata: from decimal texts to the smallest whole numbers in the same proportions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction

from reporting.errors import ConfigError, quoted

MOST_MULTIPLIED = 10**6
MOST_SHOWN = 10**12
MOST_WEIGHTED = 3 * 10**9
"""Weighted trials of one model in one split: products of two such numbers still fit 64 bits."""
DECIMAL = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
READ = re.compile(r"([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][-+]?[0-9]{1,2})?")
FAR_APART = (
    "the weights are too far apart or have too many digits: as whole numbers in the same proportions, the"
    f" largest may be at most {MOST_WEIGHTED}"
)


def whole_weights(texts: Mapping[str, str]) -> dict[str, int]:
    """Return whole weights in exactly the proportions of decimal texts; ConfigError where that fails.

    Every number is multiplied by the least common multiple of their denominators, at most 10^6, and
    divided by the greatest common divisor: ``{a: 1, b: 0.5}`` are 2 and 1. Rates do not depend on it.
    """
    weights = {stratum: _exact(stratum, text.strip()) for stratum, text in texts.items()}
    multiplier = math.lcm(*(weight.denominator for weight in weights.values()))
    if multiplier > MOST_MULTIPLIED:
        by = str(multiplier) if multiplier <= MOST_SHOWN else f"more than {MOST_SHOWN}"
        raise ConfigError(
            f"the weights become whole numbers only when multiplied by {by};"
            f" at most {MOST_MULTIPLIED}: say them with fewer digits"
        )
    whole = {stratum: int(weight * multiplier) for stratum, weight in weights.items()}
    divisor = math.gcd(*whole.values())
    if divisor == 0:
        raise ConfigError("no stratum has a positive weight")
    if max(whole.values()) // divisor > MOST_WEIGHTED:
        raise ConfigError(FAR_APART)
    return {stratum: weight // divisor for stratum, weight in whole.items()}


def _exact(stratum: str, text: str) -> Fraction:
    if not DECIMAL.fullmatch(text):
        raise ConfigError(
            f"the weight of {quoted(stratum)} must be a number of at least 0, found {quoted(text)}"
        )
    if not READ.fullmatch(text):
        raise ConfigError(f"{FAR_APART}; the weight of {quoted(stratum)} is {quoted(text)}")
    return Fraction(text)
