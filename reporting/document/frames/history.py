"""What has changed since the last run, as a contract."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass, field
from reporting.document.frames.contract import Frame, FrameRow


@dataclass(frozen=True, kw_only=True, slots=True)
class SinceLastRow(FrameRow):
    """A row of ``since_last``."""

    dataset: Annotated[str, "evaluation set or condition"]
    model: Annotated[str, "key of the model in the trial table"]
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    as_of: Annotated[str, "date of the earlier run"]
    history_run: Annotated[str, "name of the earlier run in the store"]
    value: Annotated[float | None, "the measure now; null where undefined"] = None
    value_then: Annotated[float | None, "the measure then; null where undefined"] = None
    difference: Annotated[float | None, "now less then, if paired on shared trials; null if undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    ci_method: Annotated[str | None, "how the interval was made; null without one"] = None
    p_value: Annotated[float | None, "two-sided p, unadjusted; null where not tested"] = None
    p_method: Annotated[str | None, "how p_value was made; null where not tested"] = None
    p_adjusted: Annotated[float | None, "p adjusted over the family; null where not tested"] = None
    correction: Annotated[str | None, "correction for several comparisons; null without one"] = None
    family_size: Annotated[int | None, "comparisons in the family; null without one"] = None
    pairing: Annotated[str | None, "paired or unpaired; null where not compared"] = None
    n_shared: Annotated[int | None, "trials of both runs, labelled alike; null where unknown"] = None
    n_trials: Annotated[int | None, "trials now; null where unknown"] = None
    n_trials_then: Annotated[int | None, "trials then; null where unknown"] = None
    unit: Annotated[str | None, "unit of inference, trial or cluster; null without any"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


SINCE_LAST = Frame("since_last", SinceLastRow, ("dataset", "model", "measure", "criterion"))
"""A model now less the same model then. ``pairing`` is paired or unpaired; of paired rows ``difference`` is
that on the ``n_shared`` trials alone which both runs have, with the same label."""
