"""The frame ``precision_bands``: the precision-recall curve of every model with its limits."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class PrecisionBandRow(KeyRow):
    """A row of ``precision_bands``."""

    recall: Annotated[float | None, "share of the targets accepted; null without a curve"] = None
    precision: Annotated[float | None, "share of targets among the accepted there; null without a curve"] = (
        None
    )
    ci_low: Annotated[float | None, "lower limit of precision at this recall; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of precision at this recall; null without one"] = None
    band_low: Annotated[float | None, "lower limit for the whole curve; null without one"] = None
    band_high: Annotated[float | None, "upper limit for the whole curve; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without limits"] = None
    unit: Annotated[str | None, "what is resampled; null without limits"] = None
    status: Annotated[str | None, "why there is no curve, or no band of it; null where there are both"] = None


PRECISION_BANDS = Frame("precision_bands", PrecisionBandRow, (*KEY, "recall"))
