"""Consistent results for any number of simulated models, made with the program's own formulas.

Point values come from real cuts; intervals and tests are normal approximations, which is enough to
test what is drawn and said of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from simulated_inference import along_rows, comparison_rows, difference_rows, standing_rows
from simulated_world import World

from reporting.base.contents import Value
from reporting.base.provenance import InputFile, Provenance
from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import EER, MIN_HTER, WEIGHTED_ERROR
from reporting.core.engine.study import EpcPlan, ModelEntry, Primary, Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import HTER
from reporting.core.measures.threshold import WEIGHTED_ERROR as WER
from reporting.core.resampling.settings import Inference
from reporting.core.stats.staircase import (
    Staircase,
    corners,
    cumulate,
    cut_at,
    group_ties,
    hull_cuts,
    threshold_of,
)
from reporting.document.frames.comparisons import COMPARISONS, DIFFERENCES, STANDING
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.roc import ROC
from reporting.document.frames.trials import TRIALS
from reporting.features.catalogue import CURVES

CRITERIA = (MIN_HTER, EER)


@dataclass(frozen=True)
class Cuts:
    """One model's cuts on one split."""

    distinct: Any
    stairs: Staircase


def simulate(world: World) -> Results:
    """Return results in which every number agrees with every other."""
    frames: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("trials", "metrics", "comparisons", "roc", "epc", "differences", "standing")
    }
    for number, dataset in enumerate(world.datasets):
        rng = np.random.default_rng([world.seed, number])
        cuts = _all_cuts(world, rng)
        for model in world.models:
            key = {"model": model, "run": "0", "dataset": dataset, "group": ""}
            dev, test = cuts[model, "dev"], cuts[model, "test"]
            for split, one in (("dev", dev), ("test", test)):
                frames["trials"].append(_trial_row(world, key | {"split": split}, one))
                frames["roc"] += _roc_rows(key | {"split": split}, one)
            frames["metrics"] += _metric_rows(world, key, dev, test)
            frames["epc"] += _epc_rows(world, key | {"split": "test"}, dev, test)
        frames["comparisons"] += comparison_rows(world, dataset, frames["metrics"])
        if world.pictures:
            frames["comparisons"] += along_rows(world, dataset, frames["epc"])
            frames["differences"] += difference_rows(world, dataset, frames["comparisons"])
        frames["standing"] += standing_rows(world, dataset, frames["metrics"])
    return Results(
        study=_study(world),
        models=tuple(_study(world).in_order(list(world.models))),
        cluster=world.cluster,
        provenance=PROVENANCE,
        frames={
            contract.name: contract.build(frames[contract.name])
            for contract in (TRIALS, METRICS, COMPARISONS, ROC, EPC, DIFFERENCES, STANDING)
        },
    )


PROVENANCE = Provenance(
    version="0.1.0",
    inputs=(InputFile("trials.parquet", "0123456789abcdef" * 4, 12345),),
    libraries=(("numpy", "2.4.0"), ("polars", "2.1.0")),
    seed=1,
    as_of="2026-11-20",
)


def _study(world: World) -> Study:
    return Study(
        title="Simulated systems",
        primary=Primary(world.primary, MIN_HTER),
        criteria=CRITERIA,
        measures=world.measures,
        epc=EpcPlan((WEIGHTED_ERROR,), (HTER, WER), world.alphas) if world.pictures else None,
        curves=(CURVES["roc"], CURVES["det"]) if world.pictures else (),
        models=tuple(ModelEntry(key, world.names.get(key, key)) for key in world.models),
        baseline=world.baseline,
        inference=Inference(replicates=2000, comparisons=world.comparisons),
    )


def _all_cuts(world: World, rng: np.random.Generator) -> dict[tuple[str, str], Cuts]:
    """Scores share a part between models, so that models are paired; rounding makes ties."""
    label = np.arange(world.n_target + world.n_nontarget) < world.n_target
    found = {}
    for split in ("dev", "test"):
        shared = rng.normal(size=len(label))
        for number, model in enumerate(world.models):
            own = shared if world.same_scores else (shared + rng.normal(size=len(label))) / math.sqrt(2)
            separation = world.strength + (0 if world.same_scores else world.step * number)
            score = np.round(own + separation * label, world.decimals)
            distinct, targets, nontargets, _ = group_ties(score, label)
            stairs = Staircase(*cumulate(targets, nontargets), hull_cuts(targets, nontargets))
            found[model, split] = Cuts(distinct, stairs)
    return found


def _trial_row(world: World, key: dict[str, Any], cuts: Cuts) -> dict[str, Any]:
    n = cuts.stairs.n_target + cuts.stairs.n_nontarget
    return key | {
        "n_target": cuts.stairs.n_target,
        "n_nontarget": cuts.stairs.n_nontarget,
        "n_unlabelled": 0,
        "n_missing": 0,
        "n_infinite": 0,
        "rows_read": n,
        "rows_dropped": 0,
        "n_clusters": 50 if world.cluster else None,
        "prevalence": cuts.stairs.n_target / n if n else None,
        "n_distinct": len(cuts.distinct),
    }


def _roc_rows(key: dict[str, Any], cuts: Cuts) -> list[dict[str, Any]]:
    kept = np.flatnonzero(corners(cuts.stairs.misses, cuts.stairs.false_alarms))
    hull = set(cuts.stairs.hull.tolist())
    return [
        key
        | {
            "threshold": float(threshold_of(cuts.distinct, cut)),
            "misses": int(cuts.stairs.misses[cut]),
            "false_alarms": int(cuts.stairs.false_alarms[cut]),
            "p_miss": cuts.stairs.misses[cut] / cuts.stairs.n_target if cuts.stairs.n_target else None,
            "p_fa": cuts.stairs.false_alarms[cut] / cuts.stairs.n_nontarget
            if cuts.stairs.n_nontarget
            else None,
            "on_hull": int(cut) in hull,
            "llr": None,
        }
        for cut in kept
    ]


