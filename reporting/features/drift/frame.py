"""The ``drift`` frame: whether test errs at the chosen thresholds as dev did.

A threshold that minimises an error on the development set flatters that set there, and the one that does so
on the test set flatters the test set. An error rate counts as different only where it differs at both, in one
direction: the larger p-value holds. At the chosen thresholds alone, up to 19% of reports would call two sets
of one population different (nominal 5%; models near chance, thresholds of least HTER); at both, at most 4%
(``tests/research/studies/drift.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.base.records import dataclass, replace
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part
from reporting.core.engine.rechoosing import UnitsOfPart, units_of
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.resampling.estimate import clustered_error
from reporting.core.resampling.paired import adjust
from reporting.core.resampling.units import Units, class_sizes
from reporting.core.stats.drift import Tails, drift_tails
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftRow(KeyRow):
    """A row of ``drift``."""

    criterion: Annotated[str, "what chose the threshold"]
    rate: Annotated[str, "far or frr"]
    errors_dev: Annotated[int, "errors of that kind on the development set"]
    trials_dev: Annotated[int, "trials of that class on the development set"]
    errors: Annotated[int, "errors of that kind on test"]
    trials: Annotated[int, "trials of that class on test"]
    rate_dev: Annotated[float, "the rate on the development set"]
    rate_test: Annotated[float, "the rate on test"]
    design_effect: Annotated[float | None, "variance relative to independent trials; null if unknown"] = None
    p_value: Annotated[
        float | None,
        "two-sided p of the rates on the two sets: the larger of those at the threshold chosen on the"
        " development set and at the one that the test set would choose; null if unknown",
    ] = None
    p_adjusted: Annotated[float | None, "the same by Holm over all rows; null if unknown"] = None


DRIFT = Frame("drift", DriftRow, (*KEY, "criterion", "rate"))

RATES = ("frr", "far")
"""By the class they are of: targets have label 1."""


def drift_of(judged: JudgedPart) -> Iterator[DriftRow]:
    """Yield FAR and FRR of every model of a dataset, at the thresholds the report answers at."""
    part, study = judged.part, judged.study
    if part.group or part.chosen_on is None or study.thresholds.policy == "train":
        return
    units = units_of(part, study)
    for model in judged.models:
        yield from _rows(model, part, units, study)


def with_adjusted_drift(rows: Iterable[DriftRow], study: Study) -> list[DriftRow]:
    """Adjust the p-values over models, rates, datasets and runs: one error in a report is too many."""
    kept = list(rows)
    adjusted = adjust((row.p_value for row in kept), "holm")
    return [
        row if row.p_value is None else replace(row, p_adjusted=p)
        for row, p in zip(kept, adjusted, strict=True)
    ]


class SplitTrials(NamedTuple):
    """The trials of one split, as one model scores them."""

    cuts: Cuts
    ranks: Ranks
    id: tuple[str, str]
    units: Units

    def errors(self, threshold: float, of: int) -> int:
        """Return the errors in trials: misses (0) or false alarms (1)."""
        return int(self.cuts.errors(cut_at(self.cuts.score, threshold))[of])

    def rate(self, threshold: float, of: int) -> float:
        """Return the rate of errors, weighted as in measures."""
        cut, staircase = cut_at(self.cuts.score, threshold), self.cuts.staircase
        return float((staircase.misses, staircase.false_alarms)[of][cut] / self.cuts.totals[of])

    def variances(self, threshold: float, of: int) -> tuple[float, float]:
        """Return the variance of a rate, and that of independent trials of equal weight."""
        rate = self.rate(threshold, of)
        plain = rate * (1 - rate) / self.cuts.trials[of]
        if not self.units.clustered and self.ranks.weight is None:
            return plain, plain
        influences = self._influences(threshold, of, rate)
        if self.units.strata is not None:
            moved = np.bincount(self.units.of_trial, influences, self.units.n_own)
            return self.units.strata.variance(moved), plain
        if not self.units.clustered:
            return float((influences**2).sum()), plain
        inflation = class_sizes(self.ranks)[of == 0].inflation
        return clustered_error(influences, self.ranks, inflation) ** 2, plain

    def _influences(self, threshold: float, of: int, rate: float) -> FloatArray:
        members: BoolArray = self.ranks.label == (of == 0)
        rejected = self.ranks.rank[self.id] < cut_at(self.cuts.score, threshold)
        wrong = rejected == members if of == 0 else rejected != members
        weight = np.ones(len(members)) if self.ranks.weight is None else self.ranks.weight
        return np.asarray(np.where(members, weight * (wrong - rate) / self.cuts.totals[of], 0.0))


def _rows(model: JudgedModel, part: Part, units: UnitsOfPart, study: Study) -> Iterator[DriftRow]:
    operation = None if study.point_criterion is None else model.single.get(study.point_criterion)
    if operation is None or part.chosen_on is None or units.dev is None:
        return
    dev = SplitTrials(part.chosen_on.cuts[model.id], part.chosen_on.ranks, model.id, units.dev)
    test = SplitTrials(model.test, part.ranks, model.id, units.test)
    chosen = float(operation.chosen.threshold[0])
    on_test = [] if operation.oracle_threshold is None else [float(operation.oracle_threshold[0])]
    thresholds = [chosen, *(on_test if operation.chosen.source == "dev" else [])]
    df = min(filter(None, (units.dev.degrees_of_freedom, units.test.degrees_of_freedom)), default=None)
    for of, rate in enumerate(RATES):
        if not (dev.cuts.trials[of] and test.cuts.trials[of]):
            continue
        effects = [_design_effect(dev, test, threshold, of) for threshold in thresholds]
        yield DriftRow(
            **model.key._asdict(),
            criterion=str(study.point_criterion),
            rate=rate,
            errors_dev=dev.errors(chosen, of),
            trials_dev=dev.cuts.trials[of],
            errors=test.errors(chosen, of),
            trials=test.cuts.trials[of],
            rate_dev=dev.rate(chosen, of),
            rate_test=test.rate(chosen, of),
            design_effect=defined(effects[0]),
            p_value=_p(dev, test, of, dict(zip(thresholds, effects, strict=True)), df),
        )


def _design_effect(dev: SplitTrials, test: SplitTrials, threshold: float, of: int) -> float:
    """How many times the variance of independent trials the difference has; 1 without any error."""
    (of_dev, plain_dev), (of_test, plain) = (each.variances(threshold, of) for each in (dev, test))
    return (of_dev + of_test) / (plain_dev + plain) if plain_dev + plain else 1.0


def _p(
    dev: SplitTrials, test: SplitTrials, of: int, effects: Mapping[float, float], df: float | None
) -> float | None:
    """Return the two-sided p at all of the thresholds; None where a variance is unknown."""
    if not np.isfinite(list(effects.values())).all():
        return None
    tails = Tails(0.0, 0.0)
    n_dev, n = dev.cuts.trials[of], test.cuts.trials[of]
    for threshold, effect in effects.items():
        errors_dev, errors = n_dev * dev.rate(threshold, of), n * test.rate(threshold, of)
        at = drift_tails(errors_dev, n_dev, errors, n, effect)
        tails |= at if df is None else at.student(df)
    return tails.p


RECIPES = (frame_of(DRIFT, drift_of, finish=with_adjusted_drift),)
