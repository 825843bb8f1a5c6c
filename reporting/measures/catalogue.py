"""The measures on offer, in the order of the catalogue, and how their names are read."""

from __future__ import annotations

from reporting.contents import Contents
from reporting.measures.areas import AUC, EER_INTERP, EER_ROCCH
from reporting.measures.costs import MINDCF
from reporting.measures.measure import Measure
from reporting.measures.rates import FAR, FRR, HTER, WEIGHTED_ERROR

MEASURES = Contents("measure", [FAR, FRR, HTER, WEIGHTED_ERROR, EER_ROCCH, EER_INTERP, AUC, MINDCF])

READ_AS = {"eer": "eer_rocch"}


def read_measure(text: str) -> Measure:
    """Read ``name`` or ``name(key=value,...)``; ``eer`` reads ``eer_rocch``; ConfigError otherwise."""
    return MEASURES.read(READ_AS.get(text.strip(), text))
