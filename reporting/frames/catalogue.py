"""The frames that a report can have, in the order of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reporting.frames.bands import BANDS, CURVE_DIFFERENCES
from reporting.frames.contract import Frame
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
from reporting.frames.schemas import COMPARISONS, EPC, METRICS, ROC, TRIALS
from reporting.frames.transfer import TRANSFER
from reporting.frames.winners import WINNERS

FRAMES: Mapping[str, Frame[Any]] = {
    contract.name: contract
    for contract in (
        TRIALS,
        METRICS,
        COMPARISONS,
        ROC,
        EPC,
        DCF,
        AREAS,
        STEPS,
        EXPECTED,
        PR,
        COST,
        HISTOGRAM,
        RELIABILITY,
        DECISION,
        TRANSFER,
        DIFFERENCES,
        STANDING,
        WINNERS,
        BANDS,
        CURVE_DIFFERENCES,
        TESTS,
        FITS,
        FIT_METRICS,
        FIT_CURVES,
        HISTORY,
        SINCE_LAST,
        CHANGES,
        GATES,
    )
}
