"""A store for the terminal: its runs with their primary values, and the trend of every model."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence

import polars as pl

from reporting.errors import one_line
from reporting.frames import CHANGES, SINCE_LAST, ChangeRow, SinceLastRow
from reporting.history.differences import changes, differences
from reporting.history.outcomes import Remembered
from reporting.history.past import remembered
from reporting.history.printed import Printed, printed
from reporting.history.store import Run, Store
from reporting.history.trends import (
    Asked,
    Trend,
    chosen,
    models_of,
    printed_trends,
    together,
    trends,
    values_over,
)
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.numbers import count
from reporting.wording.codes import CI_METHODS, FLAGS, P_METHODS, Method

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

    Beside the primary measure of the second run those of ``measures``. Runs are named as ``Store.find`` takes
    them.
    """
    first, second = store.find(earlier), store.find(later)
    then, now = remembered(first), remembered(second)
    asked = list(dict.fromkeys([second.facts.measure, *(str(read_measure(text)) for text in measures)]))
    rows = differences(now, then, asked)
    lines = [_title(first, second, width)]
    for measure in asked:
        lines += _of_measure(measure, rows.filter(measure=measure), now, width)
    lines += _changed(changes(now, then), width)
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _title(first: Run, second: Run, width: int) -> str:
    said = f"{second.short} of {second.facts.as_of} less {first.short} of {first.facts.as_of}"
    return fitted(said, width)


def _of_measure(measure: str, rows: pl.DataFrame, now: Remembered, width: int) -> list[str]:
    """One line a model, dataset by dataset, and how it was made."""
    lines: list[str] = []
    names = dict(now.facts.models)
    for (dataset,), part in rows.partition_by("dataset", as_dict=True).items():
        found = SINCE_LAST.rows(part)
        limits = [(row.ci_low, row.ci_high) for row in found]
        how = printed(measure, limits)
        title = f"{how.label} (points)" if how.percent else how.label
        place = "" if dataset == "all" else f" on {dataset}"
        head = ["model", "then", "now", "difference", f"{100 * now.facts.level:g} % interval", "p", "adj. p"]
        body = [
            [
                names.get(row.model, row.model),
                how.value(row.value_then),
                how.value(row.value),
                how.value(row.difference),
                how.interval(row.ci_low, row.ci_high),
                numbers.p_value(row.p_value),
                numbers.p_value(row.p_adjusted),
            ]
            for row in found
        ]
        widths = [max(8, width - 64), 8, 8, 10, 18, 6, 6]
        lines += ["", fitted(f"{title}{place}", width), *table([head, *body], widths, right=(1, 2, 3, 5, 6))]
        lines += [line for text in _made(found, names) for line in wrapped(text, width)]
    if not lines:
        lines = ["", fitted(f"{measure}: no model of both runs has it", width)]
    return lines


def _made(rows: Sequence[SinceLastRow], names: Mapping[str, str]) -> list[str]:
    """Say once for all rows that were made alike how they were, and which say two things."""
    return list(dict.fromkeys([*(how_made(row) for row in rows), *disagreeing(rows, names)]))


def disagreeing(rows: Sequence[SinceLastRow], names: Mapping[str, str]) -> list[str]:
    """Name the models whose interval and p disagree about 0."""
    found = [row for row in rows if "ci_p_disagree" in row.flags]
    models = ", ".join(names.get(row.model, row.model) for row in found)
    return [FLAGS["ci_p_disagree"].runs.format(models=models)] if found else []


def _between_runs(method: str | None, methods: Mapping[str, Method]) -> str:
    known = methods.get(method or "")
    return known.between_runs if known else ""


def how_made(row: SinceLastRow) -> str:
    """Say whether a difference is paired, on which trials, and how its interval was made."""
    shared, now, then = row.n_shared, row.n_trials, row.n_trials_then
    if row.pairing == "paired":
        method = _between_runs(row.p_method, P_METHODS) or "no test"
        whole = f" of {_n(now)} now and {_n(then)} then" if not shared == now == then else ""
        return f"Paired on {_n(shared)} shared trials{whole}: {method}."
    method = _between_runs(row.ci_method, CI_METHODS) or "no interval"
    beside = f" ({_n(shared)} of {_n(now)} trials are shared)" if shared is not None else ""
    return f"Unpaired, as if no trial were shared{beside}: {method}."


