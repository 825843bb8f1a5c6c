"""Costs of verification under spoofing: of one score for all, and of a countermeasure before an ASV."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from reporting.base.contents import parameter
from reporting.core.measures.measure import LeastCost, measure
from reporting.core.measures.threshold import weights_of_alpha
from reporting.core.stats import spoofing

PRIOR, COST, RATE = (1e-9, 1 - 1e-9), (1e-9, 1e9), (0.0, 1.0)

ADCF_PARAMETERS = (
    parameter("p_nontarget", 0.05, *PRIOR),
    parameter("p_spoof", 0.05, *PRIOR),
    parameter("c_miss", 1.0, *COST),
    parameter("c_fa", 10.0, *COST),
    parameter("c_spoof", 20.0, *COST),
    parameter("normalised", True),
)
"""The defaults are the first of the three cost models of the source."""
TDCF_PARAMETERS = (
    parameter("p_nontarget", 0.0095, *PRIOR),
    parameter("p_spoof", 0.05, *PRIOR),
    parameter("c_miss", 1.0, *COST),
    parameter("c_fa", 10.0, *COST),
    parameter("c_spoof", 10.0, *COST),
    *(
        replace(parameter(name, default, *RATE), is_spelt_out=True)
        for name, default in (("asv_miss", 0.05), ("asv_fa", 0.05), ("asv_spoof_fa", 0.5))
    ),
    parameter("normalised", True),
)
"""Priors and costs of ASVspoof 2019 and 2021; the error rates of the ASV system are always given."""
SPOOF_SHARE = parameter("spoof_share", 0.5, 0.0, 1.0)


def priors_fault(p_nontarget: float, p_spoof: float, **_: Any) -> str:
    """Say why priors are none; an empty text where they are."""
    rest = 1 - p_nontarget - p_spoof
    return "" if rest > 0 else f"p_nontarget + p_spoof must be below 1, found {p_nontarget + p_spoof:g}"


def tandem_fault(**given: Any) -> str:
    """Say why no t-DCF has these parameters; an empty text where one has."""
    if wrong := priors_fault(**given):
        return wrong
    _, w_far, w_frr = spoofing.tdcf_weights(**{**given, "normalised": False})
    if w_frr <= 0:
        return (
            "with these error rates the ASV system costs no less than rejecting all;"
            " check asv_miss and asv_fa"
        )
    return (
        "" if w_far > 0 else "asv_spoof_fa = 0: the ASV system accepts no spoof, so nothing is left to detect"
    )


def tdcf_pair(**given: Any) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of the t-DCF, without its constant."""
    _, w_far, w_frr = spoofing.tdcf_weights(**given)
    return w_far, w_frr


def _tdcf_offset(**given: Any) -> float:
    return spoofing.tdcf_weights(**given)[0]


cost = partial(measure, better="lower", printed_in="number", bounds=(0.0, float("inf")))
of_three_kinds = partial(cost, unreached="lacks_kind", always_said=("p_spoof",))
of_tandem = partial(
    cost, together=tandem_fault, always_said=("asv_miss", "asv_fa", "asv_spoof_fa"), offset=_tdcf_offset
)

ADCF = of_three_kinds(
    "adcf",
    over="threshold",
    parameters=ADCF_PARAMETERS,
    together=priors_fault,
    formula=spoofing.adcf,
    weights=spoofing.adcf_weights,
    mixed=spoofing.adcf_mix,
)
MINADCF = of_three_kinds(
    "minadcf",
    over="sweep",
    own_cut=True,
    parameters=ADCF_PARAMETERS,
    together=priors_fault,
    formula=spoofing.minadcf,
    least_cost=LeastCost(spoofing.adcf_weights),
    mixed=spoofing.adcf_mix,
)
SPOOFING_ERROR = cost(
    "spoofing_error",
    over="threshold",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0), SPOOF_SHARE),
    bounds=(0.0, 1.0),
    printed_in="percent",
    formula=spoofing.spoofing_error,
    weights=weights_of_alpha,
    mixed=spoofing.share_mix,
    unreached="lacks_kind",
    swept="alpha",
    always_said=("spoof_share",),
)
TDCF = of_tandem(
    "tdcf", over="threshold", parameters=TDCF_PARAMETERS, formula=spoofing.tdcf, weights=tdcf_pair
)
MINTDCF = of_tandem(
    "mintdcf",
    over="sweep",
    own_cut=True,
    parameters=TDCF_PARAMETERS,
    formula=spoofing.mintdcf,
    least_cost=LeastCost(tdcf_pair),
)
