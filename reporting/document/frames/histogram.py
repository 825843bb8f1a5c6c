"""Histograms of scores and of risks as contracts."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class HistogramRow(KeyRow):
    """A row of ``histogram``."""

    low: Annotated[float, "lower edge of the bin"]
    high: Annotated[float, "upper edge of the bin"]
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]


HISTOGRAM = Frame("histogram", HistogramRow, (*KEY, "low", "high"))


@dataclass(frozen=True, kw_only=True, slots=True)
class RiskRow(HistogramRow):
    """A row of ``risks``."""


RISKS = Frame("risks", RiskRow, (*KEY, "low"))
