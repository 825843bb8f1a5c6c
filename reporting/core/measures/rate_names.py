"""A rate at another rate, by the names of any field: ``recall at FPR 1%``, ``tpr_at_fpr(fpr=0.01)``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from reporting.base.contents import joined
from reporting.core.measures.measure import Measure
from reporting.errors import ConfigError

NAMES = {
    "far": ("FAR", "FPR", "FMR", "APCER", "fall-out", "false alarm rate", "false acceptance rate"),
    "frr": ("FRR", "FNR", "FNMR", "BPCER", "miss rate", "false rejection rate"),
    "sensitivity": ("sensitivity", "TPR", "recall", "TAR", "TMR", "GAR", "VR", "hit rate"),
    "specificity": ("specificity", "TNR"),
}
"""What the fields call the four rates of a threshold."""

RATES = {joined(name): rate for rate, names in NAMES.items() for name in names}
REST = {"far": "specificity", "specificity": "far", "frr": "sensitivity", "sensitivity": "frr"}
"""The rate that is one less this one."""

READ_AT = {
    ("sensitivity", "far"): "sensitivity_at",
    ("sensitivity", "specificity"): "sensitivity_at",
    ("specificity", "frr"): "specificity_at",
    ("specificity", "sensitivity"): "specificity_at",
    ("frr", "far"): "frr_at_far",
    ("frr", "specificity"): "frr_at_far",
    ("far", "frr"): "far_at_frr",
    ("far", "sensitivity"): "far_at_frr",
}
"""The measure of a rate where another one is fixed."""

_AT = re.compile(r"(.+?)(?:[\s_-]+at(?:[\s_-]+fixed)?[\s_-]+|\s*@\s*)(.+)", re.IGNORECASE)
_PERCENT = re.compile(r"\s*=?\s*(\d+(?:\.\d+)?)\s*%\s*")
_SHARE = re.compile(r"\s*=\s*(\d*\.?\d+(?:e-?\d+)?)", re.IGNORECASE)


def rate_at(name: str) -> tuple[str, dict[str, str]] | None:
    """Return the measure that is a rate at another one, and the share in its name; None for others."""
    parts = _AT.fullmatch(name.strip())
    if parts is None:
        return None
    percent, share = _PERCENT.search(parts[2]), _SHARE.search(parts[2])
    fixed = _SHARE.sub("", _PERCENT.sub("", parts[2])).strip()
    key = READ_AT.get((RATES.get(joined(parts[1]), ""), RATES.get(joined(fixed), "")))
    if key is None:
        return None
    if share and not percent:
        return key, {joined(fixed): str(Decimal(share[1]))}
    return key, {} if percent is None else {joined(fixed): str(Decimal(percent[1]) / 100)}


def in_own_rates(measure: Measure, given: Mapping[str, str]) -> dict[str, str]:
    """Return parameters with every rate by the name that the measure has for it, or for one less it."""
    own = [p.name for p in measure.parameters]
    moved: dict[str, str] = {}
    for name, text in given.items():
        rate = name if name in own else RATES.get(joined(name), name)
        rest = rate not in own and REST.get(rate) in own
        key = REST[rate] if rest else rate if rate in own else name
        if key in moved:
            raise ConfigError(f"{measure.key!r}: {key!r} is given twice")
        moved[key] = _one_less(name, text) if rest else text
    return moved


def _one_less(name: str, text: str) -> str:
    try:
        share = Decimal(text)
    except InvalidOperation:
        raise ConfigError(f"{name}={text}: expected a number") from None
    if share.is_nan():
        raise ConfigError(f"{name}={text}: expected a number")
    if not 0 <= share <= 1:
        raise ConfigError(f"{name}={text} is outside [0, 1]")
    return str(1 - share)
