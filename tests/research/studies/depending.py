"""Trials that depend on one another: clusters, and pairs of speakers, resampled as a report does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from reporting.base.arrays import FloatArray
from reporting.core.engine.pairs import difference
from reporting.core.engine.sample import Question
from reporting.core.engine.study import Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.design import Design
from reporting.core.resampling.paired import PairedDifference, compare_replicates
from reporting.core.resampling.settings import Inference
from reporting.core.stats.intervals import Interval, normal
from tests.research.studies.comparing import LEVEL, Record
from tests.research.studies.models import Drawn, clusters, pair_trials, study_of

IN_CLUSTER = (20, 5)
"""Non-targets and targets of every cluster."""

FIXED = "fixed(threshold=1)"
"""Exchangeable models have the same rates there: the null then holds of the two tuned systems too."""

HTER, AUC = read_measure("hter"), read_measure("auc")


def cluster_study(replicates: int) -> Study:
    """HTER at a threshold given and at one chosen on dev, and what needs none."""
    asked = ("hter", "far", "auc", "eer")
    return study_of(asked, ("eer", FIXED), Inference(replicates=replicates, level=LEVEL))


def clustered(rng: np.random.Generator, study: Study, g: int) -> Record:
    """Compare two exchangeable models on G clusters, dev having G others; and the intervals of the first."""
    drawn = Drawn(clusters(rng, g, *IN_CLUSTER), study, clusters(rng, g, *IN_CLUSTER, first=g))
    given, again = (
        drawn.difference(HTER, FIXED, "given_thresholds"),
        drawn.difference(HTER, "eer", "procedure"),
    )
    found = by_spread("hter @ fixed", given.tested(), given.replicates[:, 0])
    found |= by_spread("hter @ eer", again.tested(), again.replicates[:, 0])
    area = difference(drawn.pair, Question(AUC), drawn.resampling, study).tested()
    first, second = (drawn.resampling.sweeps[model.id][AUC] for model in drawn.models)
    found |= by_spread("auc", area, first - second)
    at_fixed = replace(study, criteria=study.criteria[1:])
    alone = Drawn(replace(drawn.test, unit=None), at_fixed).difference(HTER, FIXED, "given_thresholds")
    found["hter @ fixed: trials independent"] = rejected(alone.tested())
    rate = float(ndtr(-1))
    truths = {
        ("far", FIXED): rate,
        ("hter", FIXED): rate,
        ("auc", None): ndtr(2**0.5),
        ("eer_rocch", None): rate,
    }
    return found | covered(drawn, truths)


def by_spread(name: str, made: PairedDifference, differences: FloatArray) -> Record:
    """Rejections by the report's own spread (t, with its factor), and by the normal without either."""
    plain = compare_replicates(made.difference, differences, Design(LEVEL), alike=False)
    return {f"{name}: t": rejected(made), f"{name}: normal": rejected(plain)}


def rejected(made: PairedDifference) -> float:
    """1 where p < .05."""
    return float(made.p_value is not None and made.p_value < 1 - LEVEL)


def covered(drawn: Drawn, truths: dict[tuple[str, str | None], float]) -> Record:
    """1 for every interval of the first model that holds the truth."""
    found = drawn.intervals()
    return {
        f"{measure}{f' @ {criterion}' if criterion else ''}: covered": holds(found[measure, criterion], truth)
        for (measure, criterion), truth in truths.items()
    }


def holds(interval: Interval, truth: float) -> float:
    """1 where the truth lies in the interval, its ends included."""
    return float(interval.low <= truth <= interval.high)


BETWEEN = "fixed(threshold=1.5)"


def pair_study(replicates: int) -> Study:
    """FAR and HTER at a threshold halfway between both classes, and the AUC."""
    return study_of(("far", "hter", "auc"), (BETWEEN,), Inference(replicates=replicates, level=LEVEL))


def paired(rng: np.random.Generator, study: Study, g: int) -> Record:
    """Every pair of G speakers: standard errors and coverage by what is resampled, and a comparison."""
    trials = pair_trials(rng, g)
    rate = float(ndtr(-1.5 / np.sqrt(1.98)))
    by = {
        "joint": Drawn(trials, study),
        "subsets": Drawn(replace(trials, second_unit=None), study),
        "iid": Drawn(replace(trials, unit=None, second_unit=None), study),
    }
    found: Record = {}
    for name, drawn in by.items():
        model, operation = drawn.models[0], drawn.models[0].single[study.criteria[0]]
        for measure in study.measures[:2]:
            value = float(drawn.point(measure, operation))
            se = float(drawn.resampling.at(model, operation).values(measure)[:, 0].std(ddof=1))
            found |= {f"{measure}: value": value, f"{measure}: {name} se": se}
            found[f"{measure}: {name} t covers"] = holds(normal(value, se, LEVEL, g - 1), rate)
    truths = {("far", BETWEEN): rate, ("hter", BETWEEN): rate, ("auc", None): _pair_area(g)}
    of = by["joint"].difference(HTER, BETWEEN, "given_thresholds")
    found |= by_spread("hter @ fixed", of.tested(), of.replicates[:, 0])
    return found | covered(by["joint"], truths)


def _pair_area(g: int) -> float:
    """The AUC that is expected: 2 / G of all pairs of a target and a non-target share an effect."""
    apart, sharing = ndtr(3 / np.sqrt(2 * 1.98)), ndtr(3 / np.sqrt(2 * 1.49))
    return float(apart + 2 / g * (sharing - apart))
