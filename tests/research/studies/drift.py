"""How often a report says that development and test differ: level where they do not, power where they do.

    python -m tests.research.studies.drift [--runs N] [--workers N]

A report holds 2 to 8 models that share half of their noise; dev and test are drawn from one population, or on
test the scores of both classes are higher. A false alarm is one adjusted p-value of ``drift`` at most .05.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, Key, count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.parts import parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.resampling.settings import Inference
from reporting.document.frames.judged import JudgedPart
from reporting.features.drift.frame import drift_of, with_adjusted_drift
from tests.research.studies.models import SERIAL, Scored, labels, study_of

SEED, LEVEL = 1609, 0.05
SHARED = 0.5
"""Of the noise of a model, the share that is common to all."""
OF_CLUSTER = 0.3
"""Of the variance, the share that is a cluster's own in a class."""


class Case(NamedTuple):
    """One kind of report: models, trials of each class, clusters (none: trials independent)."""

    criterion: str = "min_hter"
    models: int = 4
    n_dev: int = 200
    n_test: int = 200
    d_prime: float = 2.0
    clusters: int = 0
    shared: bool = False
    """Whether dev and test hold the same clusters."""
    shift: float = 0.0
    """How much higher scores are on test."""

    @property
    def name(self) -> str:
        """The case in a few words."""
        of = f"{self.clusters} {'shared ' if self.shared else ''}clusters" if self.clusters else "independent"
        sizes = f"{self.n_dev} and {self.n_test} a class"
        moved = f", scores {self.shift:g} higher" if self.shift else ""
        return f"{self.criterion}, {self.models} models, {sizes}, d' {self.d_prime:g}, {of}{moved}"


LEVELS = (
    *(
        Case(criterion, models, n_dev, n_test, d_prime)
        for criterion, models, (n_dev, n_test), d_prime in itertools.product(
            ("min_hter", "eer"), (2, 8), ((30, 30), (200, 200), (200, 2000), (2000, 200)), (0.0, 0.5, 2.0)
        )
    ),
    *(Case("target_far", models, n, n) for models, n in itertools.product((2, 8), (100, 1000))),
    *(Case("fixed(threshold=1)", models, n, n) for models, n in itertools.product((2, 8), (100, 1000))),
    *(
        Case(criterion, models, 20 * g, 20 * g, clusters=g, shared=shared)
        for criterion, models, g, shared in itertools.product(
            ("min_hter", "fixed(threshold=1)"), (2, 8), (10, 30, 100), (False, True)
        )
    ),
)
POWERS = tuple(
    Case("min_hter", 4, 20 * g, 20 * g, clusters=g, shift=shift)
    for g, shift in itertools.product((30, 100), (0.25, 0.5, 1.0))
)


def alarm(case: Case, run: int) -> bool:
    """Whether a report of this kind calls dev and test different."""
    rng = np.random.default_rng([SEED, run])
    effects = _noise(rng, case.models, (2, max(1, case.clusters)))
    dev = _scored(rng, case, case.n_dev, effects, 0.0)
    if not case.shared:
        effects = _noise(rng, case.models, effects.shape[1:])
    test = _scored(rng, case, case.n_test, effects, case.shift)
    study = study_of(("hter",), (case.criterion,), Inference(replicates=1))
    (part,) = parts(_counts(case, dev, test), study)
    judged = JudgedPart(part, study, SERIAL, ThresholdBootstrap(study, SERIAL))
    rows = with_adjusted_drift(drift_of(judged), study)
    assert len(rows) == 2 * case.models
    return any(row.p_adjusted is not None and row.p_adjusted <= LEVEL for row in rows)


def _noise(rng: np.random.Generator, models: int, shape: tuple[int, ...]) -> np.ndarray:
    own = rng.standard_normal((models, *shape))
    return np.sqrt(SHARED) * rng.standard_normal(shape) + np.sqrt(1 - SHARED) * own


def _scored(rng: np.random.Generator, case: Case, n: int, effects: np.ndarray, shift: float) -> Scored:
    """Trials of one split: n of each class, spread evenly over the clusters."""
    label = labels(n, n)
    score = _noise(rng, case.models, label.shape)
    unit = None
    if case.clusters:
        unit = (np.arange(2 * n) % case.clusters).astype(np.uint32)
        score = np.sqrt(1 - OF_CLUSTER) * score + np.sqrt(OF_CLUSTER) * effects[:, label.astype(int), unit]
    return Scored(label, score + case.d_prime * label + shift, unit)


def _counts(case: Case, dev: Scored, test: Scored) -> Counts:
    cuts: dict[Key, Cuts] = {}
    ranks: dict[tuple[str, str], Ranks] = {}
    for split, trials in (("dev", dev), ("test", test)):
        # Other numbers on test than on dev are other clusters.
        apart = case.clusters if split == "test" and not case.shared else 0
        unit = None if trials.unit is None else (trials.unit + np.uint32(apart)).astype(np.uint32)
        rank = {}
        for number, score in enumerate(trials.score):
            key = Key(f"m{number}", "0", "all", split)
            cuts[key], rank[key.model, "0"] = count_cuts(score, trials.label)
        ranks["all", split] = Ranks(trials.label, unit, rank, paired=True)
    return Counts(cuts, ranks, n_clusters={}, dev_of={"all": "all"})


class Share(NamedTuple):
    """A share of runs and its Monte-Carlo error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"


def share(case: Case, first: int, last: int) -> Share:
    """Return the share of reports ``first`` to ``last`` - 1 with an alarm."""
    hits = sum(alarm(case, run) for run in range(first, last))
    n = last - first
    p = hits / n
    return Share(p, math.sqrt(max(p * (1 - p), 1 / n) / n))


def main(arguments: list[str]) -> int:
    """Print every share; 1 where a level is above .05 by more than two of its errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(arguments)
    high = 0
    with ProcessPoolExecutor(asked.workers) as pool:
        shares = pool.map(partial(share, first=0, last=asked.runs), (*LEVELS, *POWERS))
        for case, found in zip((*LEVELS, *POWERS), shares, strict=True):
            above = not case.shift and found.value > LEVEL + 2 * found.error
            high += above
            print(f"{found}  {'! ' if above else ''}{case.name}", flush=True)
    return int(high > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
