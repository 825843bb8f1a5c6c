"""Ranks: the trials of one dataset and split in canonical order, with one integer rank per model."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.stats.staircase import BoolArray, RankArray


@dataclass(frozen=True, eq=False)
class Ranks:
    """Trials in canonical key order (shape (N,)), shared by all models of a dataset and split.

    ``unit_a`` is the resampling unit of each trial: a code of its cluster, the same in every split,
    or None where trials are independent. ``rank[model, run]`` is the trial's index among that model's
    distinct scores. ``paired`` is false without a trial key: then row i is another trial in each model.
    """

    label: BoolArray
    unit_a: RankArray | None
    rank: dict[tuple[str, str], RankArray]
    paired: bool

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.label)
