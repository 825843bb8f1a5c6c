"""Expected Performance Curves in pictures, with obtained against expected rates where rates are aimed at."""

from __future__ import annotations

import polars as pl

from reporting.charts.draw import Words
from reporting.charts.epc import MOST_BANDS, MOST_ORACLES, Curve, curves_asked, epc_figure
from reporting.charts.expected import expected_figure, expected_rates
from reporting.charts.scope import Scope
from reporting.charts.terms import Terms
from reporting.charts.words import terms_of
from reporting.criteria.criterion import Criterion
from reporting.report import numbers
from reporting.report.blocks import Figure
from reporting.sections.figure_words import models, on_test
from reporting.sections.printing import printing
from reporting.sections.wording import CHOSEN, level_text, listing, units


def epc_figures(scope: Scope) -> list[Figure]:
    """Return a figure for each criterion and measure of the plan, and one for each rate that is aimed at."""
    banded = _banded(scope)
    curves = [Curve(scope, criterion, measure, banded) for criterion, measure in curves_asked(scope)]
    figures = [_epc(curve) for curve in curves if len(curve.rows)]
    return figures + [_expected(scope, rate) for rate in expected_rates(scope)]


def _banded(scope: Scope) -> list[str]:
    """All models while the bands can be told apart, else the two of which the verdict speaks."""
    if len(scope.results.models) <= MOST_BANDS:
        return list(scope.results.models)
    baseline = scope.study.baseline
    two = [baseline] if baseline is not None else []
    return (two + [key for key in scope.ranked if key not in two])[:2]


def _epc(curve: Curve) -> Figure:
    return epc_figure(curve, Words(_caption(curve), _alt(curve)))


def _caption(curve: Curve) -> str:
    scope = curve.scope
    measure = terms_of(scope).measure(curve.measure)
    said = f"{on_test(scope)}: {measure} at {_thresholds(scope, curve.criterion)}."
    said += _bands(curve)
    if len(scope.results.models) <= MOST_ORACLES and curve.rows["value_oracle"].count():
        said += " Thin dashed lines: thresholds chosen on test (a posteriori)."
    if curve.leaves_the_frame:
        said += " Near the ends of the axis a curve leaves the frame."
    return said


def _bands(curve: Curve) -> str:
    """Say what the bands are, and of which models."""
    scope, inference = curve.scope, curve.scope.study.inference
    if not curve.has(("ci_low", "ci_high")):
        return ""
    every = len(curve.banded) == len(scope.results.models)
    whose = "" if every else f" of {listing(scope.names[key] for key in curve.banded)}"
    letter, level = _letter(scope, curve.criterion), level_text(inference.level)
    said = f"{level} percentile intervals at each {letter} by itself (pointwise)"
    if curve.has(("band_low", "band_high")):
        said = f"darker, {said}; lighter, the {level} sup-t band, which holds at every {letter} at once"
    how = "given the thresholds"
    if "procedure" in curve.rows["inference"].to_list():
        how = "thresholds chosen again in every replicate"
    return (
        f" Bands{whose}: {said}; {how}, {units(scope.results, inference.unit)} resampled,"
        f" {numbers.count(inference.replicates)} replicates."
    )


def _thresholds(scope: Scope, criterion: Criterion) -> str:
    spoken = terms_of(scope)
    if criterion.threshold is not None:
        return f"the {spoken.criterion(criterion)} for each {_letter(scope, criterion)}"
    where = CHOSEN[scope.study.thresholds.policy]
    how = f": {_along_alpha(spoken, criterion)}" if criterion.swept == "alpha" else ""
    return f"thresholds chosen {where} for each {_letter(scope, criterion)}{how} (a priori)"


def _along_alpha(spoken: Terms, criterion: Criterion) -> str:
    return spoken.say(criterion.definition).replace("alpha", "α")


def _letter(scope: Scope, criterion: Criterion) -> str:
    return "α" if criterion.swept == "alpha" else f"target {_rate(scope, criterion.swept)}"


def _rate(scope: Scope, swept: str) -> str:
    """What the rate is called that a criterion, or a figure, aims at."""
    return {"far": terms_of(scope).far, "frr": terms_of(scope).frr}.get(swept, swept.upper())


def _alt(curve: Curve) -> str:
    scope, printed = curve.scope, printing(curve.scope, curve.measure)
    middle = min(curve.rows["alpha"].to_list(), key=lambda alpha: (abs(alpha - 0.5), alpha))
    values = dict(curve.rows.filter(pl.col("alpha") == middle).select("model", "value").rows())
    said = listing(
        f"{scope.names[key]} {printed.value_with_unit(values[key])}"
        for key in scope.results.models
        if key in values
    )
    letter, spoken = _letter(scope, curve.criterion), terms_of(scope)
    by = spoken.criterion(curve.criterion)
    over = f"{spoken.measure(curve.measure)} on test over {letter}, by {by}"
    at = numbers.significant(middle, 2)
    return f"Expected performance curves of {models(scope)}: {over}. At {letter} = {at}: {said}."


def _expected(scope: Scope, rate: str) -> Figure:
    level = level_text(scope.study.inference.level)
    outside = expected_rates(scope)[rate]
    said = (
        f"{on_test(scope)}: {_rate(scope, rate)} obtained on test over the one expected from dev, at"
        f" thresholds that aim at it. Bands: where test falls with {level} probability if it is like dev,"
        " whatever the distribution of the scores; they hold for independent trials."
    )
    told = listing(f"{scope.names[key]} {share:.0%}" for key, share in outside.items())
    result = f"Outside the band: {told} of the values aimed at."
    alt = f"Obtained over expected {_rate(scope, rate)} of {models(scope)}. {result}"
    return expected_figure(scope, rate, Words(f"{said} {result}", alt))
