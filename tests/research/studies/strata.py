"""Strata of a sampling design: how often limits made within strata, and without them, hold the truth, and how wide.

    python -m tests.research.studies.strata [--runs N]

From each stratum of a population a fixed number of units is drawn, trials or clusters of ten; strata differ in size
and much in how hard they are. A trial weighs the size of its stratum. Two models are judged at a given threshold.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.stats import norm

from tests.research.studies.weights import QUANTITIES, STRENGTH, limits_of

SHARE, THRESHOLD = 0.4, 0.5
IN_CLUSTER = 10


class StratifiedDesign(NamedTuple):
    """How many strata there are, how many units are drawn from each, and how far strata differ."""

    strata: int
    units: int
    clustered: bool
    apart: float = 2.0

    @property
    def words(self) -> str:
        """What a row of the table is called."""
        unit = f"clusters of {IN_CLUSTER}" if self.clustered else "trials"
        return f"{self.strata} strata of {self.units} {unit}, {self.apart:g} apart"

    def drawn(self, units: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return the trials of so many units of each stratum, with their weights."""
        cluster = np.repeat(np.arange(self.strata * units), IN_CLUSTER if self.clustered else 1)
        stratum, n = cluster // units, len(cluster)
        hard = self.apart * np.linspace(-0.5, 0.5, self.strata)[stratum]
        effect = rng.normal(0, 0.3 * self.clustered, self.strata * units)[cluster]
        label, shared = rng.random(n) < SHARE, rng.standard_normal(n)
        scores = {
            model: (strength - hard) * label
            + hard * ~label
            + effect
            + 0.6 * (shared + rng.standard_normal(n))
            for model, strength in STRENGTH.items()
        }
        return {"label": label, "stratum": stratum, "cluster": cluster, "w": 1 + stratum % 4, **scores}


def quantities(design: StratifiedDesign, strength: float) -> dict[str, float]:
    """Return the values of a model in the population, in which scores of a class and stratum are normal."""
    stratum = np.arange(design.strata)
    share = (1 + stratum % 4) / (1 + stratum % 4).sum()
    hard = design.apart * np.linspace(-0.5, 0.5, design.strata)
    variance = 2 * 0.6**2 + (0.3 * design.clustered) ** 2
    far = float(share @ norm.sf((THRESHOLD - hard) / np.sqrt(variance)))
    frr = float(share @ norm.cdf((THRESHOLD - strength + hard) / np.sqrt(variance)))
    above = norm.cdf((strength - hard[:, None] - hard) / np.sqrt(2 * variance))
    right = SHARE * (1 - frr)
    precision = right / (right + (1 - SHARE) * far)
    return {
        "far": far,
        "frr": frr,
        "hter": (far + frr) / 2,
        "precision": precision,
        "auc": float(share @ above @ share),
    }


def truth(design: StratifiedDesign) -> dict[str, float]:
    """Return the true values of model a, and of the difference of b from a."""
    first, second = (quantities(design, strength) for strength in STRENGTH.values())
    return {**first, "difference of hter": second["hter"] - first["hter"]}


def study(design: StratifiedDesign, runs: int, seed: int = 12) -> dict[str, dict[str, tuple[float, float]]]:
    """Return coverage and mean width by quantity, of limits within strata and of those that ignore them."""
    true = truth(design)
    ways = {"within strata": {"sampling_stratum": "stratum"}, "strata ignored": {}}
    held = {way: {name: list[tuple[bool, float]]() for name in QUANTITIES} for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs):
            of = design.drawn(design.units, np.random.default_rng([seed, run]))
            n = len(of["label"])
            same = {"trial": np.arange(n), "split": ["test"] * n} | {
                name: column for name, column in of.items() if name not in STRENGTH
            }
            table = pl.concat(
                pl.DataFrame({"model": [model] * n, "score": of[model], **same}) for model in STRENGTH
            )
            for way, columns in ways.items():
                named = columns | ({"cluster": "cluster"} if design.clustered else {"cluster": "none"})
                keys = ", ".join(f"{ours}: {column}" for ours, column in named.items())
                trials = f", weights: {{column: w}}, columns: {{{keys}}}"
                for name, (low, high) in limits_of(Path(folder) / "x", table, trials).items():
                    held[way][name].append((low <= true[name] <= high, high - low))
    return {
        way: {name: tuple(map(float, np.mean(each, axis=0))) for name, each in of_way.items()}
        for way, of_way in held.items()
    }


DESIGNS = (
    StratifiedDesign(8, 30, clustered=False),
    StratifiedDesign(8, 4, clustered=True),
    StratifiedDesign(16, 2, clustered=True),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print(f"| | {' | '.join(QUANTITIES)} |\n|---|{'--:|' * len(QUANTITIES)}")
    for design in DESIGNS:
        for way, of_way in study(design, runs).items():
            shown = " | ".join(f"{share:.3f} ({width:.3f})" for share, width in of_way.values())
            print(f"| {design.words}, {way} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
