"""The ``comparisons`` frame: every difference between two models on test, with interval and p-values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.counts.outcomes import pair_outcomes
from reporting.criteria.criterion import Criterion
from reporting.frames.epc import at_alpha
from reporting.frames.metrics import defined, dev_flags, status_of, value_over_sweep
from reporting.frames.operations import Operating, alphas
from reporting.frames.resampling import Resampling, stream_names
from reporting.frames.study import Study
from reporting.measures.measure import Measure
from reporting.significance.adjust import adjust
from reporting.significance.collapsed import pair_discordants, resample_pair
from reporting.significance.compare import (
    Comparison,
    compare_areas,
    compare_decisions,
    compare_replicates,
)
from reporting.stats.paired import Discordant, difference, standard_error
from reporting.stats.placements import covariance


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models on one dataset. ``first`` and ``second`` are in key order, so that draws and numbers
    are the same whichever of them the report calls the baseline."""

    model: Operating
    baseline: Operating

    @property
    def first(self) -> Operating:
        """The model whose key sorts first."""
        return min(self.model, self.baseline, key=lambda m: m.key)

    @property
    def second(self) -> Operating:
        """The other model."""
        return max(self.model, self.baseline, key=lambda m: m.key)

    def turned(self, comparison: Comparison) -> Comparison:
        """Turn first - second into model - baseline."""
        return comparison if self.first is self.model else comparison.reversed()


@dataclass(frozen=True, eq=False)
class Question:
    """One comparison to make: a measure, and the operation that sets the thresholds (None: sweep).

    Along an EPC ``measure`` holds the row's own alpha, and ``said`` is the name it was asked for by.
    """

    said: str
    measure: Measure
    criterion: Criterion | None
    parameter: float | None
    columns: tuple[int, int]
    """The indices of both models' thresholds, first and second."""


def comparison_rows(
    models: list[Operating], drawn: Resampling, study: Study, pool: Executor
) -> list[dict[str, Any]]:
    """Return every comparison on one dataset; p-values are not yet adjusted."""
    pairs = model_pairs(models, study)
    done = pool.map(lambda pair: _pair_rows(pair, drawn, study), pairs)
    return [row for rows in done for row in rows]


def model_pairs(models: list[Operating], study: Study) -> list[Pair]:
    """Every model against the baseline; without one, every later model against every earlier one."""
    by_key = {m.key.model: m for m in models}
    ordered = [by_key[key] for key in study.in_order(list(by_key))]
    if study.baseline is not None:
        base = by_key[study.baseline]
        return [Pair(m, base) for m in ordered if m is not base]
    return [Pair(later, earlier) for earlier, later in itertools.combinations(ordered, 2)]


def _pair_rows(pair: Pair, drawn: Resampling, study: Study) -> list[dict[str, Any]]:
    if not drawn.ranks.paired:
        return [_row(pair, q, drawn, study, None) for q in _questions(pair, study)]
    decisions = _Decisions(pair, drawn, study)
    sweeps = _Sweeps(pair, drawn, study)
    return [
        _row(pair, q, drawn, study, decisions.compare(q) if q.criterion else sweeps.compare(q.measure))
        for q in _questions(pair, study)
    ]


def _questions(pair: Pair, study: Study) -> Iterator[Question]:
    for measure in study.measures:
        if measure.over == "sweep":
            yield Question(str(measure), measure, None, None, (0, 0))
            continue
        for criterion in pair.first.single:
            if criterion in study.criteria:
                columns = [int(m.index(m.single[criterion])[0]) for m in (pair.first, pair.second)]
                yield Question(str(measure), measure, criterion, None, (columns[0], columns[1]))
    for criterion in pair.first.along:
        indices = [m.index(m.along[criterion]) for m in (pair.first, pair.second)]
        for measure in study.epc.measures if study.epc else ():
            for i, a in enumerate(alphas(study)):
                columns = [int(index[i]) for index in indices]
                own = at_alpha(measure, float(a))
                yield Question(str(measure), own, criterion, float(a), (columns[0], columns[1]))


class _Decisions:
    """Comparisons of one pair at given thresholds, each made once however often it is asked for."""

    def __init__(self, pair: Pair, drawn: Resampling, study: Study) -> None:
        self.pair, self.drawn, self.level = pair, drawn, study.inference.level
        asked = dict.fromkeys(q.columns for q in _questions(pair, study) if q.criterion)
        self.position = {columns: i for i, columns in enumerate(asked)}
        first, second = (np.array([c[side] for c in asked], dtype=np.int64) for side in (0, 1))
        outcome = pair_outcomes(drawn.ranks.label, pair.first.bins, pair.second.bins)
        self.observed = pair_discordants(outcome, (first, second))
        self.redrawn = drawn.redrawn
        if not drawn.clustered:
            names = stream_names(pair.first, pair.second)
            inference = study.inference
            self.resampled, self.redrawn = resample_pair(
                outcome, (first, second), inference.seed, names, inference.replicates
            )
        self.known: dict[tuple[tuple[int, int], tuple[float, float]], Comparison] = {}

    def compare(self, question: Question) -> Comparison:
        """Return first - second for a measure that is linear in FAR and FRR."""
        weights = question.measure.linear()
        if weights is None:
            raise NotImplementedError(f"comparison of {question.measure}, which is not linear in FAR and FRR")
        asked = (question.columns, weights)
        if asked not in self.known:
            made = self._clustered(question) if self.drawn.clustered else self._independent(question, weights)
            again = ("redrawn_empty_class",) if self.redrawn and made.replicates else ()
            self.known[asked] = made.flagged(*again)
        return self.known[asked]

    def _independent(self, question: Question, weights: tuple[float, float]) -> Comparison:
        at = self.position[question.columns]
        observed = self.observed.column(at)
        if _undefined(observed, weights):
            return Comparison(math.nan)
        return compare_decisions(observed, self.resampled.column(at), weights, self.level)

    def _clustered(self, question: Question) -> Comparison:
        weights = question.measure.linear() or (0.0, 0.0)
        observed = self.observed.column(self.position[question.columns])
        if _undefined(observed, weights):
            return Comparison(math.nan)
        values = [
            self.drawn.at_thresholds[m.key.model].values(question.measure, np.array([column]))[:, 0]
            for m, column in zip((self.pair.first, self.pair.second), question.columns, strict=True)
        ]
        point = float(difference(observed, *weights))
        independent = float(standard_error(observed, *weights))
        return compare_replicates(point, values[0] - values[1], self.level, independent)