def _errors(cuts: Cuts, threshold: Any) -> tuple[Any, Any, int, int]:
    """Counts at one threshold or at each of some."""
    cut, stairs = cut_at(cuts.distinct, threshold), cuts.stairs
    return stairs.misses[cut], stairs.false_alarms[cut], stairs.n_target, stairs.n_nontarget


def _defined(number: Any) -> float | None:
    return None if np.isnan(float(number)) else float(number)


def _status(cuts: Cuts, value: float | None) -> str | None:
    if value is not None:
        return None
    return "no_targets" if cuts.stairs.n_target == 0 else "no_nontargets"


def _metric_rows(world: World, key: dict[str, Any], dev: Cuts, test: Cuts) -> list[dict[str, Any]]:
    rows = []
    for split, cuts in (("dev", dev), ("test", test)):
        for measure in dict.fromkeys((world.primary, *world.measures)):
            if measure.over == "sweep":
                value = _defined(
                    measure.formula(cuts.stairs.misses, cuts.stairs.false_alarms, **measure.arguments)
                )
                rows.append(_metric(world, key, split, measure, None, None, None, value, cuts, (None, None)))
                continue
            for criterion in CRITERIA:
                for asked in (criterion, oracle(criterion)) if split == "test" else (criterion,):
                    rows.append(_at_threshold(world, key, split, measure, asked, dev, cuts))
    return rows


def _at_threshold(
    world: World,
    key: dict[str, Any],
    split: str,
    measure: Measure,
    criterion: Criterion,
    dev: Cuts,
    cuts: Cuts,
) -> dict[str, Any]:
    source = cuts if criterion.oracle else dev
    threshold = float(threshold_of(source.distinct, criterion.choose(source.stairs, "balanced").cut))
    errors = _errors(cuts, threshold)
    where = "oracle" if criterion.oracle else "dev"
    value = _defined(measure.formula(*errors, **measure.arguments))
    counts = int(errors[0]), int(errors[1])
    return _metric(world, key, split, measure, str(criterion), threshold, where, value, cuts, counts)


def _metric(
    world: World,
    key: dict[str, Any],
    split: str,
    measure: Measure,
    criterion: str | None,
    threshold: float | None,
    source: str | None,
    value: float | None,
    cuts: Cuts,
    errors: tuple[int | None, int | None],
) -> dict[str, Any]:
    low, high = (None, None) if source == "oracle" or split == "dev" else _interval(value, cuts)
    return key | {
        "split": split,
        "measure": str(measure),
        "criterion": criterion,
        "threshold": threshold,
        "threshold_source": source,
        "value": value,
        "ci_low": low,
        "ci_high": high,
        "level": 0.95 if low is not None else None,
        "ci_method": "percentile" if low is not None else None,
        "inference": "given_thresholds" if source else None,
        "unit": "cluster" if world.cluster else "trial",
        "n_units": 50 if world.cluster else cuts.stairs.n_target + cuts.stairs.n_nontarget,
        "replicates": 2000 if low is not None else None,
        "misses": errors[0],
        "false_alarms": errors[1],
        "n_target": cuts.stairs.n_target,
        "n_nontarget": cuts.stairs.n_nontarget,
        "status": _status(cuts, value),
        "flags": [],
    }


def _interval(value: float | None, cuts: Cuts) -> tuple[float | None, float | None]:
    if value is None:
        return None, None
    error = 0.7 * math.sqrt(
        max(value * (1 - value), 0) / max(1, min(cuts.stairs.n_target, cuts.stairs.n_nontarget))
    )
    return max(0.0, value - 1.96 * error), value + 1.96 * error


def _epc_rows(world: World, key: dict[str, Any], dev: Cuts, test: Cuts) -> list[dict[str, Any]]:
    alphas = np.arange(world.alphas) / (world.alphas - 1)
    thresholds, oracles = (
        threshold_of(cuts.distinct, WEIGHTED_ERROR.choose(cuts.stairs, "balanced", alpha=alphas).cut)
        for cuts in (dev, test)
    )
    errors, of_dev, of_best = _errors(test, thresholds), _errors(dev, thresholds), _errors(test, oracles)
    rows = []
    for measure in (HTER, WER):
        own: dict[str, Value] = {"alpha": alphas} if measure == WER else {}
        values, dev_values, oracle_values = (
            [_defined(number) for number in measure.formula(*of, **(measure.arguments | own))]
            for of in (errors, of_dev, of_best)
        )
        for at, (alpha, threshold, value) in enumerate(zip(alphas, thresholds, values, strict=True)):
            low, high = _interval(value, test)
            rows.append(
                key
                | {
                    "criterion": "weighted_error",
                    "alpha": float(alpha),
                    "threshold": float(threshold),
                    "measure": str(measure),
                    "value": value,
                    "ci_low": low,
                    "ci_high": high,
                    "band_low": None if low is None else 1.5 * low - 0.5 * value,
                    "band_high": None if high is None else 1.5 * high - 0.5 * value,
                    "value_dev": dev_values[at],
                    "value_oracle": oracle_values[at],
                    "inference": "given_thresholds",
                    "status": _status(test, value),
                    "misses": int(errors[0][at]),
                    "false_alarms": int(errors[1][at]),
                    "misses_dev": int(of_dev[0][at]),
                    "false_alarms_dev": int(of_dev[1][at]),
                }
            )
    return rows
