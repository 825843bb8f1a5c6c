"""The drawings of FAR and FRR in words: DET, ROC and its variants."""

from __future__ import annotations

from collections.abc import Callable

from reporting.charts.det import det_figure
from reporting.charts.draw import Words
from reporting.charts.rates import bands, chosen_points, curves
from reporting.charts.roc import error_roc_figure, log_roc_figure, roc_figure
from reporting.charts.scope import Scope
from reporting.charts.smooth import smooth_rates
from reporting.charts.threshold import coloured, quartiles, threshold_roc_figure
from reporting.charts.words import terms_of
from reporting.measures.areas import AUC
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
from reporting.sections.printing import printing
from reporting.sections.wording import level_text, listing, units


def det(scope: Scope) -> tuple[Block, ...]:
    """The DET; nothing where no model has both classes, which the cautions say already."""
    if not curves(scope):
        return ()
    spoken = terms_of(scope)
    errors = f"{spoken.false_rejection} over {spoken.false_acceptance}"
    said = f"{on_test(scope)}: {errors} at every threshold, probit axes."
    if marks := dots(scope):
        has_rings = any(point.oracle for point in chosen_points(scope))
        rings = ", rings: the same chosen on test (a posteriori)" if has_rings else ""
        said = f"{said} {marks}{rings}. A point without errors of one kind lies on the frame."
    alt = f"Detection error trade-off curves of {models(scope)} on test.{points_in_numbers(scope)}"
    return (det_figure(scope, Words(said + _more(scope), alt)),)


def roc(scope: Scope) -> tuple[Block, ...]:
    """The ROC."""
    spoken = terms_of(scope)
    said = f"{spoken.hit_rate} over {spoken.false_acceptance} at every threshold."
    return _roc(scope, roc_figure, said, "ROC curves") if curves(scope) else ()


def roc_error(scope: Scope) -> tuple[Block, ...]:
    """The ROC with errors on both axes."""
    if not curves(scope):
        return (left_out("The ROC of errors", empty_class(scope)),)
    spoken = terms_of(scope)
    errors = f"{spoken.false_rejection} over {spoken.false_acceptance}"
    said = f"{errors} at every threshold; nearer to the origin is better."
    return _roc(scope, error_roc_figure, said, "ROC curves with errors on both axes")


def roc_log(scope: Scope) -> tuple[Block, ...]:
    """The ROC with a logarithmic axis of false acceptance."""
    if not curves(scope):
        return (left_out("The ROC with a logarithmic axis", empty_class(scope)),)
    spoken = terms_of(scope)
    alarms = spoken.false_acceptance
    said = f"{spoken.hit_rate} over {alarms} at every threshold, {alarms} on a logarithmic axis."
    return _roc(scope, log_roc_figure, said, f"ROC curves with a logarithmic axis of {alarms}")


def roc_threshold(scope: Scope) -> tuple[Block, ...]:
    """The ROC of the baseline, or of the best model, coloured by threshold."""
    asked = [scope.study.baseline] if scope.study.baseline is not None else scope.ranked
    model = next((one for one in asked if len(coloured(scope, one))), None)
    if model is None:
        why = f"{empty_class(scope)[:-1]}, and scores that differ."
        return (left_out("The ROC coloured by threshold", why),)
    name = scope.names[model]
    least, *inner, most = (significant(value, 3) for value in quartiles(scope, model))
    said = (
        f"{on_test(scope)}: ROC of {name}; on screens its colour is the threshold, in equal steps of the"
        f" share of trials it rejects. A quarter, half and three quarters are rejected at {listing(inner)}."
    )
    alt = (
        f"ROC curve of {name} on test, coloured by threshold. Scores run from {least} to {most};"
        f" a quarter, half and three quarters of the trials lie below {listing(inner)}."
    )
    return (threshold_roc_figure(scope, model, Words(said, alt)),)


def _roc(scope: Scope, draw: Callable[[Scope, Words], Figure], said: str, called: str) -> tuple[Block, ...]:
    caption = with_dots(scope, f"{on_test(scope)}: {said}") + _more(scope)
    alt = f"{called} of {models(scope)} on test.{_areas(scope) or points_in_numbers(scope)}"
    return (draw(scope, Words(caption, alt)),)


def _more(scope: Scope) -> str:
    return equal_costs(scope) + fitted(scope, smooth_rates(scope)) + _bands(scope)


BANDS = {
    "fixed_width": "{level} fixed-width bands, which hold a whole curve at once",
    "sup_t": "{level} sup-t bands, which hold a whole curve at once between 1 and 99 % {false_acceptance}",
    "sjr": "{level} simultaneous joint regions, which hold a whole curve at once, of independent trials",
    "vertical": "{level} percentile intervals at each rate of {false_acceptance} by itself (pointwise)",
}


def _bands(scope: Scope) -> str:
    """Say what the bands are, and of which models."""
    drawn = bands(scope)
    if not drawn:
        return ""
    row = next(iter(drawn.values())).row(0, named=True)
    every = len(drawn) == len(scope.results.models)
    whose = "" if every else f" of {listing(scope.names[model] for model in drawn)}"
    facts = vars(terms_of(scope)) | {"level": level_text(row["level"])}
    said = f" Bands{whose}: {BANDS[row['kind']].format_map(facts)}"
    if row["replicates"] is None:
        return f"{said}."
    return f"{said}; {units(scope.results, row['unit'])} resampled, {count(row['replicates'])} replicates."


def _areas(scope: Scope) -> str:
    found = {key: scope.metric(key, AUC, None) for key in scope.results.models}
    printed = printing(scope, AUC)
    said = [
        f"{scope.names[key]} {printed.value(row['value'])}"
        for key, row in found.items()
        if row is not None and row["value"] is not None
    ]
    return f" Area under the curve: {listing(said)}." if said else ""
