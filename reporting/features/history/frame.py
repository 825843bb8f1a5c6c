"""The frames of earlier runs; ``past``, ``differences`` and ``trends`` make their rows."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, FrameRow
from reporting.document.frames.history import SINCE_LAST
from reporting.document.frames.recipe import frame_of


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryRow(FrameRow):
    """A row of ``history``."""

    as_of: Annotated[str, "date of the run"]
    history_run: Annotated[str, "name of the run in the store"]
    model: Annotated[str, "key of the model in the trial table"]
    run: Annotated[str, "run of the model; mean combines several runs"]
    dataset: Annotated[str, "evaluation set or condition"]
    split: Annotated[str, "dev or test"]
    group: Annotated[str, "empty for all trials; a group of a breakdown is column=value"]
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    value: Annotated[float | None, "the measure; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


HISTORY = Frame("history", HistoryRow, ("as_of", "history_run", *KEY, "measure", "criterion"))
"""Every value of a model on test, run by run: at thresholds of the primary criterion, or over the sweep."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeRow(FrameRow):
    """A row of ``changes``."""

    kind: Annotated[
        str, "input, config, test, model, trials.shared, .new, .gone, .relabelled, stale, run or caution"
    ]
    name: Annotated[str, "what differs"]
    then: Annotated[str | None, "what it was; null where it was not there"] = None
    now: Annotated[str | None, "what it is; null where it is gone"] = None
    count: Annotated[int | None, "how many trials; null for other kinds"] = None


CHANGES = Frame("changes", ChangeRow, ("kind", "name"))
"""What differs between two runs: ``input``, ``config``, ``test``, ``model``, ``trials.shared``, ``.new``,
``.gone`` and ``.relabelled``, and the ``run`` of the earlier results; ``stale`` names the run whose inputs or
decisions these are, ``caution`` runs that are passed over."""


RECIPES = (frame_of(HISTORY), frame_of(SINCE_LAST), frame_of(CHANGES))
