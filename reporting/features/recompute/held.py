"""What a page holds so that its script can answer: counts by set of trials, and words, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.paired import Discordant
from reporting.document import numbers
from reporting.document.blocks import colour
from reporting.document.frames.results import Results
from reporting.document.words.view import DatasetView, views
from reporting.features.recompute.formulas import (
    ClusterPairs,
    Compared,
    DependentClass,
    ModelCounts,
    SingleClusters,
)
from reporting.features.recompute.frame import HELD, HELD_PAIRS, MOST_COMBINATIONS, HeldPairRow, HeldRow

MOST_COUNTS = 12_000
"""Thresholds of all models and sets of trials that a page holds."""
DIGITS = 12
"""Significant digits of numbers that are no counts: the script agrees with the program to 1e-9."""


@dataclass(frozen=True)
class HeldModel:
    """The held thresholds of a model on a set of trials."""

    view: DatasetView
    rows: Sequence[HeldRow]

    @property
    def model(self) -> str:
        """The key of the model."""
        return self.rows[0].model

    def at(self, place: int) -> ModelCounts:
        """Return the counts at a threshold."""
        row = self.rows[place]
        counts = row.misses, row.false_alarms, row.n_target, row.n_nontarget
        if row.far_size is None or row.frr_size is None:
            return ModelCounts(*counts)
        far = EffectiveRate(row.false_alarms / row.n_nontarget, row.far_size, row.far_df, bool(row.far_few))
        frr = EffectiveRate(row.misses / row.n_target, row.frr_size, row.frr_df, bool(row.frr_few))
        return ModelCounts(*counts, (far, frr), row.correlation or 0.0)

    def place_of(self, criterion: str) -> int | None:
        """Return the place of the threshold that a criterion chose."""
        return next((row.place for row in self.rows if criterion in row.criteria), None)

    @property
    def middle(self) -> int:
        """The place where both error rates are most alike."""
        return min(
            range(len(self.rows)),
            key=lambda i: abs(
                self.rows[i].misses * self.rows[i].n_nontarget
                - self.rows[i].false_alarms * self.rows[i].n_target
            ),
        )

    def plain(self) -> Mapping[str, Any]:
        """Return the counts as a page holds them, each as the step from the one before."""
        first, thresholds = self.rows[0], [row.threshold for row in self.rows]
        held: dict[str, Any] = {
            "name": self.view.names[self.model],
            "colour": colour(self.view.styles[self.model]),
            "sizes": [first.n_target, first.n_nontarget],
            "thresholds": numbers.thresholds(thresholds),
            "misses": _steps([row.misses for row in self.rows]),
            "alarms": _steps([row.false_alarms for row in self.rows]),
            "rules": {name: row.place for row in self.rows for name in row.criteria},
        }
        if first.far_size is not None:
            worth = (
                (row.far_size, row.far_df, row.frr_size, row.frr_df, row.correlation) for row in self.rows
            )
            held["worth"] = [[_short(number) for number in row] for row in worth]
            held["few"] = [[int(bool(few)) for few in (row.far_few, row.frr_few)] for row in self.rows]
        return held


@dataclass(frozen=True)
class HeldSet:
    """A dataset, or a group of its trials: the held models, and the two that are compared."""

    view: DatasetView
    group: str
    models: Sequence[HeldModel]
    joint: Sequence[HeldPairRow]

    @property
    def label(self) -> str:
        """What a reader chooses it by."""
        first = self.models[0].rows[0]
        group = (f"{c}: {v}" for c, v in zip(first.group_columns, first.group_values, strict=True))
        return ", ".join(filter(None, (self.view.label, *group))) or f"all {self.view.terms.trials}"

    @property
    def pair(self) -> tuple[int, ...]:
        """The places of the two leading models, or of the only one."""
        keys = [model.model for model in self.models]
        first = [self.joint[0].model, self.joint[0].baseline] if self.joint else []
        first += [*self.view.finalists, *self.view.ranked]
        return tuple(keys.index(key) for key in dict.fromkeys(first) if key in keys)[:2]

    @property
    def dependent(self) -> bool:
        """Whether trials are in clusters, or weigh differently."""
        return self.models[0].rows[0].far_size is not None

    def discordant(self, places: tuple[int, int]) -> Compared | None:
        """Return how the two leading models decide together; None where that is not held."""
        if not self.joint:
            return None
        each = self._joint
        (i, j), target = places, each["target"].astype(bool)
        apart = (each["model_accepts"] > i).astype(int) - (each["baseline_accepts"] > j)
        if self.dependent:
            first = self.models[0].rows[0]
            nontargets = self._of_class(~target, apart, first.far_size, first.far_df)
            return nontargets, self._of_class(target, -apart, first.frr_size, first.frr_df)
        counts = [each["trials"][(apart == sign) & (target == of)].sum() for of in (0, 1) for sign in (1, -1)]
        sizes = [each["trials"][target == of].sum() for of in (1, 0)]
        return Discordant(*counts, *sizes)

    def _of_class(
        self, members: BoolArray, sign: IntArray, size: float | None, df: float | None
    ) -> DependentClass | None:
        """Return the sums of a class; ``size`` is what a rate is worth, 0 where clusters are too few."""
        if not size:
            return None
        names = ("trials", "squares", "cluster")
        weight, squares, cluster = (self._joint[name][members] for name in names)
        return DependentClass.of(sign[members], weight, squares, cluster, self._clusters, df)

    @cached_property
    def _clusters(self) -> SingleClusters | ClusterPairs:
        """The clusters of the trials, or the pairs of these."""
        each, number = self._joint, int(self._joint["cluster"].max()) + 1
        if self._ends is None:
            return SingleClusters(number)
        target, trials = each["target"].astype(bool), each["trials"]
        balanced = trials * np.where(target, trials[~target].sum(), trials[target].sum())
        crossed = self.view.results.pools == "two"
        first, second = self._ends.T
        weight = np.bincount(each["cluster"], balanced, number).astype(np.float64)
        return ClusterPairs(first, second, crossed, weight)

    @cached_property
    def _ends(self) -> IntArray | None:
        """The numbers of the clusters of every pair (shape (G, 2)); None without pairs."""
        if not self.joint or self.joint[0].cluster_b is None:
            return None
        return np.unique([(row.cluster, row.cluster_b) for row in self.joint], axis=0)

    @cached_property
    def _joint(self) -> Mapping[str, Any]:
        """The columns of the joint decisions, by pair of clusters; without weights a trial's square is 1."""
        names = ("cluster", "target", "model_accepts", "baseline_accepts", "trials")
        columns: dict[str, Any] = {
            name: np.array([getattr(row, name) for row in self.joint], dtype=np.int64) for name in names
        }
        if self._ends is not None:
            number = {pair: at for at, pair in enumerate(map(tuple, self._ends.tolist()))}
            columns["cluster"] = np.array([number[row.cluster, row.cluster_b] for row in self.joint])
        squares = [row.trials if row.squares is None else row.squares for row in self.joint]
        return columns | {"squares": np.array(squares, dtype=np.float64)}

    def plain(self) -> Mapping[str, Any]:
        """Return the set as a page holds it; combinations of thresholds as steps from one to the next."""
        held: dict[str, Any] = {
            "name": self.label,
            "models": [model.plain() for model in self.models],
            "pair": self.pair,
        }
        if self.joint:
            each, (width, depth) = self._joint, (len(self.models[at].rows) + 1 for at in self.pair)
            of_class = each["cluster"] * 2 + each["target"]
            at = (of_class * width + each["model_accepts"]) * depth + each["baseline_accepts"]
            order = np.argsort(at)
            held["joint"] = [_steps(at[order].tolist()), each["trials"][order].tolist()]
            if self.joint[0].squares is not None:
                held["joint"].append([_short(square) for square in each["squares"][order].tolist()])
            if self._ends is not None:
                first, second = self._ends.T.tolist()
                held["ends"] = [_steps(first), second]
                held["crossed"] = self.view.results.pools == "two"
        return held


