"""The table that a reader of the page recomputes: two models at a threshold each, with limits."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR, NPV, PRECISION, WEIGHTED_ERROR
from reporting.document import numbers
from reporting.document.blocks import Caution, Cell, Column, LiveTable, Prose, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import clusters, level_text, reason
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.recompute import FEATURE
from reporting.features.recompute.checks import checks
from reporting.features.recompute.formulas import (
    Limited,
    PairDifference,
    Setting,
    alpha_of,
    compared,
    rates,
    share_of_targets,
)
from reporting.features.recompute.frame import HELD, HELD_PAIRS
from reporting.features.recompute.grid import MOST_THRESHOLDS
from reporting.features.recompute.held import HeldSet, held_sets
from reporting.features.recompute.keys import RECOMPUTE_KEY

MEASURES: tuple[Measure, ...] = (FAR, FRR, PRECISION, NPV, WEIGHTED_ERROR)
MOST_DECIMALS = 4
SMALL = 10
"""Counts of fewer trials are cautioned about."""
MARGIN = 1.0
"""Percentage points by which one model may be worse, as a page begins."""
LEAST_SHARE, MOST_COST = 1e-6, 1e6
"""Prevalences between this and 1 less it, and costs up to this and above its inverse, may be set."""


class Start(NamedTuple):
    """The numbers as a page begins: those of one or two models, and their differences."""

    places: tuple[int, ...]
    setting: Setting
    alpha: float
    values: list[dict[str, Limited]]
    differences: Mapping[str, PairDifference]


def what_if(results: Results) -> Section | None:
    """Return the table of the first set of trials with all that recomputes it, or why there is none."""
    least = RECOMPUTE_KEY.of(results.study)
    if least is None:
        return None
    sets = held_sets(results)
    if not sets:
        why = _text(views(results)[0], "nothing_held", least=numbers.count(least))
        return FEATURE.section("what-if").of([Prose(why)])
    first = sets[0]
    initial = start(first)
    return FEATURE.section("what-if").of([_table(sets, first, initial)])


def start(first: HeldSet) -> Start:
    """Return the numbers of the two leading models at the thresholds, costs and prevalence of the report."""
    places, setting = start_places(first), own_setting(first.view.study)
    at = [first.models[model].at(place) for model, place in zip(first.pair, places, strict=True)]
    alpha = alpha_of(share_of_targets(at[0], setting), setting)
    observed = first.discordant((places[0], places[-1])) if len(places) > 1 else None
    differences = compared(observed, alpha, setting.level) if observed is not None else {}
    return Start(places, setting, alpha, [rates(each, setting) for each in at], differences)


def own_setting(study: Study) -> Setting:
    """Return the prevalence and costs that the report is about.

    Those of its primary measure, or of the criterion of that; else the first of its operating points; else
    equal costs at the prevalence that is declared, or at which the weighted error is the primary measure, or
    that of the trials.
    """
    primary, level = study.primary, study.inference.level
    named = [each.arguments for each in (primary.measure, study.point_criterion) if each is not None]
    points = [*named, *(vars(point) for point in study.operating_points)]
    for point in points:
        if "p_target" not in point:
            continue
        p, c_miss, c_fa = (float(point.get(name, 1.0)) for name in ("p_target", "c_miss", "c_fa"))
        costs_fit = all(1 / MOST_COST <= cost <= MOST_COST for cost in (c_miss, c_fa))
        if LEAST_SHARE <= p <= 1 - LEAST_SHARE and costs_fit:
            return Setting(p, c_miss, c_fa, level)
    prevalence, alpha = study.prevalence, weight_of_far(primary.measure)
    if prevalence is None and alpha is not None and LEAST_SHARE <= 1 - alpha <= 1 - LEAST_SHARE:
        prevalence = 1 - alpha
    return Setting(prevalence, level=level)


def weight_of_far(measure: Measure) -> float | None:
    """Return the weight of FAR in a measure that is a weighted error, but for a factor; None of others."""
    weights = measure.rate_weights() if measure.over == "threshold" and measure.mix is None else None
    return None if weights is None or not sum(weights) else weights[0] / sum(weights)


def start_places(held: HeldSet) -> tuple[int, ...]:
    """Return the places of the thresholds of the report's first question, or where both rates are alike."""
    chosen = zip(held.pair, chosen_places(held), strict=True)
    return tuple(held.models[at].middle if place is None else place for at, place in chosen)


