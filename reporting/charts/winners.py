"""The winner map: over all weights of false acceptance, which models may have the lowest weighted error."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from reporting.charts.draw import SIDE, draw
from reporting.charts.epc import FIFTHS
from reporting.charts.picture import Words
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
        found = set(self.rows["model"].to_list())
        return [model for model in self.view.results.models if model in found]

    @cached_property
    def drawn(self) -> list[str]:
        """The models that have a row of the picture, in the report's order."""
        first = set(self.view.ranked[:MOST]) if len(self.models) > MOST else set(self.models)
        return [model for model in self.models if model in first][:MOST]

    @cached_property
    def of_model(self) -> dict[str, list[WinnerRow]]:
        """The rows of every model, by alpha."""
        by_model: dict[str, list[WinnerRow]] = {}
        for row in WINNERS.rows(self.rows.sort("alpha")):
            by_model.setdefault(row.model, []).append(row)
        return by_model

    @cached_property
    def cells(self) -> list[Stretch]:
        """What each alpha stands for: half-way to its neighbours, at most to twice or half its odds."""
        found, last = self.alphas, len(self.alphas) - 1
        middles = [(low + high) / 2 for low, high in itertools.pairwise(found)]
        cells = []
        for at, alpha in enumerate(found):
            half, twice = (times * alpha / (1 - alpha + times * alpha) for times in (0.5, 2))
            low = max(half, middles[at - 1]) if at else max(half, 2 * alpha - middles[0])
            high = min(twice, middles[at]) if at < last else min(twice, 2 * alpha - middles[-1])
            cells.append((low, high))
        return cells

    @cached_property
    def lowest(self) -> list[float | None]:
        """The lowest value at every alpha."""
        best = dict(self.rows.drop_nulls("value").group_by("alpha").agg(pl.col("value").min()).iter_rows())
        return [best.get(alpha) for alpha in self.alphas]

    def leads(self, model: str) -> list[bool]:
        """Tell at every alpha whether no model has a lower value."""
        values = [row.value for row in self.of_model[model]]
        pairs = zip(values, self.lowest, strict=True)
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
        found: list[Stretch] = []
        for within, (low, high) in zip(inside, self.cells, strict=True):
            if within and found and low - found[-1][1] <= SAME:
                found[-1] = found[-1][0], high
            elif within:
                found.append((low, high))
        return found


def state(row: WinnerRow) -> int | None:
    """What is known of a model at one alpha."""
    if row.may_be_best is None:
        return None
    return ALONE if row.may_be_best else TOGETHER if row.may_be_best_joint else OUT


def winner_map(view: View) -> Map | None:
    """Return the map of a dataset and run; None where the frame has no rows of it."""
    rows = view.part(view.results.frame(WINNERS)).filter(split="test")
    return Map(view, rows) if view.whole and rows["alpha"].n_unique() > 1 else None


def winners_figure(found: Map, words: Words, explorer: dict[str, Any] | None) -> Figure:
    """Draw one bar a model, dark where it may be the best, with a line where its value is the lowest."""
    name = found.view.called("winners")
    guides, axes = _guides(found), _axes(found, None)
    spec = draw(name, guides, *axes)
    spec |= _with_bars(name, spec, found) | {"description": words.alt}
    json.dumps(spec, allow_nan=False)  # as in draw: browsers reject NaN and Infinity
    printed = (*_shaded(found), *guides)
    on_paper = _axes(found, NAME_ON_PAPER)
    return Figure(name, words.caption, words.alt, spec, printed, *on_paper, explorer=explorer)


def asked_points(found: Map) -> list[tuple[str, float]]:
    """Return the operating points by name, each alpha once, ascending."""
    points = ((point.name, alpha_of(point)) for point in found.view.study.operating_points)
    by_alpha: dict[float, str] = {}
    for name, alpha in points:
        by_alpha.setdefault(round(alpha, 9), name)
    return sorted(((name, alpha) for alpha, name in by_alpha.items()), key=lambda one: one[1])


def _height(found: Map) -> float:
    """The height in rows: the names of upright lines stand above the bars."""
    lines = min(3, len(asked_points(found)))
    return len(found.drawn) * SIDE / (SIDE - LABEL * lines) if lines else float(len(found.drawn))


