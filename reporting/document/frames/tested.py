"""The models that a further test takes, and why some cannot be tested."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, IntArray
from reporting.base.codes import Flag, Status
from reporting.base.records import dataclass, field
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel, a_priori, why_unplaced
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import Difference, difference
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import primary_question
from reporting.core.engine.study import Study
from reporting.core.engine.values import status_of
from reporting.core.measures.measure import Measure
from reporting.core.resampling.paired import formula_of
from reporting.core.resampling.settings import Estimand
from reporting.core.stats.paired import Discordant, difference_of
from reporting.document.frames.contract import Columns

GIVEN: Estimand = "given_thresholds"
INDEPENDENT: Flag = "assumes_independent_trials"
"""Flags a test that takes trials as independent although clusters are declared."""


@dataclass(frozen=True, eq=False)
class TestedModels:
    """Models that are tested together on one dataset, in key order."""

    models_with_runs: tuple[ModelRuns, ...]
    drawn: Resampling
    study: Study
    pair: Pair | None = field(default=None, kw_only=True)

    @cached_property
    def models(self) -> list[JudgedModel]:
        """The first run of every model: its only one, where it can be tested."""
        return [team.first for team in self.models_with_runs]

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
    def of_linear(self) -> tuple[float, float]:
        """The weights of a primary measure that is such a sum."""
        assert self.weights is not None
        return self.weights

    @property
    def given(self) -> Estimand | None:
        """The estimand of a test at fixed thresholds; None of a measure that has none."""
        return GIVEN if self.study.primary.measure.over == "threshold" else None

    @property
    def declared(self) -> list[Flag]:
        """The caution of a test that assumes independent trials."""
        return [INDEPENDENT] if self.drawn.ranks.unit_a is not None else []

    @property
    def by_units(self) -> Columns:
        """The columns of a test by what is resampled."""
        units = self.drawn.units
        return {"unit": units.name, "n_units": units.n_units, "flags": self.drawn.units.flags}

    def refused(self, *, counted: bool = False, decided: bool = False, linear: bool = False) -> Status | None:
        """Say why these models cannot be tested by single runs; None where they can.

        ``counted``: by counting trials; ``decided``: by what is decided at thresholds; ``linear``: by V =
        w_far FAR + w_frr FRR.
        """
        if not self.drawn.ranks.paired:
            return "no_trial_key"
        if not all(team.alone for team in self.models_with_runs):
            return "several_runs"
        if counted and self.drawn.ranks.weight is not None:
            return "weighted"
        if linear and self.weights is None:
            return "not_linear"
        if decided and self.criterion is None:
            return "no_criterion"
        criterion = self.criterion if decided else None
        if criterion is not None and any(criterion not in model.single for model in self.models):
            return why_unplaced(criterion)
        return None

    def undefined(self, number: float) -> Status | None:
        """Say why a number of these trials is undefined; None where it is defined."""
        return status_of(number, *self.models[0].test.trials)

    def accepted(self, model: JudgedModel) -> BoolArray:
        """Which trials a model accepts at its given threshold, shape (N,)."""
        assert self.criterion is not None
        return model.binned(model.single[self.criterion].name).accepted()


@dataclass(frozen=True, eq=False)
class TestedPair(TestedModels):
    """A pair of models; numbers are turned to model minus baseline by ``signed``."""

    pair: Pair = field(kw_only=True)

    def signed(self, number: float) -> float:
        """Turn first - second into model - baseline."""
        return number if self.pair.forward else 0.0 - number

    @cached_property
    def discordant(self) -> Discordant:
        """How the two decide every trial at the given thresholds, counted."""
        assert self.criterion is not None
        return self.pair.outcomes(self.models[0].single[self.criterion].name).discordant.column(0)

    def observed(self, measure: Measure) -> float:
        """The difference at the given thresholds, first less second; NaN where it is undefined."""
        return float(difference_of(formula_of(measure), self.discordant))

    @cached_property
    def exchanged(self) -> tuple[Mapping[str, Any], IntArray]:
        """What a permutation exchanges: clusters, where each trial has one, else trials (shape (N,))."""
        ranks = self.drawn.ranks
        if not self.drawn.clustered or ranks.unit_a is None or ranks.unit_b is not None:
            return {"flags": self.declared}, np.arange(ranks.n_trials)
        _, code = np.unique(ranks.unit_a, return_inverse=True)
        return self.by_units, code.astype(np.int64)

    @cached_property
    def headline(self) -> Difference:
        """The difference that the headline comparison is of."""
        return difference(self.pair, primary_question(self.study), self.drawn, self.study)
