"""The statements of the README of ROCAnalysis.jl, each beside what is found here."""

from __future__ import annotations

import math
from pathlib import Path

from scipy.special import ndtri

from configs.papers.paper import Claim, read_claims
from configs.papers.rocanalysis import calibrated_normal as theory
from configs.papers.rocanalysis import hand
from configs.papers.rocanalysis.seen import (
    AT_BAYES,
    AT_ZERO,
    DCF,
    DETECTION,
    Seen,
    Value,
    relative_width,
)
from reporting.core.measures.costs import PRESETS
from reporting.document import UNDEFINED, numbers

CLAIMS = read_claims(Path(__file__).parent)
DECIMALS = 4
STEADIER = 0.9
"""An interval is called narrower when it has at most this share of the other's width."""
SAME = 1e-9
AREA = 0.01
"""Two areas along the prior are told apart beyond this: the frame ends at log odds of -10 and 10."""
STRAIGHT = 0.2
"""A slope fits when it differs by at most this."""


def claims(one: Seen, doubled: Seen | None) -> tuple[Claim, ...]:
    """Return the statements in the README's order."""
    return (
        *_equal_errors(one),
        *_curve(one),
        *_areas(one),
        *_costs(one, doubled),
        *_along_priors(one),
        *_calibration(one, doubled),
        *_words(),
    )


def fixed(value: float | None) -> str:
    """Print a proportion, an area or a cost."""
    return UNDEFINED if value is None else numbers.fixed(value, DECIMALS)


def with_interval(found: Value | None) -> str:
    """Print a value and its interval."""
    if found is None:
        return UNDEFINED
    return f"{fixed(found.value)} {numbers.bracket(found.low, found.high, DECIMALS)}"


def _equal_errors(one: Seen) -> tuple[Claim, ...]:
    known, crossing, hull = theory.eer(*one.theory), one.measured("eer_interp"), one.measured("eer_rocch")
    width = relative_width(hull, crossing)
    steadier = None
    if width is not None and not STEADIER < width < 1 / STEADIER:
        steadier = width <= STEADIER
    least = None if one.priors.is_empty() else float(one.priors["min_bayes_error"].to_numpy().max())
    largest = None if least is None or hull is None else abs(least - hull.value) <= SAME
    return (
        CLAIMS["eer"].found(
            with_interval(crossing), None if crossing is None else crossing.holds(known), fixed(known)
        ),
        CLAIMS["eerch_stable"].found(
            f"its interval has {UNDEFINED if width is None else numbers.fixed(width, 2)} of the width",
            steadier,
        ),
        CLAIMS["eerch_maximum"].found(
            f"{fixed(None if hull is None else hull.value)}, highest least error {fixed(least)}", largest
        ),
    )


def _curve(one: Seen) -> tuple[Claim, ...]:
    line, ratio = one.det_line, one.number("det_slope")
    points, kept = len(one.corners), len(one.hull[0])
    slope = None if line is None else line[0]
    return (
        CLAIMS["det_straight"].found(
            "theory " + _inside(one.band_holds_theory, "the band of the whole curve"), one.band_holds_theory
        ),
        CLAIMS["det_slope"].found(
            f"slope {_two(slope)}, ratio {_two(ratio)}",
            None if slope is None or ratio is None else abs(slope - ratio) <= STRAIGHT,
        ),
        CLAIMS["dprime"].against(theory.dprime(-float(ndtri(0.001)), 1.0)),
        CLAIMS["joined"].found(
            f"{numbers.count(points)} points, {kept} on the hull, of {numbers.count(one.distinct)} scores",
            None if one.distinct == 0 else points <= one.distinct / 10,
        ),
    )


def _areas(one: Seen) -> tuple[Claim, ...]:
    errors, usual = one.measured("error_area"), one.measured("auc")
    return (
        CLAIMS["error_area"].found(
            with_interval(errors), None if errors is None else errors.holds(CLAIMS["error_area"].number)
        ),
        CLAIMS["usual_area"].found(
            with_interval(usual), None if usual is None else usual.holds(CLAIMS["usual_area"].number)
        ),
    )


def _costs(one: Seen, doubled: Seen | None) -> tuple[Claim, ...]:
    point = PRESETS["SRE08"].points[0]
    actual, at_zero = one.measured(f"dcf{DETECTION}", AT_BAYES), one.number(f"dcf{DETECTION}", AT_ZERO)
    gaps = [_gap(seen) for seen in (one, doubled)]
    worse = None if actual is None or at_zero is None else at_zero > actual.value
    return (
        CLAIMS["sre08"].found(
            f"prior {point.p_target:g}, miss {point.c_miss:g}, false alarm {point.c_fa:g}",
            (point.p_target, point.c_miss, point.c_fa) == DCF,
        ),
        CLAIMS["bayes_threshold"].found(
            f"{fixed(None if actual is None else actual.value)} against {fixed(at_zero)}", worse
        ),
        CLAIMS["calibrated_cost"].found(
            f"{fixed(gaps[0])} more, doubled {fixed(gaps[1])} more",
            None if gaps[0] is None or gaps[1] is None else 0 <= gaps[0] < gaps[1] / 2,
        ),
    )


