"""Success rates of language models on items, all of them targets: coverage, and the level of a comparison.

    python -m tests.research.studies.evals [--runs N]

Two models attempt the same items, and half of what makes them fail they share: the item's own difficulty. Items of
one task family, or of one source document, share an effect too, a part of it for both models alike and a part for
each; families differ in size. A score in [0, 1] is graded, and an item is solved from the threshold on. Intervals
and tests are those of a report.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.core.counts.ranks import Ranks
from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.design import Design
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.estimate import rate_interval
from reporting.core.resampling.paired import PairedDifference, compare_replicates, compare_tuned
from reporting.core.resampling.units import Units, cluster_units, trial_units
from reporting.core.stats.paired import Discordant

LEVEL, REPLICATES = 0.95, 999
SHARED = 0.5
"""The part of a score's variance, but for the families', that both models have in common."""
OF_FAMILY, OF_BOTH = 0.6, 0.5
"""The standard deviation of what a family adds to a score, and the part of its variance common to both models."""
THRESHOLD = 0.55
"""A score from which an item is solved: above one half in steps of a twentieth."""


@dataclass(frozen=True)
class SimulatedDesign:
    """Items in families, sizes drawn around a mean, and the true success rates of two models."""

    name: str
    items: int
    rates: tuple[float, float]
    families: int = 0

    def unit(self) -> Any:
        """The family of every item; every second family has three times the items of the others."""
        large = np.arange(self.families) % 2 * 2 + 1
        return np.repeat(
            np.arange(self.families), np.round(large / large.mean() * self.items / self.families).astype(int)
        )

    def units(self) -> Units:
        """What is drawn: items, or families."""
        if not self.families:
            return trial_units(np.ones(self.items, dtype=bool), ("all", "test"))
        unit = self.unit().astype(np.uint32)
        return cluster_units([Ranks(np.ones(len(unit), dtype=bool), unit, {}, paired=True)], ("all", "test"))[
            0
        ]


def scores_of(design: SimulatedDesign, units: Units, rng: np.random.Generator) -> list[Any]:
    """Return the graded scores of both models; the threshold is where the true rates are."""
    n, g = len(units.of_trial), units.n_atoms
    effect = OF_FAMILY * units.clustered
    item, family = rng.standard_normal(n), rng.standard_normal(g)
    scores = []
    for rate in design.rates:
        own = math.sqrt(SHARED) * item + math.sqrt(1 - SHARED) * rng.standard_normal(n)
        of_family = math.sqrt(OF_BOTH) * family + math.sqrt(1 - OF_BOTH) * rng.standard_normal(g)
        ability = (own + effect * of_family[units.of_trial]) / math.sqrt(1 + effect**2)
        # Grades in steps of a twentieth: ties, and items that lie at the threshold itself.
        scores.append(np.ceil(20 * ndtr(ability + ndtri(rate))) / 20)
    return scores


def compared(solved: Sequence[Any], units: Units, rng: np.random.Generator) -> PairedDifference:
    """Compare the success rates of two models as a report does: exact, or by the spread over families."""
    first, second = solved
    point = float(first.mean() - second.mean())
    if not units.clustered:
        n = len(first)
        kinds = np.array([(first & ~second).sum(), (~first & second).sum(), (~first & ~second).sum()])
        drawn = rng.multinomial(n, [*kinds / n, 1 - kinds.sum() / n], REPLICATES).T
        observed, again = targets(kinds, n), targets(drawn, np.full(REPLICATES, n))
        return compare_tuned(point, observed, again, MEASURES["recall"], LEVEL)
    gains = np.bincount(units.of_trial, first.astype(float) - second)
    sizes = np.bincount(units.of_trial)
    weights = rng.multinomial(units.n_atoms, np.full(units.n_atoms, 1 / units.n_atoms), REPLICATES)
    differences = (weights @ gains) / (weights @ sizes)
    alike = not (first != second).any()
    return compare_replicates(point, differences, Design.of(units, LEVEL), alike=alike)


def targets(kinds: Any, n: Any) -> Discordant:
    """Return the counts of targets alone: solved by the first alone, by the second alone, and by neither."""
    nothing = np.zeros_like(n)
    return Discordant(nothing, nothing, kinds[0], kinds[1], n, nothing, nothing, kinds[2])


def one_run(design: SimulatedDesign, units: Units, rng: np.random.Generator) -> dict[str, float]:
    """Return what holds in one simulated table, by name."""
    scores = scores_of(design, units, rng)
    solved = [score >= THRESHOLD for score in scores]
    counted = CountedTrials.among(np.ones(len(solved[0])), units, None)
    interval = rate_interval(counted.rate(solved[0], counted.correlation(scores[0])), LEVEL)
    truth = design.rates[0] - design.rates[1]
    families, items = (
        compared(solved, each, rng) for each in (units, trial_units(solved[0] | True, ("all", "test")))
    )
    return {
        "success rate": holds(interval.low, interval.high, design.rates[0]),
        "difference": holds(families.low, families.high, truth),
        "claimed": claimed(families),
        "difference, items independent": holds(items.low, items.high, truth),
        "claimed, items independent": claimed(items),
    }


def holds(low: float | None, high: float | None, truth: float) -> float:
    """Return whether limits hold a number, NaN where there are none."""
    return math.nan if low is None or high is None else float(low - 1e-9 <= truth <= high + 1e-9)


def claimed(difference: PairedDifference) -> float:
    """Return whether the test rejects; what is undefined claims nothing."""
    p = difference.p_value
    return float(p is not None and p < 1 - LEVEL)


def study(design: SimulatedDesign, runs: int) -> dict[str, float]:
    """Return the shares of runs in which each holds; undefined ones are left out."""
    units = design.units()
    rng = np.random.default_rng(
        [design.items, design.families, *(round(100 * rate) for rate in design.rates)]
    )
    every = [one_run(design, units, rng) for _ in range(runs)]
    return {name: float(np.nanmean([each[name] for each in every])) for name in every[0]}


EQUAL = 0.7, 0.7
DESIGNS = [
    SimulatedDesign("30 items, both .7", 30, EQUAL),
    SimulatedDesign("100 items, both .7", 100, EQUAL),
    SimulatedDesign("500 items, both .7", 500, EQUAL),
    SimulatedDesign("100 items, both .95", 100, (0.95, 0.95)),
    SimulatedDesign("500 items, .7 and .65", 500, (0.7, 0.65)),
    SimulatedDesign("10 families of 20 items, both .7", 200, EQUAL, 10),
    SimulatedDesign("20 families of 10, both .7", 200, EQUAL, 20),
    SimulatedDesign("50 families of 20, both .7", 1000, EQUAL, 50),
    SimulatedDesign("100 documents of 4, both .7", 400, EQUAL, 100),
    SimulatedDesign("50 families of 20, .7 and .65", 1000, (0.7, 0.65), 50),
]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=4000)
    runs = parser.parse_args().runs
    with ProcessPoolExecutor(2) as pool:
        results = dict(zip(DESIGNS, pool.map(study, DESIGNS, [runs] * len(DESIGNS)), strict=True))
    printed("Coverage", ("success rate", "difference", "difference, items independent"), results)
    equal = {design: of for design, of in results.items() if len(set(design.rates)) == 1}
    printed("Level: two models that are alike", ("claimed", "claimed, items independent"), equal)


def printed(title: str, names: Sequence[str], results: dict[SimulatedDesign, dict[str, float]]) -> None:
    """Print one table."""
    print(f"\n## {title}\n\n| | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    for design, of in results.items():
        print(f"| {design.name} | " + " | ".join(f"{of[name]:.3f}" for name in names) + " |")


if __name__ == "__main__":
    main()
