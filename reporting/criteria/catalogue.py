"""The criteria on offer, and how their names are read."""

from __future__ import annotations

import dataclasses

from reporting.contents import Contents, split_wrapper
from reporting.criteria.criterion import Criterion
from reporting.criteria.general import BEST, BREAK_EVEN, TARGET, WEIGHTED
from reporting.criteria.rates import (
    BAYES,
    EER,
    FIXED,
    GUARANTEE,
    GUARANTEE_FRR,
    MIN_DCF,
    MIN_HTER,
    PRECISION_RECALL,
    TARGET_FAR,
    TARGET_FRR,
    WEIGHTED_ERROR,
)
from reporting.errors import ConfigError

CRITERIA = Contents(
    "criterion",
    [
        WEIGHTED_ERROR,
        PRECISION_RECALL,
        TARGET_FAR,
        TARGET_FRR,
        MIN_HTER,
        MIN_DCF,
        EER,
        BEST,
        TARGET,
        BREAK_EVEN,
        WEIGHTED,
        BAYES,
        FIXED,
        GUARANTEE,
        GUARANTEE_FRR,
    ],
)


def read_criterion(text: str) -> Criterion:
    """Read ``name``, ``name(key=value)`` or ``oracle(name)``; ConfigError for anything else."""
    inside = split_wrapper(text, "oracle")
    return oracle(CRITERIA.read(inside)) if inside is not None else CRITERIA.read(text)


def oracle(criterion: Criterion) -> Criterion:
    """Return the criterion chosen on the split on which it is judged (a posteriori).

    ConfigError where that has no meaning: a threshold that is given, or that promises something.
    """
    if not criterion.has_oracle:
        why = "promises something of other data" if criterion.on == "dev" else "is not chosen on data"
        raise ConfigError(f"'oracle({criterion})': {criterion.key!r} {why}; leave 'oracle' out")
    return dataclasses.replace(criterion, oracle=True)
