"""Weighted trials: how often limits of rates, areas and differences hold those of the population.

    python -m tests.research.studies.weights [--runs N]

Rows of a population are kept with a chance that falls with how easy they are, so that the rows kept err more often
than the population; the weight is the inverse of that chance. Two models score the same trials at a threshold that
is given. Clusters share an effect, and differ in how many of their rows are kept.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from tests.build import build

CONFIG = """
trials: {source: trials.parquet%s}
primary: {measure: hter, criterion: fixed(threshold=0.5)}
criteria: [fixed(threshold=0.5)]
measures: [far, frr, hter, auc, precision]
thresholds: {policy: none}
curves: []
epc: none
significance: {replicates: 199}
"""
STRENGTH = {"a": 1.4, "b": 1.8}
SHARE = 0.3
QUANTITIES = ("far", "frr", "hter", "precision", "auc", "difference of hter")


class WeightedDesign(NamedTuple):
    """How many rows are kept, over how many clusters, and how much chances differ."""

    rows: int
    steep: float
    clusters: int = 0

    @property
    def words(self) -> str:
        """What a row of the table is called."""
        return f"{self.rows} rows{f' of {self.clusters} clusters' * bool(self.clusters)}, steepness {self.steep:g}"

    def population(self, n: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return n trials of a population, with the chance that each is kept."""
        clusters = max(self.clusters, 1)
        cluster = rng.integers(0, clusters, n)
        effect = rng.normal(0, 0.4 * bool(self.clusters), clusters)[cluster]
        label, shared = rng.random(n) < SHARE, rng.standard_normal(n)
        scores = {
            model: strength * label + 0.7 * shared + 0.7 * rng.standard_normal(n) + effect
            for model, strength in STRENGTH.items()
        }
        hard = np.where(label, -shared, shared)
        chance = 1 / (1 + np.exp(-self.steep * hard + 1.5))
        return {"label": label, "cluster": cluster, "chance": chance, **scores}


def quantities(of: dict[str, Any], model: str = "a") -> dict[str, float]:
    """Return the true values on a large population."""
    label, score = of["label"], of[model]
    accepted = score >= 0.5
    far, frr = float(accepted[~label].mean()), float((~accepted)[label].mean())
    order = np.argsort(score)
    rank = np.empty(len(score))
    rank[order] = np.arange(1, len(score) + 1)
    n1, n0 = int(label.sum()), int((~label).sum())
    auc = (rank[label].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)
    return {
        "far": far,
        "frr": frr,
        "hter": (far + frr) / 2,
        "precision": float(label[accepted].mean()),
        "auc": auc,
    }


def truth(design: WeightedDesign) -> dict[str, float]:
    """Return the values of a population of many clusters."""
    large = design._replace(clusters=design.clusters and 20_000)
    of = large.population(1_000_000, np.random.default_rng(1))
    both = quantities(of), quantities(of, "b")
    return {**both[0], "difference of hter": both[1]["hter"] - both[0]["hter"]}


def limits_of(folder: Path, table: pl.DataFrame, trials: str) -> dict[str, tuple[float, float]]:
    """Return the limits of model a, and of the difference of b from a; ``trials`` are further keys."""
    built = build(folder, table, CONFIG % trials, "significance.replicates=199")
    frames = built.only(METRICS, COMPARISONS)
    metrics = frames["metrics"].filter(model="a", split="test").iter_rows(named=True)
    limits = {row["measure"]: (row["ci_low"], row["ci_high"]) for row in metrics}
    (pair,) = frames["comparisons"].filter(measure="hter").iter_rows(named=True)
    sign = 1 if pair["model"] == "b" else -1
    low, high = sorted((sign * pair["ci_low"], sign * pair["ci_high"]))
    return {**limits, "difference of hter": (low, high)}


def study(design: WeightedDesign, runs: int, seed: int = 12, *, weighted: bool = True) -> dict[str, float]:
    """Return the share of tables whose limits hold the truth, by quantity."""
    true, held = truth(design), {name: list[bool]() for name in QUANTITIES}
    trials = ", weights: {column: w}" * weighted
    trials += ", columns: {cluster: family}" * bool(design.clusters)
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs):
            rng = np.random.default_rng([seed, run])
            of = design.population(8 * design.rows, rng)
            kept = np.flatnonzero(rng.random(8 * design.rows) < of["chance"])[: design.rows]
            same = {"trial": np.arange(len(kept)), "label": of["label"][kept], "split": ["test"] * len(kept)}
            same |= {"w": 1 / of["chance"][kept]}
            same |= {"family": of["cluster"][kept]} if design.clusters else {}
            table = pl.concat(
                pl.DataFrame({"model": [model] * len(kept), "score": of[model][kept], **same})
                for model in STRENGTH
            )
            limits = limits_of(Path(folder) / "x", table, trials)
            for name in QUANTITIES:
                low, high = limits[name]
                held[name].append(low <= true[name] <= high)
    return {name: sum(each) / len(each) for name, each in held.items()}


DESIGNS = (
    WeightedDesign(200, 0.7),
    WeightedDesign(200, 1.5),
    WeightedDesign(600, 1.5),
    WeightedDesign(600, 1.0, 40),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print(f"| | {' | '.join(QUANTITIES)} |\n|---|{'--:|' * len(QUANTITIES)}")
    for design in DESIGNS:
        for weighted in (True, False)[: 1 + (design.steep == 1.5)]:
            held = study(design, runs, weighted=weighted)
            words = design.words + ", weights ignored" * (not weighted)
            print(f"| {words} |", " | ".join(f"{share:.3f}" for share in held.values()), "|", flush=True)


if __name__ == "__main__":
    main()
