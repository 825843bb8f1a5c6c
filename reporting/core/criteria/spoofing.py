"""Criteria of verification under spoofing: the least cost of three kinds of trials, or of a tandem."""

from __future__ import annotations

from typing import Any

from reporting.base.arrays import FloatArray
from reporting.base.contents import parameter
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.spoofing import (
    ADCF_PARAMETERS,
    KINNUNEN,
    SHIM,
    SPOOF_SHARE,
    TDCF_PARAMETERS,
    priors_fault,
    tandem_fault,
    tdcf_pair,
)
from reporting.core.stats import spoofing
from reporting.core.stats.choice import Choice, Staircases, weighted_error
from reporting.core.stats.staircase import Ties


def _min_adcf(rows: Staircases, ties: Ties, **given: Any) -> Choice:
    w_far, w_frr = spoofing.adcf_weights(**given, normalised=False)
    return weighted_error(rows, ties, w_far / (w_far + w_frr))


def _min_tdcf(rows: Staircases, ties: Ties, **given: Any) -> Choice:
    w_far, w_frr = tdcf_pair(**given, normalised=False)
    return weighted_error(rows, ties, w_far / (w_far + w_frr))


def _spoofing_error(rows: Staircases, ties: Ties, alpha: float | FloatArray, spoof_share: float) -> Choice:
    return weighted_error(rows, ties, alpha)


MIN_ADCF = Criterion(
    key="min_adcf",
    parameters=ADCF_PARAMETERS[:-1],
    together=priors_fault,
    name="minimum architecture-agnostic detection cost",
    label="minimum a-DCF",
    rule="minimising a-DCF",
    always_said=("p_spoof",),
    select=_min_adcf,
    mixed=spoofing.adcf_mix,
    definition="the threshold minimising the a-DCF",
    source=SHIM,
)
SPOOFING_ERROR = Criterion(
    key="spoofing_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0), SPOOF_SHARE),
    name="minimum spoofing-aware weighted error",
    label="minimum spoofing-aware weighted error",
    rule="minimising the spoofing-aware weighted error",
    always_said=("spoof_share",),
    select=_spoofing_error,
    mixed=spoofing.share_mix,
    swept="alpha",
    definition="the threshold minimising alpha ((1 - s) FAR(zero) + s FAR(spoof)) + (1 - alpha) FRR, s the"
    " share of spoofs",
    source=f"{SHIM}; Bengio, Mariethoz, Keller, eq. (10)",
)
MIN_TDCF = Criterion(
    key="min_tdcf",
    parameters=TDCF_PARAMETERS[:-1],
    together=tandem_fault,
    name="minimum tandem detection cost",
    label="minimum t-DCF",
    rule="minimising t-DCF",
    always_said=("asv_miss", "asv_fa", "asv_spoof_fa"),
    select=_min_tdcf,
    definition="the threshold of a countermeasure minimising the t-DCF",
    source=KINNUNEN,
)
