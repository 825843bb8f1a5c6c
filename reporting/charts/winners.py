"""The winner map: over all weights of false acceptance, which models may have the lowest weighted error."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from reporting.charts.draw import SIDE, Spec, draw_cells
from reporting.charts.epc import FIFTHS
from reporting.charts.picture import Words, per_model, rows_on_test, shortened
from reporting.frames import WINNERS, WinnerRow
from reporting.frames.winners import alpha_of
from reporting.report.blocks import NEUTRAL, Axis, Figure, Series, colour
from reporting.wording.view import View

MOST = 24
"""So many models have a row, the first by rank."""
ALONE, TOGETHER, OUT = 2, 1, 0
"""Not shown to be worse than the best at that alpha by itself; only not at all at once; shown even so."""
INKS = {ALONE: 0.6, TOGETHER: 0.22, OUT: 0.05, None: 0.05}
"""How much of a model's colour there is in its row, over a light page or a dark one."""
LAYERS = {ALONE: 5, TOGETHER: 1}
"""On paper: how many bands of light ink lie over each other."""
LINE_LAYERS = 8
HALF, HALF_LINE = 0.36, 0.07
"""Half the height of a bar, and of the line in it, in rows."""
NAME_ON_PAPER, NAME_ON_SCREEN = 12, 120
"""The letters, and the pixels, of a name beside its row."""
LABEL = 17
"""Pixels that a label of an upright line takes; there are at most three such lines of text."""
SAME = 1e-12

Stretch = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Map:
    """The rows of the frame ``winners`` of one dataset and run."""

    view: View
    rows: pl.DataFrame

    @cached_property
    def alphas(self) -> list[float]:
        """Every alpha, ascending."""
        return sorted(set(self.rows["alpha"].to_list()))

    @cached_property
    def models(self) -> list[str]:
        """The models that have rows, in the report's order."""
        with_rows = set(self.rows["model"].to_list())
        return [model for model in self.view.results.models if model in with_rows]

    @cached_property
    def drawn(self) -> list[str]:
        """The models that have a row of the picture, in the report's order."""
        first = set(self.view.ranked[:MOST]) if len(self.models) > MOST else set(self.models)
        return [model for model in self.models if model in first][:MOST]

    @cached_property
    def of_model(self) -> dict[str, list[WinnerRow]]:
        """The rows of every model, by alpha."""
        parts = per_model(self.view, self.rows.sort("alpha"))
        return {model: WINNERS.rows(rows) for model, rows in parts.items()}

    @cached_property
    def cells(self) -> list[Stretch]:
        """What each alpha stands for: half-way to its neighbours, at most to twice or half its odds."""
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
    def lowest(self) -> list[float | None]:
        """The lowest value at every alpha."""
        best = dict(self.rows.drop_nulls("value").group_by("alpha").agg(pl.col("value").min()).rows())
        return [best.get(alpha) for alpha in self.alphas]

    def leads(self, model: str) -> list[bool]:
        """Return at every alpha whether no model has a lower value."""
        pairs = zip((row.value for row in self.of_model[model]), self.lowest, strict=True)
        return [v is not None and low is not None and v - low <= SAME for v, low in pairs]

    def states(self, model: str) -> list[int | None]:
        """ALONE, TOGETHER or OUT at every alpha; None where nothing is known."""
        return [state(row) for row in self.of_model[model]]

    @property
    def is_known(self) -> bool:
        """Whether anything is said of several models at once."""
        return bool(self.rows["may_be_best"].count())

    def stretches(self, inside: Sequence[bool]) -> list[Stretch]:
        """Join the cells that are inside into stretches of alpha; a gap between two cells parts them."""
        stretches: list[Stretch] = []
        for within, (low, high) in zip(inside, self.cells, strict=True):
            if within and stretches and low - stretches[-1][1] <= SAME:
                stretches[-1] = stretches[-1][0], high
            elif within:
                stretches.append((low, high))
        return stretches


def state(row: WinnerRow) -> int | None:
    """Return what is known of a model at one alpha."""
    if row.may_be_best is None:
        return None
    return ALONE if row.may_be_best else TOGETHER if row.may_be_best_joint else OUT


def winner_map(view: View) -> Map | None:
    """Return the map of a dataset and run; None where the frame has no rows of it."""
    rows = rows_on_test(view, WINNERS)
    return Map(view, rows) if view.whole and rows["alpha"].n_unique() > 1 else None


