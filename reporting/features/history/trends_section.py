"""How the numbers moved from run to run: a picture of every measure that earlier runs have too."""

from __future__ import annotations

import polars as pl

from reporting.core.measures.catalogue import read_measure
from reporting.document.blocks import Block, Figure, Prose, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import listing, threshold_phrase
from reporting.document.words.view import DatasetView, views
from reporting.features.history import FEATURE
from reporting.features.history.frame import HISTORY
from reporting.features.history.phrases import LabelledPrinting, bands_phrase
from reporting.features.history.trends import Trend, answering, has_bands, together, trend_figure
from reporting.features.history.trends import trends as trends_of

MOST = 4
"""So many measures have a picture."""
MOST_RANGES = 6
"""So many models have their numbers in the sentence."""


def trends(results: Results) -> Section | None:
    """Return the trends over the runs of the store and this one; nothing without an earlier run."""
    frame = results.frame(HISTORY)
    if frame["history_run"].n_unique() < 2:
        return None
    blocks = [block for view in views(results) if view.whole for block in _of_scope(view, frame)]
    return FEATURE.section("trends").of(blocks, beside=True)


def _of_scope(view: DatasetView, frame: pl.DataFrame) -> tuple[Block, ...]:
    """Return the blocks of one dataset: measures with values in two runs, in the report's order."""
    first = str(view.study.primary.measure)
    there = frame.filter(pl.col("model").is_in(view.results.models), dataset=view.dataset)
    mine = answering(there, first, view.averaged)
    every_trend = trends_of(mine, view.results.models, first)
    measures = dict.fromkeys((first, *(str(measure) for measure in view.study.measures)))
    order = {measure: n for n, measure in enumerate(measures)}
    kept = [same for same in together(every_trend, "measure") if same[0].measure in order and _moves(same)]
    kept.sort(key=lambda same: order[same[0].measure])
    if not kept:
        return ()
    pictures = [_picture(view, same, n) for n, same in enumerate(kept[:MOST], start=1)]
    names = [view.terms.measure(read_measure(same[0].measure)) for same in kept[MOST:]]
    have = "has no picture" if len(names) == 1 else "have no pictures"
    more = [Prose(f"{listing(names)} {have} here; their values are in frames/history.parquet.")]
    return (Prose(_sentence(view, kept[0])), *pictures, *(more if names else []))


def _moves(same: list[Trend]) -> bool:
    """Return whether a model has two values, and none has several runs without a mean."""
    models = [trend.model for trend in same]
    known = (sum(value is not None for value in trend.values) for trend in same)
    return len(set(models)) == len(models) and any(n > 1 for n in known)


def _printed(view: DatasetView, same: list[Trend]) -> LabelledPrinting:
    measure = read_measure(same[0].measure)
    how = view.printing(measure)
    return LabelledPrinting(how.percent, how.decimals, view.terms.measure(measure))


def _sentence(view: DatasetView, same: list[Trend]) -> str:
    """Return the range of the models' first measure over all runs, and its latest value."""
    how, runs = _printed(view, same), {run for trend in same for run in trend.history_run}
    dates = sorted(day for trend in same for day in trend.as_of)
    ranges = []
    for trend in same:
        known = [value for value in trend.values if value is not None]
        if len(known) > 1:
            now = how.value(trend.values[-1])
            low, high = how.value(min(known)), how.value(max(known))
            ranges.append(f"{view.names[trend.model]} {low} to {high}, now {now}")
    place = f"{view.where}: " if view.where else ""
    more = f"; and {len(ranges) - MOST_RANGES} more" if len(ranges) > MOST_RANGES else ""
    shown = f"{'; '.join(ranges[:MOST_RANGES])}{more}"
    return f"{place}{how.title} in {len(runs)} runs from {dates[0]} to {dates[-1]}: {shown}."


def _picture(view: DatasetView, same: list[Trend], number: int) -> Figure:
    how = _printed(view, same)
    measure = read_measure(same[0].measure)
    at_threshold = measure.over == "threshold"
    where = f" at {threshold_phrase(view.study.primary.criterion, view.study)}" if at_threshold else ""
    band = bands_phrase(trend.level for trend in same) if has_bands(same) else ""
    place = f", {view.where}" if view.where else ""
    caption = (
        f"{how.label} on the test set{where}, by date of the run{place}{band}. Trials may differ"
        " between runs."
    )
    return trend_figure(view.unique_name(f"trend_{number}"), same, how, view.names, view.styles, caption)
