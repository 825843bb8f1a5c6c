"""Calibration and net benefit of a prediction model in a sentence each, for the first screen."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.frames.results import Results
from reporting.document.words.core_set import AUC
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.view import DatasetView, views
from reporting.features.calibration_and_benefit.core_set import PROBABILITIES
from reporting.features.calibration_and_benefit.net_benefit_frame import NET_BENEFIT

IN_THE_LARGE, SLOPE = MEASURES["oe_ratio"], MEASURES["calibration_slope"]
MOST_MODELS = 3
"""So many models have their calibration in words."""


def calibration_lines(results: Results) -> Iterator[str]:
    """Yield a sentence on calibration, of every dataset of a prediction model."""
    yield from _lines(results, _calibration)


def benefit_lines(results: Results) -> Iterator[str]:
    """Yield a sentence on net benefit, of every dataset of a prediction model."""
    yield from _lines(results, _benefit)


def _lines(results: Results, sentence: Callable[[DatasetView], str]) -> Iterator[str]:
    if results.study.profile != "stratos" or results.study.primary.measure != AUC:
        return
    for view in views(results):
        if view.whole and (line := sentence(view)):
            yield f"On {view.where}: {line}" if view.where else line


def _calibration(view: DatasetView) -> str:
    """Return for which models the limits of O:E ratio or slope leave out 1."""
    off = {model: each for model in view.ranked[:MOST_MODELS] if (each := [*_off(view, model)])}
    measured = itertools.product(view.ranked[:MOST_MODELS], (IN_THE_LARGE, SLOPE))
    rows = (view.metric(model, measure, None) for model, measure in measured)
    if not any(row is not None and row.ci_low is not None for row in rows):
        return ""
    if not off:
        ideal = f"{view.terms.measure(IN_THE_LARGE)} and {view.terms.measure(SLOPE)}"
        return (
            f"Calibration: no departure is shown ({level_text(view.study.inference.level)} CIs of {ideal})."
        )
    faults = {tuple((fault, measure) for fault, measure, _ in each) for each in off.values()}
    if len(faults) == 1 and len(off) > 1 and len(next(iter(faults))) == 1:
        ((fault, measure),) = next(iter(faults))
        values = (f"{view.names[model]} {value}" for model, ((_, _, value),) in off.items())
        return f"Miscalibrated, {fault}: {measure} of {listing(values)}."
    clauses = (
        f"{view.names[model]} ({listing(f'{fault}, {measure} {value}' for fault, measure, value in each)})"
        for model, each in off.items()
    )
    return f"Miscalibrated: {'; '.join(clauses)}."


def _off(view: DatasetView, model: str) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with a model's predictions, the measure whose limits leave out 1, and its value."""
    wordings: tuple[tuple[Measure, str, str], ...] = (
        (IN_THE_LARGE, "risks too high", "risks too low"),
        (SLOPE, "risks too extreme", "risks too moderate"),
    )
    for measure, below, above in wordings:
        row = view.metric(model, measure, None)
        if row is None or row.value is None or row.ci_low is None or row.ci_high is None:
            continue
        if row.ci_high < 1 or row.ci_low > 1:
            printed = view.printing(measure)
            value = f"{printed.value(row.value)} {printed.interval(row.ci_low, row.ci_high)}"
            yield below if row.ci_high < 1 else above, view.terms.measure(measure), value


def _benefit(view: DatasetView) -> str:
    """Return at which threshold probabilities the first model has the highest net benefit, as observed."""
    rows = {
        (row.model, row.probability): row
        for row in view.rows(NET_BENEFIT, "test")
        if not row.standardised and row.net_benefit is not None
    }
    first = view.ranked[0]
    known = [at for at in PROBABILITIES if (first, at) in rows]
    if not known:
        return ""

    def leads(at: float) -> bool:
        own = rows[first, at]
        others = [
            row.net_benefit or 0.0 for (model, there), row in rows.items() if there == at and model != first
        ]
        return (own.net_benefit or 0.0) > max(0.0, own.treat_all or 0.0, *others)

    highest = [at for at in known if leads(at)]
    if not highest:
        return f"{view.names[first]} has the highest observed net benefit at none of the thresholds examined."
    thresholds = listing(f"{numbers.fixed(100 * at, 0)}%" for at in highest)
    return f"{view.names[first]} has the highest observed net benefit at risk thresholds of {thresholds}."
