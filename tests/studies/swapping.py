"""The swap test on models whose truth is known: its size, power and coverage beside those of the normal test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from reporting.engine.pairs import Decisions
from reporting.engine.study import Study
from reporting.significance.settings import Inference
from reporting.stats.intervals import normal_p
from reporting.stats.staircase import FloatArray
from reporting.stats.swap import swap_interval, swap_p
from tests.studies.comparing import BY_ITSELF, LEVEL, ROWS, TEST, Record
from tests.studies.models import Drawn, Scored, clusters, correlated, labels, study_of, two_models

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


def swapping_study(replicates: int, pairs: tuple[tuple[str, str], ...] = PAIRS) -> Study:
    """The question of some pairs of measure and criterion."""
    measures, criteria = (tuple(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    return study_of(measures, criteria, Inference(replicates=replicates, level=LEVEL))


def swapped(
    rng: np.random.Generator,
    study: Study,
    dev: tuple[int, int],
    draw: Callable[..., Scored] = two_models,
    truth: float = 0.0,
    **settings: object,
) -> Record:
    """Compare two models once by both tests."""
    return compared(Drawn(draw(rng, *TEST, **settings), study, draw(rng, *dev, **settings)), truth)


def other_scale(rng: np.random.Generator, n_nontarget: int, n_target: int) -> Scored:
    """Exchangeable models of which the second has scores exp(2 s) + 5."""
    drawn = two_models(rng, n_nontarget, n_target)
    return replace(drawn, score=np.stack((drawn.score[0], np.exp(2 * drawn.score[1]) + 5)))


def in_clusters(rng: np.random.Generator, study: Study, g: int, better: float = 0.0) -> Record:
    """Compare two models on G clusters, dev having G others; the second has so much more d'."""
    test, dev = (clusters(rng, g, 20, 5, first=first) for first in (0, g))
    more = [replace(side, score=side.score + np.outer((0, better), side.label)) for side in (test, dev)]
    return compared(Drawn(more[0], study, more[1]), np.nan if better else 0.0)


def unequal(
    rng: np.random.Generator, n_nontarget: int, n_target: int, mean: float = 2.0, sd: float = 1.0
) -> Scored:
    """The first model has targets N(2, 1), the second N(mean, sd^2), non-targets of both N(0, 1)."""
    label = labels(n_nontarget, n_target)
    noise = correlated(rng, label.shape, 0.5)
    own = np.where(label, np.array([[1.0], [sd]]), 1.0)
    return Scored(label, noise * own + np.outer((2.0, mean), label))


def compared(drawn: Drawn, truth: float) -> Record:
    """1 for every pair of measure and criterion and each test that rejects, or covers, else 0."""
    found: Record = {}
    plain = replace(drawn.resampling, swapped={})
    for criterion in map(str, drawn.study.criteria):
        for measure in drawn.study.measures:
            if (str(measure), criterion) not in PAIRS:
                continue
            row = f"{measure} @ {criterion}"
            again = drawn.decisions(criterion, "procedure")
            d0 = again.exchanged(measure)[:, 0]
            point = float(again.points(measure)[0])
            normal = Decisions(drawn.pair, criterion, "procedure", plain, drawn.study).compare(measure, 0)
            se = float(np.sqrt(np.mean(d0**2)))
            limits = swap_interval(point, d0, LEVEL)
            assert limits is not None
            found |= {
                f"{row}: normal": float(normal.p_value is not None and normal.p_value < 1 - LEVEL),
                f"{row}: swap p": float(swap_p(point, d0) < 1 - LEVEL + 1e-12),
                f"{row}: swap z": float(se > 0 and normal_p(point, se) < 1 - LEVEL),
                f"{row}: p covers": float(limits.low <= truth <= limits.high),
                f"{row}: z covers": float(abs(point - truth) <= 1.959964 * se),
                f"{row}: se": se,
                f"{row}: boot se": normal.se,
                f"{row}: value": point,
            }
    return found


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
