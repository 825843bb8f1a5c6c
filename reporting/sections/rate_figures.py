"""The drawings of FAR and FRR in words: DET, ROC and its variants."""

from __future__ import annotations

from collections.abc import Callable

from reporting.charts.det import det_figure
from reporting.charts.draw import Words
from reporting.charts.rates import bands, chosen_points, curves
from reporting.charts.roc import error_roc_figure, log_roc_figure, roc_figure
from reporting.charts.smooth import smooth_rates
from reporting.charts.threshold import coloured, quartiles, threshold_roc_figure
from reporting.measures.sweep import AUC
from reporting.report.blocks import Block, Figure
from reporting.report.numbers import count, significant
from reporting.sections.figure_words import (
    dots,
    empty_class,
    equal_costs,
    fitted,
    left_out,
    models,
    on_test,
    points_in_numbers,
    with_dots,
)
from reporting.wording.phrases import level_text, listing, units
from reporting.wording.view import View


def det(view: View) -> tuple[Block, ...]:
    """The DET; nothing where no model has both classes, which the cautions say already."""
    if not curves(view):
        return ()
    spoken = view.terms
    errors = f"{spoken.false_rejection} over {spoken.false_acceptance}"
    said = f"{on_test(view)}: {errors} at every threshold, probit axes."
    if marks := dots(view):
        has_rings = any(point.oracle for point in chosen_points(view))
        rings = ", rings: the same chosen on test (a posteriori)" if has_rings else ""
        said = f"{said} {marks}{rings}. A point without errors of one kind lies on the frame."
    alt = f"Detection error trade-off curves of {models(view)} on test.{points_in_numbers(view)}"
    return (det_figure(view, Words(said + _more(view), alt)),)


def roc(view: View) -> tuple[Block, ...]:
    """The ROC."""
    spoken = view.terms
    said = f"{spoken.hit_rate} over {spoken.false_acceptance} at every threshold."
    return _roc(view, roc_figure, said, "ROC curves") if curves(view) else ()


def roc_error(view: View) -> tuple[Block, ...]:
    """The ROC with errors on both axes."""
    if not curves(view):
        return (left_out("The ROC of errors", empty_class(view)),)
    spoken = view.terms
    errors = f"{spoken.false_rejection} over {spoken.false_acceptance}"
    said = f"{errors} at every threshold; nearer to the origin is better."
    return _roc(view, error_roc_figure, said, "ROC curves with errors on both axes")


def roc_log(view: View) -> tuple[Block, ...]:
    """The ROC with a logarithmic axis of false acceptance."""
    if not curves(view):
        return (left_out("The ROC with a logarithmic axis", empty_class(view)),)
    spoken = view.terms
    alarms = spoken.false_acceptance
    said = f"{spoken.hit_rate} over {alarms} at every threshold, {alarms} on a logarithmic axis."
    return _roc(view, log_roc_figure, said, f"ROC curves with a logarithmic axis of {alarms}")


def roc_threshold(view: View) -> tuple[Block, ...]:
    """The ROC of the baseline, or of the best model, coloured by threshold."""
    asked = [view.study.baseline] if view.study.baseline is not None else view.ranked
    model = next((one for one in asked if len(coloured(view, one))), None)
    if model is None:
        why = f"{empty_class(view)[:-1]}, and scores that differ."
        return (left_out("The ROC coloured by threshold", why),)
    name = view.names[model]
    least, *inner, most = (significant(value, 3) for value in quartiles(view, model))
    said = (
        f"{on_test(view)}: ROC of {name}; on screens its colour is the threshold, in equal steps of the"
        f" share of trials it rejects. A quarter, half and three quarters are rejected at {listing(inner)}."
    )
    alt = (
        f"ROC curve of {name} on test, coloured by threshold. Scores run from {least} to {most};"
        f" a quarter, half and three quarters of the trials lie below {listing(inner)}."
    )
    return (threshold_roc_figure(view, model, Words(said, alt)),)


def _roc(view: View, draw: Callable[[View, Words], Figure], said: str, called: str) -> tuple[Block, ...]:
    caption = with_dots(view, f"{on_test(view)}: {said}") + _more(view)
    alt = f"{called} of {models(view)} on test.{_areas(view) or points_in_numbers(view)}"
    return (draw(view, Words(caption, alt)),)


def _more(view: View) -> str:
    return equal_costs(view) + fitted(view, smooth_rates(view)) + _bands(view)


BANDS = {
    "fixed_width": "{level} fixed-width bands, which hold a whole curve at once",
    "sup_t": "{level} sup-t bands, which hold a whole curve at once between 1 and 99 % {false_acceptance}",
    "sjr": "{level} simultaneous joint regions, which hold a whole curve at once, of independent trials",
    "vertical": "{level} percentile intervals at each rate of {false_acceptance} by itself (pointwise)",
}


def _bands(view: View) -> str:
    """Say what the bands are, and of which models."""
    drawn = bands(view)
    if not drawn:
        return ""
    first = next(iter(drawn.values()))
    kind, level, unit, replicates = (first[name][0] for name in ("kind", "level", "unit", "replicates"))
    every = len(drawn) == len(view.results.models)
    whose = "" if every else f" of {listing(view.names[model] for model in drawn)}"
    facts = vars(view.terms) | {"level": level_text(level)}
    said = f" Bands{whose}: {BANDS[kind].format_map(facts)}"
    if replicates is None:
        return f"{said}."
    return f"{said}; {units(view.results, unit)} resampled, {count(replicates)} replicates."


def _areas(view: View) -> str:
    found = {key: view.metric(key, AUC, None) for key in view.results.models}
    printed = view.printing(AUC)
    said = [
        f"{view.names[key]} {printed.value(row.value)}"
        for key, row in found.items()
        if row is not None and row.value is not None
    ]
    return f" Area under the curve: {listing(said)}." if said else ""
