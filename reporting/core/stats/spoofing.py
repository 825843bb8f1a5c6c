"""Costs of verification under spoofing: weights of error rates, and how two kinds of non-targets are mixed.

A cost ``w_frr FRR + w_zero FAR_zero + w_spoof FAR_spoof`` is that of two classes once the two kinds of
non-targets are mixed: with the share ``w_spoof / (w_zero + w_spoof)`` of spoofs, FAR is the mean of both
rates at every threshold. In whole numbers a zero-effort trial then counts a N_spoof and a spoof b N_zero,
where a : b are the two weights.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.stats.rates import ratio, weighted_error
from reporting.core.stats.sweep import least_cost

Mix = tuple[int, int]
"""How much the FAR of zero-effort trials counts, and that of spoofs: without a common divisor."""


def in_whole_numbers(zero_effort: Fraction, spoof: Fraction) -> Mix:
    """Return two weights in exactly their proportion."""
    common = math.lcm(zero_effort.denominator, spoof.denominator)
    a, b = int(zero_effort * common), int(spoof * common)
    divisor = math.gcd(a, b)
    return a // divisor, b // divisor


def exact(number: float) -> Fraction:
    """Return a number of the config as it is written in decimals."""
    return Fraction(repr(float(number)))


def adcf_mix(p_nontarget: float, p_spoof: float, c_fa: float, c_spoof: float, **_: Any) -> Mix:
    """Return how the two rates are mixed in the a-DCF: as C_fa pi_non to C_fa_spoof pi_spoof."""
    return in_whole_numbers(exact(c_fa) * exact(p_nontarget), exact(c_spoof) * exact(p_spoof))


def adcf_weights(
    p_nontarget: float, p_spoof: float, c_miss: float, c_fa: float, c_spoof: float, normalised: bool
) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of the a-DCF, FAR that of the mix.

    C_miss pi_tar FRR + C_fa pi_non FAR_zero + C_fa_spoof pi_spoof FAR_spoof, pi_tar = 1 - pi_non - pi_spoof.
    Normalised: over min(C_miss pi_tar, C_fa pi_non + C_fa_spoof pi_spoof), the cost of rejecting or accepting
    all. Source: Shim et al. 2024, eq. (2) to (4).
    """
    miss, false_alarm = c_miss * (1 - p_nontarget - p_spoof), c_fa * p_nontarget + c_spoof * p_spoof
    unit = min(miss, false_alarm) if normalised else 1.0
    return false_alarm / unit, miss / unit


def share_mix(spoof_share: float, **_: Any) -> Mix:
    """Return how the two rates are mixed where spoofs have a share of the weight."""
    return in_whole_numbers(1 - exact(spoof_share), exact(spoof_share))


def adcf(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, **parameters: Any) -> FloatArray:
    """a-DCF at a threshold, in [0, inf), lower is better; undefined where a kind of trials is missing.

    ``false_alarms`` and ``n_nontarget`` are those of the mix.
    """
    w_far, w_frr = adcf_weights(**parameters)
    return np.asarray(w_far * ratio(false_alarms, n_nontarget) + w_frr * ratio(misses, n_target))


def spoofing_error(
    misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, alpha: Any, spoof_share: float
) -> FloatArray:
    """alpha FAR of the mix + (1 - alpha) FRR, in [0, 1], lower is better."""
    return weighted_error(misses, false_alarms, n_target, n_nontarget, alpha)


def minadcf(misses: Any, false_alarms: Any, **parameters: Any) -> FloatArray:
    """Least a-DCF over all thresholds, along the last axis."""
    return least_cost(misses, false_alarms, *adcf_weights(**parameters))


def tdcf_weights(
    p_nontarget: float,
    p_spoof: float,
    c_miss: float,
    c_fa: float,
    c_spoof: float,
    asv_miss: float,
    asv_fa: float,
    asv_spoof_fa: float,
    normalised: bool,
) -> tuple[float, float, float]:
    """Return ``(offset, w_far, w_frr)`` of the ASV-constrained t-DCF of a countermeasure.

    t-DCF = C0 + C1 FRR + C2 FAR, with C0 = pi_tar C_miss P_miss + pi_non C_fa P_fa and
    C1 = pi_tar C_miss - C0 of the ASV system, and C2 = pi_spoof C_fa_spoof P_fa,spoof. Normalised: over
    C0 + min(C1, C2), the cost of a countermeasure that rejects or accepts all.
    Source: Kinnunen et al. 2020, eq. (10) to (12).
    """
    p_target = 1 - p_nontarget - p_spoof
    offset = p_target * c_miss * asv_miss + p_nontarget * c_fa * asv_fa
    w_frr, w_far = p_target * c_miss - offset, p_spoof * c_spoof * asv_spoof_fa
    unit = offset + min(w_frr, w_far) if normalised else 1.0
    return offset / unit, w_far / unit, w_frr / unit


def tdcf(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, **parameters: Any) -> FloatArray:
    """t-DCF at a threshold of the countermeasure, targets bona fide, non-targets spoofs; lower is better."""
    offset, w_far, w_frr = tdcf_weights(**parameters)
    return np.asarray(offset + w_far * ratio(false_alarms, n_nontarget) + w_frr * ratio(misses, n_target))


def mintdcf(misses: Any, false_alarms: Any, **parameters: Any) -> FloatArray:
    """Least t-DCF over all thresholds, along the last axis."""
    offset, *weights = tdcf_weights(**parameters)
    return np.asarray(offset + least_cost(misses, false_alarms, *weights))
