"""The ``ranking`` and ``pairs`` frames: the rank of every model on the primary measure, and all pairs.

Both need resamples that all models share. Pairs are arrays throughout: 500 models make 124,750.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.core.engine.joint import JointValues, joint_values
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of
from reporting.core.resampling.design import Design
from reporting.core.resampling.paired import adjust
from reporting.core.stats.multiplicity import sup_t
from reporting.core.stats.special import ndtr, stdtr
from reporting.document.frames.contract import place_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.pairs import PAIRS
from reporting.document.frames.ranking import RANKING, RankingRow
from reporting.document.frames.recipe import frame_of
from reporting.features.ranking.formulas import RankedPairs, RankSets, rank_sets, ranked_pairs


class RankedModels(NamedTuple):
    """The models of one dataset that are ranked, by their places among all, and what ranks them."""

    joint: JointValues
    places: Any
    """Shape (K,), whole numbers."""
    design: Design
    pairs: RankedPairs
    sets: RankSets


def degrees_of_freedom(of_units: float, replicates: int) -> float:
    """Return f with 1 / f = 1 / df + 1 / (M - 1): of a standard error, from its units and its resamples.

    The largest of many T reaches so far into the tails that both count. Without them, something false was
    shown of 40 equal models in 8 to 12% of runs (199 resamples, 300 or 2,500 trials; nominal 5%).
    """
    return 1 / (1 / of_units + 1 / max(replicates - 1, 1))


def ranked(models: list[JudgedModel], drawn: Resampling, study: Study) -> RankedModels | None:
    """Return the ranks of the models whose measure is defined; None where there is none to rank them by.

    Without draws that models share, no pair has a spread.
    """
    joint = joint_values(models, drawn, study)
    if joint is None:
        return None
    places, level = np.flatnonzero(joint.sound), study.inference.level
    design = Design.of(drawn.units, level)
    of_class = min((n for n in models[0].test.trials if n), default=0)  # a benchmark has targets alone
    of_units = design.df if design.df is not None else float(max(of_class - 1, 1))
    df = degrees_of_freedom(of_units, len(joint.losses))
    pairs = ranked_pairs(
        joint.loss[places],
        joint.losses[:, places],
        level,
        df,
        design.inflation,
        clustered=drawn.units.clustered,
    )
    return RankedModels(joint, places, design, pairs, rank_sets(pairs, len(places), level))


def ranking_rows(judged: JudgedPart) -> Iterator[RankingRow]:
    """Yield one row per model of a dataset: its value, its rank and the limits of it, and its tier.

    The ranks of all models lie within their limits together at ``level`` (``stats.ranking``). Resamples are
    centred on the values, as in ``standing``. Limits of the value are V -+ c SE of a simultaneous (max |t|)
    band over all models. Models whose measure is undefined have no rank and do not count. Without draws that
    models share, or where no pair varies, there are ranks, but no limits.
    """
    result = judged.once(ranked, judged.models, judged.drawn, judged.study)
    if result is None:
        return
    joint, study, units = result.joint, judged.study, judged.drawn.units
    limits = {} if units.too_few or not result.pairs.se.any() else _limits(result, study.inference.level)
    order = {int(model): at for at, model in enumerate(result.places)}
    for model, system in enumerate(of.system for of in joint.samples):
        value, at = float(joint.values[model]), order.get(model)
        unlimited = "degenerate" if judged.drawn.ranks.paired else "no_trial_key"
        if unlimited == "degenerate" and units.too_few_clusters:
            unlimited = "too_few_clusters"
        yield RankingRow(
            **system.key._asdict(),
            measure=str(joint.measure),
            criterion=None if joint.estimand is None else str(study.primary.criterion),
            value=defined(value),
            rank=None if at is None else int(result.sets.rank[at]),
            n_models=len(order),
            level=study.inference.level,
            inference=joint.estimand,
            unit=units.name,
            n_units=units.n_units,
            replicates=len(joint.replicates) or None,
            status=status_of(value, *system.first.test.trials)
            or (None if limits and at is not None else unlimited),
            **{name: each[at] for name, each in limits.items() if at is not None},
        )


def _limits(result: RankedModels, level: float) -> dict[str, list[Any]]:
    """The columns that resamples answer, each with a value for every ranked model."""
    joint, places, sets = result.joint, result.places, result.sets
    keys = [joint.samples[model].system.key.model for model in places]
    values = joint.values[places]
    centred = joint.replicates[:, places] - joint.replicates[:, places].mean(axis=0)
    band = sup_t(values, values + result.design.factor * centred, level)
    low, high = (np.full(len(values), np.nan),) * 2 if band is None else (band.low, band.high)
    least, most = joint.measure.bounds
    return {
        "band_low": [defined(limit) for limit in np.maximum(low, least)],
        "band_high": [defined(limit) for limit in np.minimum(high, most)],
        "rank_low": sets.low.tolist(),
        "rank_high": sets.high.tolist(),
        "tier": sets.tier.tolist(),
        "p_separated": [defined(p) for p in sets.p],
        "identical_to": [None if first == at else keys[first] for at, first in enumerate(sets.same)],
    }


def pairs_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield all pairs of models of a dataset, the better one first, with p adjusted over all of them.

    The correction of the config: ``maxt`` steps down from the largest T, in both directions of every pair
    (``stats.ranking``); Holm's and others adjust the p of Student's t, or the normal. Limits are those of the
    single step of max-T, within what two numbers in the bounds of the measure can differ by.
    """
    result = judged.once(ranked, judged.models, judged.drawn, judged.study)
    if result is None or not len(result.pairs.gap):
        return
    joint, pairs, study = result.joint, result.pairs, judged.study
    names = np.array([joint.samples[model].system.key.model for model in result.places], dtype=object)
    t: FloatArray = np.divide(pairs.gap, pairs.se, out=np.zeros(len(pairs.gap)), where=pairs.se > 0)
    tail = ndtr(-t) if result.design.df is None else stdtr(result.design.df, -t)
    p = np.where(np.isnan(pairs.p), np.nan, 2 * tail)
    correction = study.inference.correction
    known = np.where(np.isnan(p), 1.0, p).tolist()
    adjusted = pairs.p if correction == "maxt" else np.array(adjust(known, correction))
    half = np.where(pairs.se > 0, pairs.reach * pairs.se, np.nan)
    widest = joint.measure.bounds[1] - joint.measure.bounds[0]
    columns = {
        "model": names[pairs.better].tolist(),
        "other": names[pairs.worse].tolist(),
        "behind": pairs.gap,
        "behind_low": np.maximum(pairs.gap - half, -widest),
        "behind_high": np.minimum(pairs.gap + half, widest),
        "se": pairs.se,
        "p_value": p,
        "p_adjusted": np.full(len(p), np.nan) if correction == "none" else adjusted,
    }
    same = {
        **place_of(joint.samples[0].system.key),
        "measure": str(joint.measure),
        "criterion": None if joint.estimand is None else str(study.primary.criterion),
        "inference": joint.estimand,
        "level": study.inference.level,
        "correction": correction,
    }
    yield PAIRS.of_columns([same | columns])


RECIPES = (
    frame_of(RANKING, ranking_rows, wanted=lambda study: study.ranked, of="the primary measure"),
    frame_of(
        PAIRS,
        pairs_of,
        wanted=lambda study: study.many and study.inference.pairs == "all",
        of="the primary measure",
    ),
)
