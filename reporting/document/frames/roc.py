"""The frames ``roc`` and ``bands`` as contracts: the corners of every curve, and its limits."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass
from reporting.document.frames.contract import KEY, Frame, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class RocRow(KeyRow):
    """A row of ``roc``."""

    threshold: Annotated[float, "threshold, on the scale of the trial table; infinite at the ends"]
    misses: Annotated[int, "rejected targets"]
    false_alarms: Annotated[int, "accepted non-targets"]
    p_miss: Annotated[float | None, "misses over targets; null without targets"] = None
    p_fa: Annotated[float | None, "false alarms over non-targets; null without non-targets"] = None
    on_hull: Annotated[bool, "whether the point is a vertex of the convex hull"]
    llr: Annotated[float | None, "log likelihood ratio of scores just above, from the hull; null off it"] = (
        None
    )


ROC = Frame("roc", RocRow, (*KEY, "threshold"))


@dataclass(frozen=True, kw_only=True, slots=True)
class BandRow(KeyRow):
    """A row of ``bands``."""

    kind: Annotated[str, "kind of band"]
    simultaneous: Annotated[bool, "whether the limits hold simultaneously for the whole curve"]
    threshold: Annotated[
        float | None, "threshold, on the scale of the trial table; null but for kind threshold"
    ] = None
    p_fa: Annotated[float | None, "false acceptance rate; null without a band"] = None
    p_miss: Annotated[float | None, "the curve: false rejection rate; null without a band"] = None
    p_miss_low: Annotated[float | None, "lower limit of p_miss; null without a band"] = None
    p_miss_high: Annotated[float | None, "upper limit of p_miss; null without a band"] = None
    p_fa_low: Annotated[float | None, "lower limit of p_fa; null but for kind threshold"] = None
    p_fa_high: Annotated[float | None, "upper limit of p_fa; null but for kind threshold"] = None
    level: Annotated[float | None, "confidence level; null without a band"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    unit: Annotated[str | None, "what is resampled; null without a band"] = None
    status: Annotated[str | None, "why there is no band; null where there is one"] = None


BANDS = Frame("bands", BandRow, (*KEY, "kind", "p_fa", "threshold"))
