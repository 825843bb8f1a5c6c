"""The measures on offer, in the order of their modules, and how their names are read."""

from __future__ import annotations

from reporting.contents import Contents
from reporting.measures import calibration, costs, sweep, threshold
from reporting.measures.measure import Measure

MEASURES = Contents(
    "measure",
    [
        value
        for module in (threshold, sweep, costs, calibration)
        for value in vars(module).values()
        if isinstance(value, Measure)
    ],
)

READ_AS = {"eer": "eer_rocch"}


def read_measure(text: str) -> Measure:
    """Read ``name`` or ``name(key=value,...)``; ``eer`` reads ``eer_rocch``; ConfigError otherwise."""
    return MEASURES.read(READ_AS.get(text.strip(), text))
