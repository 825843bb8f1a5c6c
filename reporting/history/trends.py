"""The values of every model over the runs of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import polars as pl
from polars.exceptions import PolarsError

from reporting.charts.axes import nice_axis
from reporting.charts.picture import Sketch, Words, figure
from reporting.engine.model_runs import MEAN
from reporting.errors import ConfigError, DataError, did_you_mean, listed, quoted
from reporting.frames import HISTORY
from reporting.history.printed import Printed, printed
from reporting.history.store import Facts, Run
from reporting.measures.catalogue import read_measure
from reporting.report.blocks import Axis, Figure, Probe, Series


@dataclass(frozen=True)
class Asked:
    """Which values are looked at; None: all, and of measures the primary one first. Dates are inclusive."""

    model: str | None = None
    measure: str | None = None
    dataset: str | None = None
    group: str = ""
    since: str | None = None
    until: str | None = None


def values_over(runs: Iterable[Run]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the values of all runs (``HISTORY``), and a caution for each run that cannot be read."""
    frames, cautions = [HISTORY.build([])], []
    for run in runs:
        try:
            metrics = run.frame("metrics")
            frames += [] if metrics is None else [values_of(run.facts, metrics)]
        except DataError as error:
            cautions.append(error.faults[0])
        except (PolarsError, OSError) as error:
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
        pl.col("split") == "test",
        pl.col("criterion").is_null() | (pl.col("criterion") == facts.criterion),
    )
    with_mean = kept.filter(run=MEAN).select("model", "dataset").unique()
    others = kept.join(with_mean, on=["model", "dataset"], how="anti")
    return pl.concat([kept.filter(run=MEAN), others])


def chosen(values: pl.DataFrame, asked: Asked) -> pl.DataFrame:
    """Return the values that are asked for; DataError for a name that occurs nowhere."""
    measure = None if asked.measure is None else _measure(asked.measure, values)
    wanted = {"model": asked.model, "measure": measure, "dataset": asked.dataset, "group": asked.group}
    found = values
    for column, word in wanted.items():
        if word is None:
            continue
        known = values[column].unique().sort().to_list()
        if word not in known and (word or known):
            shown = [name for name in known if name]
            raise DataError(
                f"--{column}: no run has {quoted(word)}{did_you_mean(word, shown)} (found: {listed(shown)})"
            )
        found = found.filter(pl.col(column) == word)
    return found.filter(
        *([pl.col("as_of") >= asked.since] if asked.since else []),
        *([pl.col("as_of") <= asked.until] if asked.until else []),
    )


def _measure(text: str, values: pl.DataFrame) -> str:
    """The canonical form of a measure's name, or the name itself where it stands in the values."""
    if text in set(values["measure"]):
        return text
    try:
        return str(read_measure(text))
    except ConfigError as error:
        raise DataError(f"--measure: {error.faults[0]}") from None


@dataclass(frozen=True, eq=False)
class Trend:
    """One model's values of one measure over the runs, oldest first; ``values`` may hold None."""

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


def together(found: Iterable[Trend], *names: str) -> list[list[Trend]]:
    """Return trends that agree in these attributes, each in their order."""
    parts: dict[tuple[str, ...], list[Trend]] = {}
    for one in found:
        parts.setdefault(tuple(getattr(one, name) for name in names), []).append(one)
    return list(parts.values())


def models_of(runs: Sequence[Run]) -> dict[str, str]:
    """Return the printed name of every model by key: the latest run's first, in its order."""
    names: dict[str, str] = {}
    for run in reversed(runs):
        names |= {key: name for key, name in run.facts.models if key not in names}
    return names


MOST_BANDS = 6
"""Bands of more models than so many hide each other: then none is drawn."""
MOST_TICKS = 5
LEAST_GAP = 0.17
"""Dates under an axis stand at least this share of it apart."""
AIR = 0.03
"""Room on either side of the first and the last run, as a share of what is between them."""
TOLD = ("As of", "Run", "Value", "Interval")

Styled = Mapping[str, int]