def winners_figure(winners: Map, words: Words, explorer: Spec | None) -> Figure:
    """Draw one bar a model, dark where it may be the best, with a line where its value is the lowest."""
    name = winners.view.called("winners")
    guides = _guides(winners)
    ink = {"field": "ink", "type": "quantitative", "scale": None, "legend": None}
    names_only = {"grid": False, "ticks": False, "domain": False, "labelLimit": NAME_ON_SCREEN}
    spec = draw_cells(
        name,
        guides,
        _axes(winners, None),
        f"{name}_bars",
        list(_bars(winners)),
        mark={"type": "rect"},
        looks=({"grid": False}, names_only),
        channels={"opacity": ink},
    )
    printed = (*_shaded(winners), *guides)
    on_paper = _axes(winners, NAME_ON_PAPER)
    described = spec | {"description": words.alt}
    return Figure(name, words.caption, words.alt, described, printed, *on_paper, explorer=explorer)


def asked_points(winners: Map) -> list[tuple[str, float]]:
    """Return the operating points by name, each alpha once, ascending."""
    points = ((point.name, alpha_of(point)) for point in winners.view.study.operating_points)
    by_alpha: dict[float, tuple[str, float]] = {}
    for name, alpha in points:
        by_alpha.setdefault(round(alpha, 9), (name, round(alpha, 9)))
    return sorted(by_alpha.values(), key=lambda point: point[1])


def _height(winners: Map) -> float:
    """Return the height in rows: the names of upright lines stand above the bars."""
    lines = min(3, len(asked_points(winners)))
    return len(winners.drawn) * SIDE / (SIDE - LABEL * lines) if lines else float(len(winners.drawn))


def _guides(winners: Map) -> list[Series]:
    """Upright lines at equal weights and at the operating points."""
    height = _height(winners)
    series = [Series("", "guide", 0, (0.5, 0.5), (0.0, float(len(winners.drawn))))]
    for number, (name, alpha) in enumerate(asked_points(winners)):
        at = height * (1 - LABEL * (number % 3) / SIDE)
        series.append(Series(name, "guide", 0, (alpha,) * 3, (0.0, at, at)))
    return series


def _axes(winners: Map, letters: int | None) -> tuple[Axis, Axis]:
    n, view = len(winners.drawn), winners.view
    names = [view.names[model] for model in winners.drawn]
    shown = names if letters is None else shortened(names, letters)
    ticks = tuple((n - at - 0.5, name) for at, name in enumerate(shown))[::-1]
    alphas = Axis(view.terms.title("weighted_error"), 0.0, 1.0, FIFTHS)
    return alphas, Axis("", 0.0, _height(winners), ticks)


def _bars(winners: Map) -> Iterator[Spec]:
    for line, model in enumerate(winners.drawn):
        centre, states = len(winners.drawn) - line - 0.5, winners.states(model)
        for which, ink in INKS.items():
            stretches = winners.stretches([known == which for known in states])
            look = {"fill": colour(winners.view.styles[model]), "ink": ink}
            yield from _rectangles(stretches, centre, HALF, look)
        lowest = winners.stretches(winners.leads(model))
        yield from _rectangles(lowest, centre, HALF_LINE, {"fill": NEUTRAL, "ink": 1.0})


def _rectangles(stretches: list[Stretch], centre: float, half: float, look: Spec) -> Iterator[Spec]:
    for low, high in stretches:
        ends = {"x": round(low, 6), "x2": round(high, 6)}
        yield ends | {"y": round(centre - half, 6), "y2": round(centre + half, 6)} | look


def _shaded(winners: Map) -> Iterator[Series]:
    """The bars on paper: bands, the more of them over each other the darker."""
    for line, model in enumerate(winners.drawn):
        centre, states = len(winners.drawn) - line - 0.5, winners.states(model)
        style = winners.view.styles[model]
        for layers, shown in ((LAYERS[TOGETHER], (TOGETHER, ALONE)), (LAYERS[ALONE], (ALONE,))):
            stretches = winners.stretches([known in shown for known in states])
            yield from _band(style, stretches, centre, HALF) * layers
        yield from _band(0, winners.stretches(winners.leads(model)), centre, HALF_LINE) * LINE_LAYERS


def _band(style: int, stretches: list[Stretch], centre: float, half: float) -> list[Series]:
    """One band through all stretches; between them it has no height."""
    if not stretches:
        return []
    x = tuple(round(end, 6) for low, high in stretches for end in (low, low, high, high))
    flat, lower, upper = round(centre, 6), round(centre - half, 6), round(centre + half, 6)
    ends = [(flat, flat), (lower, upper), (lower, upper), (flat, flat)] * len(stretches)
    return [Series("", "band", style, x, tuple(a for a, _ in ends), tuple(b for _, b in ends))]
