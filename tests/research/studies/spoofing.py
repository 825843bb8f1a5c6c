"""Coverage of costs of three kinds of trials: a-DCF at a threshold, its minimum, and the difference of two models.

    python -m tests.research.studies.spoofing [--runs N]

Scores are normal: targets at 3, spoofs between, zero-effort trials at 0. Thresholds are chosen on a development
set of the same size; under clusters every speaker has a share of each kind, or of one kind of attempt only.
The truth of an actual cost is that at the threshold which was chosen, as its interval says; that of a difference is
0, because both models are equally good, with correlated scores. ``spoofing.md`` has the figures.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from reporting.core.engine.study import Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.settings import Inference
from tests.research.studies.comparing import LEVEL
from tests.research.studies.models import Drawn, Scored, runs, study_of

TARGET, ZERO_EFFORT, SPOOF = 3.0, 0.0, 1.5
"""The means of the scores of each kind."""
W_MISS, W_ZERO, W_SPOOF = 1.0, 0.5 / 0.9, 1.0 / 0.9
"""The weights of the three rates in the normalised a-DCF of the defaults."""
SPREAD = 0.4
"""The standard deviation of the effects of speakers, where there are any."""
STUDY = study_of(("adcf", "minadcf"), ("min_adcf",), Inference(replicates=199, level=LEVEL))
ADCF = read_measure("adcf")


class World(NamedTuple):
    """How many trials of each kind a split has, and how speakers share them; no speakers: independent."""

    n: tuple[int, int, int]
    """Targets, zero-effort trials, spoofs."""
    speakers: int = 0
    apart: bool = False
    """Whether zero-effort trials and spoofs come from different speakers."""


WORLDS = {
    "100 targets, 400 zero-effort, 200 spoofs": World((100, 400, 200)),
    "30 targets, 60 zero-effort, 30 spoofs": World((30, 60, 30)),
    "300 targets, 100 zero-effort, 1000 spoofs": World((300, 100, 1000)),
    "40 speakers who do all": World((200, 400, 200), 40),
    "40 speakers, spoofs by others": World((200, 400, 200), 40, apart=True),
}


def trials(rng: np.random.Generator, world: World, first_speaker: int = 0) -> Scored:
    """Return both models' scores of one split; speakers are numbered from ``first_speaker``."""
    kind = np.repeat([TARGET, ZERO_EFFORT, SPOOF], world.n)
    number = np.arange(len(kind))
    shared, unit = math.sqrt(0.5) * rng.standard_normal(len(kind)), None
    if world.speakers:
        speaker = number % world.speakers
        if world.apart:
            half = world.speakers // 2
            speaker = np.where(kind == SPOOF, half + number % half, number % half)
        effect = SPREAD * rng.standard_normal(world.speakers)[speaker]
        shared = effect + math.sqrt(0.5 - SPREAD**2) * rng.standard_normal(len(kind))
        unit = (first_speaker + speaker).astype(np.uint32)
    score = kind + shared + math.sqrt(0.5) * rng.standard_normal((2, len(kind)))
    return Scored(kind == TARGET, np.round(score, 2), unit, spoof=kind == SPOOF)


def cost(threshold: float) -> float:
    """The true a-DCF at a threshold."""
    missed = float(ndtr(threshold - TARGET))
    zero, spoof = (float(ndtr(mean - threshold)) for mean in (ZERO_EFFORT, SPOOF))
    return W_MISS * missed + W_ZERO * zero + W_SPOOF * spoof


LEAST = float(minimize_scalar(cost, bounds=(0, 4), method="bounded").fun)


def judged(rng: np.random.Generator, world: World, study: Study) -> Drawn:
    """Return both models of one table, with their replicates."""
    return Drawn(trials(rng, world), study, trials(rng, world, first_speaker=world.speakers))


def shares(name: str, n: int) -> dict[str, float]:
    """Return the share of tables in which each interval holds, or each test rejects."""
    held = [_one(judged(rng, WORLDS[name], study)) for rng, study in runs(STUDY, _seed(name), 0, n)]
    return {key: float(np.mean([each[key] for each in held])) for key in held[0]}


def _seed(name: str) -> int:
    return 2024 + list(WORLDS).index(name)


def _one(drawn: Drawn) -> dict[str, bool]:
    """Return whether each interval of one table holds its truth, and whether the test reports a difference."""
    intervals = drawn.intervals()
    (criterion,) = drawn.study.criteria
    (threshold,) = drawn.models[0].single[criterion].chosen.threshold
    actual, least = intervals["adcf", "min_adcf"], intervals["minadcf", None]
    compared = drawn.difference(ADCF, "min_adcf", "procedure").tested()
    low, high = (math.nan if limit is None else limit for limit in (compared.low, compared.high))
    return {
        "a-DCF": actual.low <= cost(float(threshold)) <= actual.high,
        "min a-DCF": least.low <= LEAST <= least.high,
        "difference": low <= 0 <= high,
        "test": compared.p_value is not None and compared.p_value <= 1 - LEVEL,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--world", choices=WORLDS)
    asked = parser.parse_args()
    head = ("a-DCF", "min a-DCF", "difference", "test")
    print(f"| | {' | '.join(head)} |\n|---|{'--:|' * len(head)}")
    for name in [asked.world] if asked.world else WORLDS:
        found = shares(name, asked.runs)
        print(f"| {name} | " + " | ".join(f"{found[each]:.3f}" for each in head) + " |", flush=True)


if __name__ == "__main__":
    main()
