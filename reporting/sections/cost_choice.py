"""Which model at which cost: over all priors and costs, the models that may have the lowest expected cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from reporting.charts.captions import models, on_test
from reporting.charts.picture import Words
from reporting.charts.winners import (
    ALONE,
    OUT,
    TOGETHER,
    Map,
    asked_points,
    state,
    winner_map,
    winners_figure,
)
from reporting.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.engine.model_runs import MEAN
from reporting.frames import COMPARISONS, EPC, STEPS, TRIALS, Results, WinnerRow
from reporting.frames.winners import SAME, alpha_of
from reporting.measures.threshold import WEIGHTED_ERROR
from reporting.report import numbers
from reporting.report.blocks import Block, Prose, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.wording.codes import CI_METHODS
from reporting.wording.phrases import (
    AFRESH,
    CHOSEN,
    level_text,
    listing,
    reason,
    sense,
    units,
)
from reporting.wording.printing import Printing, standard_error
from reporting.wording.tables import ColumnOf, TableOf, limits
from reporting.wording.view import View, views

ALPHAS = (0.01, 0.1, 0.5, 0.9, 0.99)
"""The rows of the table, beside the operating points."""
MOST_NAMES = 6
DIGITS = 10
"""Significant digits of numbers that the page goes on computing with."""


def cost_choice(results: Results) -> Section | None:
    """Return the winner map with its numbers; nothing without a curve along the weighted error."""
    return SECTIONS["cost-choice"].per_view(views(results), _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    choice = winner_map(view)
    if choice is None or not any(low is not None for low in choice.lowest):
        return ()
    rows = (row for of_model in choice.of_model.values() for row in of_model)
    printed = Printing.of(WEIGHTED_ERROR, [standard_error(row.ci_low, row.ci_high) for row in rows])
    words = Words(_caption(choice), _alt(choice))
    figure = winners_figure(choice, words, explorer(choice, printed))
    return (*_sentences(choice), figure, _table(choice, printed))


def _sentences(choice: Map) -> tuple[Prose, ...]:
    """Say who has the lowest value where, and who is ruled out where."""
    n, names, spoken = len(choice.alphas), choice.view.names, choice.view.terms
    leads = {model: sum(choice.leads(model)) for model in choice.models}
    order = sorted((model for model in choice.models if leads[model]), key=lambda model: -leads[model])
    lowest = [f"{names[m]} {'at all of them' if leads[m] == n else f'at {leads[m]}'}" for m in order]
    first = (
        f"The weight α of {spoken.false_acceptance} stands for a prior p of {spoken.targets} and for the"
        f" costs of a {spoken.miss} and of a {spoken.false_alarm}: α = c_fa (1 − p) / (c_fa (1 − p) + c_miss"
        f" p). Over {n} values of α inside (0, 1), each with the threshold chosen {_where(choice)} for it,"
        f" the lowest {spoken.measure(WEIGHTED_ERROR)} on test has: {listing(lowest, MOST_NAMES)}."
    )
    if not choice.is_known:
        unknown = f"Nothing is said of which models may be the best: {_why_unknown(choice)}."
        return Prose(first), Prose(unknown)
    states = {model: choice.states(model) for model in choice.models}
    ruled_out = {
        "nowhere": [m for m, s in states.items() if OUT not in s],
        "everywhere": [m for m, s in states.items() if set(s) == {OUT}],
        "at some": [m for m, s in states.items() if OUT in s and set(s) != {OUT}],
    }
    parts = [
        f"{where} {listing((names[model] for model in which), MOST_NAMES)}"
        for where, which in ruled_out.items()
        if which
    ]
    level = level_text(choice.view.study.inference.level)
    second = f"Shown to be worse than the best, at all α at once ({level} confidence): {'; '.join(parts)}."
    alone = [names[model] for model, of_model in states.items() if set(of_model) == {ALONE}]
    if alone:
        are = "is" if len(alone) == 1 else "are"
        second += f" {listing(alone, MOST_NAMES)} {are} not shown to be worse at any α, even taken by itself."
    return Prose(first), Prose(second)


def _why_unknown(choice: Map) -> str:
    if len(choice.models) < 2:
        return "there is one model"
    if set(choice.view.results.frame(COMPARISONS)["status"]) == {"no_trial_key"}:
        return reason("no_trial_key")
    return "at given thresholds each model has replicates of its own"


def _where(choice: Map) -> str:
    return CHOSEN[choice.view.study.thresholds.policy]


def _caption(choice: Map) -> str:
    view, spoken = choice.view, choice.view.terms
    caption = (
        f"{on_test(view)}: {spoken.measure(WEIGHTED_ERROR)} over its weight α, at thresholds chosen"
        f" {_where(choice)} for each α ({spoken.criterion(CHOSEN_BY)}, a priori). Line: the lowest value. "
    )
    if choice.is_known:
        caption += (
            "Full colour: not shown to be worse than the best at that α by itself; pale: shown to be worse"
            " there, but not at all α at once; faint: shown to be worse even so. " + _how(choice)
        )
    if len(choice.drawn) < len(choice.models):
        caption += f"The first {len(choice.drawn)} of {len(choice.models)} models by rank. "
    # The upright lines in their order: in print they look alike.
    names = [name for name, _ in asked_points(choice)]
    points = f" and, from the left, {listing(names)}" if names else ""
    return (
        f"{caption}Dashed: α = 0.5, equal weights{points}. At equal costs the prior of {spoken.targets} is"
        " 1 − α."
    )


def _how(choice: Map) -> str:
    """Return what the map rests on."""
    rows = (row for of_model in choice.of_model.values() for row in of_model)
    row = next(row for row in rows if row.may_be_best is not None)
    how = AFRESH if row.inference == "procedure" else "given the thresholds"
    level = level_text(choice.view.study.inference.level)
    return (
        f"{level} confidence over all {row.n_models} models, one-sided at one α, max-T"
        f" over all pairs and all {row.n_alphas} α at once; {how},"
        f" {units(choice.view.results, choice.view.study.inference.unit)} resampled,"
        f" {numbers.count(row.replicates or 0)} replicates. "
    )


def _alt(choice: Map) -> str:
    parts = []
    for model in choice.drawn[:MOST_NAMES]:
        stretches = choice.stretches(choice.leads(model))[:3]
        places = [f"{weight_text(low)} to {weight_text(high)}" for low, high in stretches]
        lowest = f"lowest for α in {listing(places)}" if places else "nowhere lowest"
        states = choice.states(model)
        alone, all_at_once = states.count(ALONE), states.count(ALONE) + states.count(TOGETHER)
        known = f", may be the best at {alone} of {len(states)} α, at {all_at_once} over all at once"
        parts.append(f"{choice.view.names[model]} {lowest}{known if choice.is_known else ''}")
    if len(choice.drawn) > MOST_NAMES:
        parts.append(f"and {len(choice.drawn) - MOST_NAMES} more")
    return f"Map of the best of {models(choice.view)} over the weight α. {'; '.join(parts)}."


def weight_text(alpha: float) -> str:
    """Print a weight in (0, 1): two digits of its distance to the nearer end, and at least three places."""
    places = max(3, 1 - math.floor(math.log10(min(alpha, 1 - alpha))))
    return numbers.fixed(alpha, places).rstrip("0")


class WeightRow(NamedTuple):
    """One alpha of the table: the operating points that lie there, the models' rows, and who is lowest."""

    alpha: float
    points: str
    rows: dict[str, WinnerRow]
    leading: list[str]

    @property
    def best(self) -> WinnerRow:
        """The row of the lowest value, or else of the first model, whose status says why there is none."""
        return self.rows[self.leading[0]] if self.leading else next(iter(self.rows.values()))


