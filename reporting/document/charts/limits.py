"""Shading of a curve whose rows have pointwise limits, and around them those of a simultaneous band."""

from __future__ import annotations

from reporting.document.charts.picture import ByModel, Strokes, in_percent
from reporting.document.words.phrases import level_text
from reporting.document.words.view import DatasetView

LIMITS = (("ci_low", "ci_high"), ("band_low", "band_high"))


def _first(view: DatasetView, rows: ByModel) -> str | None:
    """Return the one model whose limits are drawn: the first in rank that has any."""
    return next((m for m in view.ranked if m in rows and not rows[m]["ci_low"].null_count()), None)


def shading(view: DatasetView, rows: ByModel, at: str) -> Strokes:
    """Return both bands of one model, in percent, along the column ``at``."""
    model = _first(view, rows)
    if model is None:
        return []
    known = [limits for limits in LIMITS if not rows[model][limits[0]].null_count()]
    return [band for limits in known for band in in_percent({model: rows[model]}, at, *limits)]


def shading_in_words(view: DatasetView, rows: ByModel) -> str:
    """Say what the shading is; nothing where none is drawn."""
    model = _first(view, rows)
    if model is None:
        return ""
    level = level_text(rows[model]["level"][0])
    band = "" if rows[model]["band_low"].null_count() else f"; light, {level} simultaneous band"
    return f" Shading of {view.names[model]}: dark, pointwise {level} intervals{band}."
