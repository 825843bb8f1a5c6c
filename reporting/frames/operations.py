"""Where each model operates: thresholds chosen on dev by every criterion, and what they do on test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from reporting.counts.count import Counts
from reporting.counts.cuts import Cuts, Key
from reporting.counts.outcomes import Bins, bin_trials
from reporting.criteria.criterion import Criterion
from reporting.curves.epc import Operation, alpha_grid, operate
from reporting.frames.study import Study
from reporting.stats.staircase import FloatArray, IntArray, RankArray


@dataclass(frozen=True, eq=False)
class Binned:
    """Trials by bin, and which of the bins' thresholds each threshold of the operation is (shape (P,))."""

    bins: Bins
    index: IntArray


@dataclass(frozen=True, eq=False)
class Operating:
    """One model on one dataset: its cuts, and its operations by criterion and along each EPC."""

    key: Key
    """The key of the test rows."""
    dev: Cuts
    test: Cuts
    rank: RankArray
    single: dict[Criterion, Operation]
    along: dict[Criterion, Operation]

    @property
    def operations(self) -> list[Operation]:
        """Every operation of the model."""
        return [*self.single.values(), *self.along.values()]

    def operation(self, name: str) -> Operation:
        """Return the operation of that name."""
        return next(operation for operation in self.operations if operation.name == name)

    @cached_property
    def binned(self) -> dict[str, Binned]:
        """The test trials binned by the thresholds of each operation, by its name."""
        return {operation.name: self._bin(operation) for operation in self.operations}

    def _bin(self, operation: Operation) -> Binned:
        bins = bin_trials(self.test, self.rank, operation.threshold)
        return Binned(bins, bins.index(self.test, operation.threshold))


def operating_models(counts: Counts, study: Study) -> dict[str, list[Operating]]:
    """Choose every threshold; the models of each dataset, by key order."""
    datasets: dict[str, list[Operating]] = {}
    for key in sorted(counts.cuts):
        if key.split == "test":
            datasets.setdefault(key.dataset, []).append(_operating(counts, study, key))
    return datasets


def _operating(counts: Counts, study: Study, key: Key) -> Operating:
    dev, test = counts.cuts[key._replace(split="dev")], counts.cuts[key]
    rank = counts.ranks[key.dataset, "test"].rank[key.model, key.run]
    single = {c: operate(dev, test, c, study.ties, study.threshold_at) for c in a_priori(study)}
    along = {c: operate(dev, test, c, study.ties, study.threshold_at, alphas(study)) for c in swept(study)}
    return Operating(key, dev, test, rank, single, along)


def a_priori(study: Study) -> tuple[Criterion, ...]:
    """The criteria of the study without their oracles, each once."""
    return tuple(dict.fromkeys(replace(criterion, oracle=False) for criterion in study.criteria))


def swept(study: Study) -> tuple[Criterion, ...]:
    """The criteria of the Expected Performance Curves."""
    return study.epc.criteria if study.epc else ()


def alphas(study: Study) -> FloatArray:
    """The alphas of the Expected Performance Curves."""
    return alpha_grid(study.epc.alphas if study.epc else 2)
