"""p-values of several pairs of models, adjusted as a config asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

from reporting.core.engine.study import Study
from reporting.core.resampling.paired import adjust
from reporting.core.resampling.settings import Correction

AdjustedP = Annotated[
    float | None, "p adjusted over the pairs of this number; null without a p, and without a correction"
]
CorrectionOf = Annotated[str | None, "how p is adjusted, Holm's for maxt; null where no pair is compared"]
FamilySize = Annotated[int | None, "pairs that p is adjusted over; null where no pair is compared"]
"""The fields ``p_adjusted``, ``correction`` and ``family_size`` of a row."""


def pair_correction(study: Study) -> Correction:
    """Return the correction of a config; Holm's for ``maxt``, which needs resamples of all pairs together."""
    return "holm" if study.inference.correction == "maxt" else study.inference.correction


def with_adjusted_pairs(rows: Iterable[Any], study: Study, family: tuple[str, ...]) -> list[Any]:
    """Return rows with p adjusted over those that have a baseline, and equal values of ``family``."""
    rows, correction = list(rows), pair_correction(study)
    families: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row.baseline is not None:
            families[tuple(getattr(row, name) for name in family)].append(at)
    for places in families.values():
        known = [rows[at].p_value for at in places]
        for at, p, own in zip(places, known, adjust(known, correction), strict=True):
            rows[at] = replace(
                rows[at],
                p_adjusted=None if p is None or correction == "none" else own,
                correction=correction,
                family_size=len(places),
            )
    return rows
