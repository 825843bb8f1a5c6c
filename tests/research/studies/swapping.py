"""The swap test on models whose truth is known: its size and power beside those of the normal test.

    python -m tests.research.studies.swapping [RUNS]
    python -m tests.research.studies.swapping covered [RUNS]

writes ``swapping.md``, and prints the coverage of its intervals. A run depends on its number alone, never on the
processes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from reporting.base.arrays import FloatArray
from reporting.core.engine.pairs import difference
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.core.stats.intervals import normal_p
from reporting.core.stats.swap import swap_p
from tests.research.studies.comparing import BY_ITSELF, LARGE, LEVEL, ROWS, SMALL, TEST, Record
from tests.research.studies.models import (
    Drawn,
    Scored,
    clusters,
    correlated,
    labels,
    runs,
    study_of,
    two_models,
)

MISSES = "weighted_error(alpha=0.2)"
MORE = (
    ("hter", "target_frr"),
    ("far", "target_frr"),
    ("frr", "eer"),
    (MISSES, MISSES),
    ("f1", "min_hter"),
)
PAIRS = (*ROWS, *MORE)
"""Measure and criterion; targets of FAR and FRR are .01."""


def named(pair: tuple[str, str]) -> str:
    """A row as tables name it."""
    return " @ ".join(pair)


def swapping_study(replicates: int, pairs: tuple[tuple[str, str], ...] = PAIRS) -> Study:
    """The question of some pairs of measure and criterion."""
    measures, criteria = (tuple(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    return study_of(measures, criteria, Inference(replicates=replicates, level=LEVEL))


def swapped(
    rng: np.random.Generator,
    study: Study,
    dev: tuple[int, int],
    draw: Callable[..., Scored] = two_models,
    **settings: object,
) -> Record:
    """Compare two models once by both tests."""
    return compared(Drawn(draw(rng, *TEST, **settings), study, draw(rng, *dev, **settings)))


def other_scale(rng: np.random.Generator, n_nontarget: int, n_target: int) -> Scored:
    """Exchangeable models of which the second has scores exp(2 s) + 5."""
    drawn = two_models(rng, n_nontarget, n_target)
    return replace(drawn, score=np.stack((drawn.score[0], np.exp(2 * drawn.score[1]) + 5)))


def in_clusters(rng: np.random.Generator, study: Study, g: int, better: float = 0.0) -> Record:
    """Compare two models on G clusters, dev having G others; the second has so much more d'."""
    test, dev = (clusters(rng, g, 20, 5, first=first) for first in (0, g))
    more = [replace(side, score=side.score + np.outer((0, better), side.label)) for side in (test, dev)]
    return compared(Drawn(more[0], study, more[1]))


def unequal(
    rng: np.random.Generator, n_nontarget: int, n_target: int, mean: float = 2.0, sd: float = 1.0
) -> Scored:
    """The first model has targets N(2, 1), the second N(mean, sd^2), non-targets of both N(0, 1)."""
    label = labels(n_nontarget, n_target)
    noise = correlated(rng, label.shape, 0.5)
    own = np.where(label, np.array([[1.0], [sd]]), 1.0)
    return Scored(label, noise * own + np.outer((2.0, mean), label))


def compared(drawn: Drawn) -> Record:
    """1 for every pair of measure and criterion and each test that rejects, else 0."""
    found: Record = {}
    plain = replace(drawn.resampling, swapped={})
    for criterion in map(str, drawn.study.criteria):
        for measure in drawn.study.measures:
            if (str(measure), criterion) not in PAIRS:
                continue
            row = named((str(measure), criterion))
            again = drawn.difference(measure, criterion, "procedure")
            d0, point = again.exchanged[:, 0], float(again.point[0])
            question = again.first.question
            normal = difference(drawn.pair, question, plain, drawn.study, "procedure").tested()
            se = float(np.sqrt(np.mean(d0**2)))
            limits = again.tested()
            nowhere = math.nan  # no truth lies between these
            found |= {
                f"{row}: normal": float(normal.p_value is not None and normal.p_value < 1 - LEVEL),
                f"{row}: swap": float(swap_p(point, d0) < 1 - LEVEL + 1e-12),
                f"{row}: z": float(se > 0 and normal_p(point, se) < 1 - LEVEL),
                f"{row}: se": se,
                f"{row}: value": point,
                f"{row}: low": nowhere if limits.low is None else limits.low,
                f"{row}: high": nowhere if limits.high is None else limits.high,
            }
    return found


