"""The statements of the README of ROCAnalysis.jl, each beside what is found here."""

from __future__ import annotations

import math

from scipy.special import ndtri

from configs.papers.paper import Claim, compared
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
from reporting.measures.presets import PRESETS
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED

DECIMALS = 4
STEADIER = 0.9
"""An interval is called narrower when it has at most this share of the other's width."""
SAME = 1e-9
AREA = 0.01
"""Two areas along the prior are told apart beyond this: the frame ends at log odds of -10 and 10."""
STRAIGHT = 0.2
"""A slope fits when it differs by at most this."""

E18 = "1/d falls only among distances of one sign; −d falls always."
E19 = (
    "The area meant is that under the error curve, 1 − AUC, in theory Φ(−√2); what most fields call AUC is"
    " its complement."
)
E20 = "With the usual null hypothesis, non-target, a false alarm is of type I and a miss of type II."
E21 = "The area is 2 ln 2 times Cllr, and 2 ln 2 is the area of deciding without scores."
E22 = "No decision rule errs on both classes at once; the fields pfa and pmiss of roc() are those of a rule."
E23 = (
    "The code adds a trial of each class at either end of the scale, so its value is above 0 for any finite"
    " set, and it is not the area under its own curve, which adds none."
)
E25 = "The ratio is the steepness; the line falls, so its slope has a minus sign."


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
        Claim(
            "Synopsis",
            "eer() of the example is close to Φ(−1)",
            with_interval(crossing),
            None if crossing is None else crossing.holds(known),
            fixed(known),
        ),
        Claim(
            "Single-numbered metrics",
            "eerch() tends to be more stable than eer()",
            f"its interval has {UNDEFINED if width is None else numbers.fixed(width, 2)} of the width",
            steadier,
        ),
        Claim(
            "Single-numbered metrics",
            "eerch() is the maximum over priors of the minimum cost",
            f"{fixed(None if hull is None else hull.value)}, highest least error {fixed(least)}",
            largest,
        ),
    )


def _curve(one: Seen) -> tuple[Claim, ...]:
    line, ratio = one.det_line, one.number("det_slope")
    points, kept = len(one.corners), len(one.hull[0])
    slope = None if line is None else line[0]
    return (
        Claim(
            "DET plot",
            "The DET of two normal classes is a straight line",
            "theory " + _inside(one.band_holds_theory, "the band of the whole curve"),
            one.band_holds_theory,
        ),
        Claim(
            "DET plot",
            "Its slope is the spread of non-targets over that of targets",
            f"slope {_two(slope)}, ratio {_two(ratio)}",
            None if slope is None or ratio is None else abs(slope - ratio) <= STRAIGHT,
            erratum=E25,
        ),
        compared(
            "DET plot",
            "d′ on the diagonal: about 6 at 0.1 % error",
            6.0,
            theory.dprime(-float(ndtri(0.001)), 1.0),
            0.5,
            1,
        ),
        Claim(
            "Plot optimisation",
            "Joining runs in one direction reduces the curve strongly",
            f"{numbers.count(points)} points, {kept} on the hull, of {numbers.count(one.distinct)} scores",
            None if one.distinct == 0 else points <= one.distinct / 10,
        ),
    )


def _areas(one: Seen) -> tuple[Claim, ...]:
    errors, usual = one.measured("error_area"), one.measured("auc")
    printed = 0.078
    return (
        Claim(
            "Synopsis",
            "auc() is close to 0.078",
            with_interval(errors),
            None if errors is None else errors.holds(printed),
            numbers.fixed(printed, 3),
        ),
        Claim(
            "Synopsis",
            "That is the area under the ROC",
            with_interval(usual),
            None if usual is None else usual.holds(printed),
            numbers.fixed(printed, 3),
            erratum=E19,
        ),
    )


