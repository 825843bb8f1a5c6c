"""The ``standing`` frame: which models are in contention on the primary measure.

It needs resamples that all models share. Where trials are independent and thresholds given, every model
and pair has draws of its own, which show nothing of several models jointly: there the frame is left out.

Resamples are centred on the values, as in the headline D -+ z SD(D*) of a difference: what re-selected
thresholds do to all resamples of a model alike is no evidence against it. Uncentred, the best model left the
set in 7 to 8% of runs (nominal 5%; two exchangeable models, 300 or 100 targets), centred in 3 to 5%.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from reporting.core.engine.joint import JointValues, few_errors_choose, joint_values
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import difference
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.resampling.design import Design
from reporting.core.stats.swap import Swaps
from reporting.document.frames.comparisons import STANDING, StandingRow
from reporting.document.frames.recipe import frame_of, together
from reporting.features.comparisons.formulas import best_by_swaps, best_set


def standing_rows(models: list[JudgedModel], drawn: Resampling, study: Study) -> Iterator[StandingRow]:
    """Yield one row per model of a dataset: its value, the p against being the best, and whether it may be.

    ``may_be_best``: not significantly worse than the best, at 1 - level over all models jointly (Gupta 1965;
    Hsu 1981; ``formulas.best_set``). ``behind`` is the distance behind the best observed value,
    never below 0, with the limits of multiple comparisons with the best (Hsu 1984), each one-sided at
    ``level``: upper ones hold for all models together, a lower one is above 0 exactly where ``may_be_best``
    is false. Of several runs the mean counts; ``n_models`` took part.
    Nothing for groups, without trial keys, without any variance, or with fewer than two models of which the
    measure is defined.
    """
    joint = joint_values(models, drawn, study, swappable=not study.many)
    if joint is None or not len(joint.replicates) or joint.sound.sum() < 2:
        return
    level, loss, losses = study.inference.level, joint.loss, joint.losses
    if drawn.units.too_few or not losses.std(axis=0).any():
        return
    swapped = _by_pairs(joint, drawn, study) if joint.sound.all() else None
    if swapped is None:
        factor = Design.of(drawn.units, 2 * level - 1).factor  # one-sided
        centred = losses - losses.mean(axis=0)
        best = best_set(loss, loss + factor * centred, level, lower_is_better=True)
    else:
        best = best_by_swaps(loss, swapped, level)
    widest = joint.measure.bounds[1] - joint.measure.bounds[0]
    for at, of in enumerate(joint.samples):
        yield StandingRow(
            **of.system.key._asdict(),
            measure=str(joint.measure),
            criterion=None if joint.estimand is None else str(study.primary.criterion),
            value=defined(joint.values[at]),
            p_best=defined(best.p[at]),
            may_be_best=bool(best.member[at]) if joint.sound[at] else None,
            behind=defined(best.behind[at]),
            behind_low=defined(best.low[at]),
            behind_high=defined(min(best.high[at], widest)),
            n_models=int(joint.sound.sum()),
            level=level,
            inference=joint.estimand,
            replicates=len(losses),
            p_method="maxt" if swapped is None else "swap",
        )


def _by_pairs(joint: JointValues, drawn: Resampling, study: Study) -> dict[tuple[int, int], Swaps] | None:
    """What exchanges say of the losses' differences, by pair; None where joint resamples can be trusted."""
    systems, measure = [of.system for of in joint.samples], joint.measure
    if not few_errors_choose(systems[0].first, study):
        return None
    swapped = {}
    for i, j in itertools.combinations(range(len(systems)), 2):
        of = difference(Pair(systems[i], systems[j]), joint.samples[i].question, drawn, study, "procedure")
        if not of.swapped:
            return None
        losses = [measure.loss(errors.values(measure)[:, 0]) for errors in of.swapped]
        exchanged = np.mean([both[0::2] - both[1::2] for both in losses], axis=0)
        swapped[i, j] = Swaps.of(float(joint.loss[i] - joint.loss[j]), exchanged, drawn.imbalance)
    return swapped if all(np.isfinite(pair.swapped).all() for pair in swapped.values()) else None


RECIPES = (frame_of(STANDING, together(standing_rows), of="the primary measure"),)
