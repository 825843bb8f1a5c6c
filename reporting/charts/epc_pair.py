"""Two Expected Performance Curves, where along them the models are shown to differ, and p at each alpha."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reporting.charts.axes import PAGE_PIXELS, PRINT_PIXELS, places, reduce, steps
from reporting.charts.captions import more_pairs, pairs_to_draw, the_test
from reporting.charts.epc import FIFTHS, EpcCurve, axis_title, curves_asked, varies_with_alpha
from reporting.charts.picture import Sketch, Words, figure
from reporting.report import numbers
from reporting.report.blocks import Axis, Block, Figure, Series
from reporting.stats.staircase import FloatArray
from reporting.wording.phrases import AFRESH, drawn_units, level_text, listing
from reporting.wording.view import View

MOST = 4
"""So many pairs have a picture."""

SMALLEST_P = 1e-4
"""The floor of the strip of p-values: what is below lies on it."""
FLOOR = "10⁻⁴"
STRIP, GAP = 0.36, 0.08
"""Heights of the strip and of the space above it, as shares of the range of the curves."""
P_STYLES = (0, 4, 7)
"""Styles for the p-values: the first that neither model has."""


@dataclass(frozen=True, eq=False)
class PairOfCurves:
    """Two models along the parameter of one criterion; the curve's rows are those of both."""

    curve: EpcCurve
    models: tuple[str, str]

    @property
    def view(self) -> View:
        """The results that the pair is taken from."""
        return self.curve.view

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The comparisons along the parameter, ascending; ``shown`` where the band leaves 0 out."""
        rows = self.view.along(self.curve.criterion, self.curve.measure, *self.models)
        outside = (pl.col("band_low") > 0) | (pl.col("band_high") < 0)
        return rows.with_columns(shown=outside.fill_null(value=False))

    @property
    def inference(self) -> str:
        """The estimand of the comparisons."""
        return str(self.rows["inference"][0])

    @cached_property
    def stretches(self) -> list[tuple[float, float]]:
        """Where the models are shown to differ: from half-way to the neighbour before, to half-way behind."""
        at, shown = self.rows["parameter"].to_numpy(), self.rows["shown"].to_numpy()
        middle = (at[1:] + at[:-1]) / 2
        low, high = np.append(at[:1], middle), np.append(middle, at[-1:])
        stretches: list[tuple[float, float]] = []
        for start, end, inside in zip(low, high, shown, strict=True):
            if not inside:
                continue
            if stretches and stretches[-1][1] == start:
                start = stretches.pop()[0]
            stretches.append((float(start), float(end)))
        return stretches

    @property
    def level(self) -> float:
        """The error rate that p is held to."""
        return 1 - self.view.study.inference.level

    @cached_property
    def y_axis(self) -> Axis:
        """The curves' own axis, and below it a logarithmic one of p."""
        own = self.curve.y_axis
        bottom = self.of_p(SMALLEST_P)
        ticks = [(self.of_p(10.0**-k), _tick(k)) for k in range(_decades(), -1, -1)]
        return Axis(f"p at each {self.letter} | {own.title}", bottom, own.high, (*ticks, *own.ticks))

    @property
    def letter(self) -> str:
        """The parameter in print."""
        return "α" if self.curve.criterion.swept == "alpha" else "target"

    def of_p(self, p: float) -> float:
        """Where a p-value lies on the y axis."""
        own = self.curve.y_axis
        share = math.log10(max(p, SMALLEST_P)) / math.log10(SMALLEST_P)
        return own.low - (own.high - own.low) * (GAP + STRIP * share)


def _decades() -> int:
    return round(-math.log10(SMALLEST_P))


def _tick(power: int) -> str:
    if power == _decades():
        return FLOOR
    return "1" if power == 0 else f".{'0' * (power - 1)}1"


def epc_pair_figures(view: View) -> tuple[Block, ...]:
    """Return the first pairs on the plan's first curve, and how many there are more."""
    pairs = list(_pairs(view))
    figures = tuple(epc_pair_figure(pair, number) for number, pair in enumerate(pairs[:MOST], start=1))
    return (*figures, *more_pairs("Expected performance curves", view, len(pairs), MOST))