def _table(choice: Map, printed: Printing) -> Table:
    view, measure = choice.view, choice.view.terms.measure(WEIGHTED_ERROR)
    places = _places(choice)
    table = TableOf[WeightRow](view, lambda place: table.reason(place.best))

    def members(title: str, inside: Callable[[WinnerRow], bool | None]) -> ColumnOf[WeightRow]:
        def names(place: WeightRow) -> str:
            members = [view.names[model] for model, row in place.rows.items() if inside(row)]
            return "all" if len(members) == len(place.rows) > 2 else listing(members, MOST_NAMES)

        known = table.text(title, names)
        unknown = TableOf[WeightRow](view, lambda place: _why_unknown(choice)).text(title, lambda place: None)
        return known if choice.is_known else unknown

    points = table.text("operating point", lambda place: place.points)
    return table.build(
        "winners",
        f"The lowest {measure} on test at some weights α, and the models not shown to be worse.",
        places,
        (
            *((points,) if any(place.points for place in places) else ()),
            table.number("α", lambda place: place.alpha, weight_text),
            table.number(
                f"prior of {view.terms.targets} at equal costs", lambda place: 1 - place.alpha, weight_text
            ),
            table.text(
                "lowest",
                lambda place: listing((view.names[model] for model in place.leading), MOST_NAMES) or None,
            ),
            table.number(
                measure,
                lambda place: printed.scaled(place.best.value) if place.leading else None,
                printed.decimals,
                unit=printed.unit,
                sense=sense(WEIGHTED_ERROR),
            ),
            table.interval(lambda place: limits(place.best), printed),
            members("may be the best at this α", lambda row: row.may_be_best),
            members("may be the best, all α at once", lambda row: row.may_be_best_joint),
        ),
        (_intervals(choice),),
    )


