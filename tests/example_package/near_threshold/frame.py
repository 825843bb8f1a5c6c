"""The frame ``near_threshold``: the classes of the trials just above and just below each threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from reporting.base.arrays import IntArray
from reporting.core.counts.cuts import Cuts
from reporting.core.engine.operations import asked_criteria
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of

SHARE = 0.05
"""On either side of a threshold the nearest trials are counted, this share of all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NearRow(KeyRow):
    """A row of ``near_threshold``."""

    criterion: Annotated[str, "what chose the threshold"]
    threshold: Annotated[float, "threshold, on the scale of the trial table"]
    accepted_targets: Annotated[int, "targets among the accepted trials nearest to the threshold"]
    accepted_nontargets: Annotated[int, "non-targets among them"]
    rejected_targets: Annotated[int, "targets among the rejected trials nearest to the threshold"]
    rejected_nontargets: Annotated[int, "non-targets among them"]


NEAR_THRESHOLD = Frame("near_threshold", NearRow, (*KEY, "criterion"))


def near_rows(judged: JudgedPart) -> Iterator[NearRow]:
    """Yield one row per model and criterion on test; none where each fold has a threshold of its own."""
    for model in judged.models:
        for criterion in asked_criteria(judged.study):
            operation = model.single.get(criterion)
            if operation is not None and not operation.chosen.by_fold:
                threshold = float(operation.chosen.threshold[0])
                accepted, rejected = nearest(model.test, threshold)
                yield NearRow(
                    **model.key._asdict(),
                    criterion=str(criterion),
                    threshold=threshold,
                    accepted_targets=accepted[0],
                    accepted_nontargets=accepted[1],
                    rejected_targets=rejected[0],
                    rejected_nontargets=rejected[1],
                )


def nearest(cuts: Cuts, threshold: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return targets and non-targets nearest to a threshold among the accepted, then among the rejected.

    A score counts with all its trials unless ``SHARE`` of all trials are nearer on its side.
    """
    n_target, n_nontarget = cuts.raw or (cuts.n_target, cuts.n_nontarget)
    cut = int(cut_at(cuts.score, threshold))
    wanted = SHARE * sum(cuts.trials)
    return (
        _first(n_target[cut:], n_nontarget[cut:], wanted),
        _first(n_target[:cut][::-1], n_nontarget[:cut][::-1], wanted),
    )


def _first(n_target: IntArray, n_nontarget: IntArray, wanted: float) -> tuple[int, int]:
    trials = n_target + n_nontarget
    near = np.cumsum(trials) - trials < wanted
    return int(n_target[near].sum()), int(n_nontarget[near].sum())


RECIPES = (frame_of(NEAR_THRESHOLD, near_rows, wanted=lambda study: "near-threshold" in study.sections),)
