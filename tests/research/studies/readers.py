"""Level and coverage of means over readers under Roe and Metz's model: areas of two tests, one truth.

``python -m tests.research.studies.readers`` prints a table. Scores are the sum of normal effects of reader, case and
their interactions with test and with one another, those of Roe and Metz 1997 (area .855): cases .3 (or .1),
test x case .3 (.1), reader x case .2, rest .2 (.6), reader and test x reader .0055 or .03.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from reporting.core.resampling.estimate import interval_within
from reporting.core.stats.readers import of_placements, reader_spread

SEPARATION = 1.5


class Effects(NamedTuple):
    """Variances of the effects on a score."""

    reader: float
    case: float
    test_case: float
    reader_case: float
    rest: float


STRUCTURES = {
    "high, low": Effects(0.0055, 0.3, 0.3, 0.2, 0.2),
    "low, low": Effects(0.0055, 0.1, 0.1, 0.2, 0.6),
    "high, high": Effects(0.03, 0.3, 0.3, 0.2, 0.2),
    "low, high": Effects(0.03, 0.1, 0.1, 0.2, 0.6),
}


def scores(random, effects, readers, cases, grades=None):
    """Scores of both classes, each of shape (2 tests, readers, cases); of few grades where these are given."""

    def normal(variance, *shape):
        return random.normal(0, np.sqrt(variance), shape)

    classes = []
    for mean in (0.0, SEPARATION):
        x = mean + normal(effects.reader, 1, readers, 1) + normal(effects.reader, 2, readers, 1)
        x = x + normal(effects.case, 1, 1, cases) + normal(effects.test_case, 2, 1, cases)
        x = x + normal(effects.reader_case, 1, readers, cases) + normal(effects.rest, 2, readers, cases)
        classes.append(np.round(x * grades / 5) if grades else x)
    return classes


def areas(negative, positive):
    """Areas (2, R) and the placements (2, R, N) of non-targets and targets, in turn."""
    wins = (positive[..., :, None] > negative[..., None, :]) + 0.5 * (
        positive[..., :, None] == negative[..., None, :]
    )
    return wins.mean(axis=(2, 3)), np.concatenate((wins.mean(axis=2), wins.mean(axis=3)), axis=2)


class Shares(NamedTuple):
    """Of rejected equal tests, and of intervals, t and logit, that hold the area of a single test."""

    rejected: float
    covered: float
    covered_logit: float


def rejected_and_covered(effects, readers, cases, runs, grades=None, seed=1):
    """The shares of so many runs."""
    random = np.random.default_rng([seed, readers, cases])
    truth = true_area(effects, grades)
    variance = of_placements(np.arange(2 * cases) >= cases, 1.0)
    found = []
    for _ in range(runs):
        area, placements = areas(*scores(random, effects, readers, cases, grades))
        difference = list((area[0] - area[1])[:, None])
        se, df = reader_spread(difference, list(placements[0] - placements[1]), variance)
        rejected = abs(np.mean(difference)) > student.ppf(0.975, df[0]) * se[0]
        se, df = reader_spread(list(area[0][:, None]), list(placements[0]), variance)
        mean = float(area[0].mean())
        limits = interval_within(mean, float(se[0]), (0.0, 1.0), 0.95, float(df[0]))
        covered = abs(mean - truth) <= student.ppf(0.975, df[0]) * se[0]
        found.append((rejected, covered, limits.low is not None and limits.low <= truth <= limits.high))
    return Shares(*np.mean(found, axis=0))


def true_area(effects, grades=None):
    """The mean area of all readers; by many cases where scores are graded."""
    if grades:
        negative, positive = scores(np.random.default_rng(0), effects, 200, 2000, grades)
        return np.mean(
            [
                np.searchsorted(np.sort(n), p, side=side).mean() / n.size
                for n, p in zip(negative[0], positive[0], strict=True)
                for side in ("left", "right")
            ]
        )
    variance = 2 * (
        2 * effects.reader + effects.case + effects.test_case + effects.reader_case + effects.rest
    )
    return norm.cdf(SEPARATION / np.sqrt(variance))


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    columns = ("effects (data, readers)", "readers", "cases a class", "rejected", "covered", "covered, logit")
    print(f"| {' | '.join(columns)} |\n|---|--:|--:|--:|--:|--:|")
    for name, effects in STRUCTURES.items():
        for readers, cases, grades in (
            (3, 25, None),
            (5, 25, None),
            (5, 50, None),
            (5, 50, 5),
            (10, 50, None),
        ):
            shares = rejected_and_covered(effects, readers, cases, runs, grades)
            level, *covered = (f"{share:.3f}" for share in shares)
            graded = f"{readers}, five grades" if grades else f"{readers}"
            print(f"| {name} | {graded} | {cases} | {level} | {' | '.join(covered)} |", flush=True)
