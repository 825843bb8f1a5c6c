"""Which numbers of the first screen follow from the held counts: what a page recomputes when asked to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reporting.core.measures.measure import Measure
from reporting.document.words import decisions
from reporting.features.recompute.held import HeldSet

IN_CLOSED_FORM = ("wilson", "clopper_pearson", "wilson_effective", "korn_graubard", "square_and_add")
"""Methods of intervals that the script has."""


def checks(sets: Sequence[HeldSet]) -> Mapping[str, Any]:
    """Return the numbers of the first screen that follow from the counts, and how many others it has.

    Each with the value of the frames; ``table`` is the first screen's table that prints them.
    """
    weighted = bool(sets) and sets[0].view.results.weighted
    rows, rest = list[Mapping[str, Any]](), 0
    for number, held in enumerate(sets):
        if held.group or not held.view.whole or held.view.averaged:
            continue
        measure = held.view.study.primary.measure
        outcome, keys = decisions.answer(held.view), [model.model for model in held.models]
        for at, model in enumerate(held.models):
            row = held.view.primary(model.model)
            contrast = outcome.decisions[model.model].contrast
            if contrast is not None:
                rest += _known(contrast.low, contrast.high, outcome.decisions[model.model].p)
            if row is None or row.value is None:
                continue
            place = None if row.criterion is None else model.place_of(row.criterion)
            how = None if place is None else _how(measure)
            ends = [row.ci_low, row.ci_high]
            if how is None:
                rest += _known(row.value, *ends)
                continue
            closed = row.ci_method in IN_CLOSED_FORM and None not in ends
            rest += 0 if closed else _known(*ends)
            rows.append(
                {
                    "table": held.view.unique_name("summary"),
                    "set": number,
                    "model": at,
                    "place": place,
                    **how,
                    "value": row.value,
                    # Of weighted trials those of the frame are not weighted.
                    "errors": None if weighted else [row.misses, row.false_alarms],
                    "limits": ends if closed else None,
                    "level": row.level,
                    "scale": held.view.printing(measure).scale,
                    "against": keys.index(contrast.other) if contrast and contrast.other in keys else None,
                    "difference": None if contrast is None else contrast.value,
                }
            )
    return {"rows": rows, "rest": rest}


def _known(*values: float | None) -> int:
    return sum(value is not None for value in values)


def _how(measure: Measure) -> Mapping[str, Any] | None:
    """Return how the script computes a measure: a share of the four cells, or a sum of both rates."""
    if measure.counted is not None and measure.arguments.get("prevalence", "sample") == "sample":
        return {"share": [measure.counted.part, measure.counted.whole]}
    weights = measure.rate_weights()
    if weights is None or measure.mix is not None:
        return None
    return {"weights": [*weights, measure.constant]}