def chosen_places(held: HeldSet) -> list[int | None]:
    """Return where the report's criterion put the thresholds of the two leading models."""
    criterion = str(held.view.study.point_criterion)
    return [held.models[at].place_of(criterion) for at in held.pair]


def _table(sets: list[HeldSet], first: HeldSet, initial: Start) -> LiveTable:
    view = first.view
    level = level_text(view.study.inference.level)
    columns = [Column(""), *(Column(view.names[first.models[at].model], "number", "%") for at in first.pair)]
    columns = [
        Column(column.title, column.kind, column.unit, beneath=f"{level} CI" if column.title else "")
        for column in columns
    ]
    two = len(first.pair) > 1
    if two:
        columns.append(Column("difference", "number", "points", beneath=f"{level} CI"))
        columns += [Column("p", "number")] if initial.differences else []
    return LiveTable(
        "what_if",
        f"{_text(view, 'caption', level=level)} {_begins(first, initial.setting)}",
        tuple(columns),
        tuple(_row(view, measure, initial, two) for measure in MEASURES),
        tuple(_notes(sets, first, initial)),
        held=_held(sets, first, initial),
    )


def _row(view: DatasetView, measure: Measure, initial: Start, two: bool) -> tuple[Cell, ...]:
    key = measure.key
    values, difference = [of[key] for of in initial.values], initial.differences.get(key)
    level = view.study.inference.level
    printed = Printing(True, decimals(view, values, level))
    cells = [Cell(title(view, measure, initial.alpha)), *(_cell(printed, value) for value in values)]
    if not two:
        return tuple(cells)
    if difference is None:
        cells.append(_cell(printed, Limited(values[0].value - values[1].value)))
        return (*cells, Cell("")) if initial.differences else tuple(cells)
    printed = printed.off_zero(difference.low, difference.high)
    cells.append(_cell(printed, Limited(*difference[:3])))
    return (*cells, Cell(numbers.p_value(difference.p), difference.p))


def title(view: DatasetView, measure: Measure, alpha: float) -> str:
    """Return the head of a row; that of the weighted error names the weight of FAR."""
    name = view.terms.measure(measure)
    return f"{name} (α\u00a0=\u00a0{weight(alpha)})" if measure is WEIGHTED_ERROR else name


def weight(alpha: float) -> str:
    """Print a weight with three significant digits."""
    return numbers.significant(alpha, 3)


def decimals(view: DatasetView, values: list[Limited], level: float) -> int:
    """Return as many decimals as the page gives error rates, or those of two digits of smaller errors."""
    errors = [standard_error(of.low, of.high, level) for of in values if not math.isnan(of.low)]
    known = [100 * error for error in errors if error]
    own = numbers.decimals_for(statistics.median(known), most=MOST_DECIMALS) if known else 0
    return max(view.printing(FAR).decimals, own)


def _cell(printed: Printing, of: Limited) -> Cell:
    if math.isnan(of.value):
        return Cell("—", reason="undefined here")
    beneath = "" if math.isnan(of.low) else printed.interval(of.low, of.high)
    return Cell(printed.value(of.value), of.value, beneath=beneath)


def _begins(first: HeldSet, setting: Setting) -> str:
    """Say at which thresholds, prevalence and costs the table begins."""
    view, criterion = first.view, first.view.study.point_criterion
    parts = [_text(view, "equal_costs")]
    if setting.c_miss != setting.c_fa:
        c_miss, c_fa = (f"{cost:.10g}" for cost in (setting.c_miss, setting.c_fa))
        parts = [_text(view, "costs", c_miss=c_miss, c_fa=c_fa)]
    if setting.prevalence is not None:
        parts.append(_text(view, "at_prevalence", share=f"{100 * setting.prevalence:.10g}%"))
    costs = ", ".join(parts)
    if criterion is None or None in chosen_places(first):
        return _text(view, "begins_alike", costs=costs)
    return _text(view, "begins", rule=view.terms.criterion(criterion), costs=costs)


