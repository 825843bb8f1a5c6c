"""The Expected Performance Curve: what a threshold chosen on dev at each alpha yields on test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reporting.charts.curve import places
from reporting.charts.decimate import PAGE_PIXELS, PRINT_PIXELS, reduce
from reporting.charts.draw import Sketch, Words, figure
from reporting.charts.tell import Told, printed, probes
from reporting.charts.ticks import nice_step
from reporting.criteria.criterion import Criterion
from reporting.frames import EPC
from reporting.measures.measure import Measure
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray
from reporting.wording.terms import DETECTION, TITLES, Terms
from reporting.wording.view import View

FIFTHS = tuple((k / 5, f"{k / 5:.2g}") for k in range(6))
ALPHAS = Axis(DETECTION.title("weighted_error"), 0.0, 1.0, FIFTHS)
MOST_BANDS = 3
"""More models' bands, two each, would hide one another."""
BANDS = (("band_low", "band_high"), ("ci_low", "ci_high"))
"""The limits of the whole curve, then those of each value by itself, which lie within."""
MOST_ORACLES = 3


@dataclass(frozen=True, eq=False)
class Curve:
    """One measure along the parameter of one criterion; ``banded`` are the models drawn with a band.

    ``only`` are the models it is about; None: all of the report.
    """

    view: View
    criterion: Criterion
    measure: Measure
    banded: Sequence[str]
    only: Sequence[str] | None = None

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The rows of the frame where the measure is defined on test."""
        rows = self.view.part(self.view.results.frame(EPC)).filter(
            pl.col("criterion") == str(self.criterion),
            pl.col("measure") == str(self.measure),
            pl.col("value").is_not_null(),
            pl.col("split") == "test",
        )
        if self.only is not None:
            rows = rows.filter(pl.col("model").is_in(list(self.only)))
        return rows.sort("model", "alpha")

    @property
    def name(self) -> str:
        """The figure's name: ``epc`` for the first measure along the first criterion; no two are the same."""
        asked = curves_asked(self.view)
        names = [_plain_name(criterion, measure, asked[0]) for criterion, measure in asked]
        mine = asked.index((self.criterion, self.measure))
        again = names[:mine].count(names[mine])
        return self.view.called(names[mine] + (f"_{again + 1}" if again else ""))

    @property
    def scale(self) -> float:
        """What a value is multiplied by: 100 where the measure is printed in percent."""
        return 100.0 if self.measure.printed_in == "percent" else 1.0

    @property
    def by_weight_of_far(self) -> bool:
        """Whether alpha is the weight of FAR, so that deciding without scores has a known cost."""
        return self.criterion.key in ("weighted_error", "bayes")

    @cached_property
    def y_axis(self) -> Axis:
        """From 0 (or the lowest value below it) to the highest value and limit inside the curve."""
        # At 0 and 1 one class may have no weight at all: a spike there must not flatten the rest.
        inner = self.rows.filter(pl.col("alpha").is_between(0, 1, closed="none"))
        rows = inner if len(inner) else self.rows
        banded = rows.filter(pl.col("model").is_in(list(self.banded)))
        limits = [limit for pair in BANDS for column in pair for limit in banded[column].drop_nulls()]
        ends = [*rows["value"].to_list(), *map(self.within_bounds, limits)]
        top, low = self.scale * max(ends, default=1.0), self.scale * min(0.0, *ends)
        step = nice_step(max(top, 1e-6) - low, 5)
        halves = max(2, math.ceil(2 * top / step * (1 - 1e-9)))
        first = math.floor(low / step + 1e-9)
        ticks = tuple((step * k, f"{step * k:.6g}") for k in range(first, halves // 2 + 1))
        unit = " (%)" if self.measure.printed_in == "percent" else ""
        name = self.view.terms.measure(self.measure)
        return Axis(f"{name} on test{unit}", step * first, step * halves / 2, ticks)

    def within_bounds(self, limit: float) -> float:
        """A limit of a band, no farther out than the measure itself can be."""
        low, high = self.measure.bounds
        return min(max(limit, low), high)

    def has(self, columns: tuple[str, str]) -> bool:
        """Whether a band of these limits is drawn."""
        return bool(self.rows.filter(pl.col("model").is_in(list(self.banded)))[columns[0]].count())

    @property
    def leaves_the_frame(self) -> bool:
        """Whether a curve runs beyond the drawn range, as may happen at α = 0 and 1."""
        highest = self.rows["value"].max()
        return highest is not None and self.scale * float(str(highest)) > self.y_axis.high


def _plain_name(criterion: Criterion, measure: Measure, first: tuple[Criterion, Measure]) -> str:
    parts = [criterion.key] if criterion != first[0] else []
    return "_".join(["epc", *parts, *([measure.key] if measure != first[1] else [])])


def curves_asked(view: View) -> list[tuple[Criterion, Measure]]:
    """Every criterion with every measure of the plan, the report's primary measure first."""
    plan = view.study.epc
    if plan is None:
        return []
    primary = view.study.primary.measure
    measures = sorted(plan.measures, key=lambda measure: measure != primary)
    return [(criterion, measure) for criterion in plan.criteria for measure in measures]


def epc_figure(curve: Curve, words: Words) -> Figure:
    """Draw the EPC of all models."""
    sketch = Sketch(
        page=_series(curve, PAGE_PIXELS),
        printed=_series(curve, PRINT_PIXELS),
        x_axis=Axis(axis_title(curve.criterion, curve.view.terms), 0.0, 1.0, FIFTHS),
        y_axis=curve.y_axis,
        faded=curve.view.faded,
        probes=probes(list(_told(curve)), curve.view.names),
    )
    return figure(curve.name, words, sketch)


def _told(curve: Curve) -> Iterator[Told]:
    """What is told at every alpha: the row of the frame."""
    spoken = curve.view.terms
    name, unit = spoken.measure(curve.measure), " (%)" if curve.measure.printed_in == "percent" else ""
    swept = "α" if curve.criterion.swept == "alpha" else f"Target {aim(spoken, curve.criterion)}"
    for model in curve.view.results.models:
        rows = curve.rows.filter(pl.col("model") == model)
        texts = {swept: printed(rows["alpha"]), "Threshold": printed(rows["threshold"])}
        columns = {"on test": "value", "on dev": "value_dev", "a posteriori": "value_oracle"}
        for where, column in columns.items():
            texts[f"{name} {where}{unit}"] = printed(curve.scale * rows[column])
        texts[f"{name} on test{unit}, interval"] = _limits(curve, rows)
        if len(rows):
            yield Told(model, rows["alpha"].to_numpy(), curve.scale * rows["value"].to_numpy(), texts)


def _limits(curve: Curve, rows: pl.DataFrame) -> list[str]:
    low, high = (printed(curve.scale * rows[column]) for column in ("ci_low", "ci_high"))
    return [f"{a} to {b}" if a and b else "" for a, b in zip(low, high, strict=True)]


def aim(spoken: Terms, criterion: Criterion) -> str:
    """Return what the rate is called that a criterion aims at."""
    rates = {"far": spoken.far, "frr": spoken.frr}
    return rates.get(criterion.swept, criterion.swept.upper())


def axis_title(criterion: Criterion, spoken: Terms = DETECTION) -> str:
    """Name the parameter of a criterion."""
    if criterion.key in TITLES:
        return spoken.title(criterion.key)
    return f"{criterion.swept}, the parameter of {criterion}"


def _series(curve: Curve, pixels: int) -> list[Series]:
    view, models = curve.view, curve.view.results.models
    stepped = not varies_with_alpha(curve.measure)
    guides = _without_scores(curve.measure, curve.y_axis.high) if curve.by_weight_of_far else []
    bands, lines = [], []
    for model in models:
        one = curve.rows.filter(pl.col("model") == model)
        if not len(one):
            continue
        name, style = view.names[model], view.styles[model]
        lines.append(_line(curve, name, style, one, ("value",), stepped, pixels))
        for columns in BANDS if model in curve.banded else ():
            limits = one.drop_nulls(columns).with_columns(pl.col(columns).clip(*curve.measure.bounds))
            if len(limits) > 1:
                bands.append(_line(curve, name, style, limits, columns, stepped, pixels))
        oracles = one.drop_nulls("value_oracle")
        if len(models) <= MOST_ORACLES and len(oracles):
            guides.append(_line(curve, "", style, oracles, ("value_oracle",), stepped, pixels))
    return [*guides, *bands, *lines]


def _line(
    curve: Curve,
    name: str,
    style: int,
    rows: pl.DataFrame,
    columns: tuple[str, ...],
    stepped: bool,
    pixels: int,
) -> Series:
    """One column is a line, two are a band; an a posteriori curve has no name and is a guide."""
    x = rows["alpha"].to_numpy()
    ys = [curve.scale * rows[column].to_numpy() for column in columns]
    if stepped:
        x, ys = steps(x, ys)
    kept = reduce(x, tuple(ys), ALPHAS, curve.y_axis, pixels)
    drawn = [places(y[kept]) for y in ys]
    if len(drawn) == 2:
        return Series(name, "band", style, places(x[kept]), drawn[0], drawn[1])
    return Series(name, "line" if name else "guide", style, places(x[kept]), drawn[0])


def steps(x: FloatArray, ys: list[FloatArray]) -> tuple[FloatArray, list[FloatArray]]:
    """Return the corners of steps that change half-way between two alphas; flat runs keep their ends."""
    middle = (x[1:] + x[:-1]) / 2
    corners = np.concatenate((x[:1], np.repeat(middle, 2), x[-1:]))
    twice = [np.repeat(y, 2) for y in ys]
    keep = np.ones(len(corners), dtype=bool)
    keep[1:-1] = np.any([(y[1:-1] != y[:-2]) | (y[1:-1] != y[2:]) for y in twice], axis=0)
    return corners[keep], [y[keep] for y in twice]


def varies_with_alpha(measure: Measure) -> bool:
    """Tell whether the measure itself takes the alpha, so that it moves also where no threshold does."""
    return bool(measure.swept) and "(" not in str(measure)


def _without_scores(measure: Measure, high: float) -> list[Series]:
    """What accepting all or rejecting all yields, whichever is lower; nothing where it is out of sight."""
    if not varies_with_alpha(measure):
        if measure.linear() != (0.5, 0.5):
            return []
        flat = Series("without scores", "guide", 0, (0.0, 0.05, 1.0), (50.0, 50.0, 50.0))
        return [flat] if high > 50 else []
    named = min(0.45, 0.009 * high)
    return [
        Series(
            "without scores",
            "guide",
            0,
            (0.0, named / 2, named, 0.5, 1.0),
            (0.0, 50 * named, 100 * named, 50.0, 0.0),
        )
    ]
