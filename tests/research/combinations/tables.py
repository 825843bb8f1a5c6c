"""Small tables of every design: runs, datasets, groups, clusters, kinds, weights, holes, and always ties."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import polars as pl

SCHEMA = {
    "model": pl.String, "run": pl.String, "dataset": pl.String, "split": pl.String, "trial": pl.String,
    "label": pl.String, "score": pl.Float64, "cluster": pl.String, "cluster_b": pl.String, "stratum": pl.String,
    "count": pl.Int64, "gender": pl.String, "channel": pl.String, "site": pl.String, "attack": pl.String,
    "fold": pl.String, "region": pl.String,
}  # fmt: skip
"""The columns of a frame by their canonical names; ``label`` is target, nontarget, spoof or null."""
ATTRIBUTES = ("gender", "channel", "site", "attack", "fold", "region")
SCALES = ("score", "llr", "log10_llr", "probability", "logit")


@dataclass
class Design:
    """What a table is like; drawn first, so that a config can ask of it what it has."""

    models: list[str] = field(default_factory=lambda: ["A", "B"])
    scales: dict[str, str] = field(default_factory=dict)
    """The scale of a model's scores, where it is not a plain score."""
    turned: set[str] = field(default_factory=set)
    """Models whose higher scores speak for the non-target."""
    runs: str = ""
    """What runs are: seed, reader, fold; none without."""
    n_runs: int = 1
    datasets: list[str] = field(default_factory=list)
    """None: the table has no column of datasets."""
    with_dev: list[str] = field(default_factory=list)
    """Datasets that have a development set; all, where the table has no datasets."""
    has_dev: bool = True
    clusters: int = 0
    pools: str = "one"
    strata: tuple[str, ...] = ()
    counted: bool = False
    spoofs: bool = False
    missing: float = 0.0
    infinite: float = 0.0
    unlabelled: float = 0.0
    columns: tuple[str, ...] = ()
    """Attributes that trials have."""
    lone: str = ""
    """The attribute of which one group lacks a class."""
    moving: bool = False
    """Whether each run has folds of its own."""
    lacking: str = ""
    """What the last model lacks: run, group, dataset; epochs: what every model lacks of some items."""
    few: bool = False
    """Whether a class has one or two trials."""
    decisions: bool = False
    """Whether scores are 0 and 1 alone."""
    all_targets: bool = False
    confident: bool = False
    """Whether probabilities are written as the confidence in the class that is predicted at one half."""
    grid: float = 0.25
    """The step of scores: there are always ties."""


