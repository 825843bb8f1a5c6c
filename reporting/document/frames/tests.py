"""The frame ``tests`` as a contract: every further test of two models, or of all together."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass, field
from reporting.document.frames.contract import Frame, PlaceRow

TESTED = (
    "dataset",
    "split",
    "group",
    "test",
    "measure",
    "criterion",
    "inference",
    "model",
    "baseline",
    "part",
    "unit",
)
"""What is context, on which trials (``part``: targets, nontargets, both), counted in which unit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestRow(PlaceRow):
    """A row of ``tests``."""

    test: Annotated[str, "name of the test"]
    measure: Annotated[str | None, "measure that is tested; null for whole curves"] = None
    criterion: Annotated[str | None, "what chose the thresholds; null over the sweep"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    model: Annotated[str | None, "key of the model; null where all are tested together"] = None
    baseline: Annotated[
        str | None, "key of the model it is compared with; null where all are tested together"
    ] = None
    part: Annotated[
        str | None, "targets, nontargets or both: the trials tested; null where it has no part"
    ] = None
    unit: Annotated[str, "what is counted: trial or cluster"]
    n_units: Annotated[int | None, "how many units there are; null without inference"] = None
    statistic: Annotated[float | None, "the test's statistic; null without one"] = None
    df: Annotated[float | None, "degrees of freedom; null without any"] = None
    estimate: Annotated[float | None, "model less baseline; null where undefined"] = None
    se: Annotated[float | None, "standard error; null where none is known"] = None
    low: Annotated[float | None, "lower limit of estimate; null without one"] = None
    high: Annotated[float | None, "upper limit of estimate; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    p_value: Annotated[float | None, "two-sided p, unadjusted; null where not tested"] = None
    p_mid: Annotated[float | None, "mid-p next to the exact p; null without one"] = None
    p_after: Annotated[float | None, "p after the changes that fragility counts; null elsewhere"] = None
    margin: Annotated[float | None, "margin within which models count as alike; null elsewhere"] = None
    power: Annotated[float | None, "power wanted or had; null elsewhere"] = None
    detectable: Annotated[float | None, "least difference found with that power; null elsewhere"] = None
    times: Annotated[float | None, "how many times more units are needed; null elsewhere"] = None
    needed_targets: Annotated[int | None, "targets needed; null elsewhere"] = None
    needed_nontargets: Annotated[int | None, "non-targets needed; null elsewhere"] = None
    needed_units: Annotated[int | None, "units needed; null elsewhere"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    mc_error: Annotated[float | None, "Monte Carlo standard error of p; null without resamples"] = None
    n_models: Annotated[int | None, "models that took part; null in tests of a pair"] = None
    verdict: Annotated[str | None, "what the test decides; null without a decision"] = None
    status: Annotated[str | None, "why there is no result; null where there is one"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


TESTS = Frame("tests", TestRow, TESTED)
