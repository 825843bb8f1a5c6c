"""The frame ``epc`` as a contract."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class EpcRow(KeyRow):
    """A row of ``epc``."""

    criterion: Annotated[str, "what chose the threshold"]
    alpha: Annotated[float, "weight or aim of the criterion, from 0 to 1"]
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    measure: Annotated[str, "name of the measure with its parameters"]
    value: Annotated[float | None, "the measure; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    band_low: Annotated[float | None, "lower simultaneous limit over all alphas; null without one"] = None
    band_high: Annotated[float | None, "upper simultaneous limit over all alphas; null without one"] = None
    value_dev: Annotated[
        float | None, "the measure on the development set at the same threshold; null without dev"
    ] = None
    value_oracle: Annotated[float | None, "the measure, thresholds chosen on test; null without one"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None
    misses: Annotated[int | None, "rejected targets of test; null for a mean over runs"] = None
    false_alarms: Annotated[int | None, "accepted non-targets of test; null for a mean over runs"] = None
    misses_dev: Annotated[int | None, "rejected targets of the development set there; null without dev"] = (
        None
    )
    false_alarms_dev: Annotated[
        int | None, "accepted non-targets of the development set there; null without dev"
    ] = None


EPC = Frame("epc", EpcRow, (*KEY, "criterion", "measure", "alpha"))
