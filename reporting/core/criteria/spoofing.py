"""Criteria of verification under spoofing: the least cost of three kinds of trials, or of a tandem."""

from __future__ import annotations

from typing import Any

from reporting.base.arrays import FloatArray
from reporting.base.contents import parameter
from reporting.core.criteria.criterion import criterion
from reporting.core.measures import spoofing as costs
from reporting.core.stats import spoofing
from reporting.core.stats.choice import Choice, Staircases, least_cost, weighted_error
from reporting.core.stats.staircase import Ties


def _min_adcf(rows: Staircases, ties: Ties, **given: Any) -> Choice:
    return least_cost(rows, ties, *spoofing.adcf_weights(**given, normalised=False))


def _min_tdcf(rows: Staircases, ties: Ties, **given: Any) -> Choice:
    return least_cost(rows, ties, *costs.tdcf_pair(**given, normalised=False))


def _spoofing_error(rows: Staircases, ties: Ties, alpha: float | FloatArray, spoof_share: float) -> Choice:
    return weighted_error(rows, ties, alpha)


MIN_ADCF = criterion(
    "min_adcf",
    parameters=costs.ADCF_PARAMETERS[:-1],
    together=costs.priors_fault,
    always_said=("p_spoof",),
    select=_min_adcf,
    mixed=spoofing.adcf_mix,
)
SPOOFING_ERROR = criterion(
    "spoofing_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0), costs.SPOOF_SHARE),
    always_said=("spoof_share",),
    select=_spoofing_error,
    mixed=spoofing.share_mix,
    swept="alpha",
)
MIN_TDCF = criterion(
    "min_tdcf",
    parameters=costs.TDCF_PARAMETERS[:-1],
    together=costs.tandem_fault,
    always_said=("asv_miss", "asv_fa", "asv_spoof_fa"),
    select=_min_tdcf,
)
