"""The pictures: EPC beside DET, then what remains beside the ROC."""

from __future__ import annotations

import polars as pl

from reporting.charts.curve import chosen_points, curves
from reporting.charts.det import det_figure
from reporting.charts.draw import Words
from reporting.charts.epc import (
    MOST_BANDS,
    MOST_ORACLES,
    drawn_measures,
    epc_figure,
    epc_rows,
    leaves_the_frame,
)
from reporting.charts.roc import roc_figure
from reporting.charts.scope import Scope
from reporting.frames.results import Results
from reporting.measures.areas import AUC
from reporting.measures.measure import Measure
from reporting.measures.rates import FAR, FRR
from reporting.report import numbers
from reporting.report.blocks import Block, Figure, Section
from reporting.sections.by_scope import by_scope
from reporting.sections.printing import printing
from reporting.sections.wording import criterion_label, level_text, listing, threshold_phrase, units


def curve_figures(results: Results) -> Section | None:
    """Return the figures of every dataset, two side by side."""
    return by_scope("Curves", "curves", results, _blocks, beside=True)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    epcs = [_epc(scope, measure) for measure in drawn_measures(scope) if len(epc_rows(scope, measure))]
    drawn = curves(scope)
    det = [_det(scope)] if drawn and "det" in scope.study.curves else []
    roc = [_roc(scope)] if drawn and "roc" in scope.study.curves else []
    return (*epcs[:1], *det, *epcs[1:], *roc)


def _epc(scope: Scope, measure: Measure) -> Figure:
    banded = _banded(scope)
    return epc_figure(
        scope, measure, banded, Words(_epc_caption(scope, measure, banded), _epc_alt(scope, measure))
    )


def _banded(scope: Scope) -> list[str]:
    """All models while the bands can be told apart, else the two of which the verdict speaks."""
    if len(scope.results.models) <= MOST_BANDS:
        return list(scope.results.models)
    baseline = scope.study.baseline
    two = [baseline] if baseline is not None else []
    return (two + [key for key in scope.ranked if key not in two])[:2]


def _epc_caption(scope: Scope, measure: Measure, banded: list[str]) -> str:
    inference = scope.study.inference
    said = f"{_on_test(scope)}: {measure.printed} at thresholds chosen on dev for each α (a priori)."
    if epc_rows(scope, measure)["ci_low"].null_count() < len(epc_rows(scope, measure)):
        every = len(banded) == len(scope.results.models)
        whose = "" if every else f" of {listing(scope.names[key] for key in banded)}"
        said += (
            f" Bands{whose}: {level_text(inference.level)} percentile intervals, pointwise, given the"
            f" thresholds, {_resampled(scope)} resampled, {numbers.count(inference.replicates)} replicates."
        )
    if len(scope.results.models) <= MOST_ORACLES:
        said += " Thin dashed lines: thresholds chosen on test (a posteriori)."
    if leaves_the_frame(scope, measure, banded):
        said += " At α = 0 or 1 a curve leaves the frame."
    return said


def _on_test(scope: Scope) -> str:
    return f"Test of {scope.label}" if scope.label else "Test"


def _resampled(scope: Scope) -> str:
    return units(scope.results, scope.study.inference.unit)


def _epc_alt(scope: Scope, measure: Measure) -> str:
    rows, printed = epc_rows(scope, measure), printing(scope, measure)
    middle = min(rows["alpha"].to_list(), key=lambda alpha: (abs(alpha - 0.5), alpha))
    values = dict(rows.filter(pl.col("alpha") == middle).select("model", "value").rows())
    said = listing(
        f"{scope.names[key]} {printed.value_with_unit(values[key])}"
        for key in scope.results.models
        if key in values
    )
    curves_of = f"Expected performance curves of {_models(scope)}: {measure.printed} on test over α."
    return f"{curves_of} At α = {numbers.significant(middle, 2)}: {said}."


def _models(scope: Scope) -> str:
    count = len(scope.results.models)
    return "one model" if count == 1 else f"{count} models"


def _det(scope: Scope) -> Figure:
    said = f"{_on_test(scope)}: false rejection over false acceptance at every threshold, probit axes."
    if dots := _dots(scope):
        rings = ", rings: the same chosen on test (a posteriori)" if _has_rings(scope) else ""
        said = f"{said} {dots}{rings}. A point without errors of one kind lies on the frame."
    alt = f"Detection error trade-off curves of {_models(scope)} on test.{_points(scope)}"
    return det_figure(scope, Words(said, alt))


def _dots(scope: Scope) -> str:
    criterion = scope.point_criterion
    if criterion is None or criterion.oracle:
        return ""
    return f"Dots: {threshold_phrase(criterion)} (a priori)"


def _has_rings(scope: Scope) -> bool:
    return any(point.oracle for point in chosen_points(scope))


def _points(scope: Scope) -> str:
    """The chosen points in numbers, a priori."""
    far, frr = printing(scope, FAR), printing(scope, FRR)
    said = [
        f"{scope.names[point.model]} FAR {far.value_with_unit(point.far)},"
        f" FRR {frr.value_with_unit(point.frr)}"
        for point in chosen_points(scope)
        if not point.oracle
    ]
    criterion = scope.point_criterion
    if not said or criterion is None:
        return ""
    more = f"; and {len(said) - 12} more" if len(said) > 12 else ""
    return f" At thresholds chosen on dev by {criterion_label(criterion)}: {'; '.join(said[:12])}{more}."


def _roc(scope: Scope) -> Figure:
    said = f"{_on_test(scope)}: hit rate over false acceptance at every threshold."
    if dots := _dots(scope):
        said = f"{said} {dots}."
    alt = f"ROC curves of {_models(scope)} on test.{_areas(scope) or _points(scope)}"
    return roc_figure(scope, Words(said, alt))


def _areas(scope: Scope) -> str:
    found = {key: scope.metric(key, AUC, None) for key in scope.results.models}
    printed = printing(scope, AUC)
    said = [
        f"{scope.names[key]} {printed.value(row['value'])}"
        for key, row in found.items()
        if row is not None and row["value"] is not None
    ]
    return f" Area under the curve: {listing(said)}." if said else ""
