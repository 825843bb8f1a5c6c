"""Numbers that are undefined, and those with a flag: which, and what must be known of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reporting.base.legible import elided
from reporting.document import numbers
from reporting.document.blocks import Caution
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.trials import TRIALS
from reporting.document.words import phrases
from reporting.document.words.codes import FLAGS, Flag, undefined
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.reliability.design import bin_width, is_called

MOST_NAMED = 3
"""So many measures or pairs are named; more are counted."""

Rows = Sequence[MetricRow] | Sequence[ComparisonRow]


def undefined_values(view: DatasetView) -> Iterator[Caution]:
    """Yield the values that cannot be computed, and why."""
    rows = [row for row in _answering(view) if row.value is None]
    for split, where in (("test", "test"), ("dev", "development")):
        here = [row for row in rows if row.split == split]
        for status in dict.fromkeys(row.status for row in here):
            these = [row for row in here if row.status == status]
            first = [row for row in these if _primary(view, row)]
            what = f"{_measures(view, first or these)} of {_models(view, first or these)}"
            why = f"{phrases.reason(status, view.terms)}{_ruled_out(view, first or these)}"
            text = f"{what} cannot be computed on the {where} set: {why}."
            grave = split == "test" and bool(first)
            scale = _scale(view, status, [row.model for row in first or these])
            yield undefined(status, text + scale + _also(first, these), grave, "Undefined values.")


def undefined_comparisons(view: DatasetView) -> Iterator[Caution]:
    """Yield the comparisons without a test, and why."""
    rows = [row for row in view.comparisons if row.status is not None]
    values_defined = {row.model for row in view.metrics if row.split == "test" and row.value is not None}
    for status in dict.fromkeys(row.status for row in rows):
        these, why = [row for row in rows if row.status == status], phrases.reason(status, view.terms)
        first = [row for row in these if _primary(view, row)]
        if len(these) == len(view.comparisons):
            yield undefined(status, f"No comparison is defined: {why}.", True, "No comparison.")
        elif values_defined:
            text = f"No test of {_pairs(view, first or these)} in {_measures(view, first or these)}: {why}."
            yield undefined(status, text + _also(first, these), bool(first), "No test.")


def _scale(view: DatasetView, status: str | None, models: Sequence[str]) -> str:
    """Say how scores are declared as probabilities, where that is what a measure lacks."""
    if status != "not_probability":
        return ""
    model = models[0]
    given = f"models={{{model!r}: {{'scale': 'probability'}}}}"
    if not is_called(view):
        given = f"models: {{{model}: {{scale: probability}}}}"
    return f" If they are, declare it: {elided(given)}."


def _ruled_out(view: DatasetView, rows: Sequence[MetricRow]) -> str:
    """Count the trials whose outcome was given probability 0, by class and model; empty without any."""
    targets = {row.model: row.ruled_out_targets for row in rows if row.ruled_out_targets}
    nontargets = {row.model: row.ruled_out_nontargets for row in rows if row.ruled_out_nontargets}
    classes = (view.terms.targets, targets, 0), (view.terms.nontargets, nontargets, 1)
    counted = [
        f"{name} with probability {stated}: "
        + phrases.listing(f"{numbers.count(n)} of {view.names[model]}" for model, n in by_model.items())
        for name, by_model, stated in classes
        if by_model
    ]
    return f" ({'; '.join(counted)})" if counted else ""


OF_THEIR_OWN = ("below_rule_of_30", "interval_withheld", "below_chance")
"""Flags that have a function of their own here."""


def flagged_values(view: DatasetView) -> Iterator[Caution]:
    """Yield the flags of values on test, with the models and measures that have them."""
    rows = [row for row in _answering(view) if row.split == "test"]
    for flag in FLAGS.values():
        these = [row for row in rows if flag.name in row.flags]
        if these and flag.values and flag.name not in OF_THEIR_OWN:
            first = [row for row in these if _primary(view, row)]
            shown = first or these
            facts = {"models": _models(view, shown), "measures": _measures(view, shown)}
            yield _of_flag(view, flag, flag.values, bool(first), **facts, **_units(view, these))


def flagged_comparisons(view: DatasetView) -> Iterator[Caution]:
    """Yield the flags of comparisons, with the pairs and measures that have them."""
    for flag in FLAGS.values():
        these = [row for row in view.comparisons if flag.name in row.flags]
        if these and flag.comparisons:
            first = [row for row in these if _primary(view, row)]
            shown = first or these
            facts = {"pairs": _pairs(view, shown), "measures": _measures(view, shown)}
            of_flag = _of_flag(view, flag, flag.comparisons, bool(first), **facts, **_units(view, these))
            of_pairs = "{pairs}" in flag.comparisons
            only = "" if first else f" This concerns {_measures(view, these)} only."
            more = f"{_also(first, these)}{only}" if of_pairs else ""
            yield replace(of_flag, text=of_flag.text + more)


def _units(view: DatasetView, rows: Rows) -> dict[str, str]:
    every: list[MetricRow | ComparisonRow] = [*rows]
    row = min(every, key=lambda each: math.inf if each.n_units is None else each.n_units)
    of_column = bool(row.group) and not row.group_columns
    of_test = [row.n_clusters for row in view.rows(TRIALS) if row.split == "test" and row.n_clusters]
    fewest = min(of_test, default=0) if row.n_units is None else row.n_units
    named = phrases.units_of(view, row)
    few = worth = f"There are only {numbers.count(fewest)} {named}"
    if unequal := "" if of_column else phrases.worth_of_units(view, fewest):
        few = worth = f"{numbers.count(fewest)} {named} {unequal}"
    if fewest == 1:
        worth = f"All trials are of one {phrases.cluster(view.results)}"
    elif not of_column and (effective := phrases.worth_of_units(view, fewest, always=True)):
        worth = f"{numbers.count(fewest)} {named} {effective}"
    return {"units": named, "few_units": few, "worth": worth}


def _of_flag(view: DatasetView, flag: Flag, template: str, of_primary: bool, **facts: str) -> Caution:
    """Return the caution of a flag; names are printed unchanged."""
    bins = {"dev_step": bin_width(view, "dev"), "test_step": bin_width(view, "test")}
    text = view.terms.say(template).format_map({"a_target": view.terms.a_target, **bins, **facts})
    begins_with_a_name = text.startswith(tuple(view.names.values()))
    text = text if begins_with_a_name else capitalised(text)
    return flag.caution(text, flag.grave and of_primary)


def _answering(view: DatasetView) -> list[MetricRow]:
    """The rows of ``metrics`` a priori; of the first question the means, where they answer it."""
    pooled = [row for row in view.metrics if not (view.means and row.split == "test" and _primary(view, row))]
    return [row for row in (*pooled, *view.means.values()) if row.threshold_source != "oracle"]


def _primary(view: DatasetView, row: MetricRow | ComparisonRow) -> bool:
    return (row.measure, row.criterion) == view.question


def _also(first: Rows, rows: Rows) -> str:
    """Return how many further measures a caution about the primary one concerns."""
    others = {row.measure for row in rows} - {row.measure for row in first}
    if not first or not others:
        return ""
    return f" This also holds for {len(others)} other measure{'' if len(others) == 1 else 's'}."


def _models(view: DatasetView, rows: Iterable[MetricRow]) -> str:
    names = phrases.in_order(view, (row.model for row in rows))
    if len(names) == len(view.names) > 1:
        return "all models"
    return phrases.listing(names)


def _measures(view: DatasetView, rows: Rows) -> str:
    return phrases.listing(
        dict.fromkeys(phrases.measure_label(row.measure, view.terms) for row in rows), MOST_NAMED
    )


def _pairs(view: DatasetView, rows: Sequence[ComparisonRow]) -> str:
    """Return ``A and B`` for one pair, else how many pairs, with the names of a few."""

    def name(key: str) -> str:
        return view.names.get(key, key)

    pairs = list(dict.fromkeys(f"{name(row.model)} and {name(row.baseline)}" for row in rows))
    if len(pairs) == 1:
        return pairs[0]
    every = {(row.model, row.baseline) for row in view.comparisons}
    if len(pairs) == len(every):
        return "both pairs" if len(pairs) == 2 else f"all {len(pairs)} pairs"
    return f"{len(pairs)} pairs ({'; '.join(pairs)})" if len(pairs) <= MOST_NAMED else f"{len(pairs)} pairs"
