"""The frame ``gates`` as a contract, beside those of ``frames/schemas.py``.

``estimate`` is a value, or a difference model - against, ``bound`` stands on its scale, and a gate passes
where the number is shown to lie on its ``side`` of the bound. ``p_value`` and ``p_adjusted`` are two-sided;
``e_pass`` and ``e_fail`` the capital of always valid gates, which with ``looks`` and ``trials_used`` is all
that the next look takes over. ``needed`` counts units beyond the present ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.frames.contract import Frame, FrameRow

NAMED = ("number", "gate", "model", "dataset", "group")
"""``number`` is the place of the gate in the config, from 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateRow(FrameRow):
    """A row of ``gates``."""

    number: int
    gate: str
    model: str
    dataset: str
    group: str
    kind: str
    against: str | None = None
    reference: str | None = None
    measure: str
    criterion: str | None = None
    inference: str | None = None
    estimate: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    level: float | None = None
    ci_method: str | None = None
    side: str | None = None
    bound: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    n_gates: int | None = None
    e_pass: float | None = None
    e_fail: float | None = None
    looks: int | None = None
    trials_used: int | None = None
    unit: str | None = None
    n_units: int | None = None
    outcome: str = "undecided"
    counts_as: str = "fail"
    needed: int | None = None
    needed_unit: str | None = None
    reason: str | None = None
    status: str | None = None


GATES = Frame("gates", GateRow, NAMED)
