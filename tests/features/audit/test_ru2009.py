"""The audit of the real trials of EVALITA 2009, against a program of numpy alone that chooses thresholds again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from command import reporting

from reporting.base.arrays import FloatArray

SYSTEMS = [f"TC{number}" for number in range(1, 7)]
DRAWS = 600
Split = dict[str, tuple[FloatArray, FloatArray]]


def hter(
    dev: tuple[FloatArray, ...], test: tuple[FloatArray, ...], w_dev: FloatArray, w_test: FloatArray
) -> float:
    """Return HTER on test at the threshold that minimises it on dev; scores of dev ascend."""
    score, target = dev
    missed, rejected = (np.cumsum(w_dev * of) for of in (target, 1 - target))
    cost = np.append(1.0, missed / missed[-1] + 1 - rejected / rejected[-1])
    ends = np.append(True, np.append(score[1:] != score[:-1], True))
    at = np.flatnonzero(ends)[cost[ends].argmin()]
    inside = np.concatenate(([-np.inf], (score[1:] + score[:-1]) / 2, [np.inf]))
    accepted = test[0] >= inside[at]
    rates = [
        np.average(wrong, weights=w_test * of)
        for wrong, of in ((accepted, 1 - test[1]), (~accepted, test[1]))
    ]
    return float(np.mean(rates))


def own_tiers(trials: pl.DataFrame, by_speaker: bool) -> list[list[str]]:
    """Return the systems tier by tier: max-T over all ordered pairs, step-down, one-sided."""
    ordered = trials.sort("split", "score", "trial")
    sets = {
        key: (
            of["score"].to_numpy(),
            of["target"].to_numpy().astype(float),
            of["speaker"].to_numpy(),
        )
        for key, of in ordered.with_columns(pl.col("speaker").rank("dense").cast(pl.Int64) - 1)
        .partition_by("system", "split", as_dict=True)
        .items()
    }
    draw, n_speakers = np.random.default_rng(3), trials["speaker"].n_unique()
    keys = {
        split: trials.filter(pl.col("split") == split)["trial"].unique().sort() for split in ("dev", "test")
    }
    places = {
        key: keys[key[1]].search_sorted(of["trial"]).to_numpy()
        for key, of in ordered.partition_by("system", "split", as_dict=True).items()
    }
    values = []
    for number in range(DRAWS + 1):
        weight: dict[tuple[Any, ...], FloatArray] = {}
        of_speaker = draw.multinomial(n_speakers, np.full(n_speakers, 1 / n_speakers))
        of_trial = {
            split: draw.multinomial(len(of), np.full(len(of), 1 / len(of))) for split, of in keys.items()
        }
        for key, (_, _, speaker) in sets.items():
            drawn = of_speaker[speaker] if by_speaker else of_trial[key[1]][places[key]]
            weight[key] = drawn if number else np.ones(len(drawn))
        values.append(
            [
                hter(sets[name, "dev"][:2], sets[name, "test"][:2], weight[name, "dev"], weight[name, "test"])
                for name in SYSTEMS
            ]
        )
    (own, *again) = np.array(values)
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j]
    behind = np.array([own[j] - own[i] for i, j in pairs])
    spread = np.array([[each[j] - each[i] for i, j in pairs] for each in again])
    se = spread.std(axis=0)
    t, null = behind / se, (spread - spread.mean(axis=0)) / se
    order, better, p = np.argsort(-t), set(), 0.0
    for step, at in enumerate(order):
        p = max(p, (1 + (null[:, order[step:]].max(axis=1) >= t[at]).sum()) / (DRAWS + 1))
        if p > 0.05:
            break
        better.add(pairs[at])
    tiers, left = [], set(range(6))
    while left:
        first = {j for j in left if not any((i, j) in better for i in left)}
        tiers.append(sorted(SYSTEMS[j] for j in first))
        left -= first
    return tiers


def test_tiers_of_a_public_result_are_those_of_another_program(shared: Path, tmp_path: Path) -> None:
    trials = pl.read_parquet(shared / "data" / "ru2009.parquet")
    (tmp_path / "report.yaml").write_text(
        f"trials: {{source: {shared}/data/ru2009.parquet, columns: {{model: system, label: target, cluster: speaker}}}}\n"
        "primary: {measure: hter, criterion: min_hter}\nsignificance: {replicates: 999}\n"
    )
    ended = reporting("audit", tmp_path / "report.yaml", "--json")
    assert ended.returncode == 0, ended.stderr
    (audit,) = json.loads(ended.stdout)
    assert audit["verdict"].startswith("TC6 is first in both analyses")
    tiers = {}
    for each in audit["analyses"]:
        of_tier: dict[int, list[str]] = {}
        for row in each["models"]:
            of_tier.setdefault(row["tier"], []).append(row["model"])
        tiers[each["unit"], each["thresholds"]] = [
            sorted(of_tier[tier]) for tier in sorted(of_tier, key=lambda tier: tier or 0)
        ]
    apart = [["TC5", "TC6"], ["TC3", "TC4"], ["TC1", "TC2"]]
    assert tiers["speaker", "dev"] == own_tiers(trials, by_speaker=True) == apart
    assert tiers["trial", "dev"] == own_tiers(trials, by_speaker=False) == apart
