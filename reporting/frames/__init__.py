"""The result frames of a report: what each holds, how it is made, and the results that hold them."""

from reporting.frames.bands import BANDS, CURVE_DIFFERENCES
from reporting.frames.contract import KEY
from reporting.frames.curve_schemas import (
    AREAS,
    COST,
    DCF,
    DECISION,
    EXPECTED,
    HISTOGRAM,
    PR,
    RELIABILITY,
    STEPS,
)
from reporting.frames.fits import FIT_CURVES, FIT_METRICS, FITS
from reporting.frames.further_tests import TESTS
from reporting.frames.gates_schema import GATES
from reporting.frames.history import CHANGES, HISTORY, SINCE_LAST
from reporting.frames.inference_schemas import DIFFERENCES, STANDING
from reporting.frames.results import Results
from reporting.frames.schemas import COMPARISONS, EPC, METRICS, ROC, TRIALS
from reporting.frames.transfer import TRANSFER
from reporting.frames.winners import WINNERS

__all__ = [
    "AREAS",
    "BANDS",
    "CHANGES",
    "COMPARISONS",
    "COST",
    "CURVE_DIFFERENCES",
    "DCF",
    "DECISION",
    "DIFFERENCES",
    "EPC",
    "EXPECTED",
    "FITS",
    "FIT_CURVES",
    "FIT_METRICS",
    "GATES",
    "HISTOGRAM",
    "HISTORY",
    "KEY",
    "METRICS",
    "PR",
    "RELIABILITY",
    "ROC",
    "SINCE_LAST",
    "STANDING",
    "STEPS",
    "TESTS",
    "TRANSFER",
    "TRIALS",
    "WINNERS",
    "Results",
]
