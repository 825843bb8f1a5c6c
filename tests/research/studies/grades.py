"""Mean scores of items: how often limits by Student's t hold the truth, and how often equal models differ.

    python -m tests.research.studies.grades [--runs N]

Two equal models meet the same items, whose difficulty they share in part; items of one topic are alike, and every
second topic has three times the items of the others. A score is a grade from 0 to 5, partial credit in tenths of
which many are 0 or 1, or seconds, which are skewed. An epoch is another attempt at every item; its mean counts.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from reporting.core.counts.ranks import Ranks
from reporting.core.engine.item_means import item_mean, score_limits
from reporting.core.resampling.estimate import NO_INTERVAL
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.core.stats.intervals import normal

LEVEL = 0.95
SHARED, OF_TOPIC = 0.5, 0.6
"""The part of an item's difficulty that both models share, and the standard deviation of that of its topic."""
SCORES = {
    "grades 0 to 5": lambda ability: np.clip(np.round(3.5 + 1.2 * ability), 0, 5),
    "partial credit": lambda ability: np.round(ndtr(0.8 + 2.5 * ability), 1),
    "seconds": lambda ability: np.round(np.exp(1 + 0.8 * ability), 1),
}


class GradedDesign(NamedTuple):
    """Items, the topics they are spread over, attempts at each, and what a score is."""

    score: str
    items: int
    topics: int = 0
    epochs: int = 1
    uneven: bool = False
    """Whether each model attempts an item once or more, up to ``epochs`` times at random."""

    @property
    def words(self) -> str:
        """What a row of the table is called."""
        topics = f" in {self.topics} topics" * bool(self.topics)
        return f"{self.score}, {self.items} items{topics}{f', {self.of_epochs}' * (self.epochs > 1)}"

    @property
    def of_epochs(self) -> str:
        """How often items are attempted."""
        return f"{'1 to ' * self.uneven}{self.epochs} epochs"

    def topic(self) -> Any:
        """Return the topic of every item."""
        large = np.arange(self.topics) % 2 * 2 + 1
        sizes = np.round(large / large.mean() * self.items / self.topics).astype(int)
        return np.repeat(np.arange(self.topics), sizes)

    def ranks(self) -> Ranks:
        """Return the items as trials, all targets."""
        topic = self.topic().astype(np.uint32) if self.topics else None
        return Ranks(np.ones(self.items if topic is None else len(topic), dtype=bool), topic, {}, paired=True)

    def scores(self, ranks: Ranks, rng: np.random.Generator) -> Any:
        """Return the mean score over epochs of each item for two equal models: shape (2, N)."""
        n = ranks.n_trials
        of_item, own = rng.standard_normal(n), rng.standard_normal((2, n))
        ability = math.sqrt(SHARED) * of_item + math.sqrt(1 - SHARED) * own
        if ranks.unit_a is not None:
            both, each = rng.standard_normal(self.topics), rng.standard_normal((2, self.topics))
            ability = ability + OF_TOPIC * (both + each)[:, ranks.unit_a] / math.sqrt(2)
        attempts = ability[:, None] + 0.5 * rng.standard_normal((2, self.epochs, n))
        scores = SCORES[self.score](attempts)
        if not self.uneven:
            return scores.mean(axis=1)
        times = rng.integers(1, self.epochs + 1, (2, 1, n))
        return np.mean(scores, axis=1, where=np.arange(self.epochs)[:, None] < times)


COLUMNS = ("mean", "difference", "difference, items independent")
DESIGNS = [
    *(GradedDesign(score, items) for score in SCORES for items in (10, 30, 100)),
    *(GradedDesign(score, 100, 10) for score in SCORES),
    *(GradedDesign(score, 200, 40, epochs=3) for score in SCORES),
    *(GradedDesign(score, 100, epochs=5, uneven=True) for score in SCORES),
    *(GradedDesign(score, 200, 40, epochs=5, uneven=True) for score in SCORES),
]


def study(design: GradedDesign, runs: int, seed: int = 40) -> dict[str, float]:
    """Return the shares of tables whose limits hold the true mean and difference, as declared and as items alone."""
    ranks = design.ranks()
    alone = trial_units(ranks.label, ("all", "test"))
    units = cluster_units([ranks], ("all", "test"))[0] if design.topics else alone
    rng = np.random.default_rng(seed)
    variance = 1 + 0.5**2 + OF_TOPIC**2 * bool(design.topics)
    truth = float(SCORES[design.score](math.sqrt(variance) * rng.standard_normal(4_000_000)).mean())
    held: dict[str, list[bool]] = {name: [] for name in COLUMNS}
    for _ in range(runs):
        first, second = design.scores(ranks, rng)
        between = first - second
        for name, values, of, true in (
            ("mean", first, units, truth),
            ("difference", between, units, 0.0),
            ("difference, items independent", between, alone, 0.0),
        ):
            if name == "mean":
                limits = score_limits(values, ranks, of, LEVEL)
            else:
                mean = item_mean(values, ranks, of)
                limits = normal(mean.value, mean.se, LEVEL, mean.df) if mean.se > 0 else NO_INTERVAL
            if limits.low is not None and limits.high is not None:  # items alike have none
                held[name].append(limits.low <= true <= limits.high)
    return {name: sum(each) / len(each) for name, each in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=4000)
    runs = parser.parse_args().runs
    print(f"| | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
    for design in DESIGNS:
        print(
            f"| {design.words} |", " | ".join(f"{share:.3f}" for share in study(design, runs).values()), "|"
        )


if __name__ == "__main__":
    main()