def _gap(seen: Seen | None) -> float | None:
    if seen is None:
        return None
    actual, least = seen.number(f"dcf{DETECTION}", AT_BAYES), seen.number(f"mindcf{DETECTION}")
    return None if actual is None or least is None else actual - least


def _along_priors(one: Seen) -> tuple[Claim, ...]:
    found = []
    for column, measure, key in (
        ("bayes_error", "cllr", "ape_red"),
        ("min_bayes_error", "mincllr", "ape_green"),
    ):
        area, cost = one.area(column), one.number(measure)
        known = area is not None and cost is not None
        ratio = area / cost if area is not None and cost else None
        found.append(
            CLAIMS[key].found(
                f"area {_three(area)}, {measure} {_three(cost)}, ratio {_three(ratio)};"
                f" 2 ln 2 is {_three(2 * math.log(2))}",
                abs(area - cost) <= AREA if known and area is not None and cost is not None else None,
            )
        )
    return tuple(found)


def _calibration(one: Seen, doubled: Seen | None) -> tuple[Claim, ...]:
    pairs = [
        (one.number(m), None if doubled is None else doubled.number(m)) for m in ("eer_rocch", "error_area")
    ]
    same = None if any(None in pair for pair in pairs) else all(a == b for a, b in pairs)
    area, tempered = one.area("min_bayes_error"), one.mincllr_with_laplace
    own = None if area is None else area / (2 * math.log(2))
    small, large = (hand.separated_mincllr(n, laplace=True) for n in hand.SEPARATED)
    slopes = one.llr_slope, None if doubled is None else doubled.llr_slope
    return (
        CLAIMS["map_invariance"].found("; ".join(f"{fixed(a)}, doubled {fixed(b)}" for a, b in pairs), same),
        CLAIMS["no_information"].found(
            f"{_two(hand.cllr_without_information())} for scores that are all 0",
            abs(hand.cllr_without_information() - 1) <= SAME,
        ),
        CLAIMS["separated"].found(
            f"raw {fixed(hand.separated_mincllr(2, laplace=False))}; as coded {fixed(small)} with"
            f" {hand.SEPARATED[0]} trials a class, {fixed(large)} with {numbers.count(hand.SEPARATED[1])}",
            small <= SAME,
        ),
        CLAIMS["green_curve"].found(
            f"as coded {_six(tempered)}, area over 2 ln 2 {_six(own)}, raw {_six(one.number('mincllr'))}",
            None if tempered is None or own is None else abs(tempered - own) <= 1e-4,
        ),
        CLAIMS["llr_slope"].found(
            f"{_two(slopes[0])}, doubled {_two(slopes[1])}",
            None
            if slopes[0] is None or slopes[1] is None
            else abs(slopes[0] - 1) <= STRAIGHT and abs(slopes[1] - 0.5) <= STRAIGHT / 2,
        ),
    )


def _words() -> tuple[Claim, ...]:
    rates = hand.counted_at_ties()
    both, rules = rates["both"], (rates["accepted"], rates["rejected"])
    falls = hand.area_of_distances(inverse=False), hand.area_of_distances(inverse=True)
    return (
        CLAIMS["at_threshold"].found(
            f"hand set at {hand.TIED_AT:g}: FRR {_two(both.frr)}, FAR {_two(both.far)}; accepted there"
            f" {_two(rules[0].frr)}, {_two(rules[0].far)}; rejected there"
            f" {_two(rules[1].frr)}, {_two(rules[1].far)}",
            both in rules,
        ),
        CLAIMS["distances"].found(
            f"distances of both signs: AUC {_two(falls[0])} by −d, {_two(falls[1])} by 1/d",
            abs(falls[0] - falls[1]) <= SAME,
        ),
        CLAIMS["error_types"].found("a matter of which hypothesis is the null", None),
    )


def _inside(holds: bool | None, what: str) -> str:
    if holds is None:
        return f"not held against {what}"
    return f"{'inside' if holds else 'leaves'} {what}"


def _two(value: float | None) -> str:
    return UNDEFINED if value is None else numbers.fixed(value, 2)


def _three(value: float | None) -> str:
    return UNDEFINED if value is None else numbers.fixed(value, 3)


def _six(value: float | None) -> str:
    return UNDEFINED if value is None else numbers.fixed(value, 6)
