"""Systems of which only the decisions are known, as those of an earlier run: compared as any others are.

Each is a model of two scores, 0 rejected and 1 accepted, with the threshold given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reporting.base.arrays import BoolArray
from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Key, count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import Difference, difference
from reporting.core.engine.parts import parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.resampling import resample_part
from reporting.core.engine.sample import Question
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.measure import Measure
from reporting.core.resampling.settings import Inference


def difference_of_decisions(
    trials: Ranks,
    accepted: tuple[BoolArray, BoolArray],
    names: tuple[str, str],
    measure: Measure,
    inference: Inference,
) -> Difference:
    """Return a measure of the decisions now less that of the decisions then, on the same trials.

    ``trials`` have no ranks, ``accepted`` shows which of them either accepts, and ``names``, a dataset and a
    model, key the streams.
    """
    dataset, model = names
    keys = Key("now", model, dataset, "test"), Key("then", model, dataset, "test")
    counted = [count_cuts(of.astype(np.float64), trials.label) for of in accepted]
    ranks = replace(trials, rank={key.id: rank for key, (_, rank) in zip(keys, counted, strict=True)})
    cuts = {key: of for key, (of, _) in zip(keys, counted, strict=True)}
    given = CRITERIA["fixed"].at(threshold=1.0)
    study = Study("", Primary(measure, given), (given,), (measure,), None, curves=(), inference=inference)
    part = next(parts(Counts(cuts, {(dataset, "test"): ranks}, {}), study))
    pool = SerialExecutor()
    drawn = resample_part(part, study, ThresholdBootstrap(study, pool), pool)
    return difference(
        Pair(*models_with_runs(part.models)), Question(measure, given), drawn, study, "given_thresholds"
    )
