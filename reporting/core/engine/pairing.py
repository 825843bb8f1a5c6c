"""The pairs of models that a report compares, and how two models decide every trial."""

from __future__ import annotations

import itertools
from functools import cached_property

from reporting.base.arrays import IntArray
from reporting.base.cache.cache import Cache
from reporting.base.records import dataclass, field
from reporting.core.counts.outcomes import pair_outcomes
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.study import Study
from reporting.core.resampling.bootstrap import pair_discordants
from reporting.core.resampling.cached import cached_pair
from reporting.core.resampling.paired import PairedDifference
from reporting.core.resampling.settings import Inference
from reporting.core.stats.paired import Discordant


def model_pairs(models: list[JudgedModel], study: Study) -> list[Pair]:
    """Return the pairs of ``compared_keys``."""
    by_key = {team.key.model: team for team in models_with_runs(models)}
    return [Pair(by_key[model], by_key[baseline]) for model, baseline in compared_keys(list(by_key), study)]


def compared_keys(models: list[str], study: Study) -> list[tuple[str, str]]:
    """Every model against the baseline; without one, every later model against every earlier one.

    None where the study ranks very many models.
    """
    if study.many:
        return []
    ordered = study.in_order(models)
    if study.baseline is not None:
        return [(model, study.baseline) for model in ordered if model != study.baseline]
    return [(later, earlier) for earlier, later in itertools.combinations(ordered, 2)]


@dataclass(frozen=True, eq=False)
class PairOutcomes:
    """Trials by class and both bins, and which bounds of the bins the thresholds are."""

    counts: IntArray
    at: tuple[IntArray, IntArray]

    @cached_property
    def discordant(self) -> Discordant:
        """Trials that the two decide differently, at every threshold."""
        return pair_discordants(self.counts, self.at)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models on one dataset, as the report names them."""

    model: ModelRuns
    baseline: ModelRuns
    _outcomes: dict[str, PairOutcomes] = field(default_factory=dict, init=False)
    _resampled: dict[str, tuple[Discordant, bool]] = field(default_factory=dict, init=False)

    @property
    def alone(self) -> bool:
        """True where both have a single run."""
        return self.model.alone and self.baseline.alone

    @property
    def same_readers(self) -> bool:
        """True where both have runs of the same names."""
        first, second = ([run.key.run for run in team.runs] for team in self.ordered)
        return first == second

    @property
    def run_pairs(self) -> list[tuple[JudgedModel, JudgedModel]]:
        """The runs of both that belong together, in key order; none where their names differ."""
        first, second = self.ordered
        return list(zip(first.runs, second.runs, strict=True)) if self.alone or self.same_readers else []

    def read_by(self, study: Study) -> bool:
        """Return whether runs are readers, drawn from many."""
        return study.runs == "reader" and not self.alone

    def thresholds(self, criterion: Criterion) -> int:
        """Return for how many of the two a criterion chose thresholds."""
        return sum(team.has_threshold(criterion) for team in (self.model, self.baseline))

    @property
    def ordered(self) -> tuple[ModelRuns, ModelRuns]:
        """Both models, in key order."""
        first, second = sorted((self.model, self.baseline), key=lambda m: m.key)
        return first, second

    @property
    def forward(self) -> bool:
        """True where the model comes first in key order."""
        return self.ordered[0] is self.model

    def turned(self, difference: PairedDifference) -> PairedDifference:
        """Turn first - second into model - baseline."""
        return difference if self.forward else difference.reversed()

    def outcomes(self, name: str) -> PairOutcomes:
        """How two single runs decide every trial at the thresholds of an operation, counted once."""
        if name not in self._outcomes:
            models = [team.first for team in self.ordered]
            first, second = (model.binned(name) for model in models)
            counts = pair_outcomes(models[0].ranks.label, first.bins, second.bins)
            self._outcomes[name] = PairOutcomes(counts, (first.index, second.index))
        return self._outcomes[name]

    def resampled(
        self, name: str, names: tuple[str, ...], settings: Inference, cache: Cache
    ) -> tuple[Discordant, bool]:
        """Return these outcomes drawn again, and whether draws had lost a class; ``names`` key the stream.

        They are kept for one operation at a time: the next one needs the room.
        """
        if name not in self._resampled:
            self._resampled.clear()
            outcomes = self.outcomes(name)
            self._resampled[name] = cached_pair(outcomes.counts, outcomes.at, names, settings, cache)
        return self._resampled[name]
