"""The frames of what lies behind the comparisons as contracts, beside those of ``frames/schemas.py``."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.frames.contract import KEY, Frame, FrameRow, KeyRow

QUESTION = ("dataset", "split", "group", "measure", "criterion", "model", "baseline", "inference")
"""The columns that name a comparison, as in the frame ``comparisons``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceRow(FrameRow):
    """A row of ``differences``."""

    dataset: str
    split: str
    group: str
    measure: str
    criterion: str | None
    model: str
    baseline: str
    inference: str | None
    low: float
    high: float
    count: int


DIFFERENCES = Frame("differences", DifferenceRow, (*QUESTION, "low"))


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingRow(KeyRow):
    """A row of ``standing``."""

    measure: str
    criterion: str | None
    value: float | None
    p_best: float | None
    may_be_best: bool | None
    n_models: int
    level: float
    inference: str | None
    replicates: int | None


STANDING = Frame("standing", StandingRow, (*KEY, "measure", "criterion"))

CONTRACTS = {contract.name: contract for contract in (DIFFERENCES, STANDING)}
