"""The frames ``attempts`` and ``attempt_differences``: pass^k and pass@k of items, and of two models."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Annotated

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.engine.item_means import ItemMean, item_mean
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.parts import Part
from reporting.core.engine.rechoosing import units_of
from reporting.core.engine.study import Study
from reporting.core.resampling.estimate import rate_interval
from reporting.core.stats.effective_size import VERY_FEW, EffectiveRate
from reporting.core.stats.intervals import normal, normal_p
from reporting.document.frames.contract import Frame, PlaceRow, pair_of, place_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.features.attempts.formulas import all_of, any_of

KINDS: dict[str, Callable[[IntArray, int, int], FloatArray]] = {"all": all_of, "any": any_of}
"""By the word of a row: pass^k and pass@k."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptRow(PlaceRow):
    """A row of ``attempts``."""

    model: Annotated[str, "key of the model in the trial table"]
    kind: Annotated[str, "all: all of k attempts solve the item (pass^k); any: at least one does (pass@k)"]
    k: Annotated[int, "attempts that are looked at together"]
    value: Annotated[float, "mean over items of the unbiased estimate, from 0 to 1"]
    ci_low: Annotated[float | None, "lower limit; null where there is none"] = None
    ci_high: Annotated[float | None, "upper limit; null where there is none"] = None
    ci_method: Annotated[str | None, "how the interval is made; null where there is none"] = None
    attempts: Annotated[int, "attempts at each item"]
    items: Annotated[int, "items"]
    units: Annotated[int, "items or clusters that are independent"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptDifferenceRow(PlaceRow):
    """A row of ``attempt_differences``."""

    model: Annotated[str, "key of the first model"]
    baseline: Annotated[str, "key of the model that it is compared with"]
    kind: Annotated[str, "all: all of k attempts solve the item (pass^k); any: at least one does (pass@k)"]
    k: Annotated[int, "attempts that are looked at together"]
    difference: Annotated[float, "value of the model minus that of the baseline, over the same items"]
    ci_low: Annotated[float | None, "lower limit; null where undefined"] = None
    ci_high: Annotated[float | None, "upper limit; null where undefined"] = None
    p_value: Annotated[float | None, "two-sided, not adjusted; null where undefined"] = None
    units: Annotated[int, "items or clusters that are independent"]
    status: Annotated[str | None, "why the interval is undefined; null where it is defined"] = None


PLACE = ("dataset", "split", "group")
ATTEMPT_ROWS = Frame("attempts", AttemptRow, (*PLACE, "model", "kind", "k"))
DIFFERENCE_ROWS = Frame(
    "attempt_differences", AttemptDifferenceRow, (*PLACE, "model", "baseline", "kind", "k")
)


def solved_of(team: ModelRuns, part: Part, study: Study) -> IntArray | None:
    """Return in how many attempts a model solves each item (shape (N,)).

    None where it attempts each but once, where there are non-targets, or where nothing names the items.
    """
    criterion, ranks = study.point_criterion, part.ranks
    is_repeated = not team.alone and ranks.paired and ranks.unit_b is None and ranks.noise is None
    if not is_repeated or not ranks.label.all() or criterion is None or not team.has_threshold(criterion):
        return None
    solved = np.zeros(ranks.n_trials, dtype=np.int64)
    for run in team.runs:
        solved += run.binned(run.single[criterion].name).accepted()
    return solved


def attempt_rows(judged: JudgedPart) -> Iterator[AttemptRow]:
    """Yield pass^k and pass@k of every model, for k from 1 to the number of attempts.

    Limits are Wilson's with as many items as have the variance found, at most as many as there are attempts.
    """
    level, units = judged.study.inference.level, units_of(judged.part, judged.study).test
    for team in models_with_runs(judged.models):
        solved, n = solved_of(team, judged.part, judged.study), len(team.runs)
        if solved is None:
            continue
        for kind, of in KINDS.items():
            for k in range(1, n + 1):
                mean = item_mean(of(solved, n, k), judged.part.ranks, units)
                interval = rate_interval(_rate(mean, len(solved), n), level)
                yield AttemptRow(
                    **place_of(team.key),
                    model=team.key.model,
                    kind=kind,
                    k=k,
                    value=mean.value,
                    ci_low=interval.low,
                    ci_high=interval.high,
                    ci_method=interval.method,
                    attempts=n,
                    items=len(solved),
                    units=mean.units,
                )


def _rate(mean: ItemMean, items: int, attempts: int) -> EffectiveRate:
    if math.isnan(mean.se):
        return EffectiveRate(mean.value, 0.0)
    value = min(max(mean.value, 0.0), 1.0)
    variance = value * (1 - value)
    size = min(variance / mean.se**2, items * attempts) if mean.se > 0 else float(mean.units)
    few = min(value, 1 - value) * items <= VERY_FEW
    return EffectiveRate(value, size, mean.df, few)


def difference_rows(judged: JudgedPart) -> Iterator[AttemptDifferenceRow]:
    """Yield the mean differences of two models over the same items, with limits and p by Student's t."""
    part, study, units = judged.part, judged.study, units_of(judged.part, judged.study).test
    for pair in model_pairs(judged.models, study):
        both = [solved_of(team, part, study) for team in (pair.model, pair.baseline)]
        n_model, n_baseline = len(pair.model.runs), len(pair.baseline.runs)
        if both[0] is None or both[1] is None:
            continue
        for kind, of in KINDS.items():
            for k in range(1, min(n_model, n_baseline) + 1):
                mean = item_mean(of(both[0], n_model, k) - of(both[1], n_baseline, k), part.ranks, units)
                known = mean.se > 0
                limits = normal(mean.value, mean.se, study.inference.level, mean.df) if known else None
                yield AttemptDifferenceRow(
                    **pair_of(pair),
                    kind=kind,
                    k=k,
                    difference=mean.value,
                    ci_low=max(limits.low, -1.0) if limits else None,
                    ci_high=min(limits.high, 1.0) if limits else None,
                    p_value=normal_p(mean.value, mean.se, mean.df) if known else None,
                    units=mean.units,
                    status=None if known else "degenerate",
                )


def _repeats(study: Study) -> bool:
    return study.runs == "seed"


RECIPES = (
    frame_of(ATTEMPT_ROWS, attempt_rows, wanted=_repeats),
    frame_of(DIFFERENCE_ROWS, difference_rows, wanted=_repeats),
)