def _guides(found: Map) -> list[Series]:
    """Upright lines at equal weights and at the operating points."""
    height = _height(found)
    series = [Series("", "guide", 0, (0.5, 0.5), (0.0, float(len(found.drawn))))]
    for number, (name, alpha) in enumerate(asked_points(found)):
        at = height * (1 - LABEL * (number % 3) / SIDE)
        series.append(Series(name, "guide", 0, (alpha,) * 3, (0.0, at, at)))
    return series


def _axes(found: Map, letters: int | None) -> tuple[Axis, Axis]:
    n = len(found.drawn)
    names = [found.view.names[model] for model in found.drawn]
    shown = names if letters is None else _short(names, letters)
    ticks = tuple((n - at - 0.5, name) for at, name in enumerate(shown))[::-1]
    return Axis(found.view.terms.title("weighted_error"), 0.0, 1.0, FIFTHS), Axis(
        "", 0.0, _height(found), ticks
    )


def _short(names: Sequence[str], most: int) -> list[str]:
    """Cut long names; where that makes two of them one, their places tell them apart."""
    cut = [name if len(name) <= most else f"{name[: most - 1]}…" for name in names]
    if len(set(cut)) == len(cut):
        return cut
    return [f"{place} {name[: most - 3]}…" for place, name in enumerate(names, start=1)]


def _with_bars(name: str, spec: dict[str, Any], found: Map) -> dict[str, Any]:
    """Lay the bars under the upright lines, on the same axes."""
    table = f"{name}_bars"
    drawn = spec["layer"][0]["encoding"]
    drawn["x"]["axis"] |= {"grid": False}
    drawn["y"]["axis"] |= {"grid": False, "ticks": False, "domain": False, "labelLimit": NAME_ON_SCREEN}
    fill = {"field": "fill", "type": "nominal", "scale": None, "legend": None}
    ink = {"field": "ink", "type": "quantitative", "scale": None, "legend": None}
    places = {"x": drawn["x"], "x2": {"field": "x2"}, "y": drawn["y"], "y2": {"field": "y2"}}
    bars = {
        "data": {"name": table},
        "mark": {"type": "rect"},
        "encoding": places | {"color": fill, "opacity": ink},
    }
    return {"layer": [bars, *spec["layer"]], "datasets": spec["datasets"] | {table: list(_bars(found))}}


def _bars(found: Map) -> Iterator[dict[str, Any]]:
    for line, model in enumerate(found.drawn):
        centre, states = len(found.drawn) - line - 0.5, found.states(model)
        for which, ink in INKS.items():
            here = {"fill": colour(found.view.styles[model]), "ink": ink}
            stretches = found.stretches([one == which for one in states])
            yield from _rectangles(stretches, centre, HALF, here)
        line_here = {"fill": NEUTRAL, "ink": 1.0}
        yield from _rectangles(found.stretches(found.leads(model)), centre, HALF_LINE, line_here)


def _rectangles(
    stretches: list[Stretch], centre: float, half: float, look: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for low, high in stretches:
        ends = {"x": round(low, 6), "x2": round(high, 6)}
        yield ends | {"y": round(centre - half, 6), "y2": round(centre + half, 6)} | look


def _shaded(found: Map) -> Iterator[Series]:
    """The bars on paper: bands, the more of them over each other the darker."""
    for line, model in enumerate(found.drawn):
        centre, states = len(found.drawn) - line - 0.5, found.states(model)
        style = found.view.styles[model]
        tests: list[tuple[int, Callable[[int | None], bool]]] = [
            (LAYERS[TOGETHER], lambda one: one in (TOGETHER, ALONE)),
            (LAYERS[ALONE], lambda one: one == ALONE),
        ]
        for layers, test in tests:
            band = _band(style, found.stretches([test(one) for one in states]), centre, HALF)
            yield from band * layers
        yield from _band(0, found.stretches(found.leads(model)), centre, HALF_LINE) * LINE_LAYERS


def _band(style: int, stretches: list[Stretch], centre: float, half: float) -> list[Series]:
    """One band through all stretches; between them it has no height."""
    if not stretches:
        return []
    x = tuple(round(end, 6) for low, high in stretches for end in (low, low, high, high))
    flat, lower, upper = round(centre, 6), round(centre - half, 6), round(centre + half, 6)
    ends = [(flat, flat), (lower, upper), (lower, upper), (flat, flat)] * len(stretches)
    return [Series("", "band", style, x, tuple(a for a, _ in ends), tuple(b for _, b in ends))]
