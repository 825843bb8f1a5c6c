"""The frame ``class_group_differences``: how far groups lie from the rest, by measures of several classes.

All trials are drawn together, and a group and its rest are read off the same resamples: clusters with trials
in both count once. Of two groups the rest of one is the other, and one difference is enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.codes import Status
from reporting.base.records import dataclass, replace
from reporting.core.engine.partition import MOST_CONTRASTED, Partition
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.measures.threshold import ACCURACY, RECALL
from reporting.core.resampling.design import Design
from reporting.core.resampling.paired import PairedDifference, compare_replicates
from reporting.core.resampling.units import Units
from reporting.core.stats.intervals import level_of
from reporting.core.stats.multiplicity import (
    largest_distances,
    p_of_largest,
    quantile_of_largest,
    standard_errors,
)
from reporting.core.stats.special import ndtri
from reporting.document.frames.contract import Frame, PlaceRow
from reporting.document.frames.judged import JudgedRun
from reporting.document.frames.recipe import Rows, frame_of
from reporting.features.classes.frame import (
    COMPARED,
    PLACE,
    Estimates,
    measured_classes,
    runs_by_model,
    wanted,
)
from reporting.features.classes.measured import (
    MICRO,
    SWEPT,
    ClassQuantity,
    Estimated,
    MeasuredClasses,
)

REST = "rest"
BOUNDS = (0.0, 1.0)
"""Of all measures that groups are held against one another by."""
FEW_UNITS = 10
"""Units (trials or clusters) with trials of a class, below which a group takes no part."""
FEW_ERRORS = 5
"""Wrong top labels, and right ones, that a group would have at the share of all trials to take part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassGroupDifferenceRow(PlaceRow):
    """A row of ``class_group_differences``."""

    model: Annotated[str, "key of the model in the trial table"]
    against: Annotated[str, "rest: all test trials outside the group; of two groups the name of the other"]
    measure: Annotated[str, "as in classes"]
    average: Annotated[str, "as in classes"]
    label: Annotated[str | None, "the class; null of all classes together"] = None
    value: Annotated[float | None, "the measure in the group; null where undefined"] = None
    other: Annotated[float | None, "the measure in what it is held against; null where undefined"] = None
    difference: Annotated[float | None, "value less other; null if left out"] = None
    ci_low: Annotated[float | None, "lower limit, all groups together; null without one"] = None
    ci_high: Annotated[float | None, "upper limit, all groups together; null without one"] = None
    p_value: Annotated[float | None, "two-sided, of this group alone; null without one"] = None
    p_adjusted: Annotated[float | None, "p of all groups together, by max-T; null without one"] = None
    family_size: Annotated[int, "differences that limits and adjusted p hold for together"] = 0
    status: Annotated[str | None, "why there are no limits; null where there are"] = None


BETWEEN_GROUPS = Frame(
    "class_group_differences",
    ClassGroupDifferenceRow,
    (*PLACE, "model", "against", "measure", "average", "label"),
)


class GroupSide(NamedTuple):
    """A group, or what it is held against, with the numbers of every model there."""

    measured: MeasuredClasses
    of: Estimates


class GroupContrast(NamedTuple):
    """A group with what it is held against."""

    group: GroupSide
    other: GroupSide

    def fewest_units(self, quantity: ClassQuantity) -> int:
        """Return the units of the class with fewest, in either, of those that count; of accuracy all do."""
        present = np.flatnonzero(self.group.measured.n + self.other.measured.n)
        places = present if quantity.place is None else [quantity.place]
        fewest = []
        for side in self:
            truth, units = side.measured.trials.truth, side.measured.units
            classes = [truth >= 0] if quantity.measure is ACCURACY else [truth == at for at in places]
            fewest += [_n_units(units, of) for of in classes]
        return min(fewest)


def group_difference_rows(run: JudgedRun) -> Rows:
    """Yield the differences of groups of every dataset."""
    for whole, of_models in run.once(measured_classes, run):
        if not whole.trials.group:
            yield from contrast_rows(whole, of_models)


def contrast_rows(whole: MeasuredClasses, of_models: Estimates) -> Iterator[ClassGroupDifferenceRow]:
    """Yield for every breakdown, model and measure how far each group lies from the rest.

    Limits and adjusted p hold for all groups of a breakdown together, for one measure of one model: max-T
    over resamples that groups share. A group takes no part where a class has fewer than ten units there or
    in the rest, or would have fewer than five wrong or right top labels at the share of all trials.
    """
    for partition in whole.trials.partitions(whole.study):
        if partition.n == 1:
            continue
        contrasts = _contrasts(whole, partition) if partition.n <= MOST_CONTRASTED else []
        for model in of_models:
            for quantity in _quantities(whole):
                if contrasts:
                    yield from _rows(whole, contrasts, model, quantity, of_models[model])
                else:
                    row = _row(whole, "", REST, model, quantity)
                    for name in partition.names:
                        yield replace(row, group=name, status="too_many_groups")


def _quantities(whole: MeasuredClasses) -> list[ClassQuantity]:
    of_all = (of for of in COMPARED if of.average != MICRO or of.measure not in SWEPT)
    return [*of_all, *(ClassQuantity(RECALL, "class", place) for place in whole.present)]


def _contrasts(whole: MeasuredClasses, partition: Partition) -> list[GroupContrast]:
    members = zip(partition.members, partition.names, strict=True)
    groups = [_side(whole, *each) for each in members]
    if partition.n == 2:
        return [GroupContrast(*groups)]
    return [GroupContrast(group, _side(whole, partition.rest(at), REST)) for at, group in enumerate(groups)]


