"""The data behind the control in which a reader names a prior and two costs."""

from __future__ import annotations

from typing import Any

import polars as pl

from reporting.charts.winners import Map, state
from reporting.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.engine.model_runs import MEAN
from reporting.frames import STEPS, TRIALS
from reporting.measures.rates import WEIGHTED_ERROR
from reporting.report.numbers import p_value, significant
from reporting.wording.phrases import level_text
from reporting.wording.printing import Printing
from reporting.wording.view import View

DIGITS = 10
"""Significant digits of numbers that the page goes on computing with."""


def explorer(found: Map, printed: Printing, intervals: str) -> dict[str, Any]:
    """Return what the page needs to answer for any prior and costs, as plain data.

    At every alpha of the frame its own numbers; between them the weighted error follows from the steps of
    the curve, each with its threshold and rates, whose share of errors is exact. In the ``cells`` around
    them its interval and standing are those of the alpha.
    """
    view = found.view
    return {
        "decimals": printed.decimals,
        "level": level_text(view.study.inference.level),
        "words": _words(view) | {"intervals": intervals},
        "alphas": [_short(alpha) for alpha in found.alphas],
        "cells": [[_short(end) for end in cell] for cell in found.cells],
        "points": [
            {"name": point.name, "p_target": point.p_target, "c_miss": point.c_miss, "c_fa": point.c_fa}
            for point in view.study.operating_points
        ],
        "known": found.is_known,
        "models": [_model(found, model, printed) for model in found.models],
    }


def _words(view: View) -> dict[str, str]:
    spoken = view.terms
    return {
        "value": spoken.measure(WEIGHTED_ERROR),
        "far": spoken.far,
        "frr": spoken.frr,
        "targets": spoken.targets,
        "miss": spoken.miss,
        "false_alarm": spoken.false_alarm,
    }


def _model(found: Map, model: str, printed: Printing) -> dict[str, Any]:
    rows = found.of_model[model]
    return {
        "name": found.view.names[model],
        "value": [_short(row["value"]) for row in rows],
        "interval": [printed.interval(row["ci_low"], row["ci_high"]) for row in rows],
        "p": [p_value(row["p_best"]) for row in rows],
        "state": [state(row) for row in rows],
        "runs": _runs(found.view, model),
    }


def _runs(view: View, model: str) -> list[dict[str, Any]]:
    """The steps of every run: where each ends, its threshold and its rates on test.

    None where they are not known in full: trials of different weight, thresholds across folds, a class
    without trials.
    """
    if view.results.frame(STEPS).is_empty() or view.results.weighted:
        return []
    wanted = {"dataset": view.dataset, "split": "test", "group": "", "model": model}
    steps = view.results.frame(STEPS).filter(criterion=str(CHOSEN_BY), **wanted)
    sizes = view.results.frame(TRIALS).filter(**wanted)
    if view.run != MEAN:
        steps, sizes = steps.filter(run=view.run), sizes.filter(run=view.run)
    found = []
    for run in sizes.sort("run").iter_rows(named=True):
        mine = steps.filter(run=run["run"]).sort("alpha_low")
        if not (len(mine) and run["n_target"] and run["n_nontarget"]):
            return []
        found.append(_steps(mine, run["n_target"], run["n_nontarget"]))
    return found


def _steps(rows: pl.DataFrame, n_target: int, n_nontarget: int) -> dict[str, Any]:
    return {
        "to": [_short(alpha) for alpha in rows["alpha_high"]],
        "threshold": [significant(threshold) for threshold in rows["threshold"]],
        "far": [_short(count / n_nontarget) for count in rows["false_alarms"]],
        "frr": [_short(count / n_target) for count in rows["misses"]],
    }


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
