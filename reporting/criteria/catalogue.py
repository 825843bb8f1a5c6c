"""The criteria on offer, and how their names are read."""

from __future__ import annotations

import dataclasses

from reporting.contents import Contents, parameter, split_wrapper
from reporting.criteria.criterion import Criterion
from reporting.stats import selection
from reporting.stats.staircase import Staircase, Ties

SOURCE = "Bengio, Mariethoz, Keller: The expected performance curve"


def _min_hter(staircase: Staircase, ties: Ties) -> selection.Choice:
    return selection.weighted_error(staircase, ties, 0.5)


WEIGHTED_ERROR = Criterion(
    key="weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    label="min weighted error",
    select=selection.weighted_error,
    swept="alpha",
    definition="the cut minimising alpha FAR + (1 - alpha) FRR",
    source=f"{SOURCE}, eq. (10)",
)
MIN_HTER = Criterion(
    key="min_hter",
    label="min HTER",
    select=_min_hter,
    definition="the cut minimising (FAR + FRR) / 2",
    source=f"{SOURCE}, eq. (7)",
)
EER = Criterion(
    key="eer",
    label="EER",
    select=selection.equal_error,
    definition="the cut minimising |FAR - FRR|, then FAR + FRR, then FAR",
    source=f"{SOURCE}, eq. (8)",
)

CRITERIA = Contents("criterion", [WEIGHTED_ERROR, MIN_HTER, EER])


def read_criterion(text: str) -> Criterion:
    """Read ``name``, ``name(key=value)`` or ``oracle(name)``; ConfigError for anything else."""
    inside = split_wrapper(text, "oracle")
    return oracle(CRITERIA.read(inside)) if inside is not None else CRITERIA.read(text)


def oracle(criterion: Criterion) -> Criterion:
    """Return the criterion chosen on the split on which it is judged (a posteriori)."""
    return dataclasses.replace(criterion, oracle=True)