def _side(whole: MeasuredClasses, members: IntArray, name: str) -> GroupSide:
    trials, quantities = whole.trials.among(members, name), set(_quantities(whole))
    units = whole.units.of(members)
    measured = replace(whole, trials=trials, drawn_as=units, is_whole=False)
    of_models: Estimates = {
        model: {quantity: of for quantity, of in measured.estimates(runs) if quantity in quantities}
        for model, runs in runs_by_model(measured)
    }
    return GroupSide(measured, of_models)


def _row(
    whole: MeasuredClasses, group: str, against: str, model: str, quantity: ClassQuantity
) -> ClassGroupDifferenceRow:
    place = quantity.place
    return ClassGroupDifferenceRow(
        dataset=whole.trials.dataset,
        split="test",
        group=group,
        model=model,
        against=against,
        measure=str(quantity.measure),
        average=quantity.average,
        label=None if place is None else whole.trials.labels[place],
    )


def _rows(
    whole: MeasuredClasses,
    contrasts: Sequence[GroupContrast],
    model: str,
    quantity: ClassQuantity,
    of_all: dict[ClassQuantity, Estimated],
) -> list[ClassGroupDifferenceRow]:
    """Return a row for each group, those with limits as one family."""
    rows, tested = [], {}
    for at, (group, other) in enumerate(contrasts):
        row = _row(whole, group.measured.trials.group, other.measured.trials.group, model, quantity)
        values = [side.of[model][quantity].value for side in (group, other)]
        value, held_against = (defined(each) for each in values)
        difference, why = defined(values[0] - values[1]), _why_not(contrasts[at], quantity, of_all)
        rows.append(replace(row, value=value, other=held_against, status=why or "degenerate"))
        if difference is not None and why is None:
            rows[at] = replace(rows[at], difference=difference)
            tested[at] = _drawn(contrasts[at], model, quantity, difference)
    if not tested:
        return rows
    drawn = np.column_stack([of for of, _ in tested.values()])
    kept = drawn[np.isfinite(drawn).all(axis=1)]
    family = [
        compare_replicates(rows[at].difference or 0.0, column, design, alike=not column.any())
        for column, (at, (_, design)) in zip(kept.T, tested.items(), strict=True)
    ]
    for at, of, p_adjusted in zip(tested, *_together(family, kept, whole.study.inference.level), strict=True):
        rows[at] = replace(
            rows[at],
            ci_low=of.low,
            ci_high=of.high,
            p_value=of.p_value,
            p_adjusted=p_adjusted,
            family_size=len(family),
            status=of.status or ("degenerate" if of.low is None else None),
        )
    return rows


def _drawn(
    contrast: GroupContrast, model: str, quantity: ClassQuantity, difference: float
) -> tuple[FloatArray, Design]:
    """Return the difference in resamples, and how trials of both sides depend on one another.

    Student's t has at most the degrees of freedom of the class with fewest units, which decides means most.
    """
    group, other = (side.of[model][quantity].replicates for side in contrast)
    assert group is not None
    assert other is not None
    drawn, design = contrast.group.measured.design_with(contrast.other.measured).reduced(
        group - other, difference
    )
    return drawn, replace(design, df=design.least_df(contrast.fewest_units(quantity) - 1))


def _together(
    family: Sequence[PairedDifference], drawn: FloatArray, level: float
) -> tuple[list[PairedDifference], list[float | None]]:
    """Return differences with limits that hold together, and their p-values adjusted, both by max-T.

    Each p counts as the normal |z| that has it: max-T is of normal ones, and so are limits of Student's t.
    """
    at = [place for place, of in enumerate(family) if of.limits_at is not None]
    if len(at) < 2:
        return [of.within(BOUNDS) for of in family], [of.p_value for of in family]
    away = drawn[:, at] - drawn[:, at].mean(axis=0)
    still = np.zeros(len(at))
    farthest = largest_distances(still, away, standard_errors(still, away))
    of_each = level_of(quantile_of_largest(farthest, level))
    joint, adjusted = list(family), [of.p_value for of in family]
    for place in at:
        of = family[place]
        assert of.limits_at is not None
        assert of.p_value is not None
        limits = of.limits_at(of_each) if math.isfinite(of_each) else None
        low, high = (None, None) if limits is None else (limits.low, limits.high)
        joint[place] = replace(of, low=low, high=high)
        adjusted[place] = max(of.p_value, p_of_largest(-ndtri(of.p_value / 2), farthest))
    return [of.within(BOUNDS) for of in joint], adjusted


def _why_not(
    contrast: GroupContrast, quantity: ClassQuantity, of_all: dict[ClassQuantity, Estimated]
) -> Status | None:
    """Say why a group takes no part, by its size and by what all trials show: its own errors have no say."""
    if contrast.fewest_units(quantity) < FEW_UNITS:
        return "few_units"
    if quantity.measure in SWEPT:
        return None
    right = of_all[ClassQuantity(ACCURACY, MICRO) if quantity.place is None else quantity].value
    for of in (side.measured.n for side in contrast):
        n = int(of.sum() if quantity.place is None else of[quantity.place])
        if n * min(right, 1 - right) < FEW_ERRORS:
            return "few_errors"
    return None


def _n_units(units: Units, members: BoolArray) -> int:
    """Return how many units some of the trials hang on; of two members of a pair, the fewer."""
    atoms = np.unique(units.of_trial[members])
    return len(atoms) if units.ends is None or not len(atoms) else units.ends.of(atoms).fewest


def _are_compared(study: Study) -> bool:
    """Return whether groups are: readers that are a sample have no test between groups."""
    return wanted(study) and study.runs != "reader"


RECIPES = (frame_of(BETWEEN_GROUPS, run=group_difference_rows, wanted=_are_compared),)
