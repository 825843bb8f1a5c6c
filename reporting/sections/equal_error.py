"""The other equal error rate: speech papers interpolate the staircase, ours is that of the hull."""

from __future__ import annotations

from reporting.charts.rates import curves
from reporting.engine.model_runs import MEAN
from reporting.measures.sweep import EER_INTERP, EER_ROCCH
from reporting.stats.sweep import eer_interp
from reporting.wording.phrases import listing
from reporting.wording.view import View


def interpolated(view: View) -> tuple[str, ...]:
    """Return the EER as speech papers quote it, of models for which a printed digit differs; else nothing.

    Nothing where the report shows it as a measure, or draws no curve that it could be read from.
    """
    measures = view.study.measures
    if EER_ROCCH not in measures or EER_INTERP in measures or view.run == MEAN:
        return ()
    printed, staircases = view.printing(EER_ROCCH), curves(view)
    others = []
    for model in view.ranked:
        row = view.metric(model, EER_ROCCH, None)
        if row is None or row.value is None or model not in staircases:
            continue
        false_alarms, misses = staircases[model]
        other = float(eer_interp(misses, false_alarms))
        if printed.value(other) != printed.value(row.value):
            others.append(f"{view.names[model]} {printed.value_with_unit(other)}")
    if not others:
        return ()
    return (
        "EER is that of the convex hull of the ROC curve (ROCCH-EER). Interpolated along the curve itself, as"
        f" many papers quote it: {listing(others)}.",
    )
