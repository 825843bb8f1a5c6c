"""What the makers of frames are given: one dataset or group with its resamples, or a whole run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import Executor, SerialExecutor
from reporting.base.records import dataclass, field
from reporting.base.remembering import Remembering
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.curves.scores import Scaled
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.resampling import Resampling, resample_part
from reporting.core.engine.scales import Scaling
from reporting.core.engine.study import Study
from reporting.inputs.table import TrialTable


@dataclass(frozen=True, eq=False)
class JudgedPart(Remembering):
    """The models of one dataset or group, and their resamples, which are drawn once a maker needs them."""

    part: Part
    study: Study
    pool: Executor
    rechoosing: ThresholdBootstrap
    _remembered: dict[Any, Any] = field(default_factory=dict)

    @property
    def models(self) -> list[JudgedModel]:
        """The models judged here."""
        return self.part.models

    @cached_property
    def drawn(self) -> Resampling:
        """The resamples."""
        return resample_part(self.part, self.study, self.rechoosing, self.pool)

    @property
    def cuts(self) -> dict[Key, Cuts]:
        """The trials of every model by distinct score, on the development set and on test."""
        return {key: cuts for key, cuts, _ in self.sets()}

    @cached_property
    def probabilities(self) -> dict[Key, Scaled]:
        """The stated probabilities of every model that has some, on the development set and on test."""
        stated = ((key, cuts, scaling.probability(cuts.score)) for key, cuts, scaling in self.sets())
        return {key: Scaled(p, cuts.n_target, cuts.n_nontarget) for key, cuts, p in stated if p is not None}

    def sets(self) -> Iterator[tuple[Key, Cuts, Scaling]]:
        """Yield the trials of every model, on the development set and on test."""
        for model in self.models:
            if model.dev is not None and model.dev_key is not None:
                yield model.dev_key, model.dev, model.scaling
            yield model.key, model.test, model.scaling


@dataclass(frozen=True, eq=False)
class JudgedRun(Remembering):
    """The trial table and its counts, and every dataset and group once all are judged."""

    table: TrialTable
    counts: Counts
    study: Study
    parts: list[Part] = field(default_factory=list)
    pool: Executor = field(default_factory=SerialExecutor)
    cache: Cache = NO_CACHE
    _remembered: dict[Any, Any] = field(default_factory=dict)
