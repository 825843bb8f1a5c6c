"""The values of every model over the runs of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Literal

import polars as pl

from reporting.base.legible import counted
from reporting.base.records import dataclass
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.catalogue import read_measure
from reporting.document.blocks import Axis, Figure, Series, TooltipSeries
from reporting.document.charts.axes import nice_axis
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import Words, render
from reporting.errors import ConfigError, DataError, HistoryError, did_you_mean, listed, quoted
from reporting.features.history.frame import HISTORY
from reporting.features.history.phrases import LabelledPrinting, labelled_printing
from reporting.features.history.store import Facts, Run, Store
from reporting.inputs.files import UNREADABLE


@dataclass(frozen=True)
class Selection:
    """Which values are looked at; None: all, and of measures the primary one first. Dates are inclusive."""

    model: str | None = None
    measure: str | None = None
    dataset: str | None = None
    group: str = ""
    since: str | None = None
    until: str | None = None


def select_runs(store: Store, selection: Selection) -> tuple[list[Run], pl.DataFrame, tuple[str, ...]]:
    """Return the runs between the selected dates, the selected values, and what is passed over."""
    since, until = selection.since or "", selection.until
    values, cautions = values_over(store.runs())
    runs = [
        run
        for run in store.runs()
        if since <= run.facts.as_of and (until is None or run.facts.as_of <= until)
    ]
    kept = select(values, selection) if values.height else values
    return runs, kept, (*store.cautions, *cautions)


def runs_phrase(runs: Sequence[Run]) -> str:
    """Return how many runs there are, and from when to when."""
    if not runs:
        return "no runs"
    first, last = runs[0].facts.as_of, runs[-1].facts.as_of
    span = first if first == last else f"{first} to {last}"
    return f"{counted(len(runs), 'run')}, {span}"


def values_over(runs: Iterable[Run]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the values of all runs (``HISTORY``), and a caution for each run that cannot be read."""
    frames, cautions = [HISTORY.build([])], []
    for run in runs:
        try:
            metrics = run.frame("metrics")
            frames += [] if metrics is None else [values_of(run.facts, metrics)]
        except DataError as error:
            cautions.append(error.faults[0])
        except UNREADABLE as error:
            reason = str(error).partition("\n")[0]
            cautions.append(f"{run.place.where}: run {run.name} is left out: {reason}")
    return pl.concat(frames).sort(HISTORY.sorted_by, maintain_order=True), tuple(cautions)