def draw_frame(rng: random.Random, design: Design) -> pl.DataFrame:
    """Return a frame of a design, with a row for each trial, model and run."""
    rows: list[dict[str, Any]] = []
    runs = [str(run) for run in range(design.n_runs)] if design.runs else [None]
    datasets: list[Any] = list(design.datasets) or [None]
    places = [(dataset, split) for dataset in datasets for split in ("dev", "test")
              if split == "test" or (design.has_dev and (dataset is None or dataset in design.with_dev))]  # fmt: skip
    repeated = design.n_runs if design.runs in ("seed", "reader") else 1
    most = max(12, min(40 if len(design.models) < 6 else 20, 120 // (len(places) * repeated)))
    strengths = {model: rng.uniform(0.3, 2.0) for model in design.models}
    names = _names(rng, design)
    for dataset, split in places:
        folds = runs if design.runs == "fold" else [None]
        n = rng.randint(min(most, 14), most) if design.runs != "fold" else 0
        for fold in folds:
            trials = _trials(
                rng, design, n or rng.randint(8, 14), f"{dataset or ''}{split[0]}{fold or ''}", names
            )
            for model in design.models:
                for run in [fold] if design.runs == "fold" else runs:
                    for trial in trials:
                        x = strengths[model] * trial["_strength"] + 0.5 * trial["_shared"] + rng.gauss(0, 0.8)
                        row = {"model": model, "run": run, "dataset": dataset, "split": split, **trial}
                        if design.moving:
                            moved = int(trial["fold"][1:]) + int(run) * (int(trial["trial"][-1]) % 2)
                            row["fold"] = f"f{moved % 3}"
                        rows.append(row | {"score": _score(x, strengths[model], model, design)})
    frame = pl.DataFrame(rows, schema_overrides=SCHEMA, infer_schema_length=None)
    frame = frame.select(pl.col(name) for name in SCHEMA if name in frame.columns)
    frame = _with_holes(rng, design, frame)
    frame = _lacking(rng, design, frame)
    kept = [name for name in frame.columns if frame[name].null_count() < len(frame) or name == "label"]
    return frame.select(kept).sample(fraction=1.0, shuffle=True, seed=rng.randrange(2**31))


def _names(rng: random.Random, design: Design) -> dict[str, list[str]]:
    """Return the names of clusters and of the values of attributes."""
    n = rng.choice((4, 6, 6, 10, 15))
    return {
        "cluster": [f"s{i}" for i in range(n)],
        "cluster_b": [f"s{i}" for i in range(n)] if design.pools == "one" else [f"d{i}" for i in range(rng.randint(4, 8))],
        "gender": ["f", "m", "x"][: rng.choice((2, 2, 3))],
        "channel": ["G", "H", "L"][: rng.choice((2, 3))],
        "site": [f"site {i}" for i in range(rng.choice((2, 3, 5)))],
        "attack": ["A1", "A2", "A3"][: rng.choice((2, 3))],
        "stratum": list(design.strata),
    }  # fmt: skip


def _trials(
    rng: random.Random, design: Design, n: int, place: str, names: dict[str, list[str]]
) -> list[dict[str, Any]]:
    """Return the trials of a place: their labels, clusters and attributes, and what models share of them."""
    labels = _labels(rng, design, n)
    trials = []
    for at, label in enumerate(labels):
        trial: dict[str, Any] = {"label": label, "trial": f"{place}{at:03}"}
        if design.clusters:
            trial["cluster"] = names["cluster"][at % len(names["cluster"])] if at < 2 * len(names["cluster"]) else rng.choice(names["cluster"])  # fmt: skip
        if design.clusters == 2:
            same = design.pools == "one" and label == "target"
            others = [
                name for name in names["cluster_b"] if design.pools == "two" or name != trial["cluster"]
            ]
            trial["cluster_b"] = trial["cluster"] if same else rng.choice(others)
        if design.strata:
            trial["stratum"] = names["stratum"][at % len(names["stratum"])]
        if design.counted:
            trial["count"] = rng.choice((1, 1, 2, 3, 7))
            del trial["trial"]
        for column in design.columns:
            trial[column] = _attribute(rng, design, column, trial, at, names)
        trial["_strength"] = {"target": 1.0, "spoof": 0.5}.get(label, 0.0)
        trial["_shared"] = rng.gauss(0, 1)
        trials.append(trial)
    if design.clusters:  # so that trials of one cluster are alike
        effect = {name: rng.gauss(0, 0.7) for name in names["cluster"]}
        for trial in trials:
            trial["_shared"] += effect[trial["cluster"]]
    return trials


def _labels(rng: random.Random, design: Design, n: int) -> list[str]:
    if design.all_targets:
        return ["target"] * n
    share = rng.choice((0.2, 0.4, 0.5, 0.6))
    n_targets = rng.choice((1, 2)) if design.few else min(max(4, round(share * n)), n - 4)
    labels = ["target"] * n_targets + ["nontarget"] * (n - n_targets)
    if design.spoofs:
        labels[n_targets : n_targets + max(2, (n - n_targets) // 2)] = ["spoof"] * max(
            2, (n - n_targets) // 2
        )
    rng.shuffle(labels)
    return labels


def _attribute(
    rng: random.Random,
    design: Design,
    column: str,
    trial: dict[str, Any],
    at: int,
    names: dict[str, list[str]],
) -> str | None:
    values = names.get(column, [])
    if column == "fold":
        where = trial.get("cluster", f"{at}")
        return f"f{int(''.join(c for c in where if c.isdigit())) % 3}"
    if column == "region":  # of a cluster, or of a trial without one
        return f"r{int(''.join(c for c in trial.get('cluster', f'{at}') if c.isdigit())) % 2}"
    if column == "site" and "cluster" in trial and len(trial["cluster"]) > 1 and rng.random() < 0.5:
        return f"site {int(trial['cluster'][1:]) % len(values)}"  # a cluster belongs to a site
    if column == "attack":
        kind = "spoof" if design.spoofs else "nontarget"
        return rng.choice(values) if trial["label"] == kind else None
    value = rng.choice(values)
    if column == design.lone and value == values[-1] and trial["label"] == "target":
        return values[0]
    return value


def _score(x: float, strength: float, model: str, design: Design) -> float:
    """Return a latent value on the scale of a model, on a grid."""
    llr = strength * x - strength**2 / 2
    if design.decisions:
        value = float(x > strength / 2)
        return 1 - value if model in design.turned else value
    scale = design.scales.get(model, "score")
    if scale == "probability":
        probability = min(1.0, max(0.0, round(1 / (1 + math.exp(-1.5 * llr)) / 0.05) * 0.05))
        return (
            1 - (1 - probability) if design.confident and probability < 0.5 else probability
        )  # as it is read
    value = {"score": x, "llr": llr, "log10_llr": llr / math.log(10), "logit": llr}[scale]
    value = round(value / design.grid) * design.grid
    return -value if model in design.turned else value


def _with_holes(rng: random.Random, design: Design, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with missing and infinite scores, and trials without a label."""
    scores = frame["score"].to_list()
    probabilities = {model for model, scale in design.scales.items() if scale == "probability"}
    for at, model in enumerate(frame["model"]):
        if rng.random() < design.infinite:
            scores[at] = rng.choice((0.0, 1.0) if model in probabilities else (math.inf, -math.inf))
        if rng.random() < design.missing:
            scores[at] = None
    frame = frame.with_columns(pl.Series("score", scores, pl.Float64))
    if design.unlabelled and "trial" in frame.columns:
        keys = frame["trial"].unique().sort().to_list()
        without = [key for key in keys if rng.random() < design.unlabelled]
        frame = frame.with_columns(
            label=pl.when(pl.col("trial").is_in(without)).then(None).otherwise(pl.col("label"))
        )
        if "attack" in frame.columns:
            frame = frame.with_columns(
                attack=pl.when(pl.col("label").is_null()).then(None).otherwise("attack")
            )
    return frame


def _lacking(rng: random.Random, design: Design, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame without what the last model lacks."""
    last = pl.col("model") == design.models[-1]
    if design.lacking == "run":
        return frame.filter(~(last & (pl.col("run") == str(design.n_runs - 1))))
    if design.lacking == "epochs":
        kept = [run == "0" or rng.random() < 0.7 for run in frame["run"]]
        return frame.filter(pl.Series(kept))
    if design.lacking == "dataset":
        return frame.filter(~(last & (pl.col("dataset") == design.datasets[-1])))
    if design.lacking == "group":
        column = next(name for name in design.columns if name in ("gender", "channel"))
        value = sorted(frame[column].drop_nulls().unique())[-1]
        lost = last & (pl.col(column) == value)
        return frame.with_columns(score=pl.when(lost).then(None).otherwise(pl.col("score")))
    return frame
