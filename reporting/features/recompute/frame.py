"""The frames ``held_counts`` and ``held_pairs``: what a page holds so that its reader can set a threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import numpy as np

from reporting.base.arrays import IntArray
from reporting.base.records import dataclass, field
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.operations import JudgedModel, asked_criteria
from reporting.core.engine.parts import Part, mix_of
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.core.engine.values import value_at
from reporting.core.resampling.design import Design
from reporting.core.stats.effective_size import correlation_of
from reporting.core.stats.staircase import cut_at, threshold_of
from reporting.document.frames.contract import (
    KEY,
    Columns,
    Frame,
    GroupColumns,
    GroupValues,
    KeyRow,
    PlaceRow,
)
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.recipe import Rows, each, frame_of, in_group
from reporting.features.recompute.grid import held_cuts
from reporting.features.recompute.keys import RECOMPUTE_KEY


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldRow(KeyRow):
    """A row of ``held_counts``."""

    place: Annotated[int, "place of the threshold among those held, from 0, which accepts all"]
    threshold: Annotated[float, "threshold, on the scale of the trial table"]
    criteria: Annotated[list[str], "criteria that chose it; empty for most"] = field(default_factory=list)
    misses: Annotated[int, "rejected targets; weighted where strata have weights"]
    false_alarms: Annotated[int, "accepted non-targets; weighted likewise"]
    n_target: Annotated[int, "targets; weighted likewise"]
    n_nontarget: Annotated[int, "non-targets; weighted likewise"]
    far_size: Annotated[
        float | None, "independent trials that FAR is worth, 0 where unknown; null where trials are"
    ] = None
    far_df: Annotated[float | None, "degrees of freedom of FAR; null without clusters"] = None
    far_few: Annotated[bool | None, "whether FAR has the limits of few errors; null likewise"] = None
    frr_size: Annotated[float | None, "independent trials that FRR is worth; null likewise"] = None
    frr_df: Annotated[float | None, "degrees of freedom of FRR; null likewise"] = None
    frr_few: Annotated[bool | None, "whether FRR has the limits of few errors; null likewise"] = None
    correlation: Annotated[float | None, "correlation of FAR and FRR by cluster; null likewise"] = None
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldPairRow(PlaceRow):
    """A row of ``held_pairs``; combinations without a trial are left out."""

    model: Annotated[str, "key of the first of the two leading models"]
    baseline: Annotated[str, "key of the second"]
    target: Annotated[bool, "whether the trials are targets"]
    model_accepts: Annotated[int, "how many of the first model's held thresholds accept them"]
    baseline_accepts: Annotated[int, "how many of the second model's held thresholds accept them"]
    cluster: Annotated[int, "number of their cluster in the set, from 0; 0 where trials are independent"] = 0
    cluster_b: Annotated[int | None, "number of their second cluster; null without pairs"] = None
    trials: Annotated[int, "how many trials there are; weighted where they have weights"]
    squares: Annotated[float | None, "sum of their squared weights; null where all weigh the same"] = None


HELD = Frame("held_counts", HeldRow, (*KEY, "place"))
HELD_PAIRS = Frame(
    "held_pairs",
    HeldPairRow,
    (
        "dataset",
        "split",
        "group",
        "model",
        "baseline",
        "target",
        "model_accepts",
        "baseline_accepts",
        "cluster",
        "cluster_b",
    ),
)
MOST_COMBINATIONS = 40_000
"""Combinations of decisions of two models that a page holds; none are made of a set with more."""


def held_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[HeldRow]:
    """Yield the counts of one model at every held threshold; none of a group with too few of a class."""
    chosen, cuts = _chosen(model, study), _held(model, study)
    dependent = drawn.clustered or drawn.ranks.weight is not None
    thresholds = threshold_of(model.test.score, cuts, study.threshold_at)
    staircase = model.test.staircase
    for place, cut in enumerate(cuts.tolist()):
        own = chosen.get(cut, {})
        yield HeldRow(
            **model.key._asdict(),
            place=place,
            threshold=next(iter(own.values()), float(thresholds[place])),
            criteria=sorted(own),
            misses=int(staircase.misses[cut]),
            false_alarms=int(staircase.false_alarms[cut]),
            n_target=staircase.n_target,
            n_nontarget=staircase.n_nontarget,
            **(_worth(model, cut, drawn, study) if dependent else {}),
        )


def _worth(model: JudgedModel, cut: int, drawn: Resampling, study: Study) -> Columns:
    """Return what FAR and FRR at a threshold are worth, where trials depend or weigh differently.

    Nothing, where clusters are too few to represent others.
    """
    if Design.of(drawn.units, study.inference.level).too_few_clusters:
        return {"far_size": 0.0, "frr_size": 0.0}
    far, frr = (drawn.error_rates.at_cut(model, cut, share) for share in (FALSE_ALARMS, MISSES))
    of_each = {
        f"{name}_{what}": getattr(rate, what)
        for name, rate in (("far", far), ("frr", frr))
        for what in ("size", "df", "few")
    }
    return of_each | {"correlation": correlation_of(far, frr, 1.0)}


def _held(model: JudgedModel, study: Study) -> IntArray:
    """Return the thresholds that are held; none where a class is smaller than the least count."""
    least = RECOMPUTE_KEY.of(study) or 1
    if min(model.test.trials) < least:
        return np.zeros(0, dtype=np.int64)
    return held_cuts(model.test, _chosen(model, study), least)


def _chosen(model: JudgedModel, study: Study) -> dict[int, dict[str, float]]:
    """Return the threshold of every criterion by what it rejects; none where each fold has its own."""
    chosen: dict[int, dict[str, float]] = {}
    for criterion in asked_criteria(study):
        operation = model.single.get(criterion)
        if operation is None or operation.chosen.by_fold:
            continue
        threshold = float(operation.chosen.shared[0])
        chosen.setdefault(int(cut_at(model.test.score, threshold)), {})[str(criterion)] = threshold
    return chosen


def held_pairs(run: JudgedRun) -> Rows:
    """Yield how the two leading models decide every trial together, on each dataset and in its groups.

    Of single trials that both have, by their clusters, where no count need be larger than one.
    """
    study, leading = run.study, dict[str, tuple[str, str]]()
    for part in run.parts:
        if mix_of(part) is not None:
            continue
        if not part.group:
            leading.update({part.dataset: pair} if (pair := _leaders(part, study)) else {})
        pair, ranks = leading.get(part.dataset), part.ranks
        joint = ranks.paired and not (ranks.in_blocks or ranks.in_clusters)
        if pair and joint and RECOMPUTE_KEY.of(study) == 1:
            yield from _joint(part, pair, study)


def _leaders(part: Part, study: Study) -> tuple[str, str] | None:
    """Return the first two models by the primary measure, or the first and the baseline; None of one alone.

    None where a model has several runs.
    """
    by_key = {model.key.model: model for model in part.models}
    if len(by_key) < len(part.models):
        return None
    losses = {key: study.primary.measure.loss(_primary(by_key[key], study)) for key in by_key}
    ranked = sorted(
        (key for key in study.in_order([*by_key]) if math.isfinite(losses[key])), key=losses.__getitem__
    )
    base = study.baseline
    second = [base] if base in ranked[1:] else ranked[1:2]
    return (ranked[0], str(second[0])) if second else None


def _primary(model: JudgedModel, study: Study) -> float:
    measure, criterion = study.primary.measure, study.primary.criterion
    if measure.over != "threshold":
        return model.value(measure).number
    operation = model.single.get(criterion)
    return math.nan if operation is None else value_at(measure, operation.test, 0, model.test)


def _joint(part: Part, pair: tuple[str, str], study: Study) -> Iterator[HeldPairRow]:
    models = {model.key.model: model for model in part.models}
    first, second = (models[key] for key in pair)
    cuts = [_held(model, study) for model in (first, second)]
    if not all(map(len, cuts)):
        return
    # A trial of rank r is accepted by the thresholds that reject at most r scores.
    accepts = [np.searchsorted(c, m.rank, side="right") for c, m in zip(cuts, (first, second), strict=True)]
    weight, clusters = part.ranks.weight, _cluster_numbers(part, study)
    places = np.stack((*clusters, part.ranks.label, *accepts), axis=1).astype(np.int64)
    cells, cell = np.unique(places, axis=0, return_inverse=True)
    if len(cells) > MOST_COMBINATIONS:
        return
    trials = np.bincount(cell.ravel(), weight)
    squares = None if weight is None else np.bincount(cell.ravel(), weight.astype(np.float64) ** 2)
    for at, (*own, target, by_first, by_second) in enumerate(cells.tolist()):
        yield HeldPairRow(
            dataset=part.dataset,
            split="test",
            group=part.group,
            model=pair[0],
            baseline=pair[1],
            target=bool(target),
            model_accepts=by_first,
            baseline_accepts=by_second,
            cluster=own[0],
            cluster_b=own[1] if len(own) > 1 else None,
            trials=int(trials[at]),
            squares=None if squares is None else float(squares[at]),
        )


def _cluster_numbers(part: Part, study: Study) -> list[IntArray]:
    """Return the number of every trial's cluster, or of both; those of two pools each from 0."""
    ranks = part.ranks
    if ranks.unit_a is None or study.inference.unit == "trial":
        return [np.zeros(ranks.n_trials, dtype=np.int64)]
    units = [unit for unit in (ranks.unit_a, ranks.unit_b) if unit is not None]
    if ranks.pools == "two":
        return [np.unique(unit, return_inverse=True)[1] for unit in units]
    return np.split(np.unique(np.concatenate(units), return_inverse=True)[1], len(units))


def _is_asked(study: Study) -> bool:
    return RECOMPUTE_KEY.of(study) is not None


RECIPES = (
    frame_of(HELD, in_group(each(held_rows)), wanted=_is_asked),
    frame_of(HELD_PAIRS, run=held_pairs, wanted=_is_asked),
)
