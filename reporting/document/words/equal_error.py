"""The other equal error rate: speech papers interpolate the staircase, the report's is that of the hull."""

from __future__ import annotations

from reporting.core.measures.sweep import EER_INTERP, EER_ROCCH
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView


def interpolated(view: DatasetView) -> tuple[str, ...]:
    """Return the EER as speech papers quote it, of models for which a printed digit differs; else nothing.

    Nothing where the report shows it as a measure, or of the mean over runs.
    """
    if EER_INTERP in view.study.measures:
        return ()
    printed, others = view.printing(EER_ROCCH), []
    for model in view.ranked:
        row = view.metric(model, EER_ROCCH, None)
        if row is None or row.value is None or row.along_curve is None:
            continue
        if printed.value(row.along_curve) != printed.value(row.value):
            others.append(f"{view.names[model]} {printed.value_with_unit(row.along_curve)}")
    if not others:
        return ()
    return (
        "EER is that of the convex hull of the ROC curve (ROCCH-EER). Interpolated along the curve itself, as"
        f" many papers quote it: {listing(others)}.",
    )
