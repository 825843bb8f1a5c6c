"""A store for the terminal: its runs with their primary values, and the trend of every model."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reporting.errors import one_line
from reporting.history.marks import fitted, plain, sparkline, table, wrapped
from reporting.history.printed import Printed, printed_trends
from reporting.history.store import Run, Store
from reporting.history.trends import Asked, Trend, chosen, models_of, together, trends, values_over

WIDTH = 80
MOST_BARS = 16


def listing(store: Store, asked: Asked, width: int = WIDTH, *, unicode: bool = True) -> str:
    """Return the text of a store's runs and trends, in lines of at most ``width`` places, 80 or more."""
    runs, values, cautions = looked_at(store, asked)
    lines = [_head(store, runs, width)]
    if runs:
        found = trends(values, list(models_of(runs)), runs[-1].facts.measure)
        lines += [*_runs(runs, _table_values(found, runs), width), *_trends(found, runs, width, unicode)]
    lines += [line for text in cautions for line in wrapped(f"caution: {text}", width, indent="  ")]
    text = "\n".join(lines)
    return text if unicode else plain(text)


def looked_at(store: Store, asked: Asked) -> tuple[list[Run], pl.DataFrame, tuple[str, ...]]:
    """Return the runs between the dates that are asked for, the values that are, and what is passed over."""
    every = store.runs()
    values, told = values_over(every)
    kept = chosen(values, asked) if values.height else values
    runs = [
        run
        for run in every
        if (asked.since or "") <= run.facts.as_of and (asked.until is None or run.facts.as_of <= asked.until)
    ]
    return runs, kept, (*store.cautions, *told)


def _head(store: Store, runs: Sequence[Run], width: int) -> str:
    where = one_line(store.place.where)
    if not runs:
        return fitted(f"{where}: no runs", width)
    dates = [run.facts.as_of for run in runs]
    span = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return fitted(f"{where}: {len(runs)} run{'' if len(runs) == 1 else 's'}, {span}", width)


def _table_values(found: list[Trend], runs: Sequence[Run]) -> list[list[Trend]]:
    """The trends of the one measure that the table of runs shows, by place."""
    first = runs[-1].facts.measure
    measures = list(dict.fromkeys(one.measure for one in found))
    shown = first if first in measures else (measures[0] if measures else first)
    return together([one for one in found if one.measure == shown], "dataset", "group")


def _runs(runs: Sequence[Run], places: list[list[Trend]], width: int) -> list[str]:
    """One line a run and model, place by place."""
    lines: list[str] = []
    names = models_of(runs)
    for of_place in places:
        how = printed_trends(of_place)
        at = {(one.model, run): n for one in of_place for n, run in enumerate(one.history_run)}
        rows = [["as of", "run", "model", how.titled, _interval_title(of_place)]]
        for run in runs:
            there = [one for one in of_place if (one.model, run.facts.id) in at]
            for n, one in enumerate(there):
                head = [run.facts.as_of, run.short] if n == 0 else ["", ""]
                k = at[one.model, run.facts.id]
                rows.append([*head, _name(one, names), *_texts(how, one, k)])
        if len(rows) > 1:
            lines += ["", *_where(of_place[0], width), *table(rows, _widths(width), right=(3,))]
    return lines


def _texts(how: Printed, one: Trend, at: int) -> tuple[str, str]:
    return how.value(one.values[at]), how.interval(one.low[at], one.high[at])


def _interval_title(found: Sequence[Trend]) -> str:
    levels = {one.level for one in found if one.level is not None}
    return f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"


def _widths(width: int) -> list[int]:
    """Date, id, model, value and interval: the model's name takes what is left."""
    value, interval = 20, 18
    return [10, 8, max(8, width - 10 - 8 - value - interval - 8), value, interval]


def _trends(found: list[Trend], runs: Sequence[Run], width: int, unicode: bool) -> list[str]:
    """One line a model and measure: bars on one scale for the measure, the last value and its interval."""
    names, lines = models_of(runs), []
    for of_place in together(found, "dataset", "group"):
        rows = []
        for same in together(of_place, "measure"):
            how = printed_trends(same)
            ends = span(same)
            for n, one in enumerate(same):
                bars = sparkline(one.values, *ends, unicode=unicode, most=MOST_BARS)
                head = [how.titled if n == 0 else "", _name(one, names)]
                rows.append([*head, bars, *_texts(how, one, -1)])
        if rows:
            head = ["trend of", "model", "oldest to latest", "last", _interval_title(of_place)]
            widths = [20, max(8, width - 20 - MOST_BARS - 8 - 18 - 8), MOST_BARS, 8, 18]
            lines += ["", *_where(of_place[0], width), *table([head, *rows], widths, right=(3,))]
    return lines


def span(same: Sequence[Trend]) -> tuple[float, float]:
    """The least and the greatest value of some trends, which share a scale; 0 and 0 without any."""
    every = [value for one in same for value in one.values if value is not None]
    return min(every, default=0.0), max(every, default=0.0)


def _name(one: Trend, names: dict[str, str]) -> str:
    name = names.get(one.model, one.model)
    return name if one.repetition in ("0", "mean") else f"{name} (run {one.repetition})"


def _where(one: Trend, width: int) -> list[str]:
    said = ", ".join(filter(None, ("" if one.dataset == "all" else one.dataset, one.group)))
    return [fitted(said, width)] if said else []