def _undefined(observed: Discordant, weights: tuple[float, float]) -> bool:
    """Tell whether a class that enters the measure is empty."""
    sizes = (observed.n_nontarget, observed.n_target)
    return any(weight != 0 and size == 0 for weight, size in zip(weights, sizes, strict=True))


class _Sweeps:
    """Comparisons of one pair by measures over the sweep."""

    def __init__(self, pair: Pair, drawn: Resampling, study: Study) -> None:
        self.pair, self.drawn, self.level = pair, drawn, study.inference.level

    def compare(self, measure: Measure) -> Comparison:
        """Return first - second: DeLong for areas of independent trials, bootstrap normal otherwise."""
        both = self.pair.first, self.pair.second
        point = value_over_sweep(measure, both[0].test) - value_over_sweep(measure, both[1].test)
        if math.isnan(point):
            return Comparison(math.nan)
        first, second = (self.drawn.sweeps[m.key.model][measure] for m in both)
        independent = self._area_se() if measure.key == "auc" else None
        if independent is not None and not self.drawn.clustered:
            return compare_areas(point, independent, first - second, self.level)
        return compare_replicates(point, first - second, self.level, independent)

    def _area_se(self) -> float:
        placements = np.stack([self.drawn.placements(m) for m in (self.pair.first, self.pair.second)])
        covariances = covariance(placements, self.drawn.ranks.label)
        contrast = np.array([1.0, -1.0])
        return float(np.sqrt(max(0.0, contrast @ covariances @ contrast)))


def _row(
    pair: Pair, question: Question, drawn: Resampling, study: Study, found: Comparison | None
) -> dict[str, Any]:
    key = pair.model.key
    primary = question.measure == study.primary.measure and question.parameter is None
    if question.criterion is not None:
        primary = primary and question.criterion == study.primary.criterion
    in_family = primary or (study.inference.family == "all" and question.parameter is None)
    row: dict[str, Any] = {
        "dataset": key.dataset,
        "split": key.split,
        "group": key.group,
        "measure": question.said,
        "criterion": _criterion_text(question),
        "parameter": question.parameter,
        "model": key.model,
        "baseline": pair.baseline.key.model,
        "inference": "given_thresholds" if question.criterion else None,
        "family": ("primary" if study.inference.family == "primary" else "all")
        if in_family
        else "descriptive",
        "status": "no_trial_key",
        "flags": [],
    }
    if found is None:
        return row
    return row | _found(pair, question, drawn, study, pair.turned(found))


def _criterion_text(question: Question) -> str | None:
    if question.criterion is None:
        return None
    return question.criterion.key if question.parameter is not None else str(question.criterion)


def _found(
    pair: Pair, question: Question, drawn: Resampling, study: Study, found: Comparison
) -> dict[str, Any]:
    flags = [*found.flags, *drawn.flags]
    if question.criterion in pair.model.single:
        flags += [f for m in (pair.model, pair.baseline) for f in dev_flags(m, m.single[question.criterion])]
    made = found.p_value is not None
    return {
        "unit": drawn.units.name if made else None,
        "difference": defined(found.difference),
        "ci_low": found.low,
        "ci_high": found.high,
        "level": study.inference.level if found.ci_method else None,
        "ci_method": found.ci_method,
        "p_value": found.p_value,
        "p_method": found.p_method,
        "p_percentile": found.p_percentile,
        "p_exact": found.p_exact,
        "replicates": found.replicates,
        "mc_error": found.mc_error,
        "n_units": drawn.units.n_units if made else None,
        "design_effect": found.design_effect,
        "status": found.status or status_of(found.difference, *pair.model.test.totals),
        "flags": sorted(set(flags)) if made else [],
    }


def with_adjusted(rows: list[dict[str, Any]], study: Study) -> list[dict[str, Any]]:
    """Adjust the p-values of the family over all datasets; the rest stays descriptive, unadjusted."""
    rows = sorted(
        rows, key=lambda r: (r["dataset"], r["measure"], r["criterion"] or "", r["model"], r["baseline"])
    )
    members = [row for row in rows if row["family"] != "descriptive" and row.get("p_value") is not None]
    adjusted = adjust([row["p_value"] for row in members], study.inference.correction)
    for row, p in zip(members, adjusted, strict=True):
        row |= {"p_adjusted": p, "correction": study.inference.correction, "family_size": len(members)}
    return rows
