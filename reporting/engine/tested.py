"""What the further tests of one dataset share: the models, why they cannot be tested, and how they differ.

Two models are taken in key order and numbers then turned to model minus baseline, so that naming the other
one as baseline draws the same and negates them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from reporting.counts.outcomes import pair_outcomes
from reporting.criteria.criterion import Criterion
from reporting.engine.contrasts import Decisions, Pair, headline, spread_of, sweep_differences
from reporting.engine.model_runs import ModelRuns
from reporting.engine.operations import JudgedModel, a_priori
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.engine.values import status_of
from reporting.measures.measure import Measure
from reporting.significance.bootstrap import pair_discordants
from reporting.significance.settings import Estimand, Test
from reporting.stats.intervals import ZERO, Interval, normal, normal_p, student, student_p
from reporting.stats.paired import Discordant, difference_of, standard_error, standard_error_of
from reporting.stats.placements import pairwise
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

Row = dict[str, Any]
GIVEN: Estimand = "given_thresholds"
INDEPENDENT = "assumes_independent_trials"
"""Flags a test that takes trials as independent although clusters are declared."""


class Difference(NamedTuple):
    """V(model) - V(baseline) and its standard error, 0 without spread; ``df`` None: normal."""

    point: float
    se: float = math.nan
    df: float | None = None
    replicates: int | None = None
    status: str | None = None

    @property
    def p(self) -> float:
        """Two-sided p of no difference: 1 where nothing differs, NaN where there is no spread otherwise."""
        if self.se > 0:
            return normal_p(self.point, self.se) if self.df is None else student_p(*self[:2], self.df)
        return 1.0 if self.se == 0 and abs(self.point) <= ZERO else math.nan

    def limits(self, level: float) -> Interval | None:
        """The interval dual to ``p``; None without spread."""
        if not self.se > 0:
            return None
        return normal(*self[:2], level) if self.df is None else student(*self[:2], self.df, level)


@dataclass(frozen=True, eq=False)
class TestContext:
    """Models that are tested together on one dataset, in key order."""

    teams: tuple[ModelRuns, ...]
    drawn: Resampling
    study: Study
    pair: Pair | None = field(default=None, kw_only=True)

    @cached_property
    def models(self) -> list[JudgedModel]:
        """The first run of every model: its only one, where it can be tested."""
        return [team.first for team in self.teams]

    @cached_property
    def criterion(self) -> Criterion | None:
        """Whose thresholds decide: the primary one, or the first of the report where that has none."""
        if self.study.primary.measure.over == "threshold":
            return self.study.primary.criterion
        return next(iter(a_priori(self.study.criteria)), None)

    @property
    def weights(self) -> tuple[float, float] | None:
        """``(w_far, w_frr)`` of the primary measure; None where it is no such sum at a threshold."""
        return self.study.primary.measure.linear()

    @property
    def given(self) -> Estimand | None:
        """The estimand of a test at given thresholds; None of a measure that has none."""
        return GIVEN if self.study.primary.measure.over == "threshold" else None

    @property
    def declared(self) -> list[str]:
        """The caution of a test that assumes independent trials."""
        return [INDEPENDENT] if self.drawn.ranks.unit_a is not None else []

    def refused(self, *, counted: bool = False, decided: bool = False, linear: bool = False) -> str | None:
        """Say why these models cannot be tested; None where they can.

        ``counted``: by counting trials; ``decided``: by what is decided at thresholds; ``linear``: by V =
        w_far FAR + w_frr FRR.
        """
        if not self.drawn.ranks.paired:
            return "no_trial_key"
        if not all(team.alone for team in self.teams):
            return "several_runs"
        if counted and self.drawn.ranks.weight is not None:
            return "weighted"
        if linear and self.weights is None:
            return "not_linear"
        if decided and self.criterion is None:
            return "no_criterion"
        if decided and any(self.criterion not in model.single for model in self.models):
            return "not_calibrated_scale"
        return None

    def undefined(self, number: float) -> str | None:
        """Say why a number of these trials is undefined; None where it is defined."""
        return status_of(number, *self.models[0].test.trials)

    def row(self, test: Test, measure: Measure | None, inference: Estimand | None = None, **more: Any) -> Row:
        """Return what is asked; ``inference`` None: no threshold is involved."""
        key = self.models[0].key
        pair = self.pair
        return {
            "dataset": key.dataset,
            "split": key.split,
            "group": key.group,
            "test": test,
            "measure": None if measure is None else str(measure),
            "criterion": None if inference is None or self.criterion is None else str(self.criterion),
            "inference": inference,
            "model": pair.model.key.model if pair else None,
            "baseline": pair.baseline.key.model if pair else None,
            "unit": "trial",
            "n_units": self.drawn.ranks.n_trials,
            "flags": [],
            **more,
        }

    def accepted(self, model: JudgedModel) -> BoolArray:
        """Which trials a model accepts at its given threshold, shape (N,)."""
        assert self.criterion is not None
        binned = model.binned(model.single[self.criterion].name)
        return np.asarray(binned.bins.of_trial > binned.index[0])


@dataclass(frozen=True, eq=False)
class PairedTest(TestContext):
    """A pair of models; numbers are turned to model minus baseline by ``signed``."""

    pair: Pair = field(kw_only=True)

    @property
    def forward(self) -> bool:
        """True where the model comes first in key order."""
        return self.pair.ordered[0] is self.pair.model

    def signed(self, number: float) -> float:
        """Turn first - second into model - baseline."""
        return number if self.forward else 0.0 - number

    @cached_property
    def discordant(self) -> Discordant:
        """How the two decide every trial at the given thresholds, counted."""
        assert self.criterion is not None
        binned = [model.binned(model.single[self.criterion].name) for model in self.models]
        outcome = pair_outcomes(self.drawn.ranks.label, binned[0].bins, binned[1].bins)
        return pair_discordants(outcome, (binned[0].index, binned[1].index)).column(0)

    def observed(self, measure: Measure) -> float:
        """The difference at the given thresholds, first less second; NaN where it is undefined."""
        return float(difference_of(_formula(measure), self.discordant))

    @cached_property
    def exchanged(self) -> tuple[Row, IntArray]:
        """What a permutation exchanges: clusters, where each trial has one, else trials (shape (N,))."""
        ranks = self.drawn.ranks
        if not self.drawn.clustered or ranks.unit_a is None or ranks.unit_b is not None:
            return {"flags": self.declared}, np.arange(ranks.n_trials)
        _, code = np.unique(ranks.unit_a, return_inverse=True)
        units = {"unit": "cluster", "n_units": self.drawn.units.n_units, "flags": self.drawn.flags}
        return units, code.astype(np.int64)

    @cached_property
    def estimand(self) -> Estimand | None:
        """The estimand of the headline comparison; None where no threshold is involved."""
        if self.study.primary.measure.over != "threshold":
            return None
        if self.criterion is None or any(self.criterion not in model.single for model in self.models):
            return self.study.inference.comparisons
        return headline(self.pair, self.models[0].single[self.criterion].name, self.drawn, self.study)

    @cached_property
    def headline(self) -> Difference:
        """The difference of the headline comparison and its spread."""
        if self.estimand is None:
            return self.swept(self.study.primary.measure)
        why = self.refused(decided=True)
        return Difference(math.nan, status=why) if why else self._at_thresholds(self.estimand)

    def _at_thresholds(self, estimand: Estimand) -> Difference:
        """By the closed form where trials are independent and thresholds given, else by replicates."""
        measure = self.study.primary.measure
        if estimand == GIVEN and self.drawn.collapsed:
            point, counts = self.observed(measure), self.discordant
            if math.isnan(point):
                return Difference(math.nan, status=self.undefined(point))
            linear = self.weights
            se = standard_error(counts, *linear) if linear else standard_error_of(_formula(measure), counts)
            return Difference(self.signed(point), float(se))
        assert self.criterion is not None
        name = self.models[0].single[self.criterion].name
        decisions = Decisions(self.pair, name, estimand, self.drawn, self.study)
        return self._by_replicates(float(decisions.points(measure)[0]), decisions.differences(measure)[:, 0])

    def _by_replicates(self, point: float, differences: FloatArray) -> Difference:
        spread = spread_of(self.drawn, self.study.inference.level)
        se = math.nan
        if np.isfinite(differences).all():
            se = spread.inflation * float(np.std(differences, ddof=1))
            se = se if se > ZERO else 0.0
        return Difference(self.signed(point), se, spread.df, len(differences), self.undefined(point))

    def swept(self, measure: Measure) -> Difference:
        """The difference in a measure over the sweep: by DeLong's error for areas, else by replicates."""
        why = self.refused()
        values = [model.value(measure) for model in self.models]
        why = why or values[0].status or values[1].status
        if why:
            return Difference(math.nan, status=why)
        point = values[0].number - values[1].number
        if measure.of_area is not None and not self.drawn.clustered and self.drawn.ranks.weight is None:
            placed = np.stack([self.drawn.placements(model) for model in self.models])
            se = abs(measure.of_area[1]) * float(pairwise(placed, self.drawn.ranks.label).se[0, 1])
            return Difference(self.signed(point), 0.0 if se <= ZERO else se)
        if any(measure not in self.drawn.sweeps[model.id] for model in self.models):
            return Difference(math.nan, status="not_measured")
        return self._by_replicates(point, sweep_differences(self.pair, measure, self.drawn, self.study))


def _formula(measure: Measure) -> Callable[..., Any]:
    return partial(measure.formula, **measure.arguments)
