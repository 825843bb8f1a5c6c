"""The runs of a model: seeds or readers that met the same trials, and the mean over them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Key
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.study import Study
from reporting.core.resampling.draws import streams
from reporting.core.stats.readers import reader_deviations

MEAN = "mean"
"""The run under which the mean over all runs of a model is reported."""


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

    def has_threshold(self, criterion: Criterion) -> bool:
        """Return whether a criterion chose a threshold for every run."""
        return all(criterion in run.single for run in self.runs)

    def mean(self, values: Sequence[FloatArray], study: Study) -> FloatArray:
        """Return the mean over runs of resamples, each of shape (M,) or (M, P).

        Where runs are readers, noise is added with the variance between them that their noise on the same
        cases does not explain; two models with the same readers share the draws.
        """
        mean = np.asarray(sum(values[1:], start=values[0]) / len(values))
        if self.alone or study.runs != "reader":
            return mean
        noise, drawn = self._reader_noise(study), values
        if len(mean) > len(noise):
            # Resamples of two crossed pools come in threes, of both and of each alone (``Design``): readers
            # vary with both, and with the first.
            noise = np.kron(noise, np.array([[1.0], [1.0], [0.0]]))
            drawn = [of[1::3] + of[2::3] - of[0::3].mean(axis=0) for of in values]
        noise = noise @ reader_deviations(drawn).reshape(len(values), -1)
        return mean + noise.reshape(mean.shape)

    def _reader_noise(self, study: Study) -> FloatArray:
        """Return the weight of every reader's deviation, shape (M, R): Student's t, R - 1 df."""
        n, key, settings = len(self.runs), self.first.key, study.inference
        names = (key.dataset, key.split, *(run.key.run for run in self.runs))
        drawn = []
        for random, size in streams(settings.replicates, settings.seed, "readers", *names):
            normal, chi = random.standard_normal((size, n)), random.chisquare(n - 1, (size, 1))
            drawn.append(normal * np.sqrt((n - 1) / chi))
        return np.concatenate(drawn)


def models_with_runs(models: list[JudgedModel]) -> list[ModelRuns]:
    """Return the models of a part with all their runs, by key."""
    ordered = sorted(models, key=lambda model: model.key)
    return [
        ModelRuns(tuple(runs)) for _, runs in itertools.groupby(ordered, key=lambda model: model.key.model)
    ]


def have_runs(models: list[JudgedModel]) -> bool:
    """Return whether any model has more than one run."""
    return any(not team.alone for team in models_with_runs(models))