def _notes(sets: list[HeldSet], first: HeldSet, initial: Start) -> Iterator[str]:
    view, dependent = first.view, first.dependent
    primary = view.study.primary.measure
    own = weight_of_far(primary)
    if own is not None and math.isclose(own, initial.alpha):
        yield _text(view, "first_screen_alike", measure=view.terms.measure(primary))
    elif primary not in MEASURES:
        yield _text(view, "first_screen", measure=view.terms.measure(primary))
    yield _text(view, "rates_dependent" if dependent else "rates")
    if initial.differences:
        pair = [first.view.names[first.models[at].model] for at in first.pair]
        how = "differences"
        if dependent:
            how = "differences_clustered" if view.results.cluster else "differences_weighted"
            how = "differences_paired" if view.results.cluster_b else how
        more = {} if how in ("differences", "differences_weighted") else {"clusters": clusters(view.results)}
        yield _text(view, how, first=pair[0], second=pair[-1], **more)
    elif len(first.pair) > 1:
        why = (
            "clusters" if view.results.cluster and dependent else "unpaired" if view.whole else "single_runs"
        )
        yield _text(view, why, clusters=clusters(view.results)) if why == "clusters" else _text(view, why)
    if dependent and not first.models[0].rows[0].far_size:
        yield capitalised(reason("too_few_clusters", view.terms)) + "."
    yield _text(view, "thresholds", most=MOST_THRESHOLDS)
    groups = view.results.frame(HELD).select("dataset", "run", "group").n_unique()
    if groups > len(sets):
        yield _text(view, "no_room", groups=numbers.count(groups - len(sets)))
    yield _text(view, "counts")


def _held(sets: list[HeldSet], first: HeldSet, initial: Start) -> Mapping[str, Any]:
    """Return what the script of a page needs, as plain data."""
    view, study = first.view, first.view.study
    rules = {name for held in sets for model in held.models for row in model.rows for name in row.criteria}
    named = [str(criterion) for criterion in study.criteria if str(criterion) in rules]
    return {
        "sets": [held.plain() for held in sets],
        "rules": [[name, view.terms.criterion(read_criterion(name))] for name in named],
        "starts": [start_places(held) for held in sets],
        "prevalence": initial.setting.prevalence,
        "costs": [initial.setting.c_miss, initial.setting.c_fa],
        "level": study.inference.level,
        "margin": MARGIN,
        "decimals": view.printing(FAR).decimals,
        "checks": checks(sets),
        "words": {name: _text(view, name, **slots) for name, slots in SPOKEN.items()},
        "measures": [view.terms.measure(measure) for measure in MEASURES],
    }


SPOKEN: Mapping[str, Mapping[str, str]] = {
    name: {slot: f"{{{slot}}}" for slot in slots.split()}
    for name, slots in {
        "caption": "level",
        "setting": "set models share c_miss c_fa",
        "at": "model threshold",
        "legend": "",
        "trials_set": "",
        "model": "",
        "other": "",
        "threshold": "",
        "own_threshold": "",
        "prevalence": "",
        "own_share": "share",
        "c_miss": "",
        "c_fa": "",
        "level": "",
        "margin": "",
        "reset": "",
        "verify": "",
        "alone": "model value level limits",
        "alone_untested": "model value",
        "lower": "model other points level limits p",
        "equal": "model other level limits p",
        "untested": "model other points",
        "within_margin": "model margin",
        "beyond_margin": "model margin",
        "undefined": "",
        "of_others": "first second",
        "agree": "agreed every",
        "disagree": "agreed every",
        "rest": "rest",
        "none": "",
        "wrong": "",
    }.items()
}
"""The texts of the script, with the slots that it fills."""


def small_counts(view: DatasetView) -> Iterator[Caution]:
    """Yield the caution about counts of few trials, which may be those of one person.

    In the vocabulary of patients of counts between thresholds, else of the size of a class; and of joint
    decisions by cluster.
    """
    where = {"dataset": view.dataset, "split": "test"}
    held = view.results.frame(HELD).filter(**where, run=view.run)
    counts = held.select("n_target", "n_nontarget")
    if view.study.vocabulary == "medical":
        counts = held.select(pl.col("misses", "false_alarms").diff().over("model", "split", "group").abs())
    by_cluster = view.results.frame(HELD_PAIRS).filter(**where)["cluster"].max()
    if by_cluster or counts.select(pl.any_horizontal((pl.all() > 0) & (pl.all() < SMALL)).any()).item():
        yield FEATURE.caution(view, "small_counts", least=SMALL)


def _text(view: DatasetView, name: str, **facts: object) -> str:
    return FEATURE.text(view, name, **facts)
