"""The frame ``pairs`` as a contract."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import Frame, PlaceRow


@dataclass(frozen=True, kw_only=True, slots=True)
class PairRow(PlaceRow):
    """A row of ``pairs``."""

    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    model: Annotated[str, "key of the model with the better value"]
    other: Annotated[str, "key of the model with the worse value"]
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    behind: Annotated[float, "how much worse other is than model, at least 0"]
    behind_low: Annotated[
        float | None, "lower limit, simultaneous over all pairs; null where it never varies"
    ] = None
    behind_high: Annotated[
        float | None, "upper limit over all pairs together; null where it never varies"
    ] = None
    se: Annotated[float, "standard error of behind; 0 where it never varies"]
    level: Annotated[float, "confidence level, of all pairs together"]
    p_value: Annotated[float | None, "two-sided p, unadjusted; null where it never varies"] = None
    p_adjusted: Annotated[float | None, "p adjusted over all pairs; null if there is no correction"] = None
    correction: Annotated[str, "correction for several comparisons"]


PAIRS = Frame("pairs", PairRow, ("dataset", "split", "group", "measure", "criterion", "model", "other"))
