"""Pairs of Expected Performance Curves in pictures: where along alpha two models are shown to differ."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.charts.draw import Words
from reporting.charts.epc import Curve, curves_asked
from reporting.charts.epc_pair import FLOOR, MOST, PairOfCurves, epc_pair_figure
from reporting.report import numbers
from reporting.report.blocks import Block, Figure
from reporting.sections.figure_words import more_pairs, pairs_to_draw, the_test
from reporting.wording.phrases import AFRESH, drawn_units, level_text, listing
from reporting.wording.view import View

MOST_STRETCHES = 8


def epc_pair_figures(view: View) -> tuple[Block, ...]:
    """Return the first pairs on the plan's first curve, and how many there are more."""
    found = list(_pairs(view))
    figures = tuple(_figure(pair, number) for number, pair in enumerate(found[:MOST], start=1))
    return (*figures, *more_pairs("Expected performance curves", view, len(found), MOST))


def _pairs(view: View) -> Iterator[PairOfCurves]:
    for criterion, measure in curves_asked(view)[:1]:
        for models in pairs_to_draw(view):
            pair = PairOfCurves(Curve(view, criterion, measure, (), models), models)
            if len(pair.rows) and pair.rows["difference"].count() and len(pair.curve.rows):
                yield pair


def _figure(pair: PairOfCurves, number: int) -> Figure:
    return epc_pair_figure(pair, number, Words(_caption(pair), _alt(pair)))


def _caption(pair: PairOfCurves) -> str:
    view, measure = pair.view, pair.curve.measure
    model, other = (view.names[key] for key in pair.models)
    level = level_text(view.study.inference.level)
    spoken = view.terms
    by = spoken.criterion(pair.curve.criterion)
    said = (
        f"{model} and {other}: {spoken.measure(measure)} on {the_test(view)} at thresholds of {by} for each"
        f" {pair.letter}; below it p of the difference at each {pair.letter} by itself, unadjusted"
        f" (below {FLOOR} on its floor)."
    )
    if pair.rows["band_low"].count():
        band = f"the {level} sup-t band of the difference, which holds at all of them at once, leaves 0 out"
        said += f" Grey: where {band}." if pair.stretches else f" T{band[1:]} nowhere."
    return f"{said} {_estimand(pair)}"


def _estimand(pair: PairOfCurves) -> str:
    unit = pair.rows["unit"][0]
    drawn = f"{drawn_units(pair.view, unit)} resampled"
    replicates = pair.rows["replicates"].drop_nulls()
    if len(replicates):
        drawn += f", {numbers.count(int(replicates[0]))} replicates"
    if pair.inference == "procedure":
        return f"The models, {AFRESH}; {drawn}."
    if pair.curve.criterion.threshold is None:
        return f"It compares the two tuned systems, thresholds held as chosen; {drawn}."
    return f"Thresholds are given; {drawn}."


def _alt(pair: PairOfCurves) -> str:
    view = pair.view
    model, other = (view.names[key] for key in pair.models)
    measure = view.terms.measure(pair.curve.measure)
    said = f"Expected performance curves of {model} and {other} in {measure} on test."
    spans = [f"{_alpha(low)} to {_alpha(high)}" for low, high in pair.stretches]
    if spans:
        where = listing(spans, MOST_STRETCHES)
        said += f" They are shown to differ for {pair.letter} from {where}."
    else:
        said += f" They are shown to differ at no {pair.letter}."
    smallest = pair.rows["p_value"].min()
    if smallest is None:
        return said
    return f"{said} The smallest p at one {pair.letter}: {numbers.p_value(float(str(smallest)))}."


def _alpha(value: float) -> str:
    return f"{value:.3g}"
