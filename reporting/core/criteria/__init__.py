"""How a threshold is chosen: criteria by name, and the common ones."""

from reporting.core.criteria.catalogue import oracle, read_criterion
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import (
    EER,
    MIN_HTER,
    PRECISION_RECALL,
    TARGET_FAR,
    TARGET_FRR,
    WEIGHTED_ERROR,
)

__all__ = [
    "EER",
    "MIN_HTER",
    "PRECISION_RECALL",
    "TARGET_FAR",
    "TARGET_FRR",
    "WEIGHTED_ERROR",
    "Criterion",
    "oracle",
    "read_criterion",
]
