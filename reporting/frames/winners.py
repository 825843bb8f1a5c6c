"""The frame ``winners``: which models may be the best at which weight of a false acceptance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from reporting.criteria.criterion import Criterion
from reporting.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.curves.epc import Operation
from reporting.engine.intervals import intervals_along, means_along
from reporting.engine.model_runs import ModelRuns, teams
from reporting.engine.operations import JudgedModel, alphas, cost_criterion
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import defined, status_of, values_at
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.measures.costs import OperatingPoint
from reporting.measures.threshold import WEIGHTED_ERROR
from reporting.significance.bootstrap import Replicates
from reporting.significance.estimate import ModelInterval
from reporting.significance.paired import spread_of
from reporting.significance.settings import Estimand
from reporting.stats.multiplicity import BestAlong, best_along
from reporting.stats.staircase import FloatArray, IntArray


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
    """Some thresholds of one operation: its name, their places in it, and their alphas (shape (P,))."""

    name: str
    at: IntArray
    alpha: FloatArray


def winner_rows(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[WinnerRow]:
    """Yield one row a model and alpha: its weighted error with interval, and whether it may be the best.

    ``may_be_best`` and ``p_best`` are of ``best_along`` at each alpha by itself, as in ``standing``;
    ``*_joint`` hold at all ``n_alphas`` at once. None where models are not drawn together: without trial
    keys, for a single model, and where trials are independent and all thresholds given. Of several runs the
    mean counts. Nothing for groups, or where the plan has no curve along the weighted error.
    """
    if not models or models[0].key.group:
        return
    model_runs = teams(models)
    stretches = list(_stretches(model_runs, study))
    if not stretches:
        return
    values = np.concatenate([_values(model_runs, stretch) for stretch in stretches])
    estimand = _estimand(model_runs, stretches, drawn, study)
    best = _best(model_runs, stretches, values, estimand, drawn, study)
    for k, team in enumerate(model_runs):
        limits = [limit for stretch in stretches for limit in _limits(team, stretch, drawn, study)]
        for at, alpha in enumerate(np.concatenate([stretch.alpha for stretch in stretches])):
            row = WinnerRow(
                **team.key._asdict(),
                criterion=str(CHOSEN_BY),
                measure=str(WEIGHTED_ERROR),
                alpha=float(alpha),
                value=defined(values[at, k]),
                ci_low=limits[at].low,
                ci_high=limits[at].high,
                n_alphas=len(values),
                inference=estimand if best is not None else None,
                status=status_of(values[at, k], *team.first.test.trials),
            )
            yield row if best is None else _beside_others(row, best, at, k, study)


def alpha_of(point: OperatingPoint) -> float:
    """Return the weight of false acceptance at a prior and two costs, in (0, 1) even where it rounds to 1."""
    miss_weight, fa_weight = point.c_miss * point.p_target, point.c_fa * (1 - point.p_target)
    return min(fa_weight / (fa_weight + miss_weight), 1 - 2**-53)


def _stretches(model_runs: list[ModelRuns], study: Study) -> Iterator[_Stretch]:
    """The curve first, then the operating points that are not on it already."""
    if study.epc is None or any(CHOSEN_BY not in run.along for team in model_runs for run in team.runs):
        return
    grid = alphas(study)
    inside = np.flatnonzero((grid > 0) & (grid < 1))
    seen = grid[inside].tolist()
    if seen:
        yield _Stretch(model_runs[0].first.along[CHOSEN_BY].name, inside, grid[inside])
    for point in study.operating_points:
        alpha, criterion = alpha_of(point), cost_criterion(point, "dev")
        there = all(team.has_threshold(criterion) for team in model_runs)
        if there and min((abs(alpha - known) for known in seen), default=1.0) > SAME:
            seen.append(alpha)
            yield _Stretch(_name(model_runs, criterion), np.zeros(1, dtype=np.int64), np.array([alpha]))


def _name(model_runs: list[ModelRuns], criterion: Criterion) -> str:
    return model_runs[0].first.single[criterion].name


def _values(model_runs: list[ModelRuns], stretch: _Stretch) -> FloatArray:
    """The weighted error on test, shape (P, K)."""
    columns = []
    for team in model_runs:
        by_run = [_on_test(run, operation, stretch) for run, operation in team.operations(stretch.name)]
        columns.append(np.mean(by_run, axis=0))
    return np.column_stack(columns)


def _on_test(run: JudgedModel, operation: Operation, stretch: _Stretch) -> FloatArray:
    whole = np.full(len(operation.test.misses), 0.5)
    whole[stretch.at] = stretch.alpha
    return values_at(WEIGHTED_ERROR, operation.test, run.test, alpha=whole)[stretch.at]


def _estimand(
    model_runs: list[ModelRuns], stretches: list[_Stretch], drawn: Resampling, study: Study
) -> Estimand | None:
    """The estimand of what is said of all models at once; None where they share no replicates."""
    if not drawn.ranks.paired or len(model_runs) < 2 or drawn.units.n_units < 2:
        return None
    wanted = study.inference.comparisons
    every = [operated for s in stretches for team in model_runs for operated in team.operations(s.name)]
    if wanted == "procedure" and all(drawn.rechosen(*operated) for operated in every):
        return "procedure"
    held = any(operation.chosen.source == "cv" for _, operation in every)
    return None if held or (drawn.collapsed and not drawn.joint) else "given_thresholds"


def _best(
    model_runs: list[ModelRuns],
    stretches: list[_Stretch],
    values: FloatArray,
    estimand: Estimand | None,
    drawn: Resampling,
    study: Study,
) -> BestAlong | None:
    if estimand is None or np.isfinite(values).all(axis=0).sum() < 2:
        return None
    level = study.inference.level
    alone = spread_of(drawn.units, 2 * level - 1).factor  # one-sided
    together = spread_of(drawn.units, level).factor
    replicates = (
        column for stretch in stretches for column in _columns(model_runs, stretch, estimand, drawn, study)
    )
    return best_along(values, replicates, level, alone, together)


def _columns(
    model_runs: list[ModelRuns], stretch: _Stretch, estimand: Estimand, drawn: Resampling, study: Study
) -> Iterator[FloatArray]:
    """The weighted error of all models in every replicate, (K, M), alpha by alpha."""
    n_models, n_drawn = len(model_runs), study.inference.replicates
    chunk = max(1, min(CHUNK, MOST_HELD // (n_models * n_drawn)))
    for start in range(0, len(stretch.at), chunk):
        part = slice(start, start + chunk)
        columns = np.empty((len(stretch.at[part]), n_models, n_drawn))
        for k, team in enumerate(model_runs):
            by_run = [
                _replicated(drawn.by_weights(run, operation, estimand), stretch, part)
                for run, operation in team.operations(stretch.name)
            ]
            columns[:, k] = team.mean(by_run, study).T
        yield from columns


def _replicated(drawn: Replicates, stretch: _Stretch, part: slice) -> FloatArray:
    return drawn.columns(stretch.at[part]).values(WEIGHTED_ERROR, alpha=stretch.alpha[part])


def _limits(team: ModelRuns, stretch: _Stretch, drawn: Resampling, study: Study) -> list[ModelInterval]:
    """The interval at every alpha, as the frames ``epc`` and ``dcf`` have it."""
    run, operation = team.operations(stretch.name)[0]
    measure = WEIGHTED_ERROR
    if operation.chosen.alpha is None:
        measure = measure.at(alpha=float(stretch.alpha[0]))
    if team.alone:
        values = np.full(len(operation.test.misses), np.nan)
        values[stretch.at] = _values([team], stretch)[:, 0]
        intervals = intervals_along(run, measure, values, operation, drawn, study)
    else:
        intervals = means_along(team, measure, stretch.name, drawn, study)
    return [intervals[at] for at in stretch.at]


def _beside_others(row: WinnerRow, best: BestAlong, at: int, k: int, study: Study) -> WinnerRow:
    """Add how a model compares with all others at one alpha."""
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
