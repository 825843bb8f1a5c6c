"""What a page needs to answer for any prior and costs that a reader sets: plain data for its script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reporting.core.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.threshold import FAR, FRR, WEIGHTED_ERROR
from reporting.document import numbers
from reporting.document.blocks import colour, dash
from reporting.document.frames.epc import EPC
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.printing import Printing
from reporting.document.words.view import DatasetView
from reporting.features.epc.exact_frames import STEPS
from reporting.features.epc.winners_chart import CostRatioRegions, cost_limits, cost_printing, state

MOST_NAMES = 6
DIGITS = 10
"""Significant digits of numbers that the page computes with."""


def cost_control(choice: CostRatioRegions, figures: Sequence[str]) -> Mapping[str, object]:
    """Return what a page needs to answer for any prior and costs that a reader sets, as plain data.

    At every alpha of the frame its own numbers, as printed; between them the weighted error follows from the
    steps of the curve, each with its threshold and rates, whose share of errors is exact. In the ``cells``
    around them its interval and verdict are those of the alpha. ``figures`` have that axis, too.
    """
    view = choice.view
    verdicts = [_verdict(choice, at) for at in range(len(choice.alphas))] if choice.is_known else []
    distinct = list(dict.fromkeys(verdicts))
    few, many = _resolved(choice)
    return {
        "figures": [*figures, view.unique_name("winners")],
        "axis": [choice.axis.low, choice.axis.high],
        "decimals": printing_of(choice).decimals,
        "words": _words(choice),
        "ends": [_short(1 / few) if few else 0, _short(1 - 1 / many) if many else 1],
        "alphas": [_short(alpha) for alpha in choice.alphas],
        "cells": [[_short(end) for end in cell] for cell in choice.cells],
        "points": [
            {"name": point.name, "p_target": point.p_target, "c_miss": point.c_miss, "c_fa": point.c_fa}
            for point in view.study.operating_points
        ],
        "known": choice.is_known,
        "verdicts": distinct,
        "verdict": [distinct.index(verdict) for verdict in verdicts],
        "models": [_model(choice, model) for model in choice.models],
    }


def _words(choice: CostRatioRegions) -> Mapping[str, Any]:
    view, spoken = choice.view, choice.view.terms
    few, many = _resolved(choice)
    tests = "Intervals and tests" if choice.is_known else "Intervals"
    return {
        "value": spoken.measure(WEIGHTED_ERROR),
        "level": level_text(view.study.inference.level),
        "far": spoken.far,
        "frr": spoken.frr,
        "false_acceptance": spoken.false_acceptance,
        "false_rejection": spoken.false_rejection,
        "targets": spoken.targets,
        "miss": spoken.miss,
        "false_alarm": spoken.false_alarm,
        "intervals": intervals_text(choice),
        "available": f"{tests} are available for α from {weight_text(choice.alphas[0])} to"
        f" {weight_text(choice.alphas[-1])} only.",
        "cannot": [
            f"{each} cannot separate the models at this prior and these costs."
            for each in (spoken.counted("target", few), spoken.counted("nontarget", many))
        ],
    }


def _model(choice: CostRatioRegions, model: str) -> Mapping[str, Any]:
    view, rows, printed = choice.view, choice.of_model[model], printing_of(choice)
    return {
        "name": view.names[model],
        "colour": colour(view.styles[model]),
        "dash": dash(view.styles[model]),
        "value": [_short(row.value) for row in rows],
        "error": [printed.value(row.value) for row in rows],
        # Relative to the best constant decision.
        "cost": [
            numbers.fixed(None if row.value is None else row.value / min(row.alpha, 1 - row.alpha), 3)
            for row in rows
        ],
        "interval": [printed.interval(*cost_limits(view, row)) for row in rows],
        "p": [numbers.p_value(row.p_best) for row in rows],
        "state": [state(row) for row in rows],
        "runs": _runs(view, model),
    }


def _resolved(choice: CostRatioRegions) -> tuple[int, int]:
    """Return the fewest targets and non-targets of a run.

    Below a weight of 1 / n_target, and above 1 - 1 / n_nontarget, one error costs more than ignoring the
    scores does.
    """
    sizes = _sizes(choice.view, None)
    return min((s.n_target for s in sizes), default=0), min((s.n_nontarget for s in sizes), default=0)


def _verdict(choice: CostRatioRegions, at: int) -> str:
    """Say who is in contention at one alpha, there and with all taken together."""
    names = choice.view.names
    rows = {model: choice.of_model[model][at] for model in choice.models}
    known = {model: row for model, row in rows.items() if row.may_be_best is not None}
    leaders = [model for model in known if choice.leads(model)[at]]
    also = [names[m] for m, row in known.items() if row.may_be_best and m not in leaders]
    out = [m for m, row in known.items() if not row.may_be_best]
    jointly = [names[m] for m in out if not known[m].may_be_best_joint]
    if not known:
        return ""
    if not out:
        return "No model is ruled out at this ratio."
    first = f"Also in contention: {listing(also, MOST_NAMES)}." if also else ""
    rest = "The other model is" if len(out) == 1 else "All other models are"
    others = f"{_are([names[m] for m in out]) if also else rest} ruled out at this ratio"
    if len(jointly) == len(out):
        return f"{first} {others}, also with all ratios taken together.".strip()
    who = f"only {_are(jointly)}" if jointly else "none is"
    together = f"with all ratios taken together, {who}."
    return f"{first} {others}; {together}".strip()


def _are(names: Sequence[str]) -> str:
    return f"{listing(names, MOST_NAMES)} {'is' if len(names) == 1 else 'are'}"


def _runs(view: DatasetView, model: str) -> Sequence[Mapping[str, Any]]:
    """Return the steps of every run: where each ends, its threshold and its rates on test.

    None where they are not known in full: trials of different weight, thresholds across folds, a class
    without trials.
    """
    if view.results.weighted:
        return []
    here = {"dataset": view.dataset, "split": "test", "group": "", "model": model}
    steps = STEPS.rows(view.results.frame(STEPS).filter(criterion=str(CHOSEN_BY), **here).sort("alpha_low"))
    far, frr, runs = view.printing(FAR), view.printing(FRR), []
    for sizes in _sizes(view, model):
        of_run = [step for step in steps if step.run == sizes.run]
        if not (of_run and sizes.n_target and sizes.n_nontarget):
            return []
        false_alarms = [step.false_alarms / sizes.n_nontarget for step in of_run]
        misses = [step.misses / sizes.n_target for step in of_run]
        runs.append(
            {
                "to": [_short(step.alpha_high) for step in of_run],
                "threshold": [numbers.significant(step.threshold) for step in of_run],
                "far": [_short(rate) for rate in false_alarms],
                "frr": [_short(rate) for rate in misses],
                "far_text": [far.value(rate) for rate in false_alarms],
                "frr_text": [frr.value(rate) for rate in misses],
            }
        )
    return runs


def _sizes(view: DatasetView, model: str | None) -> list[TrialsRow]:
    """Return how many trials each run on test has, of one model or of all."""
    here = {"dataset": view.dataset, "split": "test", "group": ""} | ({"model": model} if model else {})
    rows = TRIALS.rows(view.results.frame(TRIALS).filter(**here).sort("run"))
    return [row for row in rows if view.run in (MEAN, row.run)]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def printing_of(choice: CostRatioRegions) -> Printing:
    """Return how the weighted errors of a map are printed."""
    return cost_printing(choice.view, (row for of_model in choice.of_model.values() for row in of_model))


def weight_text(alpha: float) -> str:
    """Print a weight in (0, 1): two digits of its distance to the nearer end, and at least three places."""
    places = max(3, 1 - math.floor(math.log10(min(alpha, 1 - alpha))))
    return numbers.fixed(alpha, places).rstrip("0")


def intervals_text(choice: CostRatioRegions) -> str:
    """Say how the intervals were made: as those of the weighted error at one threshold."""
    view = choice.view
    rows = [row for row in view.rows(EPC) if row.criterion == str(CHOSEN_BY) and row.ci_low is not None]
    if not rows:
        return "No number has a CI."
    rechosen = "procedure" in {row.inference for row in rows}
    return (
        f"CIs are pointwise: each is made as that of a {view.terms.measure(WEIGHTED_ERROR)} at one threshold,"
        f" which is {'re-selected in each resample' if rechosen else 'held fixed'}."
    )
