"""The criteria on offer, and how their names are read."""

from __future__ import annotations

import dataclasses
import re

from reporting.base.contents import Contents, joined, split_wrapper
from reporting.core.criteria import general, rates, spoofing
from reporting.core.criteria.criterion import WORDS, Criterion
from reporting.core.measures.catalogue import MEASURES, refuse_tandem_without_rates
from reporting.errors import ConfigError, quoted

_OWN = {
    value.key: value
    for module in (rates, general, spoofing)
    for value in vars(module).values()
    if isinstance(value, Criterion)
}
CRITERIA = Contents("criterion", [_OWN[key] for key in WORDS])
"""In the order of ``words.yaml``."""

READ_AS = {
    "bpcer10": "worst_far(far=0.1)",
    "bpcer20": "worst_far(far=0.05)",
    "bpcer100": "worst_far(far=0.01)",
}
"""Names of others for a criterion at a value: the thresholds at which ISO/IEC 30107-3 reads BPCER."""


def read_criterion(text: str) -> Criterion:
    """Read ``name``, ``name(key=value)`` or ``oracle(name)``; ConfigError for anything else."""
    inside = split_wrapper(text, "oracle")
    return oracle(_read(inside)) if inside is not None else _read(text)


def _read(text: str) -> Criterion:
    try:
        criterion = CRITERIA.read(READ_AS.get(joined(text), text))
    except ConfigError as error:
        raise ConfigError(_meant(text.strip()) or str(error)) from None
    refuse_tandem_without_rates(criterion.key, text)
    return criterion


def _meant(text: str) -> str:
    """Return the criterion that a number or the name of a measure means; nothing for other texts."""
    if re.fullmatch(r"[+-]?\d*\.?\d+", text):
        return f"{quoted(text)} is a number; a fixed threshold is written fixed(threshold={text})"
    word = text.partition("(")[0].strip()
    name = MEASURES.meant(word)
    if CRITERIA.meant(word) in CRITERIA or name not in MEASURES:
        return ""
    if MEASURES[name].over != "threshold":
        return f"{quoted(text)} is a measure over all thresholds, so no threshold can be chosen by it alone"
    return f"{quoted(text)} is a measure; the threshold at its best value is written best(measure={name})"


def oracle(criterion: Criterion) -> Criterion:
    """Return the criterion chosen on the split on which it is judged (a posteriori).

    ConfigError where that has no meaning: a threshold that is given, or that promises something.
    """
    if not criterion.has_oracle:
        why = "promises something of other data" if criterion.on == "dev" else "is not chosen on data"
        raise ConfigError(f"'oracle({criterion})': {criterion.key!r} {why}; leave 'oracle' out")
    return dataclasses.replace(criterion, oracle=True)