def _costs(one: Seen, doubled: Seen | None) -> tuple[Claim, ...]:
    point = PRESETS["SRE08"].points[0]
    actual, at_zero = one.measured(f"dcf{DETECTION}", AT_BAYES), one.number(f"dcf{DETECTION}", AT_ZERO)
    gaps = [_gap(seen) for seen in (one, doubled)]
    worse = None if actual is None or at_zero is None else at_zero > actual.value
    return (
        Claim(
            "Synopsis",
            "DCF(0.01, 1, 10) is the setting of NIST SRE 2008",
            f"prior {point.p_target:g}, miss {point.c_miss:g}, false alarm {point.c_fa:g}",
            (point.p_target, point.c_miss, point.c_fa) == DCF,
        ),
        Claim(
            "Synopsis",
            "The threshold −plo(d) suits likelihood ratios better than 0",
            f"{fixed(None if actual is None else actual.value)} against {fixed(at_zero)}",
            worse,
        ),
        Claim(
            "Notebook",
            "Calibrated scores cost hardly more than the minimum, doubled ones do",
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
    for column, measure, colour in (("bayes_error", "cllr", "red"), ("min_bayes_error", "mincllr", "green")):
        area, cost = one.area(column), one.number(measure)
        known = area is not None and cost is not None
        ratio = area / cost if area is not None and cost else None
        found.append(
            Claim(
                "Synopsis",
                f"The area under the {colour} curve of the APE is {measure}()",
                f"area {_three(area)}, {measure} {_three(cost)}, ratio {_three(ratio)};"
                f" 2 ln 2 is {_three(2 * math.log(2))}",
                abs(area - cost) <= AREA if known and area is not None and cost is not None else None,
                erratum=E21,
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
        Claim(
            "Single-numbered metrics",
            "EER and AUC do not change under an increasing map",
            "; ".join(f"{fixed(a)}, doubled {fixed(b)}" for a, b in pairs),
            same,
        ),
        Claim(
            "Single-numbered metrics",
            "Cllr is 1 for scores without information",
            f"{_two(hand.cllr_without_information())} for scores that are all 0",
            abs(hand.cllr_without_information() - 1) <= SAME,
        ),
        Claim(
            "Single-numbered metrics",
            "mincllr() falls to 0 where the classes are separated",
            f"raw {fixed(hand.separated_mincllr(2, laplace=False))}; as coded {fixed(small)} with"
            f" {hand.SEPARATED[0]} trials a class, {fixed(large)} with {numbers.count(hand.SEPARATED[1])}",
            small <= SAME,
            erratum=E23,
        ),
        Claim(
            "Synopsis",
            "mincllr() sums up the green curve",
            f"as coded {_six(tempered)}, area over 2 ln 2 {_six(own)}, raw {_six(one.number('mincllr'))}",
            None if tempered is None or own is None else abs(tempered - own) <= 1e-4,
            erratum=E23,
        ),
        Claim(
            "Notebook",
            "The LLR plot has slope 1 for calibrated scores, about 1/2 for doubled ones",
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
        Claim(
            "Discrete and continuous scores",
            "Trials at the threshold are always errors",
            f"hand set at {hand.TIED_AT:g}: FRR {_two(both.frr)}, FAR {_two(both.far)}; accepted there"
            f" {_two(rules[0].frr)}, {_two(rules[0].far)}; rejected there"
            f" {_two(rules[1].frr)}, {_two(rules[1].far)}",
            both in rules,
            erratum=E22,
        ),
        Claim(
            "Receiver Operating Characteristic",
            "Of a distance d, −d or 1/d can serve as score",
            f"distances of both signs: AUC {_two(falls[0])} by −d, {_two(falls[1])} by 1/d",
            abs(falls[0] - falls[1]) <= SAME,
            erratum=E18,
        ),
        Claim(
            "Error rates",
            "A false alarm is an error of type II, a miss of type I",
            "a matter of which hypothesis is the null",
            None,
            erratum=E20,
        ),
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