def _places(choice: Map) -> list[WeightRow]:
    """Return the rows of the table: some alphas, and those of the operating points."""
    points = [(alpha_of(point), point.name) for point in choice.view.study.operating_points]
    names_at: dict[int, list[str]] = {}
    for alpha, name in [*((alpha, "") for alpha in ALPHAS), *points]:
        at = min(range(len(choice.alphas)), key=lambda i: abs(choice.alphas[i] - alpha))
        if not name or abs(choice.alphas[at] - alpha) <= SAME:
            names_at.setdefault(at, []).extend([name] if name else [])
    return [
        WeightRow(
            choice.alphas[at],
            ", ".join(dict.fromkeys(names)),
            {model: choice.of_model[model][at] for model in choice.models},
            [model for model in choice.models if choice.leads(model)[at]],
        )
        for at, names in sorted(names_at.items())
    ]


def _intervals(choice: Map) -> str:
    """Say how the intervals were made: as those along the curve."""
    view, inference = choice.view, choice.view.study.inference
    along = {row.inference for row in view.rows(EPC) if row.criterion == str(CHOSEN_BY)}
    how = AFRESH if "procedure" in along else "given the thresholds"
    method = inference.interval if inference.interval in ("centred", "basic") else "percentile"
    return (
        f"Intervals: of each value by itself, {CI_METHODS[method].name}, {how},"
        f" {units(view.results, inference.unit)} resampled."
    )


def explorer(choice: Map, printed: Printing) -> dict[str, Any]:
    """Return what a page needs to answer for any prior and costs that a reader names, as plain data.

    At every alpha of the frame its own numbers; between them the weighted error follows from the steps of
    the curve, each with its threshold and rates, whose share of errors is exact. In the ``cells`` around
    them its interval and standing are those of the alpha.
    """
    view, spoken = choice.view, choice.view.terms
    return {
        "decimals": printed.decimals,
        "level": level_text(view.study.inference.level),
        "words": {
            "value": spoken.measure(WEIGHTED_ERROR),
            "far": spoken.far,
            "frr": spoken.frr,
            "targets": spoken.targets,
            "miss": spoken.miss,
            "false_alarm": spoken.false_alarm,
            "intervals": _intervals(choice),
        },
        "alphas": [_short(alpha) for alpha in choice.alphas],
        "cells": [[_short(end) for end in cell] for cell in choice.cells],
        "points": [
            {"name": point.name, "p_target": point.p_target, "c_miss": point.c_miss, "c_fa": point.c_fa}
            for point in view.study.operating_points
        ],
        "known": choice.is_known,
        "models": [
            {
                "name": view.names[model],
                "value": [_short(row.value) for row in rows],
                "interval": [printed.interval(row.ci_low, row.ci_high) for row in rows],
                "p": [numbers.p_value(row.p_best) for row in rows],
                "state": [state(row) for row in rows],
                "runs": _runs(view, model),
            }
            for model, rows in ((model, choice.of_model[model]) for model in choice.models)
        ],
    }


def _runs(view: View, model: str) -> Sequence[Mapping[str, Any]]:
    """Return the steps of every run: where each ends, its threshold and its rates on test.

    None where they are not known in full: trials of different weight, thresholds across folds, a class
    without trials.
    """
    if view.results.weighted:
        return []
    here = {"dataset": view.dataset, "split": "test", "group": "", "model": model}
    steps = STEPS.rows(view.results.frame(STEPS).filter(criterion=str(CHOSEN_BY), **here).sort("alpha_low"))
    trials = TRIALS.rows(view.results.frame(TRIALS).filter(**here).sort("run"))
    runs = []
    for sizes in trials:
        if view.run not in (MEAN, sizes.run):
            continue
        of_run = [step for step in steps if step.run == sizes.run]
        if not (of_run and sizes.n_target and sizes.n_nontarget):
            return []
        runs.append(
            {
                "to": [_short(step.alpha_high) for step in of_run],
                "threshold": [numbers.significant(step.threshold) for step in of_run],
                "far": [_short(step.false_alarms / sizes.n_nontarget) for step in of_run],
                "frr": [_short(step.misses / sizes.n_target) for step in of_run],
            }
        )
    return runs


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
