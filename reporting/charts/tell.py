"""What a page tells where a reader points at a curve: rows of the frames, already printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reporting.charts.decimate import spread
from reporting.report.blocks import Axis, Probe
from reporting.report.numbers import count, significant
from reporting.stats.staircase import FloatArray, IntArray
from reporting.wording.view import View

CELLS = 60
"""Places a reader can point at lie about this share of a frame apart."""
DIGITS = 5


@dataclass(frozen=True, eq=False)
class Told:
    """What is told at places of one model's curve: equally many texts under every title."""

    model: str
    x: FloatArray
    y: FloatArray
    texts: Mapping[str, Sequence[str]]


def probes(told: Sequence[Told], names: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[Probe, ...]]:
    """Return the titles of all that is told and one probe for each curve, under printed names."""
    titles = tuple(dict.fromkeys(title for one in told for title in one.texts))
    found = []
    for one in told:
        nothing = ("",) * len(one.x)
        texts = tuple(tuple(one.texts.get(title, nothing)) for title in titles)
        x, y = (tuple(round(float(v), 5) for v in values) for values in (one.x, one.y))
        found.append(Probe(names[one.model], x, y, texts))
    return titles, tuple(found)


def pointed(x: FloatArray, y: FloatArray, x_axis: Axis, y_axis: Axis) -> IntArray:
    """Return the vertices a reader can point at."""
    return spread(x, y, x_axis, y_axis, CELLS)


def rates_told(view: View, rows: pl.DataFrame) -> dict[str, list[str]]:
    """Print threshold, counts and rates of rows with ``n_target`` and ``n_nontarget`` beside them."""
    return {
        "Threshold": printed(rows["threshold"]),
        view.terms.title("false_alarms"): _of(rows["false_alarms"], rows["n_nontarget"]),
        view.terms.title("misses"): _of(rows["misses"], rows["n_target"]),
        view.terms.title("short_far"): printed(100 * rows["p_fa"]),
        view.terms.title("short_frr"): printed(100 * rows["p_miss"]),
    }


def printed(values: pl.Series) -> list[str]:
    """Print numbers to a few digits; what is undefined is not told."""
    return ["" if value is None else significant(value, DIGITS) for value in values]


def _of(found: pl.Series, all_of_them: pl.Series) -> list[str]:
    return [f"{count(k)}/{count(n)}" for k, n in zip(found, all_of_them, strict=True)]
