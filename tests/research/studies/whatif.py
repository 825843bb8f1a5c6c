"""Differences of the what-if page in clusters and with weights: how often their limits hold the truth.

    python -m tests.research.studies.whatif [--runs N]

Two models decide the same non-targets at thresholds that are given. Clusters share an effect on either model's
scores, of which a part is common; weights are the inverse of the chance that a trial of a population is kept. Pairs
of clusters are all those of one population, or of two pools, and each cluster of a pair has such an effect.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.features.recompute.formulas import ClusterPairs, DependentClass, SingleClusters, compared

LEVEL = 0.95
EFFECT = 0.5
"""Standard deviation of a cluster's effect on each model's score, of which half the variance is common."""


class ComparedDesign(NamedTuple):
    """Clusters of some size, or weights that differ so much, and the FAR of both models."""

    clusters: int
    size: int
    first: float
    second: float
    unequal: bool = False
    steep: float = 0.0

    @property
    def words(self) -> str:
        """What a row of the table is called."""
        what = f"{self.clusters} {'unequal ' * self.unequal}clusters of {self.size} on average"
        if self.steep:
            what = f"{self.size} trials, steepness {self.steep:g}"
        return f"{what}, FAR {self.first:g} and {self.second:g}"

    def drawn(self, rng: np.random.Generator) -> tuple[DependentClass | None, float]:
        """Return a class and the true difference."""
        truth = self.first - self.second
        if self.steep:
            n = self.size * 20
            common, own = rng.standard_normal(n), rng.standard_normal((2, n))
            scores = (common + own) / np.sqrt(2)
            chance = np.minimum(1.0, np.exp(self.steep * (common - 2.5)))
            kept = rng.random(n) < chance
            kept &= np.cumsum(kept) <= self.size
            weight = np.maximum(np.rint(100 / chance[kept]), 1.0)
            cluster, df, scores = np.zeros(int(kept.sum()), dtype=np.int64), None, scores[:, kept]
        else:
            mean = self.size * (
                rng.pareto(2, self.clusters) + 0.2 if self.unequal else np.ones(self.clusters)
            )
            sizes = np.maximum(np.rint(mean), 1).astype(np.int64)
            cluster = np.repeat(np.arange(self.clusters), sizes)
            common, effects = rng.standard_normal(self.clusters), rng.standard_normal((2, self.clusters))
            moved = EFFECT * (common + effects)[:, cluster] / np.sqrt(2)
            shared, own = rng.standard_normal(len(cluster)), rng.standard_normal((2, len(cluster)))
            scores = (moved + (shared + own) / np.sqrt(2)) / np.sqrt(1 + EFFECT**2)
            weight, df = np.ones(len(cluster)), ClusterSizes.of(sizes).degrees_of_freedom
        accepted = scores > -ndtri([[self.first], [self.second]])
        sign = accepted[0].astype(np.int64) - accepted[1]
        return DependentClass.of(
            sign, weight, weight**2, cluster, SingleClusters(max(self.clusters, 1)), df
        ), truth


class PairedDesign(NamedTuple):
    """All pairs of so many clusters, or of so many in each of two pools, and the FAR of both models."""

    clusters: tuple[int, ...]
    first: float
    second: float
    effect: float = EFFECT

    @property
    def words(self) -> str:
        """What a row of the table is called."""
        what = f"all pairs of {' and '.join(map(str, self.clusters))} clusters{' without effects' * (not self.effect)}"
        return f"{what}, FAR {self.first:g} and {self.second:g}"

    def drawn(self, rng: np.random.Generator) -> tuple[DependentClass | None, float]:
        """Return a class and the true difference."""
        crossed, g = len(self.clusters) > 1, self.clusters[0]
        a, b = np.indices(self.clusters).reshape(2, -1) if crossed else np.triu_indices(g, 1)
        moved = 0
        for side, n in ((a, g), (b, self.clusters[-1])):
            if side is a or crossed:  # clusters of one population have one effect on either side
                common, own = rng.standard_normal(n), rng.standard_normal((2, n))
                effects = self.effect * (common + own) / np.sqrt(2)
            moved = moved + effects[:, side]
        shared, noise = rng.standard_normal(len(a)), rng.standard_normal((2, len(a)))
        scores = (moved + (shared + noise) / np.sqrt(2)) / np.sqrt(1 + 2 * self.effect**2)
        accepted = scores > -ndtri([[self.first], [self.second]])
        sign, ones = accepted[0].astype(np.int64) - accepted[1], np.ones(len(a))
        pairs, df = ClusterPairs(a, b, crossed, ones), float(min(self.clusters) - 1)
        return DependentClass.of(sign, ones, ones, np.arange(len(a)), pairs, df), self.first - self.second


DESIGNS = (
    ComparedDesign(10, 20, 0.1, 0.1),
    ComparedDesign(10, 20, 0.2, 0.1),
    ComparedDesign(20, 20, 0.1, 0.1),
    ComparedDesign(20, 20, 0.2, 0.1),
    ComparedDesign(20, 20, 0.02, 0.01),
    ComparedDesign(40, 20, 0.2, 0.1),
    ComparedDesign(40, 20, 0.2, 0.1, unequal=True),
    ComparedDesign(0, 200, 0.1, 0.1, steep=0.7),
    ComparedDesign(0, 200, 0.2, 0.1, steep=0.7),
    ComparedDesign(0, 600, 0.2, 0.1, steep=1.2),
    PairedDesign((15,), 0.1, 0.1),
    PairedDesign((15,), 0.2, 0.1),
    PairedDesign((40,), 0.1, 0.1),
    PairedDesign((40,), 0.2, 0.1),
    PairedDesign((40,), 0.1, 0.1, effect=0),
    PairedDesign((10, 20), 0.1, 0.1),
    PairedDesign((20, 40), 0.2, 0.1),
    PairedDesign((20, 40), 0.1, 0.1, effect=0),
)


def covered(design: ComparedDesign | PairedDesign, runs: int) -> tuple[float, float]:
    """Return the share of tables whose limits hold the true difference, and that of p of at most .05."""
    rng = np.random.default_rng(11)
    held = rejected = 0
    for _ in range(runs):
        each, truth = design.drawn(rng)
        of = compared((each, each), 0.5, LEVEL).get("far")
        if of is None:
            continue
        held += of.low <= truth <= of.high
        rejected += of.p <= 1 - LEVEL
    return held / runs, rejected / runs


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print("| | coverage | p at most .05 |\n|---|--:|--:|")
    for design in DESIGNS:
        shares = covered(design, runs)
        print(f"| {design.words} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
