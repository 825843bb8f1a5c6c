"""The trend of one measure as a picture: a line a model over the dates of runs, a band of its intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby

from reporting.charts.draw import Sketch, Words, figure
from reporting.charts.ticks import nice_axis
from reporting.history.printed import Printed
from reporting.history.trends import Trend
from reporting.report.blocks import Axis, Figure, Probe, Series

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
    sketch = Sketch(series, series, x_axis, y_axis, frozenset(), probes=(TOLD, probes))
    return figure(name, words, sketch)


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
