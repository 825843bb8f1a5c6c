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
    against: str | None
    reference: str | None
    measure: str
    criterion: str | None
    inference: str | None
    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    level: float | None
    ci_method: str | None
    side: str | None
    bound: float | None
    p_value: float | None
    p_adjusted: float | None
    n_gates: int | None
    e_pass: float | None
    e_fail: float | None
    looks: int | None
    trials_used: int | None
    unit: str | None
    n_units: int | None
    outcome: str
    counts_as: str
    needed: int | None
    needed_unit: str | None
    reason: str | None
    status: str | None


GATES = Frame("gates", GateRow, NAMED)
