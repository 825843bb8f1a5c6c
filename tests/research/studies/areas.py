"""The AUC of one model with few trials of a class: how often its interval holds the true one, and how wide it is.

    python -m tests.research.studies.areas [--tables N]

Scores are normal with the AUC that a column names; of five grades they are cut at four places. The class that is
rarer has the same standard deviation as the other, twice it, or half of it. *Reported* is the interval of a report;
DeLong's on the logit scale and Newcombe's (method 5) are those of the same tables.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import auc_interval
from reporting.core.resampling.units import cluster_units
from reporting.core.stats.intervals import logit_interval, newcombe_auc
from reporting.core.stats.placements import area_se

LEVEL = 0.95
METHODS = ("DeLong", "Newcombe", "reported")
AREAS = (0.6, 0.8, 0.95, 0.99)
GRADES = np.array([-0.8, 0.0, 0.8, 1.6])
SPREADS = {
    "equal spread": 1.0,
    "five grades": 1.0,
    "rare class spreads twice": 2.0,
    "rare class spreads half": 0.5,
}
SIZES = (
    (3, 3),
    (3, 30),
    (3, 300),
    (5, 50),
    (5, 500),
    (10, 10),
    (10, 100),
    (20, 20),
    (20, 200),
    (50, 50),
    (50, 500),
)
CLUSTERS = ((3, 50), (5, 50), (10, 50), (20, 100))
PER_CLUSTER, ALIKE = 3, 0.3
"""Trials of a cluster, and their correlation."""


def placements(target: Any, nontarget: Any) -> tuple[Any, Any]:
    """Return the placements of targets and of non-targets of one table."""
    above = (target[:, None] > nontarget) + 0.5 * (target[:, None] == nontarget)
    return above.mean(axis=1), above.mean(axis=0)


def drawn(
    shape: str, sizes: tuple[int, int], area: float, rng: np.random.Generator
) -> tuple[Any, Any, float]:
    """Return scores of the rarer class, of the other, and their true area."""
    spread = SPREADS[shape]
    mean = float(ndtri(area)) * math.hypot(spread, 1)
    rare, other = mean + spread * rng.standard_normal(sizes[0]), rng.standard_normal(sizes[1])
    if shape != "five grades":
        return rare, other, area
    shares = [np.diff(np.concatenate(([0], ndtr(GRADES - at), [1]))) for at in (mean, 0.0)]
    below = np.cumsum(shares[1]) - shares[1] / 2
    return np.digitize(rare, GRADES), np.digitize(other, GRADES), float((shares[0] * below).sum())


def limits_of(rare: Any, other: Any) -> tuple[float, dict[str, tuple[float, float]]]:
    """Return the area of a table of independent trials and its limits by every method."""
    label = np.repeat([True, False], [len(rare), len(other)])
    placed = np.concatenate(placements(rare, other))
    area, se = float(placed[label].mean()), area_se(placed, label)
    reported = auc_interval(area, placed, Ranks(label, None, {}, paired=True), LEVEL, Design(LEVEL))
    assert reported.low is not None
    assert reported.high is not None
    newcombe = newcombe_auc(area, len(rare), len(other), LEVEL)
    known = se > 0 and 0 < area < 1
    delong = logit_interval(area, se, LEVEL) if known else newcombe
    return area, {"DeLong": delong, "Newcombe": newcombe, "reported": (reported.low, reported.high)}


def independent(
    shape: str, sizes: tuple[int, int], area: float, tables: int, seed: int = 61
) -> dict[str, tuple[float, float]]:
    """Return coverage and mean width of every method."""
    rng = np.random.default_rng(seed)
    held, width = dict.fromkeys(METHODS, 0.0), dict.fromkeys(METHODS, 0.0)
    for _ in range(tables):
        rare, other, true = drawn(shape, sizes, area, rng)
        for method, (low, high) in limits_of(rare, other)[1].items():
            held[method] += (low <= true <= high) / tables
            width[method] += (high - low) / tables
    return {method: (held[method], width[method]) for method in METHODS}


def clustered(sizes: tuple[int, int], area: float, tables: int, seed: int = 61) -> tuple[float, float]:
    """Return coverage of the reported interval among tables that have one, and the share of those that have none."""
    rng = np.random.default_rng(seed)
    of_trial = np.repeat(np.arange(sum(sizes), dtype=np.uint32), PER_CLUSTER)
    label = of_trial < sizes[0]
    ranks = Ranks(label, of_trial, {}, paired=True)
    design = Design.of(cluster_units([ranks], ("all", "test"))[0], LEVEL)
    held = []
    for _ in range(tables):
        shared = rng.standard_normal(sum(sizes))[of_trial]
        own = rng.standard_normal(len(label))
        score = (
            math.sqrt(ALIKE) * shared + math.sqrt(1 - ALIKE) * own + label * float(ndtri(area)) * math.sqrt(2)
        )
        placed = np.concatenate(placements(score[label], score[~label]))
        found = auc_interval(float(placed[label].mean()), placed, ranks, LEVEL, design)
        if found.low is not None and found.high is not None:
            held.append(found.low <= area <= found.high)
    return float(np.mean(held)), 1 - len(held) / tables


def rows(tables: int) -> Iterator[str]:
    """Yield the lines of all three tables."""
    of_cell = {
        (shape, sizes, area): independent(shape, sizes, area, tables)
        for shape, sizes, area in product(SPREADS, SIZES, AREAS)
    }
    for title, place in (("Coverage", 0), ("Mean width", 1)):
        names = [f"AUC {area}: {method}" for area in AREAS for method in METHODS]
        yield f"\n## {title}: independent trials\n\n| trials | {' | '.join(names)} |\n|---|{'--:|' * len(names)}"
        for shape, sizes in product(SPREADS, SIZES):
            cells = [of_cell[shape, sizes, area][method][place] for area in AREAS for method in METHODS]
            yield f"| {sizes[0]} and {sizes[1]}, {shape} | {' | '.join(f'{cell:.3f}' for cell in cells)} |"
    names = [f"AUC {area}" for area in AREAS]
    yield f"\n## Coverage: clusters\n\n| clusters | {' | '.join(names)} |\n|---|{'--:|' * len(names)}"
    for sizes in CLUSTERS:
        found = [clustered(sizes, area, tables) for area in AREAS]
        cells = [f"{held:.3f}{f', none in {none:.3f}' if none else ''}" for held, none in found]
        yield f"| {sizes[0]} with targets, {sizes[1]} with non-targets | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=1000)
    for line in rows(parser.parse_args().tables):
        print(line)


if __name__ == "__main__":
    main()
