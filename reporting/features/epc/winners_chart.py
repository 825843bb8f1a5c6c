"""In-contention rows: over all cost ratios, which models may have the lowest weighted error."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from reporting.base.records import dataclass
from reporting.core.criteria.rates import MIN_HTER
from reporting.core.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.document.blocks import Axis, Figure, Series, Spec, colour
from reporting.document.charts.axes import nice_axis
from reporting.document.charts.chart_spec import Vertices, bar
from reporting.document.charts.picture import Words, models_chart, render, rows_on_test, shortened
from reporting.document.words.decisions import of_a_pair
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.tables import limits
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.epc.cost_axis import along, cost_axis, place
from reporting.features.epc.winners import WINNERS, WinnerRow, alpha_of

MOST = 8
"""So many models have a row, the first in rank that are in contention anywhere."""
ALONE, TOGETHER, OUT = 2, 1, 0
"""In contention at that alpha; ruled out there, but not with all alphas taken together; ruled out even so."""
THICK, SOLID, THIN = 0.34, 0.17, 0.04
"""Half the height in rows where a value is the lowest, where it is in contention, and where it is ruled out
at that alpha alone."""
FOR_STATE = {ALONE: SOLID, TOGETHER: THIN}
LAYERS = {THICK: 8, SOLID: 5, THIN: 8}
"""On paper: how many bands of light ink lie over each other."""
SLIVER = 0.012
"""A single alpha that takes less of the width is drawn as its neighbours where they agree."""
LETTERS, MOST_LETTERS = 14, 28
"""A name has up to two lines of so many letters; of longer ones the first letters are shown."""
LETTER, LEAST_LEFT = 7, 56
"""Pixels of a letter, and the fewest that names take left of the rows."""
SAME = 1e-12

Stretch = tuple[float, float]


@dataclass(frozen=True, eq=False)
class CostRatioRegions:
    """The rows of the frame ``winners`` of one dataset and run."""

    view: DatasetView
    rows: pl.DataFrame

    @cached_property
    def alphas(self) -> list[float]:
        """Every alpha, ascending."""
        return sorted(set(self.rows["alpha"].to_list()))

    @cached_property
    def models(self) -> list[str]:
        """The models that have rows, by rank."""
        with_rows = set(self.rows["model"].to_list())
        return [model for model in self.view.ranked if model in with_rows]

    @cached_property
    def drawn(self) -> list[str]:
        """The models that have a row of the picture, by rank."""
        if not self.is_known:
            return self.models[:MOST]
        return [model for model in self.models if {ALONE, TOGETHER} & {*self.states(model)}][:MOST]

    @cached_property
    def of_model(self) -> dict[str, list[WinnerRow]]:
        """The rows of every model, by alpha."""
        parts = self.rows.sort("alpha").partition_by("model", as_dict=True)
        every = self.view.results.models
        return {model: WINNERS.rows(parts[(model,)]) for model in every if (model,) in parts}

    @cached_property
    def cells(self) -> list[Stretch]:
        """The range of each alpha: half-way to its neighbours, at most to twice or half its odds."""
        last = len(self.alphas) - 1
        middles = [(low + high) / 2 for low, high in itertools.pairwise(self.alphas)]
        cells = []
        for at, alpha in enumerate(self.alphas):
            half, twice = (times * alpha / (1 - alpha + times * alpha) for times in (0.5, 2))
            low = max(half, middles[at - 1]) if at else max(half, 2 * alpha - middles[0])
            high = min(twice, middles[at]) if at < last else min(twice, 2 * alpha - middles[-1])
            cells.append((low, high))
        return cells

    @cached_property
    def axis(self) -> Axis:
        """The cost ratios."""
        return cost_axis(self.view.terms, self.alphas)

    @cached_property
    def labels(self) -> list[str]:
        """The names of the drawn models, long ones in two lines."""
        names = shortened([self.view.names[model] for model in self.drawn], MOST_LETTERS)
        return ["\n".join(textwrap.wrap(name, LETTERS)[:2]) for name in names]

    @property
    def left(self) -> int:
        """Pixels left of the rows, and of the picture above them."""
        longest = max(len(line) for label in self.labels for line in label.split("\n"))
        return max(LEAST_LEFT, LETTER * longest)

    @cached_property
    def drawn_cells(self) -> list[Stretch]:
        """The cells as they lie on the axis of cost ratios."""
        low, high = self.axis.low, self.axis.high
        return [(max(place(start), low), min(place(end), high)) for start, end in self.cells]

    @cached_property
    def lowest(self) -> list[float | None]:
        """The lowest value at every alpha."""
        best = dict(self.rows.drop_nulls("value").group_by("alpha").agg(pl.col("value").min()).rows())
        return [best.get(alpha) for alpha in self.alphas]

    def leads(self, model: str) -> list[bool]:
        """Return at every alpha whether no model has a lower value."""
        pairs = zip((row.value for row in self.of_model[model]), self.lowest, strict=True)
        return [v is not None and low is not None and v - low <= SAME for v, low in pairs]

    @cached_property
    def counts(self) -> list[tuple[str, int]]:
        """The models by how many alphas they have the lowest value at, most first."""
        counts = [(model, sum(self.leads(model))) for model in self.models]
        return sorted(counts, key=lambda count: -count[1])

    def states(self, model: str) -> list[int | None]:
        """ALONE, TOGETHER or OUT at every alpha; None where nothing is known."""
        return [state(row) for row in self.of_model[model]]

    @property
    def is_known(self) -> bool:
        """Whether it is asked which of several models may be best, and known of any.

        Against a baseline, and of two models, the question is whether they differ: another test decides.
        """
        is_asked = self.view.study.baseline is None and not of_a_pair(self.view)
        return is_asked and bool(self.rows["may_be_best"].count())

    @cached_property
    def ruled_out(self) -> dict[str, int]:
        """At how many alphas each model is ruled out, all alphas taken together."""
        return {model: self.states(model).count(OUT) for model in self.models}

    def stretches(self, inside: Sequence[bool]) -> list[Stretch]:
        """Join the drawn cells that are inside into stretches; a gap between two cells parts them."""
        stretches: list[Stretch] = []
        for within, (low, high) in zip(inside, self.drawn_cells, strict=True):
            if within and stretches and low - stretches[-1][1] <= SAME:
                stretches[-1] = stretches[-1][0], high
            elif within:
                stretches.append((low, high))
        return stretches

    def smoothed(self, states: Sequence[int | None]) -> list[int | None]:
        """Return the states with single slivers as their neighbours, where those agree."""
        width = SLIVER * (self.axis.high - self.axis.low)
        kept = list(states)
        for at in range(1, len(states) - 1):
            before, here, behind = states[at - 1 : at + 2]
            low, high = self.drawn_cells[at]
            if before == behind != here and high - low < width:
                kept[at] = before
        return kept


def state(row: WinnerRow) -> int | None:
    """Return what is known of a model at one alpha."""
    if row.may_be_best is None:
        return None
    return ALONE if row.may_be_best else TOGETHER if row.may_be_best_joint else OUT


def cost_ratio_regions(view: DatasetView) -> CostRatioRegions | None:
    """Return the map of a dataset and run; None where the frame has no rows of it."""
    rows = rows_on_test(view, WINNERS)
    return CostRatioRegions(view, rows) if view.whole and rows["alpha"].n_unique() > 1 else None


def one_model_figure(choice: CostRatioRegions, words: Words) -> Figure:
    """Draw the weighted error of the only model with its interval at every cost ratio."""
    (model,) = choice.models
    rows = [row for row in choice.of_model[model] if row.value is not None]
    known = [row for row in rows if row.ci_low is not None and row.ci_high is not None]
    band = [(model, _percent(known, "ci_low", "ci_high"))] if len(known) > 1 else []
    line = _percent(rows, "value")
    top = max(float(y.max()) for _, *ys in (line, *(vertices for _, vertices in band)) for y in ys)
    error = choice.view.terms.measure(WEIGHTED_ERROR)
    y_axis = nice_axis(f"{capitalised(error)} (%)", 0.0, top)
    chart = models_chart(choice.view, "winners", choice.axis, y_axis, [(model, line)], bands=band)
    return render(chart, words)


def _percent(rows: Sequence[WinnerRow], *columns: str) -> Vertices:
    x = along(np.array([row.alpha for row in rows]))
    return (x, *(100 * np.array([getattr(row, column) for row in rows], np.float64) for column in columns))


def asked_points(winners: CostRatioRegions) -> list[tuple[str, float]]:
    """Return the operating points by name, each alpha once, ascending."""
    points = ((point.name, alpha_of(point)) for point in winners.view.study.operating_points)
    by_alpha: dict[float, tuple[str, float]] = {}
    for name, alpha in points:
        by_alpha.setdefault(float(f"{alpha:.9g}"), (name, alpha))
    return sorted(by_alpha.values(), key=lambda point: point[1])


def _parts(winners: CostRatioRegions, model: str) -> Iterator[tuple[float, list[Stretch]]]:
    states = winners.smoothed(winners.states(model))
    for which, half in FOR_STATE.items():
        yield half, winners.stretches([known == which for known in states])
    yield THICK, winners.stretches(winners.leads(model))


def bars_of(winners: CostRatioRegions) -> Iterator[Spec]:
    for line, model in enumerate(winners.drawn):
        centre, fill = len(winners.drawn) - line - 0.5, colour(winners.view.styles[model])
        for half, stretches in _parts(winners, model):
            for low, high in stretches:
                yield bar(low, high, centre, half, fill)


def shaded_of(winners: CostRatioRegions) -> Iterator[Series]:
    """The rows on paper: bands, the more of them over each other the darker."""
    for line, model in enumerate(winners.drawn):
        centre, style = len(winners.drawn) - line - 0.5, winners.view.styles[model]
        for half, stretches in _parts(winners, model):
            yield from _band(style, stretches, centre, half) * LAYERS[half]


def _band(style: int, stretches: list[Stretch], centre: float, half: float) -> list[Series]:
    """One band through all stretches; between them it has no height."""
    if not stretches:
        return []
    x = tuple(round(end, 6) for low, high in stretches for end in (low, low, high, high))
    flat, lower, upper = round(centre, 6), round(centre - half, 6), round(centre + half, 6)
    ends = [(flat, flat), (lower, upper), (lower, upper), (flat, flat)] * len(stretches)
    return [Series("", "band", style, x, tuple(a for a, _ in ends), tuple(b for _, b in ends))]


def cost_limits(view: DatasetView, row: WinnerRow) -> tuple[float | None, float | None]:
    """Return the interval of a weighted error; at equal weights it is that of the same HTER in ``metrics``.

    One number has one interval in a report, though the frames draw it in two ways.
    """
    hter = view.metric(row.model, HTER, MIN_HTER) if math.isclose(row.alpha, 0.5) else None
    if hter is None or hter.ci_low is None or hter.value is None or row.value is None:
        return limits(row)
    return limits(hter if math.isclose(hter.value, row.value, rel_tol=1e-9) else row)


def cost_printing(view: DatasetView, rows: Iterable[WinnerRow]) -> Printing:
    """Return how weighted errors are printed: as the HTER of the report where it has one."""
    if any(row.measure == str(HTER) for row in view.metrics):
        return view.printing(HTER)
    return Printing.of(
        WEIGHTED_ERROR, [standard_error(row.ci_low, row.ci_high, view.study.inference.level) for row in rows]
    )
