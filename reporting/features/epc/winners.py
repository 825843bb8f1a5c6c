"""The frame ``winners``: which models are in contention at which weight of a false acceptance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass, replace
from reporting.core.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.core.engine.intervals import interval
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.operations import JudgedModel, alphas, cost_criterion
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question, Sample, are_shared, common_estimand, sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of
from reporting.core.measures.costs import OperatingPoint
from reporting.core.measures.threshold import WEIGHTED_ERROR
from reporting.core.resampling.design import Design
from reporting.core.resampling.settings import Estimand
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.recipe import frame_of, together
from reporting.features.epc.formulas import BestAlong, best_along


@dataclass(frozen=True, kw_only=True, slots=True)
class WinnerRow(KeyRow):
    """A row of ``winners``."""

    criterion: Annotated[str, "what chose the threshold"]
    measure: Annotated[str, "name of the measure with its parameters"]
    alpha: Annotated[float, "weight of a false acceptance"]
    value: Annotated[float | None, "the measure; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    p_best: Annotated[float | None, "p against being the best, one-sided; null without joint draws"] = None
    may_be_best: Annotated[bool | None, "whether not ruled out as best; null where undefined"] = None
    p_best_joint: Annotated[float | None, "p, jointly over all alphas; null without joint resampling"] = None
    may_be_best_joint: Annotated[bool | None, "whether not ruled out jointly; null where undefined"] = None
    n_models: Annotated[int | None, "models that took part; null without joint resampling"] = None
    n_alphas: Annotated[int, "alphas taken together"]
    level: Annotated[float | None, "confidence level; null without joint resampling"] = None
    inference: Annotated[str | None, "procedure or given_thresholds; null without a threshold"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without any"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


WINNERS = Frame("winners", WinnerRow, (*KEY, "criterion", "measure", "alpha"))


SAME = 1e-12
"""Alphas nearer than this are one."""
CHUNK, MOST_HELD = 16, 2**24
"""So many alphas of all models are in memory together, but of very many models only so many numbers."""


@dataclass(frozen=True, eq=False)
class _Stretch:
    """The samples of all models at the thresholds of one criterion, and at which of them, at which alphas."""

    samples: list[Sample]
    at: IntArray
    alpha: FloatArray

    @property
    def values(self) -> FloatArray:
        """The weighted error on test, shape (P, K)."""
        return np.column_stack([of.point[self.at] for of in self.samples])

    def replicates(self) -> Iterator[FloatArray]:
        """Yield the weighted error of all models in every replicate, (K, M), alpha by alpha."""
        n_models, n_drawn = len(self.samples), self.samples[0].study.inference.replicates
        chunk = max(1, min(CHUNK, MOST_HELD // (n_models * n_drawn)))
        for start in range(0, len(self.at), chunk):
            part = self.at[start : start + chunk]
            columns = np.empty((len(part), n_models, n_drawn))
            for k, of in enumerate(self.samples):
                mean = of.system.mean(of.draws(part), of.study)
                columns[:, k] = of.design.jointly(mean, of.point[part]).T
            yield from columns


def winner_rows(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[WinnerRow]:
    """Yield one row per model and alpha: its weighted error with interval, and whether it is in contention.

    ``may_be_best`` and ``p_best`` are of ``best_along`` at each alpha alone, as in ``standing``;
    ``*_joint`` hold at all ``n_alphas`` jointly. None where models are not drawn together: without trial
    keys, for a single model, and where trials are independent and all thresholds given. Of several runs the
    mean counts. Nothing for groups, or where the plan has no curve along the weighted error.
    """
    if not models or models[0].key.group:
        return
    systems = models_with_runs(models)
    stretches = list(_stretches(systems, drawn, study))
    if not stretches:
        return
    values = np.concatenate([stretch.values for stretch in stretches])
    estimand, best = _best(stretches, values, drawn, study)
    for k, system in enumerate(systems):
        own = [replace(stretch.samples[k], shared=False) for stretch in stretches]
        limits = [interval(of, at) for of, s in zip(own, stretches, strict=True) for at in s.at.tolist()]
        for at, alpha in enumerate(np.concatenate([stretch.alpha for stretch in stretches])):
            row = WinnerRow(
                **system.key._asdict(),
                criterion=str(CHOSEN_BY),
                measure=str(WEIGHTED_ERROR),
                alpha=float(alpha),
                value=defined(values[at, k]),
                ci_low=limits[at].low,
                ci_high=limits[at].high,
                n_alphas=len(values),
                inference=estimand,
                status=status_of(values[at, k], *system.first.test.trials),
            )
            yield row if best is None else _beside_others(row, best, at, k, study)


def alpha_of(point: OperatingPoint) -> float:
    """Return the weight of false acceptance at a prior and two costs, in (0, 1) even where it rounds to 1."""
    miss_weight, fa_weight = point.c_miss * point.p_target, point.c_fa * (1 - point.p_target)
    return min(fa_weight / (fa_weight + miss_weight), 1 - 2**-53)


def _stretches(systems: list[ModelRuns], drawn: Resampling, study: Study) -> Iterator[_Stretch]:
    """The curve first, then the operating points that are not on it already."""

    def samples(question: Question) -> list[Sample]:
        return [sample(system, question, drawn, study, shared=True) for system in systems]

    curve = samples(Question(WEIGHTED_ERROR, CHOSEN_BY, along=True))
    if study.epc is None or not all(of.operations for of in curve):
        return
    grid = alphas(study)
    inside = np.flatnonzero((grid > 0) & (grid < 1))
    seen = grid[inside].tolist()
    if seen:
        yield _Stretch(curve, inside, grid[inside])
    for point in study.operating_points:
        alpha = alpha_of(point)
        own = samples(Question(WEIGHTED_ERROR.at(alpha=alpha), cost_criterion(point, "dev")))
        there = all(of.operations for of in own)
        if there and min((abs(alpha - known) for known in seen), default=1.0) > SAME:
            seen.append(alpha)
            yield _Stretch(own, np.zeros(1, dtype=np.int64), np.array([alpha]))


def _best(
    stretches: list[_Stretch], values: FloatArray, drawn: Resampling, study: Study
) -> tuple[Estimand | None, BestAlong | None]:
    """Return which models stay in contention, and under which estimand; None where they share no draws."""
    every = [of for stretch in stretches for of in stretch.samples]
    estimand = common_estimand(every)
    together = [
        _Stretch([replace(of, estimand=estimand) for of in s.samples], s.at, s.alpha) for s in stretches
    ]
    defined_models = np.isfinite(values).all(axis=0).sum()
    shared = are_shared(of for stretch in together for of in stretch.samples)
    if not shared or defined_models < 2 or drawn.units.too_few:
        return None, None
    level = study.inference.level
    alone = Design.of(drawn.units, 2 * level - 1).factor  # one-sided
    replicates = (column for stretch in together for column in stretch.replicates())
    best = best_along(values, replicates, level, alone, Design.of(drawn.units, level).factor)
    return (None if best is None else estimand), best


def _beside_others(row: WinnerRow, best: BestAlong, at: int, k: int, study: Study) -> WinnerRow:
    known = bool(best.member_joint[at, k]) or np.isfinite(best.p[at, k])
    return replace(
        row,
        p_best=defined(best.p[at, k]),
        may_be_best=bool(best.member[at, k]) if known else None,
        p_best_joint=defined(best.p_joint[at, k]),
        may_be_best_joint=bool(best.member_joint[at, k]) if known else None,
        n_models=int((best.member_joint[at] | np.isfinite(best.p[at])).sum()),
        level=study.inference.level,
        replicates=study.inference.replicates,
    )


RECIPES = (frame_of(WINNERS, together(winner_rows)),)
