"""Expected Performance Curves in pictures, with obtained against expected rates where rates are aimed at."""

from __future__ import annotations

import polars as pl

from reporting.charts.draw import Words
from reporting.charts.epc import MOST_BANDS, MOST_ORACLES, Curve, curves_asked, epc_figure
from reporting.charts.expected import expected_figure, expected_rates
from reporting.criteria.criterion import Criterion
from reporting.report import numbers
from reporting.report.blocks import Figure
from reporting.sections.figure_words import models, on_test
from reporting.wording.phrases import CHOSEN, level_text, listing, units
from reporting.wording.terms import Terms
from reporting.wording.view import View


def epc_figures(view: View) -> list[Figure]:
    """Return a figure for each criterion and measure of the plan, and one for each rate that is aimed at."""
    banded = _banded(view)
    curves = [Curve(view, criterion, measure, banded) for criterion, measure in curves_asked(view)]
    figures = [_epc(curve) for curve in curves if len(curve.rows)]
    return figures + [_expected(view, rate) for rate in expected_rates(view)]


def _banded(view: View) -> list[str]:
    """All models while the bands can be told apart, else the two of which the verdict speaks."""
    if len(view.results.models) <= MOST_BANDS:
        return list(view.results.models)
    baseline = view.study.baseline
    two = [baseline] if baseline is not None else []
    return (two + [key for key in view.ranked if key not in two])[:2]


def _epc(curve: Curve) -> Figure:
    return epc_figure(curve, Words(_caption(curve), _alt(curve)))


def _caption(curve: Curve) -> str:
    view = curve.view
    measure = view.terms.measure(curve.measure)
    said = f"{on_test(view)}: {measure} at {_thresholds(view, curve.criterion)}."
    said += _bands(curve)
    if len(view.results.models) <= MOST_ORACLES and curve.rows["value_oracle"].count():
        said += " Thin dashed lines: thresholds chosen on test (a posteriori)."
    if curve.leaves_the_frame:
        said += " Near the ends of the axis a curve leaves the frame."
    return said


def _bands(curve: Curve) -> str:
    """Say what the bands are, and of which models."""
    view, inference = curve.view, curve.view.study.inference
    if not curve.has(("ci_low", "ci_high")):
        return ""
    every = len(curve.banded) == len(view.results.models)
    whose = "" if every else f" of {listing(view.names[key] for key in curve.banded)}"
    letter, level = _letter(view, curve.criterion), level_text(inference.level)
    said = f"{level} percentile intervals at each {letter} by itself (pointwise)"
    if curve.has(("band_low", "band_high")):
        said = f"darker, {said}; lighter, the {level} sup-t band, which holds at every {letter} at once"
    how = "given the thresholds"
    if "procedure" in curve.rows["inference"].to_list():
        how = "thresholds chosen again in every replicate"
    return (
        f" Bands{whose}: {said}; {how}, {units(view.results, inference.unit)} resampled,"
        f" {numbers.count(inference.replicates)} replicates."
    )


def _thresholds(view: View, criterion: Criterion) -> str:
    spoken = view.terms
    if criterion.threshold is not None:
        return f"the {spoken.criterion(criterion)} for each {_letter(view, criterion)}"
    where = CHOSEN[view.study.thresholds.policy]
    how = f": {_along_alpha(spoken, criterion)}" if criterion.swept == "alpha" else ""
    return f"thresholds chosen {where} for each {_letter(view, criterion)}{how} (a priori)"


def _along_alpha(spoken: Terms, criterion: Criterion) -> str:
    return spoken.say(criterion.definition).replace("alpha", "α")


def _letter(view: View, criterion: Criterion) -> str:
    return "α" if criterion.swept == "alpha" else f"target {_rate(view, criterion.swept)}"


def _rate(view: View, swept: str) -> str:
    """What the rate is called that a criterion, or a figure, aims at."""
    return {"far": view.terms.far, "frr": view.terms.frr}.get(swept, swept.upper())


def _alt(curve: Curve) -> str:
    view, printed = curve.view, curve.view.printing(curve.measure)
    middle = min(curve.rows["alpha"].to_list(), key=lambda alpha: (abs(alpha - 0.5), alpha))
    values = dict(curve.rows.filter(pl.col("alpha") == middle).select("model", "value").rows())
    said = listing(
        f"{view.names[key]} {printed.value_with_unit(values[key])}"
        for key in view.results.models
        if key in values
    )
    letter, spoken = _letter(view, curve.criterion), view.terms
    by = spoken.criterion(curve.criterion)
    over = f"{spoken.measure(curve.measure)} on test over {letter}, by {by}"
    at = numbers.significant(middle, 2)
    return f"Expected performance curves of {models(view)}: {over}. At {letter} = {at}: {said}."


def _expected(view: View, rate: str) -> Figure:
    level = level_text(view.study.inference.level)
    outside = expected_rates(view)[rate]
    said = (
        f"{on_test(view)}: {_rate(view, rate)} obtained on test over the one expected from dev, at"
        f" thresholds that aim at it. Bands: where test falls with {level} probability if it is like dev,"
        " whatever the distribution of the scores; they hold for independent trials."
    )
    told = listing(f"{view.names[key]} {share:.0%}" for key, share in outside.items())
    result = f"Outside the band: {told} of the values aimed at."
    alt = f"Obtained over expected {_rate(view, rate)} of {models(view)}. {result}"
    return expected_figure(view, rate, Words(f"{said} {result}", alt))