@cache
def equal_mean(row: tuple[str, str], sd: float) -> float:
    """The mean of the second model's targets at which both have the same value of a measure of a criterion."""
    wanted = population(row, 2.0, 1.0)
    return float(brentq(lambda mean: population(row, mean, sd) - wanted, 0.5, 6.0))


def population(row: tuple[str, str], mean: float, sd: float) -> float:
    """The value of a measure at the threshold that a criterion chooses on endless trials."""
    t: FloatArray = np.linspace(-4, 8, 240_001)
    far, frr = ndtr(-t), ndtr((t - mean) / sd)
    weights = {"min_hter": 0.5, BY_ITSELF: 0.8, MISSES: 0.2}
    measure, criterion = row
    if criterion in weights:
        at = int(np.argmin(weights[criterion] * far + (1 - weights[criterion]) * frr))
    elif criterion == "eer":
        at = int(np.argmin(np.abs(far - frr)))
    elif criterion == "target_far":
        at = int(np.argmin(np.abs(t - -ndtri(0.01))))
    else:
        at = int(np.argmin(np.abs(frr - 0.01)))
    hits = 0.2 * (1 - frr[at])
    values = {
        "hter": (far[at] + frr[at]) / 2,
        "far": far[at],
        "frr": frr[at],
        BY_ITSELF: 0.8 * far[at] + 0.2 * frr[at],
        MISSES: 0.2 * far[at] + 0.8 * frr[at],
        "f1": 2 * hits / (2 * hits + 0.8 * far[at] + 0.2 * frr[at]),
    }
    return float(values[measure])


@dataclass(frozen=True)
class Cell:
    """One kind of two models, and the pairs of measure and criterion that are asked of them."""

    one: Callable[..., Record]
    pairs: tuple[tuple[str, str], ...] = PAIRS


def of_equal_value(row: tuple[str, str], dev: tuple[int, int]) -> Cell:
    """Models of other shapes, targets N(2, 1) and N(mean, 1.5^2), that have the same value of one row."""

    def one(rng: np.random.Generator, study: Study) -> Record:
        return swapped(rng, study, dev, draw=unequal, mean=equal_mean(row, 1.5), sd=1.5)

    return Cell(one, (row,))


REPLICATES, SEED, CHUNK = 199, 77, 100
BETTER = 2.0, 2.25
SHAPES = "other shapes of equal value, "
DEVS = {"dev 400/100": SMALL, "dev 2000/500": LARGE}
CELLS = {
    **{f"equal models, {dev}": Cell(partial(swapped, dev=n)) for dev, n in DEVS.items()},
    **{
        f"the second on another scale, {dev}": Cell(partial(swapped, dev=n, draw=other_scale))
        for dev, n in DEVS.items()
    },
    "equal models, 10 clusters": Cell(partial(in_clusters, g=10)),
    "equal models, 20 clusters": Cell(partial(in_clusters, g=20)),
    **{f"{SHAPES}{dev}: {named(row)}": of_equal_value(row, n) for dev, n in DEVS.items() for row in PAIRS},
    **{f"d' 2.25 against 2, {dev}": Cell(partial(swapped, dev=n, d_prime=BETTER)) for dev, n in DEVS.items()},
    "d' 2.5 against 2, 10 clusters": Cell(partial(in_clusters, g=10, better=0.5)),
}


COVERED = {
    "dev 400/100, d' 2.25": Cell(partial(swapped, dev=SMALL, d_prime=BETTER)),
    "dev 400/100, d' 3 against 1.5": Cell(partial(swapped, dev=SMALL, d_prime=(3.0, 1.5))),
    "6 clusters": Cell(partial(in_clusters, g=6)),
    **{
        f"{g} clusters, d' {2 + more:g}": Cell(partial(in_clusters, g=g, better=more))
        for g, more in ((6, 1.5), (10, 0.5), (10, 1.5), (20, 1.5))
    },
}
"""Designs whose intervals are judged: the truth is the mean difference of all runs, 0 of equal models."""