def trend_figure(
    name: str, found: Sequence[Trend], how: Printed, names: Mapping[str, str], styles: Styled, words: Words
) -> Figure:
    """Draw trends of one measure in one place; ``names`` and ``styles`` are by model."""
    at = _places(found)
    low, high = min(at.values()), max(at.values())
    room = AIR * max(high - low, 1.0)
    x_axis = Axis("As of", low - room, high + room, _ticks(at))
    y_axis = nice_axis(how.titled, *_range(found, how))
    with_bands = len(found) <= MOST_BANDS
    series = [
        *(part for one in found for part in _bands(one, how, names, styles, at) if with_bands),
        *(part for one in found for part in _lines(one, how, names, styles, at)),
        *(_points(one, how, names, styles, at) for one in found),
    ]
    probes = [_probe(one, how, names, at) for one in found]
    return figure(Sketch(name, series, series, x_axis, y_axis, probes=(TOLD, probes)), words)


def styles_of(models: Sequence[str]) -> dict[str, int]:
    """Return a style for each model, in their order."""
    return {model: number for number, model in enumerate(models, start=1)}


def _places(found: Sequence[Trend]) -> dict[tuple[str, str], float]:
    """Where each run stands: its day, those of one day side by side within it."""
    runs = sorted({pair for one in found for pair in zip(one.as_of, one.history_run, strict=True)})
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


def _range(found: Sequence[Trend], how: Printed) -> tuple[float, float]:
    every = [value for one in found for value in (*one.values, *one.low, *one.high) if value is not None]
    return (how.scale * min(every), how.scale * max(every)) if every else (0.0, 1.0)


def _x(one: Trend, at: Mapping[tuple[str, str], float]) -> list[float]:
    return [at[run] for run in zip(one.as_of, one.history_run, strict=True)]


def _stretches(columns: Sequence[Sequence[float | None]]) -> Iterator[list[tuple[float, ...]]]:
    """Yield the rows between gaps: those in which every column is defined."""
    rows = zip(*columns, strict=True)
    for whole, stretch in groupby(rows, key=lambda row: None not in row):
        if whole:
            yield [tuple(float(value) for value in row if value is not None) for row in stretch]


def _lines(
    one: Trend, how: Printed, names: Mapping[str, str], styles: Styled, at: Mapping[tuple[str, str], float]
) -> Iterator[Series]:
    for stretch in _stretches((_x(one, at), one.values)):
        x, y = zip(*stretch, strict=True)
        yield Series(names[one.model], "line", styles[one.model], x, _scaled(y, how))


def _bands(
    one: Trend, how: Printed, names: Mapping[str, str], styles: Styled, at: Mapping[tuple[str, str], float]
) -> Iterator[Series]:
    for stretch in _stretches((_x(one, at), one.low, one.high)):
        if len(stretch) > 1:
            x, low, high = zip(*stretch, strict=True)
            label, style = names[one.model], styles[one.model]
            yield Series(label, "band", style, x, _scaled(low, how), _scaled(high, how))


def _points(
    one: Trend, how: Printed, names: Mapping[str, str], styles: Styled, at: Mapping[tuple[str, str], float]
) -> Series:
    known = [(x, y) for x, y in zip(_x(one, at), one.values, strict=True) if y is not None]
    x, y = zip(*known, strict=True) if known else ((), ())
    return Series(names[one.model], "points", styles[one.model], x, _scaled(y, how))


def _scaled(values: Sequence[float], how: Printed) -> tuple[float, ...]:
    return tuple(how.scale * value for value in values)


def _probe(one: Trend, how: Printed, names: Mapping[str, str], at: Mapping[tuple[str, str], float]) -> Probe:
    known = [n for n, value in enumerate(one.values) if value is not None]
    x = _x(one, at)
    texts = (
        tuple(one.as_of[n] for n in known),
        tuple(one.history_run[n][:8] for n in known),
        tuple(how.value(one.values[n]) for n in known),
        tuple(how.interval(one.low[n], one.high[n]) for n in known),
    )
    y = [one.values[n] or 0.0 for n in known]
    return Probe(names[one.model], tuple(x[n] for n in known), _scaled(y, how), texts)


def printed_trends(found: list[Trend], vocabulary: str = "detection") -> Printed:
    """Return how the trends of one measure are printed."""
    limits = [pair for one in found for pair in zip(one.low, one.high, strict=True)]
    return printed(found[0].measure, limits, vocabulary)
