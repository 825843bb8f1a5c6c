"""Ranks: the trials of one dataset and split in canonical order, with one integer rank per model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reporting.stats.staircase import BoolArray, IntArray, RankArray


@dataclass(frozen=True, eq=False)
class Attribute:
    """What one column of the table says of every trial, as codes (shape (N,)) into its values.

    ``values`` are those that occur in the dataset and split, in the order of their UTF-8 bytes; in a
    group of its trials some of them may be without a trial.
    """

    values: tuple[str, ...]
    code: RankArray

    def of(self, members: IntArray) -> Attribute:
        """Return the attribute of some trials, by their indices; the values stay."""
        return Attribute(self.values, self.code[members])


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
    weight: IntArray | None = None
    """The whole-number weight of each trial's stratum; None where all weigh the same."""
    fold: IntArray | None = None
    """The fold of each trial, 0 and up, where thresholds are chosen across folds; else None."""
    attributes: dict[str, Attribute] = field(default_factory=dict)
    """The columns of breakdowns, by the table's names."""

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters; None where none are declared."""
        return None if self.unit_a is None else len(np.unique(self.unit_a))

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.label)