def held_sets(results: Results) -> list[HeldSet]:
    """Return the sets of trials that a page holds, datasets before their groups, within its bounds.

    Every set has its best models, as far as there is room; a set for which there is none is left out.
    """
    sets, thresholds, combinations = list[HeldSet](), 0, 0
    for view in views(results):
        for group, models, joint in _of_view(view):
            room = list[HeldModel]()
            for model in sorted(models, key=lambda held: view.ranked.index(held.model)):
                thresholds += len(model.rows)
                if thresholds <= MOST_COUNTS:
                    room.append(model)
            combinations += len(joint)
            fits = combinations <= MOST_COMBINATIONS and len(room) == len(models)
            if room:
                sets.append(HeldSet(view, group, room, joint if fits else ()))
    return sets


def _of_view(view: DatasetView) -> Iterator[tuple[str, list[HeldModel], list[HeldPairRow]]]:
    """Yield the groups of a view, all trials first, with their models and combinations."""
    where = {"dataset": view.dataset, "split": "test"}
    rows = HELD.rows(view.results.frame(HELD).filter(**where, run=view.run))
    pairs = HELD_PAIRS.rows(view.results.frame(HELD_PAIRS).filter(**where))
    for group in dict.fromkeys(sorted((row.group for row in rows), key=str.encode)):
        here = [row for row in rows if row.group == group]
        models = [HeldModel(view, [*of]) for _, of in groupby(here, key=lambda row: row.model)]
        yield group, models, [row for row in pairs if row.group == group]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _steps(values: Sequence[int]) -> list[int]:
    return [here - before for before, here in pairwise([0, *values])]