def values_of(facts: Facts, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the values of one run on test (``HISTORY``)."""
    named = on_test(facts, metrics).with_columns(as_of=pl.lit(facts.as_of), history_run=pl.lit(facts.id))
    return named.select(HISTORY.schema.names()).cast(HISTORY.schema)


def on_test(facts: Facts, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``metrics`` on test at the primary criterion, of several runs the mean."""
    kept = metrics.filter(
        pl.col("split") == "test", pl.col("criterion").is_null() | (pl.col("criterion") == facts.criterion)
    )
    with_mean = kept.filter(run=MEAN).select("model", "dataset").unique()
    others = kept.join(with_mean, on=["model", "dataset"], how="anti")
    return pl.concat([kept.filter(run=MEAN), others])


def answering(values: pl.DataFrame, measure: str, averaged: str) -> pl.DataFrame:
    """Return the values of all trials; of the primary measure the means over a column that answer for it.

    ``averaged`` is the group of these means, empty where all trials answer.
    """
    first = pl.col("measure") == measure
    return values.filter(pl.col("group") == pl.when(first).then(pl.lit(averaged)).otherwise(pl.lit("")))


def select(values: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """Return the values that are selected; DataError for an unknown name."""
    measure = None if selection.measure is None else _measure(selection.measure, values)
    wanted = {
        "model": selection.model,
        "measure": measure,
        "dataset": selection.dataset,
        "group": selection.group,
    }
    kept = values
    for column, word in wanted.items():
        if word is None:
            continue
        known = values[column].unique().sort().to_list()
        if word not in known and (word or known):
            shown = [name for name in known if name]
            raise HistoryError(
                f"--{column}: no run has {quoted(word)}{did_you_mean(word, shown)} (found: {listed(shown)})"
            )
        kept = kept.filter(pl.col(column) == word)
    return kept.filter(
        *([pl.col("as_of") >= selection.since] if selection.since else []),
        *([pl.col("as_of") <= selection.until] if selection.until else []),
    )


def _measure(text: str, values: pl.DataFrame) -> str:
    """The canonical form of a measure's name, or the name itself where it is in the values."""
    if text in set(values["measure"]):
        return text
    try:
        return str(read_measure(text))
    except ConfigError as error:
        raise HistoryError(f"--measure: {error.faults[0]}") from None


@dataclass(frozen=True, eq=False)
class Trend:
    """One model's values of one measure over the runs, oldest first; ``values`` may contain None."""

    dataset: str
    group: str
    measure: str
    model: str
    repetition: str
    as_of: tuple[str, ...]
    history_run: tuple[str, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    level: float | None


def trends(values: pl.DataFrame, models: Sequence[str], first: str) -> list[Trend]:
    """Return a trend for each place, measure and model: the measure ``first`` first, models in this order."""
    keys = ["dataset", "group", "measure", "model", "run"]
    parts = values.sort("as_of", "history_run", maintain_order=True).partition_by(keys, as_dict=True)
    order = {model: place for place, model in enumerate(models)}

    def place(key: tuple[object, ...]) -> tuple[object, ...]:
        dataset, group, measure, model, run = key
        return dataset, group, measure != first, measure, order.get(str(model), len(order)), model, run

    return [_trend(key, parts[key]) for key in sorted(parts, key=place)]


def _trend(key: tuple[object, ...], rows: pl.DataFrame) -> Trend:
    dataset, group, measure, model, run = map(str, key)
    levels = rows["level"].drop_nulls()
    return Trend(
        dataset=dataset,
        group=group,
        measure=measure,
        model=model,
        repetition=run,
        as_of=tuple(rows["as_of"]),
        history_run=tuple(rows["history_run"]),
        values=tuple(rows["value"]),
        low=tuple(rows["ci_low"]),
        high=tuple(rows["ci_high"]),
        level=levels[-1] if len(levels) else None,
    )


def together(trends: Iterable[Trend], *names: str) -> list[list[Trend]]:
    """Return trends that agree in these attributes, each in their order."""
    parts: dict[tuple[str, ...], list[Trend]] = {}
    for trend in trends:
        parts.setdefault(tuple(getattr(trend, name) for name in names), []).append(trend)
    return list(parts.values())


def models_of(runs: Sequence[Run]) -> dict[str, str]:
    """Return the printed name of every model by key: the latest run's first, in its order."""
    names: dict[str, str] = {}
    for run in reversed(runs):
        names |= {key: name for key, name in run.facts.models if key not in names}
    return names


def printing_of(trends: Sequence[Trend]) -> LabelledPrinting:
    """Return how the trends of one measure are printed."""
    limits = [
        (low, high, trend.level) for trend in trends for low, high in zip(trend.low, trend.high, strict=True)
    ]
    return labelled_printing(trends[0].measure, limits)


MOST_BANDS = 6
"""Bands of more models than so many hide each other: then none is drawn."""
MOST_TICKS = 5
LEAST_GAP = 0.17
"""Dates under an axis are at least this share of it apart."""
AIR = 0.03
"""Room on either side of the first and the last run, as a share of what is between them."""
HEADS = ("As of", "Run", "Value", "Interval")


def has_bands(trends: Sequence[Trend]) -> bool:
    """Return whether a picture of these trends has bands."""
    return len(trends) <= MOST_BANDS and any(limit is not None for trend in trends for limit in trend.low)


def trend_figure(
    name: str,
    trends: Sequence[Trend],
    printing: LabelledPrinting,
    names: Mapping[str, str],
    styles: Mapping[str, int],
    caption: str,
) -> Figure:
    """Draw trends of one measure in one place; ``names`` and ``styles`` are by model."""
    pen = _Pen(printing, names, styles, _places(trends))
    low, high = min(pen.at.values()), max(pen.at.values())
    room = AIR * max(high - low, 1.0)
    values = [v for trend in trends for v in (*trend.values, *trend.low, *trend.high) if v is not None]
    least, most = pen.scaled((min(values), max(values))) if values else (0.0, 1.0)
    y_axis = nice_axis(printing.title, least, most)
    series = [
        *(band for trend in trends for band in pen.bands(trend) if len(trends) <= MOST_BANDS),
        *(line for trend in trends for line in pen.lines(trend)),
        *(pen.points(trend) for trend in trends),
    ]
    x_axis = Axis("As of", low - room, high + room, _ticks(pen.at))
    tooltips = HEADS, [pen.tooltips(trend) for trend in trends]
    words = Words(caption, described(printing, trends, names))
    return render(ChartSpec(name, x_axis, y_axis, series, tooltips=tooltips), words)


def described(printing: LabelledPrinting, same: Sequence[Trend], names: Mapping[str, str]) -> str:
    """Return trends of one measure in words: first and last value of every model."""
    texts = [
        f"{names[trend.model]} from {printing.value(trend.values[0])} on {trend.as_of[0]}"
        f" to {printing.value(trend.values[-1])} on {trend.as_of[-1]}"
        for trend in same[:12]
    ]
    more = [f"and {counted(len(same) - 12, 'more model')}"] if len(same) > 12 else []
    return f"{printing.title} by run: {'; '.join([*texts, *more])}."


def _places(trends: Sequence[Trend]) -> dict[tuple[str, str], float]:
    """Where each run is drawn: its day, those of one day side by side within it."""
    runs = sorted({run for trend in trends for run in zip(trend.as_of, trend.history_run, strict=True)})
    of_day = Counter(as_of for as_of, _ in runs)
    first = date.fromisoformat(runs[0][0]).toordinal()
    at = {}
    for as_of, group in groupby(runs, key=lambda run: run[0]):
        for n, run in enumerate(group):
            at[run] = date.fromisoformat(as_of).toordinal() - first + n / of_day[as_of]
    return at


def _ticks(at: Mapping[tuple[str, str], float]) -> tuple[tuple[float, str], ...]:
    """Dates of runs, first and last among them, as many as have room."""
    days = {as_of: place for (as_of, _), place in sorted(at.items(), reverse=True)}
    dates = sorted(days)
    low, high = days[dates[0]], days[dates[-1]]
    chosen = [dates[0]]
    for k in range(1, MOST_TICKS - 1):
        goal = low + (high - low) * k / (MOST_TICKS - 1)
        near = min(dates, key=lambda day: (abs(days[day] - goal), day))
        gaps = [days[near] - days[chosen[-1]], high - days[near]]
        if min(gaps) >= LEAST_GAP * (high - low):
            chosen.append(near)
    return tuple((days[day], day) for day in dict.fromkeys([*chosen, dates[-1]]))


@dataclass(frozen=True, eq=False)
class _Pen:
    """Draws one trend after the other; ``at`` is where each run (date and id) is drawn."""

    printing: LabelledPrinting
    names: Mapping[str, str]
    styles: Mapping[str, int]
    at: Mapping[tuple[str, str], float]

    def lines(self, trend: Trend) -> Iterator[Series]:
        """Yield a line for each sequence of runs with values."""
        for x, y in _stretches(self._x(trend), trend.values):
            yield self._series(trend, "line", x, y)

    def bands(self, trend: Trend) -> Iterator[Series]:
        """Yield a band for each sequence of two or more runs with intervals."""
        for x, low, high in _stretches(self._x(trend), trend.low, trend.high):
            if len(x) > 1:
                yield self._series(trend, "band", x, low, high)

    def points(self, trend: Trend) -> Series:
        """Return the dots of all runs with values."""
        known = [(x, y) for x, y in zip(self._x(trend), trend.values, strict=True) if y is not None]
        x, y = zip(*known, strict=True) if known else ((), ())
        return self._series(trend, "points", x, y)

    def tooltips(self, trend: Trend) -> TooltipSeries:
        """Return what a reader is shown at each run."""
        known = [n for n, value in enumerate(trend.values) if value is not None]
        x = self._x(trend)
        texts = (
            tuple(trend.as_of[n] for n in known),
            tuple(trend.history_run[n][:8] for n in known),
            tuple(self.printing.value(trend.values[n]) for n in known),
            tuple(self.printing.interval(trend.low[n], trend.high[n]) for n in known),
        )
        y = self.scaled([trend.values[n] or 0.0 for n in known])
        return TooltipSeries(self.names[trend.model], tuple(x[n] for n in known), y, texts)

    def scaled(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return values in the printed unit."""
        return tuple(self.printing.scale * value for value in values)

    def _x(self, trend: Trend) -> list[float]:
        return [self.at[run] for run in zip(trend.as_of, trend.history_run, strict=True)]

    def _series(
        self,
        trend: Trend,
        kind: Literal["line", "band", "points"],
        x: tuple[float, ...],
        *y: tuple[float, ...],
    ) -> Series:
        return Series(self.names[trend.model], kind, self.styles[trend.model], x, *map(self.scaled, y))


def _stretches(*columns: Sequence[float | None]) -> Iterator[tuple[tuple[float, ...], ...]]:
    """Yield columns between gaps: those rows in which every column is defined."""
    rows = zip(*columns, strict=True)
    for whole, stretch in groupby(rows, key=lambda row: None not in row):
        if whole:
            yield tuple(
                tuple(float(value or 0.0) for value in column) for column in zip(*stretch, strict=True)
            )
