"""The runs of a model: seeds or readers that met the same trials, and the mean over them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reporting.counts.cuts import Key
from reporting.curves.epc import Operation
from reporting.engine.operations import JudgedModel
from reporting.engine.study import Study
from reporting.significance.draws import blocks, stream
from reporting.stats.staircase import FloatArray

MEAN = "mean"
"""The run under which the mean over all runs of a model stands."""


@dataclass(frozen=True, eq=False)
class ModelRuns:
    """All runs of one model on one dataset and group, by the names of the runs."""

    runs: tuple[JudgedModel, ...]

    @property
    def first(self) -> JudgedModel:
        """The first run: what holds for the model holds for it."""
        return self.runs[0]

    @property
    def alone(self) -> bool:
        """True for a model with a single run."""
        return len(self.runs) == 1

    @property
    def key(self) -> Key:
        """The key of the model's only run, or of the mean over its runs."""
        return self.first.key if self.alone else self.mean_key

    @property
    def mean_key(self) -> Key:
        """The key of the mean over the runs."""
        return self.first.key._replace(run=MEAN)

    def operations(self, name: str) -> list[tuple[JudgedModel, Operation]]:
        """Every run with its operation of that name."""
        return [(run, run.operation(name)) for run in self.runs]

    def mean(self, values: Sequence[FloatArray], study: Study, *, readers: bool = True) -> FloatArray:
        """Return the mean over runs of replicates, each of shape (M,) or (M, P).

        Where runs are readers these are drawn too, unless ``readers`` is false; two models with the same
        readers share the draws.
        """
        if self.alone or study.runs != "reader" or not readers:
            return np.asarray(sum(values[1:], start=values[0]) / len(values))
        weights = self._reader_weights(study)
        shape = (-1,) + (1,) * (values[0].ndim - 1)
        total = np.zeros_like(values[0])
        for value, weight in zip(values, weights.T, strict=True):
            total += weight.reshape(shape) * value
        return total / len(values)

    def _reader_weights(self, study: Study) -> FloatArray:
        """How often each reader was drawn, shape (M, readers)."""
        n, key, settings = len(self.runs), self.first.key, study.inference
        names = (key.dataset, key.split, *(run.key.run for run in self.runs))
        drawn = [
            stream(settings.seed, "readers", *names, number).multinomial(n, np.full(n, 1 / n), size=size)
            for number, size in blocks(settings.replicates)
        ]
        return np.concatenate(drawn).astype(np.float64)


def teams(models: list[JudgedModel]) -> list[ModelRuns]:
    """Return the models of a part with all their runs, by key."""
    ordered = sorted(models, key=lambda model: model.key)
    return [
        ModelRuns(tuple(runs)) for _, runs in itertools.groupby(ordered, key=lambda model: model.key.model)
    ]


def have_runs(models: list[JudgedModel]) -> bool:
    """Return whether any model has more than one run."""
    return any(not team.alone for team in teams(models))
