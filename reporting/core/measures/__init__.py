"""What a model is judged by: measures by name, and the common ones; ``rate_names`` reads a rate at a rate,
``spoofing`` has the costs of attacks."""

from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.costs import PRESETS
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AP_11PT, AUC
from reporting.core.measures.threshold import F1, FAR, FRR, HTER, WEIGHTED_ERROR

__all__ = [
    "AP_11PT",
    "AUC",
    "F1",
    "FAR",
    "FRR",
    "HTER",
    "PRESETS",
    "WEIGHTED_ERROR",
    "Measure",
    "read_measure",
]
