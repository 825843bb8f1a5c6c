"""A store of runs for the terminal: its runs and trends, and two runs held against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from reporting.core.measures.catalogue import read_measure
from reporting.document import numbers
from reporting.document.frames.history import SINCE_LAST
from reporting.document.lines import fitted, plain, table, wrapped
from reporting.errors import one_line
from reporting.features.history import phrases
from reporting.features.history.differences import changes, differences
from reporting.features.history.frame import CHANGES
from reporting.features.history.outcomes import Remembered
from reporting.features.history.past import remembered
from reporting.features.history.store import Run, Store
from reporting.features.history.trends import (
    Selection,
    Trend,
    models_of,
    printing_of,
    runs_phrase,
    select_runs,
    together,
    trends,
)

WIDTH = 80
MOST_BARS = 16


def listing(store: Store, selection: Selection, width: int = WIDTH, *, unicode: bool = True) -> str:
    """Return the text of a store's runs and trends, in lines of at most ``width`` places, 80 or more."""
    runs, values, cautions = select_runs(store, selection)
    where = one_line(store.place.where)
    lines = [fitted(f"{where}: {runs_phrase(runs)}", width)]
    if runs:
        all_trends = trends(values, list(models_of(runs)), runs[-1].facts.measure)
        lines += [*_run_table(runs, all_trends, width), *_trend_table(runs, all_trends, width, unicode)]
    lines += [line for text in cautions for line in wrapped(f"caution: {text}", width, indent="  ")]
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _run_table(runs: Sequence[Run], all_trends: list[Trend], width: int) -> list[str]:
    """One line a run and model, place by place, by one measure: the primary one where it has values."""
    lines: list[str] = []
    names, first = models_of(runs), runs[-1].facts.measure
    measures = list(dict.fromkeys(trend.measure for trend in all_trends))
    measure = first if first in measures or not measures else measures[0]
    # Date, id, model, value and interval: the model's name takes what is left.
    widths = [10, 8, max(8, width - 10 - 8 - 20 - 18 - 8), 20, 18]
    shown = [trend for trend in all_trends if trend.measure == measure]
    for of_place in together(shown, "dataset", "group"):
        printing = printing_of(of_place)
        at = {(trend.model, run): n for trend in of_place for n, run in enumerate(trend.history_run)}
        rows = [["as of", "run", "model", printing.title, _interval_title(of_place)]]
        for run in runs:
            there = [trend for trend in of_place if (trend.model, run.facts.id) in at]
            for n, trend in enumerate(there):
                head = [run.facts.as_of, run.short] if n == 0 else ["", ""]
                texts = _texts(printing, trend, at[trend.model, run.facts.id])
                rows.append([*head, _name(trend, names), *texts])
        if len(rows) > 1:
            lines += ["", *_where(of_place[0], width), *table(rows, widths, right=(3,))]
    return lines


def _trend_table(runs: Sequence[Run], all_trends: list[Trend], width: int, unicode: bool) -> list[str]:
    """One line a model and measure: bars on one scale for the measure, the last value and its interval."""
    names, lines = models_of(runs), []
    for of_place in together(all_trends, "dataset", "group"):
        rows = []
        for same in together(of_place, "measure"):
            printing = printing_of(same)
            values = [value for trend in same for value in trend.values if value is not None]
            ends = min(values, default=0.0), max(values, default=0.0)
            for n, trend in enumerate(same):
                bars = sparkline(trend.values, *ends, unicode=unicode, most=MOST_BARS)
                head = [printing.title if n == 0 else "", _name(trend, names)]
                rows.append([*head, bars, *_texts(printing, trend, -1)])
        if rows:
            head = ["trend", "model", "oldest to latest", "last", _interval_title(of_place)]
            widths = [20, max(8, width - 20 - MOST_BARS - 8 - 18 - 8), MOST_BARS, 8, 18]
            lines += ["", *_where(of_place[0], width), *table([head, *rows], widths, right=(3,))]
    return lines