def _n(value: object) -> str:
    return count(value) if isinstance(value, int) else "—"


def _changed(found: pl.DataFrame, width: int) -> list[str]:
    """List inputs, config keys, models and trials that differ."""
    said = [text for row in CHANGES.rows(found) if (text := told(row))]
    if not said:
        return ["", "Nothing else differs."]
    lines = [line for text in said for line in wrapped(text, width, indent="  ")]
    return ["", "What else differs", *lines]


def told(row: ChangeRow) -> str:
    """Say one row of ``changes`` in a few words; nothing for what is no difference."""
    name, then, now = row.name, row.then, row.now
    place = "" if name == "all" else f" of {name}"
    match row.kind:
        case "input":
            return f"input {name}: {_digest(then)} then, {_digest(now)} now"
        case "config":
            return f"config {name}: {_value(then)} then, {_value(now)} now"
        case "model":
            return f"model {name}: {'new' if then is None else 'gone'}"
        case "trials.shared":
            return f"trials{place}: {_n(row.count)} shared"
        case "trials.new" | "trials.gone":
            return f"trials{place}: {_n(row.count)} {row.kind.partition('.')[2]}"
        case "trials.relabelled":
            return f"trials{place}: {_n(row.count)} shared ones have another label, and are left out of pairs"
    return ""


def _digest(text: object) -> str:
    return "absent" if text is None else str(text)[:8]


def _value(text: object) -> str:
    return "not said" if text is None else str(text)


BARS, PLAIN = "▁▂▃▄▅▆▇█", "_.-~=+*#"
MISSING = " "


def sparkline(
    values: Sequence[float | None], low: float, high: float, *, unicode: bool = True, most: int = 16
) -> str:
    """Draw the last ``most`` values as bars between ``low`` and ``high``; a gap where one is undefined.

    >>> sparkline([1, 2, None, 3], 1, 3)
    '▁▅ █'
    """
    bars = BARS if unicode else PLAIN

    def bar(value: float | None) -> str:
        if value is None or not math.isfinite(value):
            return MISSING
        share = (value - low) / (high - low) if high > low else 0.5
        return bars[min(len(bars) - 1, max(0, int(share * len(bars))))]

    return "".join(map(bar, list(values)[-most:]))


def fitted(text: str, width: int) -> str:
    """Return a text in one line of so many places at most, control characters shown; cut with an ellipsis."""
    shown = one_line(text)
    if places(shown) <= width:
        return shown
    while shown and places(shown) > width - 1:
        shown = shown[:-1]
    return f"{shown}…"


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text at its spaces into lines of so many places at most, control characters shown."""
    lines: list[str] = []
    line = ""
    for word in one_line(text).split(" "):
        for piece in _pieces(word, width - len(indent)):
            longer = f"{line} {piece}" if line else (indent if lines else "") + piece
            if line and places(longer) > width:
                lines.append(line)
                longer = indent + piece
            line = longer
    return [*lines, line]


def _pieces(word: str, width: int) -> list[str]:
    """Cut a word that is longer than a line."""
    pieces, taken = [""], 0
    for letter in word:
        taken += _places(letter)
        if taken > width:
            pieces.append("")
            taken = _places(letter)
        pieces[-1] += letter
    return pieces


def places(text: str) -> int:
    """How many places of a terminal a text takes: wide letters two, those that join others none."""
    return sum(_places(letter) for letter in text)


def _places(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def table(rows: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[int] = ()) -> list[str]:
    """Lay texts out in columns two places apart, each as wide as its longest text and at most its width."""
    cut = [[fitted(text, width) for text, width in zip(row, widths, strict=True)] for row in rows]
    wide = [max(places(row[at]) for row in cut) for at in range(len(widths))] if cut else []
    lines = []
    for row in cut:
        cells = []
        for at, text in enumerate(row):
            gap = " " * (wide[at] - places(text))
            cells.append(gap + text if at in right else text + gap)
        lines.append("  ".join(cells).rstrip())
    return lines


def plain(text: str) -> str:
    """Return a text in ASCII, for terminals that show no other."""
    signs = {"−": "-", "–": "-", "—": "-", "…": "~", "\u202f": " ", "∞": "inf", "α": "alpha"}
    said = "".join(signs.get(letter, letter) for letter in text)
    return said.encode("ascii", "backslashreplace").decode("ascii")
