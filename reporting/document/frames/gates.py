"""The frame ``gates``, whose rows the question of gates makes.

``estimate`` is a value, or a difference model - against, ``bound`` is on its scale, and a gate passes
where the number is shown to lie on its ``side`` of the bound. ``p_value`` and ``p_adjusted`` are two-sided;
``e_pass`` and ``e_fail`` the wealth of always valid gates, which with ``looks`` and ``trials_used`` is all
that the next look takes over. ``needed`` counts units beyond the present ones.
"""

from __future__ import annotations

from typing import Annotated

import polars as pl

from reporting.base.records import dataclass
from reporting.document.frames.contract import Frame, FrameRow

NAMED = ("number", "gate", "model", "dataset", "group")
"""``number`` is the place of the gate in the config, from 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateRow(FrameRow):
    """A row of ``gates``."""

    number: Annotated[int, "place of the gate in the config, from 0"]
    gate: Annotated[str, "name of the gate"]
    model: Annotated[str, "key of the model in the trial table"]
    dataset: Annotated[str, "evaluation set or condition"]
    group: Annotated[str, "empty for all trials; a group of a breakdown is column=value"]
    kind: Annotated[str, "kind of gate"]
    against: Annotated[str | None, "model it is compared with; null for a bound on a value"] = None
    reference: Annotated[str | None, "run it is compared with; null without one"] = None
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    estimate: Annotated[float | None, "a value, or a difference model less against; null where undefined"] = (
        None
    )
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    ci_method: Annotated[str | None, "how the interval was made; null without one"] = None
    side: Annotated[str | None, "below or above: where the number must lie; null without a bound"] = None
    bound: Annotated[float | None, "the bound, on the scale of estimate; null without one"] = None
    p_value: Annotated[float | None, "two-sided p, unadjusted; null where not tested"] = None
    p_adjusted: Annotated[float | None, "two-sided p adjusted over the gates; null where not tested"] = None
    n_gates: Annotated[int | None, "gates adjusted together; null without adjustment"] = None
    e_pass: Annotated[float | None, "e-value for passing; null but for always-valid gates"] = None
    e_fail: Annotated[float | None, "e-value for failing; null but for always-valid gates"] = None
    looks: Annotated[int | None, "looks taken so far; null but for always-valid gates"] = None
    trials_used: Annotated[int | None, "trials used in all looks; null but for always-valid gates"] = None
    unit: Annotated[str | None, "unit of inference, trial or cluster; null without any"] = None
    n_units: Annotated[int | None, "how many units there are; null without inference"] = None
    outcome: Annotated[str, "pass, fail or undecided"] = "undecided"
    counts_as: Annotated[str, "pass or fail: what undecided counts as"] = "fail"
    needed: Annotated[int | None, "units needed beyond the present ones; null where unknown"] = None
    needed_unit: Annotated[str | None, "unit of needed; null where unknown"] = None
    reason: Annotated[str | None, "why it is undecided; null where decided"] = None
    status: Annotated[str | None, "why there is no number; null where there is one"] = None


GATES = Frame("gates", GateRow, NAMED)


def held_back(frame: pl.DataFrame) -> bool:
    """Return whether any gate counts as failed: the program then exits 1, with the report written."""
    return bool((frame["counts_as"] == "fail").any())