def _texts(printing: phrases.LabelledPrinting, trend: Trend, at: int) -> tuple[str, str]:
    return printing.value(trend.values[at]), printing.interval(trend.low[at], trend.high[at])


def _interval_title(trends: Sequence[Trend]) -> str:
    levels = {trend.level for trend in trends if trend.level is not None}
    return f"{100 * levels.pop():.10g}% CI" if len(levels) == 1 else "CI"


def _name(trend: Trend, names: Mapping[str, str]) -> str:
    name = names.get(trend.model, trend.model)
    return name if trend.repetition in ("0", "mean") else f"{name} (run {trend.repetition})"


def _where(trend: Trend, width: int) -> list[str]:
    place = phrases.place_phrase(trend.dataset, trend.group)
    return [fitted(place, width)] if place else []


def diff(
    store: Store,
    earlier: str,
    later: str,
    measures: Sequence[str] = (),
    width: int = WIDTH,
    *,
    unicode: bool = True,
) -> str:
    """Return what differs between two runs, the second less the first, for models in both.

    The primary measure of the second run, and those of ``measures``. Runs are named as ``Store.find`` takes
    them.
    """
    first, second = store.find(earlier), store.find(later)
    then, now = remembered(first), remembered(second)
    wanted = list(dict.fromkeys([second.facts.measure, *(str(read_measure(text)) for text in measures)]))
    rows = differences(now, then, wanted)
    title = f"{second.short} of {second.facts.as_of} minus {first.short} of {first.facts.as_of}"
    lines = [fitted(title, width)]
    for measure in wanted:
        lines += _difference_table(measure, rows.filter(measure=measure), now, width)
    texts = [text for row in CHANGES.rows(changes(now, then)) if (text := phrases.change_phrase(row))]
    lines += ["", "Other differences" if texts else "No other differences."]
    lines += [line for text in texts for line in wrapped(text, width, indent="  ")]
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _difference_table(measure: str, frame: pl.DataFrame, now: Remembered, width: int) -> list[str]:
    """One line a model, dataset by dataset, and by which method."""
    lines: list[str] = []
    names = dict(now.facts.models)
    for (dataset,), part in frame.partition_by("dataset", as_dict=True).items():
        rows = SINCE_LAST.rows(part)
        printing = phrases.labelled_printing(measure, [(row.ci_low, row.ci_high, row.level) for row in rows])
        title = f"{printing.label} (points)" if printing.percent else printing.label
        place = "" if dataset == "all" else f" on {dataset}"
        head = ["model", "previous", "now", "difference", f"{100 * now.facts.level:.10g}% CI", "p", "adj. p"]
        body = [
            [
                names.get(row.model, row.model),
                printing.value(row.value_then),
                printing.value(row.value),
                printing.value(row.difference),
                printing.interval(row.ci_low, row.ci_high),
                numbers.p_value(row.p_value),
                numbers.p_value(row.p_adjusted),
            ]
            for row in rows
        ]
        widths = [max(8, width - 64), 8, 8, 10, 18, 6, 6]
        lines += ["", fitted(f"{title}{place}", width), *table([head, *body], widths, right=(1, 2, 3, 5, 6))]
        lines += [line for text in phrases.methods_of(rows, names) for line in wrapped(text, width)]
    return lines or ["", fitted(f"{measure}: no model has it in both runs", width)]


BARS, PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
MISSING = " "


def sparkline(
    values: Sequence[float | None], low: float, high: float, *, unicode: bool = True, most: int = 16
) -> str:
    """Draw the last ``most`` values as bars between ``low`` and ``high``; a gap where one is undefined.

    >>> sparkline([1, 2, None, 3], 1, 3)
    '▁▅ █'
    """
    bars = BARS if unicode else PLAIN_BARS

    def bar(value: float | None) -> str:
        if value is None or not math.isfinite(value):
            return MISSING
        share = (value - low) / (high - low) if high > low else 0.5
        return bars[min(len(bars) - 1, max(0, int(share * len(bars))))]

    return "".join(map(bar, list(values)[-most:]))
