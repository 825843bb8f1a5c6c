"""Comparisons of simulated results and what stands behind them: enough to test what is said and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from simulated_world import World

from reporting.core.resampling.settings import Estimand
from reporting.features.comparisons.differences import bins_of
from reporting.features.comparisons.formulas import best_set

Z = float(ndtri(0.025))


def _pairs(world: World) -> list[tuple[str, str]]:
    if world.baseline is not None:
        return [(model, world.baseline) for model in world.models if model != world.baseline]
    return [(one, other) for n, other in enumerate(world.models) for one in world.models[n + 1 :]]


def comparison_rows(world: World, dataset: str, metrics: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    test = [
        r
        for r in metrics
        if r["split"] == "test" and r["dataset"] == dataset and r["threshold_source"] != "oracle"
    ]
    by_key = {(r["model"], r["measure"], r["criterion"]): r for r in test}
    rows = []
    for measure, criterion in dict.fromkeys((r["measure"], r["criterion"]) for r in test):
        asked = measure == str(world.primary) and criterion in (None, "min_hter")
        estimands: list[Estimand | None] = [None]
        if criterion is not None:
            estimands = ["given_thresholds"]
            estimands += ["procedure"] if world.comparisons == "procedure" else []
        for estimand in estimands:
            made = [
                _comparison(
                    world,
                    dataset,
                    (by_key[one, measure, criterion], by_key[other, measure, criterion]),
                    estimand,
                )
                for one, other in _pairs(world)
            ]
            if asked and estimand == estimands[-1]:
                _adjust(made)
            rows += made
    return rows


def _comparison(
    world: World, dataset: str, pair: tuple[dict[str, Any], dict[str, Any]], estimand: Estimand | None
) -> dict[str, Any]:
    """Thresholds chosen again make the error a tenth larger; clusters multiply its variance by 1.5."""
    one, other = pair
    defined = one["value"] is not None and other["value"] is not None
    error = (one["ci_high"] - one["ci_low"]) / 3 if defined else 0.0
    error *= 1.1 if estimand == "procedure" else 1.0
    by_units = bool(world.cluster) and estimand != "procedure"
    by_trial = {"given_thresholds": "exact_midp", "procedure": "swap", None: "normal"}
    method = "t" if world.cluster else by_trial[estimand]
    found = _tested(one["value"] - other["value"] if defined else None, error)
    return found | {
        "dataset": dataset,
        "split": "test",
        "group": "",
        "measure": one["measure"],
        "criterion": one["criterion"],
        "parameter": None,
        "model": one["model"],
        "baseline": other["model"],
        "inference": estimand,
        "unit": one["unit"],
        "band_low": None,
        "band_high": None,
        "level": 0.95,
        "ci_method": "studentized" if method == "exact_midp" else method,
        "p_method": method,
        "p_exact": found["p_value"] if method == "exact_midp" else None,
        "p_adjusted": None,
        "correction": None,
        "family": "descriptive",
        "family_size": None,
        "replicates": 2000,
        "mc_error": 0.0 if method == "exact_midp" else 0.005,
        "n_units": one["n_units"],
        "design_effect": 1.5 if defined and by_units else None,
        "status": None if defined else one["status"] or other["status"],
        "flags": [],
    }


def _tested(difference: float | None, error: float) -> dict[str, Any]:
    if difference is None:
        return dict.fromkeys(("difference", "ci_low", "ci_high", "p_value", "p_percentile", "se"))
    p = 1.0 if not error else 2 * float(ndtr(-abs(difference) / error))
    low, high = difference + Z * error, difference - Z * error
    found = {"difference": difference, "ci_low": low, "ci_high": high, "p_value": p, "p_percentile": p}
    return found | {"se": error}


def along_rows(world: World, dataset: str, epc: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Differences along alpha; the band is one and a half times as wide as the interval."""
    mine = [r for r in epc if r["dataset"] == dataset]
    by_key = {(r["model"], r["measure"], r["alpha"]): r for r in mine}
    rows = []
    for one, other in _pairs(world):
        for measure, alpha in dict.fromkeys((r["measure"], r["alpha"]) for r in mine):
            pair = tuple(
                by_key[model, measure, alpha] | {"unit": "trial", "n_units": None} for model in (one, other)
            )
            row = _comparison(world, dataset, pair, world.comparisons) | {"parameter": alpha}
            if row["difference"] is not None:
                half = 0.75 * (row["ci_high"] - row["ci_low"])
                row |= {"band_low": row["difference"] - half, "band_high": row["difference"] + half}
            rows.append(row)
    return rows


def difference_rows(
    world: World, dataset: str, comparisons: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Normal replicates of the family, binned by the program."""
    columns = ("dataset", "split", "group", "measure", "criterion", "model", "baseline", "inference")
    rows = []
    for number, row in enumerate(comparisons):
        if row["family"] == "descriptive" or row["dataset"] != dataset or row["difference"] is None:
            continue
        spread = (row["ci_high"] - row["ci_low"]) / 3.92
        draws = np.random.default_rng([world.seed, number]).normal(row["difference"], spread, size=500)
        question = {name: row[name] for name in columns}
        for low, high, count in zip(*bins_of(draws), strict=True):
            rows.append(question | {"low": float(low), "high": float(high), "count": int(count)})
    return rows


def standing_rows(world: World, dataset: str, metrics: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Independent normal replicates; models without a value take no part."""
    at = world.primary.over == "threshold"
    rows = [
        r
        for r in metrics
        if (r["dataset"], r["split"], r["measure"]) == (dataset, "test", str(world.primary))
        and r["criterion"] == ("min_hter" if at else None)
        and r["value"] is not None
    ]
    if len(rows) < 2:
        return []
    values = np.array([r["value"] for r in rows])
    spread = np.array([(r["ci_high"] - r["ci_low"]) / 3.92 for r in rows])
    shared = 1 if world.same_scores else len(rows)
    noise = np.random.default_rng(world.seed).normal(size=(500, shared))
    best = best_set(values, values + spread * noise, 0.95, world.primary.better == "lower")
    return [
        {name: row[name] for name in ("model", "run", "dataset", "split", "group", "measure", "criterion")}
        | {"value": row["value"], "p_best": None if np.isnan(p) else float(p), "may_be_best": bool(member)}
        | {"n_models": len(rows), "level": 0.95, "replicates": 500}
        | {"inference": world.comparisons if at else None}
        | {"behind": float(behind), "behind_low": float(low), "behind_high": float(high)}
        for row, member, p, behind, low, high in zip(rows, *best, strict=True)
    ]


def _adjust(rows: list[dict[str, Any]]) -> None:
    """Holm, in place."""
    defined = sorted((r for r in rows if r["p_value"] is not None), key=lambda r: float(r["p_value"]))
    so_far = 0.0
    for number, row in enumerate(defined):
        so_far = max(so_far, min(1.0, (len(defined) - number) * row["p_value"]))
        row["p_adjusted"] = so_far
        if row["se"] and so_far > 0:
            reach = -float(ndtri(0.025 * row["p_value"] / so_far)) * row["se"]
            row |= {"band_low": row["difference"] - reach, "band_high": row["difference"] + reach}
    for row in rows:
        row |= {"family": "primary", "correction": "holm", "family_size": len(defined)}
