"""Runs of weekly reports with consistent frames: decisions, the rates that follow from them, and facts."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl

from reporting.base.provenance import InputFile
from reporting.core.stats import intervals
from reporting.document.frames.metrics import METRICS
from reporting.features.decided_trials import decisions_of, outcomes_of
from reporting.features.history.store import Facts, Store

FIRST = date(2026, 9, 4)
MODELS = ("TC1", "TC2", "TC3")
Decisions = Mapping[str, np.ndarray[Any, np.dtype[np.bool_]]]


def facts(week: int = 0, **said: Any) -> Facts:
    """The facts of a week's run."""
    usual = Facts(
        as_of=(FIRST + timedelta(weeks=week)).isoformat(),
        version="0.1.0",
        title="Weekly systems",
        measure="hter",
        criterion="min_hter",
        models=tuple((model, model) for model in MODELS),
        inputs=(InputFile("trials.parquet", hashlib.sha256(bytes([week])).hexdigest(), 1000 + week),),
        config={"title": "Weekly systems", "significance": {"seed": 1}},
        replicates=1000,
    )
    return dataclasses.replace(usual, **said)


def decided(
    week: int, n: int = 400, models: Sequence[str] = MODELS, seed: int = 0
) -> tuple[list[str], Any, Decisions]:
    """Keys, labels and decisions of a week: most trials are decided as the week before, errors wane."""
    label = np.arange(n) % 4 == 0
    noise = np.random.default_rng(seed).random((len(models), n))
    wrong = {model: noise[k] < 0.16 - 0.03 * k - 0.008 * week * (k == 2) for k, model in enumerate(models)}
    keys = [f"trial {i}" for i in range(n)]
    return keys, label, {model: label ^ miss for model, miss in wrong.items()}


def frames_of(week: int, clusters: Sequence[str] | None = None, **said: Any) -> dict[str, pl.DataFrame]:
    """The frames ``metrics`` and ``outcomes`` of a week."""
    keys, label, accepted = decided(week, **said)
    return frames_from(keys, label, accepted, clusters)


def frames_from(
    keys: Sequence[str], label: Any, accepted: Decisions, clusters: Sequence[str] | None = None
) -> dict[str, pl.DataFrame]:
    """The frames that follow from decisions."""
    rows = [row for model, decision in accepted.items() for row in metric_rows(model, label, decision)]
    outcomes = outcomes_of([decisions_of("all", keys, label, accepted, clusters)])
    return {"metrics": METRICS.build(rows), "outcomes": outcomes}


def metric_rows(model: str, label: Any, accepted: Any) -> list[dict[str, object]]:
    """FAR, FRR and HTER of decisions, with Wilson or normal intervals, and an AUC out of the air."""
    misses, false_alarms = int((label & ~accepted).sum()), int((~label & accepted).sum())
    n1, n0 = int(label.sum()), int((~label).sum())
    far, frr = false_alarms / n0, misses / n1
    se = 0.5 * np.sqrt(far * (1 - far) / n0 + frr * (1 - frr) / n1)
    found = {
        "far": (far, intervals.wilson(false_alarms, n0, 0.95), "wilson"),
        "frr": (frr, intervals.wilson(misses, n1, 0.95), "wilson"),
        "hter": ((far + frr) / 2, intervals.normal((far + frr) / 2, se, 0.95), "normal"),
        "auc": (1 - far * frr, (1 - far * frr - 0.01, min(1.0, 1 - far * frr + 0.01)), "logit_delong"),
    }
    base = {"model": model, "run": "0", "dataset": "all", "split": "test", "group": "", "unit": "trial"}
    counts = {"misses": misses, "false_alarms": false_alarms, "n_target": n1, "n_nontarget": n0}
    return [
        base
        | counts
        | {
            "measure": measure,
            "criterion": None if measure == "auc" else "min_hter",
            "threshold_source": None if measure == "auc" else "dev",
            "value": value,
            "ci_low": limits[0],
            "ci_high": limits[1],
            "level": 0.95,
            "ci_method": method,
            "flags": [],
        }
        for measure, (value, limits, method) in found.items()
    ]


def filled(store: Store, weeks: int = 6, **said: Any) -> Store:
    """Keep so many weeks."""
    for week in range(weeks):
        store.record(facts(week), frames_of(week, **said))
    return store