def _pairs(view: View) -> Iterator[PairOfCurves]:
    for criterion, measure in curves_asked(view)[:1]:
        for models in pairs_to_draw(view):
            pair = PairOfCurves(EpcCurve(view, criterion, measure, (), models), models)
            if len(pair.rows) and pair.rows["difference"].count() and len(pair.curve.rows):
                yield pair


def epc_pair_figure(pair: PairOfCurves, number: int) -> Figure:
    """Draw both curves, grey where the sup-t band of their difference leaves 0 out, and p below."""
    sketch = Sketch(
        name=pair.view.called(f"epc_pair_{number}"),
        page=list(_series(pair, PAGE_PIXELS)),
        printed=list(_series(pair, PRINT_PIXELS)),
        x_axis=Axis(axis_title(pair.curve.criterion, pair.view.terms), 0.0, 1.0, FIFTHS),
        y_axis=pair.y_axis,
    )
    return figure(sketch, Words(_caption(pair), _alt(pair)))


def _series(pair: PairOfCurves, pixels: int) -> Iterator[Series]:
    curve, view = pair.curve, pair.view
    own, stepped = curve.y_axis, not varies_with_alpha(curve.measure)
    for low, high in pair.stretches:
        yield Series("", "band", 0, (low, high), (pair.y_axis.low,) * 2, (own.high,) * 2)
    for edge in (own.low, pair.of_p(1.0)):
        yield Series("", "guide", 0, (0.0, 1.0), (edge, edge))
    at_level = pair.of_p(pair.level)
    yield Series(f"p = {pair.level:.2g}".replace("0.", "."), "guide", 0, (0.0, 0.02, 1.0), (at_level,) * 3)
    for model in pair.models:
        rows = curve.rows.filter(pl.col("model") == model)
        x, y = rows["alpha"].to_numpy(), curve.scale * rows["value"].to_numpy()
        yield _line(pair, view.names[model], view.styles[model], (x, y), stepped, pixels)
    known = pair.rows.drop_nulls("p_value")
    x, p = known["parameter"].to_numpy(), np.array([pair.of_p(p) for p in known["p_value"]])
    if len(x):
        taken = {view.styles[model] for model in pair.models}
        style = next(style for style in P_STYLES if style not in taken)
        yield _line(pair, _called(pair), style, (x, p), stepped, pixels)


def _called(pair: PairOfCurves) -> str:
    """Return the name of the p-values in the legend, which no model has."""
    name = "p"
    while name in {pair.view.names[model] for model in pair.models}:
        name += " "
    return name


def _line(
    pair: PairOfCurves,
    name: str,
    style: int,
    vertices: tuple[FloatArray, FloatArray],
    stepped: bool,
    pixels: int,
) -> Series:
    x, ys = vertices[0], [vertices[1]]
    if stepped:
        x, ys = steps(x, ys)
    x_axis = Axis("", 0.0, 1.0, ())
    kept = reduce(x, tuple(ys), x_axis, pair.y_axis, pixels)
    return Series(name, "line", style, places(x[kept]), places(ys[0][kept]))


MOST_STRETCHES = 8


def _caption(pair: PairOfCurves) -> str:
    view, measure = pair.view, pair.curve.measure
    model, other = (view.names[key] for key in pair.models)
    level = level_text(view.study.inference.level)
    spoken = view.terms
    by = spoken.criterion(pair.curve.criterion)
    caption = (
        f"{model} and {other}: {spoken.measure(measure)} on {the_test(view)} at thresholds of {by} for each"
        f" {pair.letter}; below it p of the difference at each {pair.letter} by itself, unadjusted"
        f" (below {FLOOR} on its floor)."
    )
    if pair.rows["band_low"].count():
        band = f"the {level} sup-t band of the difference, which holds at all of them at once, leaves 0 out"
        caption += f" Grey: where {band}." if pair.stretches else f" T{band[1:]} nowhere."
    return f"{caption} {_estimand(pair)}"


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
    spans = listing([f"{low:.3g} to {high:.3g}" for low, high in pair.stretches], MOST_STRETCHES)
    where = f"for {pair.letter} from {spans}" if spans else f"at no {pair.letter}"
    smallest = pair.rows["p_value"].drop_nulls().to_list()
    p = f" The smallest p at one {pair.letter}: {numbers.p_value(min(smallest))}." if smallest else ""
    return (
        f"Expected performance curves of {model} and {other} in {measure} on test."
        f" They are shown to differ {where}.{p}"
    )
