"""The frames of earlier runs as contracts; ``history/`` makes their rows."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.frames.contract import KEY, Frame, FrameRow


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryRow(FrameRow):
    """A row of ``history``."""

    as_of: str
    history_run: str
    model: str
    run: str
    dataset: str
    split: str
    group: str
    measure: str
    criterion: str | None
    value: float | None
    ci_low: float | None
    ci_high: float | None
    level: float | None
    n_target: int
    n_nontarget: int
    status: str | None


HISTORY = Frame("history", HistoryRow, ("as_of", "history_run", *KEY, "measure", "criterion"))
"""Every value of a model on test, run by run: at thresholds of the primary criterion, or over the sweep."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SinceLastRow(FrameRow):
    """A row of ``since_last``."""

    dataset: str
    model: str
    measure: str
    criterion: str | None
    as_of: str
    history_run: str
    value: float | None
    value_then: float | None
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    level: float | None
    ci_method: str | None
    p_value: float | None
    p_method: str | None
    p_adjusted: float | None
    correction: str | None
    family_size: int | None
    pairing: str | None
    n_shared: int | None
    n_trials: int | None
    n_trials_then: int | None
    unit: str | None
    status: str | None
    flags: list[str]


SINCE_LAST = Frame("since_last", SinceLastRow, ("dataset", "model", "measure", "criterion"))
"""A model now less the same model then. ``pairing`` is paired or unpaired; of paired rows ``difference`` is
that on the ``n_shared`` trials alone which both runs have, with the same label."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeRow(FrameRow):
    """A row of ``changes``."""

    kind: str
    name: str
    then: str | None
    now: str | None
    count: int | None


CHANGES = Frame("changes", ChangeRow, ("kind", "name"))
"""What differs between two runs: ``input``, ``config``, ``model``, ``trials.shared``, ``.new``, ``.gone`` and
``.relabelled``, and the ``run`` that stands for then; ``caution`` names runs that are passed over."""
