"""Valid reports with several features at once: ``make(seed, folder)`` writes a small table and its config.

A seed draws one pair of features, so that all pairs come in turn, and one to six more. Everything follows from
the seed alone: nothing is asked of the program, whose catalogues are written out in ``names``.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import polars as pl

from tests.research.combinations.features import FEATURES, Draft, settled
from tests.research.combinations.layouts import Config, write
from tests.research.combinations.tables import draw_frame

NEEDS = {"gate_of_dataset": ("datasets",), "gate_of_group": ("by_group",)}
"""Features that another one brings along."""
TOGETHER = (
    ("count_there", "abstention"),
    ("history", "stratos", "primary"),
    ("operating_points", "threshold_rules"),
    ("sqlite", "tests"),
    ("clusters", "units"),
    ("averaged_over", "epc"),
)
"""Features of which pairs of keys would be too rare."""


@dataclass(frozen=True, eq=False)
class Combination:
    """A report that is asked for: its config, its table, and the features that it was drawn with."""

    seed: int
    config: Config
    frame: pl.DataFrame
    """The trials by canonical names, as they are before any file is written: see ``tables.SCHEMA``."""
    features: tuple[str, ...]
    hints: dict[str, str]
    """How the table is written, beyond what the config says."""

    def write(self, folder: Path) -> Combination:
        """Write the table and ``report.yaml`` into a folder, and return the combination."""
        write(self.config, self.frame, self.hints, folder)
        return self

    def at(self, config: Config | None = None, frame: pl.DataFrame | None = None) -> Combination:
        """Return the combination with another config or table."""
        return replace(self, config=config or self.config, frame=self.frame if frame is None else frame)


def make(seed: int, folder: Path) -> Combination:
    """Draw a combination and write it into a folder."""
    return draw(seed).write(folder)


def draw(seed: int) -> Combination:
    """Draw a combination."""
    draft = drafted(chosen_features(seed), seed)
    frame = draw_frame(random.Random(f"{seed} table"), draft.design)
    if "pattern" in draft.hints:
        frame = frame.with_columns(trial=pl.col("cluster") + "-" + pl.col("trial"))
    return Combination(seed, draft.config, frame, tuple(draft.features), draft.hints)


def drafted(chosen: Sequence[str], seed: int) -> Draft:
    """Return what features make of a report, in the order in which they are listed."""
    draft = Draft()
    for name in FEATURES:
        if name in chosen and FEATURES[name].make(random.Random(f"{seed} {name}"), draft):
            draft.features.append(name)
    settled(random.Random(f"{seed} settled"), draft)
    return draft


def chosen_features(seed: int) -> list[str]:
    """Return the features of a seed: its pair, and some more by their weights."""
    rng = random.Random(f"{seed} features")
    pairs = _pairs()
    chosen = list(pairs[seed % len(pairs)])
    weights = [feature.weight for feature in FEATURES.values()]
    for _ in range(rng.randint(3, 9)):
        chosen += [name for name in rng.choices(list(FEATURES), weights) if name not in chosen]
    if rng.random() < 0.1:
        chosen += [name for name in rng.choice(TOGETHER) if name not in chosen]
    for name in list(chosen):
        chosen += [needed for needed in NEEDS.get(name, ()) if needed not in chosen]
    return chosen


@cache
def _pairs() -> list[tuple[str, ...]]:
    """Return all pairs of features in a fixed order that is not theirs."""
    pairs: list[tuple[str, ...]] = list(itertools.combinations(FEATURES, 2))
    random.Random("pairs").shuffle(pairs)
    return pairs
