"""Calibration and net benefit of a prediction model in a sentence each, for the first screen."""

from __future__ import annotations

from collections.abc import Iterator

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


def core_lines(results: Results) -> Iterator[str]:
    """Yield a sentence each on calibration and on net benefit, of every dataset of a prediction model."""
    for view in views(results):
        if results.study.profile == "stratos" and results.study.primary.measure == AUC and view.whole:
            where = f"On {view.where}: " if view.where else ""
            for line in (_calibration(view), _benefit(view)):
                if line:
                    yield f"{where}{line}"


def _calibration(view: DatasetView) -> str:
    """Return for which models the limits of O:E ratio or slope leave out 1."""
    off = {model: texts for model in view.ranked[:MOST_MODELS] if (texts := list(_off(view, model)))}
    judged = [model for model in view.ranked[:MOST_MODELS] if _has_limits(view, model)]
    if not judged:
        return ""
    if not off:
        ideal = f"{view.terms.measure(IN_THE_LARGE)} and {view.terms.measure(SLOPE)}"
        return (
            f"Calibration: no departure is shown ({level_text(view.study.inference.level)} CIs of {ideal})."
        )
    clauses = [f"{view.names[model]} ({listing(texts)})" for model, texts in off.items()]
    return f"Miscalibrated: {'; '.join(clauses)}."


def _has_limits(view: DatasetView, model: str) -> bool:
    rows = (view.metric(model, measure, None) for measure in (IN_THE_LARGE, SLOPE))
    return any(row is not None and row.ci_low is not None for row in rows)


def _off(view: DatasetView, model: str) -> Iterator[str]:
    """Yield what a model's predictions are, with the measure whose limits leave out 1."""
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
            value = f"{view.terms.measure(measure)} {printed.value(row.value)}"
            limits = printed.interval(row.ci_low, row.ci_high)
            yield f"{below if row.ci_high < 1 else above}, {value} {limits}"


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
