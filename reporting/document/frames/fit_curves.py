"""The frame ``fit_curves`` as a contract."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class FitCurveRow(KeyRow):
    """A row of ``fit_curves``."""

    fit: Annotated[str, "name of the fit with its parameters"]
    p_fa: Annotated[float, "false acceptance rate"]
    p_miss: Annotated[float, "false rejection rate"]
    p_miss_low: Annotated[float | None, "lower Working-Hotelling limit; null with weights"] = None
    p_miss_high: Annotated[float | None, "upper Working-Hotelling limit; null with weights"] = None
    precision: Annotated[float | None, "precision of the fitted curve; null where undefined"] = None
    f1: Annotated[float | None, "F1 of the fitted curve; null where undefined"] = None


FIT_CURVES = Frame("fit_curves", FitCurveRow, (*KEY, "fit", "p_fa", "p_miss"))
