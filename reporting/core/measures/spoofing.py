"""Costs of verification under spoofing: of one score for all, and of a countermeasure before an ASV."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from reporting.base.contents import parameter
from reporting.core.measures.measure import LeastCost, Measure
from reporting.core.measures.threshold import weights_of_alpha
from reporting.core.stats import spoofing

SHIM = "Shim et al. 2024, a-DCF, Odyssey; arXiv:2403.01355"
KINNUNEN = "Kinnunen et al. 2020, doi:10.1109/TASLP.2020.3009494, eq. (10) to (12)"
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


def _adcf_pairs(**given: Any) -> list[tuple[float, float]]:
    return [spoofing.adcf_weights(**given)]


def tdcf_pair(**given: Any) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of the t-DCF, without its constant."""
    _, w_far, w_frr = spoofing.tdcf_weights(**given)
    return w_far, w_frr


def _tdcf_pairs(**given: Any) -> list[tuple[float, float]]:
    return [tdcf_pair(**given)]


def _tdcf_offset(**given: Any) -> float:
    return spoofing.tdcf_weights(**given)[0]


cost = partial(Measure, better="lower", printed_in="number", bounds=(0.0, float("inf")))
of_three_kinds = partial(cost, unreached="lacks_kind", always_said=("p_spoof",))
of_tandem = partial(
    cost, together=tandem_fault, always_said=("asv_miss", "asv_fa", "asv_spoof_fa"), offset=_tdcf_offset
)

ADCF = of_three_kinds(
    key="adcf",
    over="threshold",
    parameters=ADCF_PARAMETERS,
    together=priors_fault,
    label="a-DCF",
    name="architecture-agnostic detection cost",
    formula=spoofing.adcf,
    weights=spoofing.adcf_weights,
    mixed=spoofing.adcf_mix,
    synonyms=("a_dcf", "actual a-DCF", "SASV-DCF"),
    definition="c_miss p_target FRR + c_fa p_nontarget FAR(zero) + c_spoof p_spoof FAR(spoof), with the FAR"
    " of zero-effort trials and that of spoofs, p_target = 1 - p_nontarget - p_spoof, normalised: divided by"
    " min(c_miss p_target, c_fa p_nontarget + c_spoof p_spoof)",
    source=SHIM,
)
MINADCF = of_three_kinds(
    key="minadcf",
    over="sweep",
    own_cut=True,
    parameters=ADCF_PARAMETERS,
    together=priors_fault,
    label="min a-DCF",
    name="minimum architecture-agnostic detection cost",
    formula=spoofing.minadcf,
    least_cost=LeastCost(_adcf_pairs),
    mixed=spoofing.adcf_mix,
    synonyms=("min_a_dcf", "minimum a-DCF"),
    definition="min over thresholds of the a-DCF",
    source=SHIM,
)
SPOOFING_ERROR = cost(
    key="spoofing_error",
    over="threshold",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0), SPOOF_SHARE),
    label="spoofing-aware weighted error",
    name="spoofing-aware weighted error rate",
    bounds=(0.0, 1.0),
    printed_in="percent",
    formula=spoofing.spoofing_error,
    weights=weights_of_alpha,
    mixed=spoofing.share_mix,
    unreached="lacks_kind",
    swept="alpha",
    always_said=("spoof_share",),
    definition="alpha ((1 - s) FAR(zero) + s FAR(spoof)) + (1 - alpha) FRR, s the share of spoofs, with the"
    " FAR of zero-effort trials and that of spoofs",
    source=f"{SHIM}; Bengio, Mariethoz, Keller, eq. (10)",
)
TDCF = of_tandem(
    key="tdcf",
    over="threshold",
    parameters=TDCF_PARAMETERS,
    label="t-DCF",
    name="tandem detection cost",
    formula=spoofing.tdcf,
    weights=tdcf_pair,
    synonyms=("actual t-DCF", "ASV-constrained t-DCF"),
    definition="C0 + C1 FRR + C2 FAR of a countermeasure (targets are bona fide, non-targets spoofs), with"
    " C0 = p_target c_miss asv_miss + p_nontarget c_fa asv_fa, C1 = p_target c_miss - C0,"
    " C2 = p_spoof c_spoof asv_spoof_fa and p_target = 1 - p_nontarget - p_spoof, normalised: divided by"
    " C0 + min(C1, C2)",
    source=KINNUNEN,
)
MINTDCF = of_tandem(
    key="mintdcf",
    over="sweep",
    own_cut=True,
    parameters=TDCF_PARAMETERS,
    label="min t-DCF",
    name="minimum tandem detection cost",
    formula=spoofing.mintdcf,
    least_cost=LeastCost(_tdcf_pairs),
    synonyms=("min_tDCF", "minimum t-DCF"),
    definition="min over thresholds of the t-DCF",
    source=KINNUNEN,
)
