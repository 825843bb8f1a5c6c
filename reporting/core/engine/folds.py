"""The folds of a part: the trials of each are judged at thresholds chosen on all trials outside it.

Every unit is in one fold. A resample draws, or exchanges, the units of the whole test set once; in each fold
thresholds are then re-selected on what it made of the trials outside, and errors add up over the folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from reporting.base.arrays import BoolArray, IntArray
from reporting.core.engine.parts import Part, Side
from reporting.core.engine.rechoosing import UnitsOfPart, units_of
from reporting.core.engine.study import Study
from reporting.core.resampling.bootstrap import Replicates, ThresholdKey
from reporting.core.resampling.units import NEVER_LOST, Ends, Units

MOST_FOLDS = 50
"""Folds up to which every resample chooses again in each; each costs as much as a development set."""


def is_folded(part: Part) -> bool:
    """Return whether thresholds are re-selected across the folds of a part: they are not too many."""
    whole = part.judged_on
    if part.chosen_on is not None or whole is None or whole.ranks.fold is None or not whole.ranks.n_trials:
        return False
    return int(whole.ranks.fold.max()) < MOST_FOLDS


def folds_of(part: Part, study: Study) -> Iterator[tuple[Part, UnitsOfPart]]:
    """Yield the trials of every fold of a part as a part of their own, chosen on all trials outside it."""
    whole = part.judged_on
    assert whole is not None
    assert whole.ranks.fold is not None
    assert part.ranks.fold is not None
    fold = whole.ranks.fold
    units = units_of(replace(part, group="", ranks=whole.ranks), study).test
    units = _keeping_classes(units, whole.ranks.label, fold)
    members = np.arange(len(fold)) if part.members is None else part.members
    own = Side(part.dataset, part.ranks, {model.id: model.test for model in part.models})
    for number in range(int(fold.max()) + 1):
        tested = np.flatnonzero(part.ranks.fold == number)
        if not len(tested):
            continue
        inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        side = own.within(tested)
        models = [replace(model, test=side.cuts[model.id], ranks=side.ranks) for model in part.models]
        dev = whole.within(outside)
        of_fold = replace(
            part,
            ranks=side.ranks,
            models=models,
            chosen_on=dev,
            chosen_on_mixes={None: dev},
            judged_on=whole.within(inside),
        )
        of_units = units.of(members[tested]), units.of(outside)
        yield of_fold, UnitsOfPart(*of_units, shared=True, fold=number)


def _keeping_classes(units: Units, label: BoolArray, fold: IntArray) -> Units:
    """Return units of which no resample loses a class outside a fold: a threshold is chosen there."""
    outside = (
        np.unique(units.atom_of_trial[(fold != number) & (label == of_class)])
        for number in range(int(fold.max()) + 1)
        for of_class in (True, False)
    )
    held = tuple(Ends(atoms) for atoms in outside if len(atoms) < NEVER_LOST)
    return replace(units, pool=replace(units.pool, held=(*units.pool.held, *held)))


def over_folds(by_fold: Iterable[Mapping[ThresholdKey, Replicates]]) -> dict[ThresholdKey, Replicates]:
    """Return the errors of all folds together: sums of theirs in every resample."""
    total: dict[ThresholdKey, Replicates] = {}
    for of_fold in by_fold:
        for place, errors in of_fold.items():
            total[place] = total[place].plus(errors) if place in total else errors
    return total
