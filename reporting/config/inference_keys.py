"""The keys under ``significance``: intervals and tests."""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import Field, PlainSerializer, ValidationInfo, field_validator, model_validator

from reporting.config.fields import DISTINCT, PLAIN, Number, Whole
from reporting.config.section import Section
from reporting.config.unbuilt import fault
from reporting.significance import settings
from reporting.significance.settings import (
    Correction,
    Estimand,
    Family,
    IntervalMethod,
    ReplicateOn,
    Stratify,
    Unit,
)
from reporting.stats.roc_bands import Kind

MOST_REPLICATES = 10_000_000
MOST_SEED = 2**63 - 1


class Significance(Section):
    """Intervals and tests."""

    level: Number = Field(default=0.95, gt=0, lt=1, description="confidence level")
    replicates: Whole = Field(default=10_000, ge=1, le=MOST_REPLICATES, description="bootstrap replicates")
    unit: Unit = Field(
        default="auto", description="what is resampled; auto: cluster where declared, else trial"
    )
    comparisons: Estimand = Field(
        default="procedure",
        description="what comparisons speak of. procedure: the models; thresholds are chosen again on dev in"
        " every replicate, and the comparison of the two tuned systems stands beside. given_thresholds:"
        " these two tuned systems",
    )
    intervals: Estimand = Field(
        default="given_thresholds",
        description="what intervals of single models speak of: the system as it is tuned, or the procedure",
    )
    stratify: Stratify = Field(
        default="none",
        description="label: trials are drawn class by class, where their numbers were fixed by design",
    )
    interval: IntervalMethod = Field(
        default="auto",
        description="how replicates become intervals and p-values. auto: by the quantity, as the README"
        " tells; percentile; centred (at the mean of the replicates); basic; studentized and bca, where"
        " trials are independent and the measure is at a threshold, percentile elsewhere",
    )
    correction: Correction = Field(default="holm", description="for multiple comparisons")
    family: Family = Field(default="primary", description="the comparisons that are corrected together")
    seed: Whole = Field(default=1, ge=0, le=MOST_SEED, description="of the random numbers")
    bands: Kind = Field(
        default="fixed_width",
        description="of the curves of FAR and FRR. fixed_width: the whole curve at once; sup_t: the same, at"
        " FAR from 1 to 99 %; sjr: the same for independent trials, without replicates, wide; vertical: at"
        " each FAR by itself; threshold: FAR and FRR at each threshold, in the frame only; none: no bands and"
        " no differences along the curves",
    )
    tests: Annotated[list[settings.Test], DISTINCT, PlainSerializer(tuple, tuple[str, ...])] = Field(
        default=[], description="further tests of the primary question, shown unadjusted"
    )
    margin: Annotated[float, Field(gt=0), PLAIN] | None = Field(
        default=None, description="for equivalence and non_inferiority: the difference that does not matter"
    )
    power: Number = Field(default=0.8, gt=0, lt=1, description="for power: how often a difference is found")
    replicate_on: ReplicateOn = Field(
        default="auto",
        description="what replicates of chosen thresholds, of measures over the sweep and of bands see."
        " scores: every distinct score; bins: at most 4096 bins of them, whose width the report tells; auto:"
        " bins beyond 32768 distinct scores",
    )

    @field_validator("replicates")
    @classmethod
    def _reach_the_limits(cls, replicates: int, info: ValidationInfo) -> int:
        level = info.data.get("level")
        # The percentile limits are order statistics (M + 1)(1 - level)/2; the first must exist.
        least = math.ceil(2 / (1 - level) - 1 - 1e-6) if level else 1
        if replicates < least:
            raise fault(
                f"{replicates} are too few for percentile limits at level {level!r}; at least {least}"
            )
        return replicates

    @model_validator(mode="after")
    def _tests_have_what_they_need(self) -> Self:
        if wrong := settings.lacking(self.tests, self.margin, self.level, self.power):
            raise fault(wrong)
        return self
