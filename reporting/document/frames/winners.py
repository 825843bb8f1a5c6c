"""The frame ``winners`` as a contract: who wins at which cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from reporting.document.frames.contract import KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class WinnerRow(KeyRow):
    """A row of ``winners``."""

    criterion: Annotated[str, "what chose the threshold"]
    measure: Annotated[str, "name of the measure with its parameters"]
    alpha: Annotated[float, "weight of a false acceptance"]
    value: Annotated[float | None, "the measure; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    p_best: Annotated[float | None, "p against being the best, one-sided; null without joint draws"] = None
    may_be_best: Annotated[bool | None, "whether not ruled out as best; null where undefined"] = None
    p_best_joint: Annotated[float | None, "p, jointly over all alphas; null without joint resampling"] = None
    may_be_best_joint: Annotated[bool | None, "whether not ruled out jointly; null where undefined"] = None
    n_models: Annotated[int | None, "models that took part; null without joint resampling"] = None
    n_alphas: Annotated[int, "alphas taken together"]
    level: Annotated[float | None, "confidence level; null without joint resampling"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None
