"""What a model is judged by: measures by name, and the common ones; ``rate_names`` reads a rate at a rate,
``spoofing`` has the costs of attacks."""

from reporting.measures.catalogue import read_measure
from reporting.measures.costs import PRESETS
from reporting.measures.measure import Measure
from reporting.measures.sweep import AP_11PT, AUC
from reporting.measures.threshold import F1, FAR, FRR, HTER, WEIGHTED_ERROR

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
