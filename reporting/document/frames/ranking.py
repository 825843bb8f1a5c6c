"""The frame ``ranking`` as a contract."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingRow(KeyRow):
    """A row of ``ranking``."""

    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null over the sweep"] = None
    value: Annotated[float | None, "the measure; null where undefined"] = None
    band_low: Annotated[float | None, "lower limit of the value, over all models together; null if none"] = (
        None
    )
    band_high: Annotated[float | None, "upper limit of the value, over all models together; null if none"] = (
        None
    )
    rank: Annotated[int | None, "1 is the best value, equal values share it; null where undefined"] = None
    rank_low: Annotated[int | None, "1 and as many as are significantly better; null where unknown"] = None
    rank_high: Annotated[int | None, "n_models less those significantly worse; null where unknown"] = None
    tier: Annotated[int | None, "1 where no model is significantly better; null where unknown"] = None
    p_separated: Annotated[float | None, "adjusted p against no model being better; null if unknown"] = None
    identical_to: Annotated[str | None, "first model by key that never differs from it; null if none"] = None
    n_models: Annotated[int, "models that are ranked"]
    level: Annotated[float, "confidence level, of all ranks together"]
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    unit: Annotated[str, "unit of resampling, trial or cluster"]
    n_units: Annotated[int, "how many units there are"]
    replicates: Annotated[int | None, "resamples that all models share; null without any"] = None
    status: Annotated[str | None, "why there is no rank, or no limits of it; null where there are"] = None


RANKING = Frame("ranking", RankingRow, (*KEY, "measure", "criterion"))