def covered(cell: str, n: int, seed: int = 91) -> dict[str, tuple[float, float, float]]:
    """The coverage of the intervals of every row, their median half width in 1.96 SD, and D / SD."""
    study = swapping_study(REPLICATES)
    made = [COVERED[cell].one(rng, asked) for rng, asked in runs(study, seed, 0, n)]
    shares = {}
    for row in map(named, PAIRS):
        value, low, high = (
            np.array([one[f"{row}: {key}"] for one in made]) for key in ("value", "low", "high")
        )
        truth = value.mean() if "d'" in cell else 0.0
        held = float(((low <= truth) & (truth <= high)).mean())
        shares[row] = held, float(np.nanmedian(high - low) / 2 / 1.96 / value.std()), truth / value.std()
    return shares


def records(cell: str, first: int, last: int) -> list[Record]:
    """The records of runs first to last - 1 of a cell."""
    study = swapping_study(REPLICATES, CELLS[cell].pairs)
    return [CELLS[cell].one(rng, study) for rng, study in runs(study, SEED, first, last)]


def collected(n: int) -> dict[str, list[Record]]:
    """The records of n runs of every cell; the single rows of other shapes make one cell of a dev set."""
    wanted = [(cell, first, min(first + CHUNK, n)) for cell in CELLS for first in range(0, n, CHUNK)]
    found: dict[str, dict[int, Record]] = {}
    with ProcessPoolExecutor() as pool:
        for (cell, first, _), of_chunk in zip(
            wanted, pool.map(records, *zip(*wanted, strict=True)), strict=True
        ):
            together = found.setdefault(cell.split(":")[0], {})
            for number, record in enumerate(of_chunk, start=first):
                together[number] = together.get(number, {}) | record
    return {cell: list(of.values()) for cell, of in found.items()}


def written(found: Mapping[str, Sequence[Record]]) -> str:
    """The figures as tables."""
    n = max(map(len, found.values()))
    tables = [
        f"""# The swap test: size and power

`python -m tests.research.studies.swapping {n}`. Share of {n} runs rejected at .05 (Monte Carlo error {np.sqrt(0.05 * 0.95 / n):.3f} at
.05, {np.sqrt(0.25 / n):.3f} at .5); {REPLICATES} replicates, test 2000/500 (non-targets/targets), rho .5, clusters of 20/5 trials. "normal" is the test
that the swap test replaces (Student's t over clusters), "z" reads D over the root mean square of the exchanges
against the normal distribution, and SE / SD is that root over the spread of D. The z test was not taken: where
thresholds jump between few errors of dev, exchanges have shorter tails than the normal distribution, and it
rejects too rarely. Where the normal test finds more than the swap test its own size is .06 to .11.

Other shapes of equal value: targets N(2, 1) and N(mean, 1.5^2), the mean of each row such that the values at the
thresholds of endless dev trials agree. On dev 400/100 they then differ in three rows, as few trials choose other
thresholds: mean D / SD is that difference, and what both tests find there is no error."""
    ]
    for cell, of_cell in found.items():
        lines = [
            f"## {cell}",
            "",
            "| measure @ criterion | normal | swap | z | SE / SD | mean D / SD | runs |",
            "|---|--:|--:|--:|--:|--:|--:|",
        ]
        for row in map(named, PAIRS):
            columns = {
                key: np.array([record[f"{row}: {key}"] for record in of_cell if f"{row}: {key}" in record])
                for key in ("normal", "swap", "z", "se", "value")
            }
            value = columns["value"]
            shares = (f"{columns[key].mean():.3f}" for key in ("normal", "swap", "z"))
            ratio = float(np.sqrt((columns["se"] ** 2).mean()) / value.std())
            lines.append(
                f"| {row} | {' | '.join(shares)} | {ratio:.2f} | {value.mean() / value.std():.2f} | {len(value)} |"
            )
        tables.append("\n".join(lines))
    return "\n\n".join(tables) + "\n"


if __name__ == "__main__" and sys.argv[1:2] == ["covered"]:
    for design in COVERED:
        for line, figures in covered(design, int(sys.argv[2])).items():
            print(
                f"| {design} | {line} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |",
                flush=True,
            )
elif __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    Path(__file__).with_suffix(".md").write_text(written(collected(asked)))
