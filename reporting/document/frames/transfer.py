"""The frame ``transfer`` as a contract: thresholds of one dataset on another."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import Frame, FrameRow

PAIR = ("model", "run", "dev_dataset", "test_dataset")
"""Whose thresholds, chosen on which dataset's dev, judged on which dataset's test."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferRow(FrameRow):
    """A row of ``transfer``."""

    model: Annotated[str, "key of the model in the trial table"]
    run: Annotated[str, "run of the model"]
    dev_dataset: Annotated[str, "dataset on whose dev the threshold was chosen"]
    test_dataset: Annotated[str, "dataset on whose test it is judged"]
    over: Annotated[str, "threshold, or area: a whole EPC"]
    criterion: Annotated[str, "what chose the threshold"]
    measure: Annotated[str, "name of the measure with its parameters"]
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    value: Annotated[float | None, "the measure, or the area; null where undefined"] = None
    value_own: Annotated[float | None, "the same at the judged dataset's threshold; null if undefined"] = None
    value_oracle: Annotated[float | None, "the same chosen on the judged test; null where undefined"] = None
    cost: Annotated[float | None, "value less value_own; null where undefined"] = None
    threshold_shift: Annotated[float | None, "value less value_oracle; null where undefined"] = None
    discrimination: Annotated[float | None, "value_oracle less that at home; null where undefined"] = None
    low: Annotated[float | None, "lower limit of value; null without a closed form"] = None
    high: Annotated[float | None, "upper limit of value; null without a closed form"] = None
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]
    misses: Annotated[int | None, "rejected targets; null where no single threshold holds"] = None
    false_alarms: Annotated[int | None, "accepted non-targets; null where no single threshold holds"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


TRANSFER = Frame("transfer", TransferRow, (*PAIR, "over", "criterion", "measure"))
