"""Phrases that the captions and alternative texts of several pictures share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reporting.charts.rates import chosen_points, equal_cost_models
from reporting.charts.smooth import drawn_fit
from reporting.engine.model_runs import MEAN
from reporting.measures.threshold import FAR, FRR
from reporting.report import numbers
from reporting.report.blocks import Prose
from reporting.wording.oriented import reference
from reporting.wording.phrases import listing, threshold_phrase
from reporting.wording.printing import NARROW_SPACE
from reporting.wording.view import MEAN_LABEL, View

MOST_NUMBERS = 12
"""An alternative text gives the numbers of so many models."""

EMPTY_CLASS = "needs targets and non-targets on test."


def on_test(view: View) -> str:
    """Say which test: the beginning of a caption."""
    said = the_test(view)
    return f"{said[0].upper()}{said[1:]}"


def the_test(view: View) -> str:
    """Say which test within a sentence."""
    said = f"test of {view.where}" if view.where else "test"
    return f"{said} ({MEAN_LABEL})" if view.run == MEAN else said


def models(view: View) -> str:
    """Say how many models a picture shows."""
    count = len(view.results.models)
    return "one model" if count == 1 else f"{count} models"


def dots(view: View) -> str:
    """Say what the dots are, or nothing where there are none."""
    criterion = view.point_criterion
    if criterion is None or criterion.oracle:
        return ""
    return f"Dots: {threshold_phrase(criterion, view.study)} (a priori)"


def with_dots(view: View, said: str) -> str:
    """Add what the dots are to a caption."""
    return f"{said} {dots(view)}." if dots(view) else said


def equal_costs(view: View) -> str:
    """Say what the lines of equal cost are, or nothing."""
    found = equal_cost_models(view)
    if not found:
        return ""
    whose = "dot" if len(found) == 1 else "dots"
    measure = view.terms.measure(view.study.primary.measure)
    of = listing(view.names[model] for model in found)
    return f" Thin dashed lines: the same {measure} as at the {whose} of {of}."


def fitted(view: View, curves: Mapping[str, object]) -> str:
    """Say which fit the thin dark lines are, or nothing."""
    fit = drawn_fit(view)
    return f" Thin dark lines: fitted, {fit.printed}." if curves and fit is not None else ""


def points_in_numbers(view: View) -> str:
    """Give the chosen points in numbers, a priori."""
    far, frr, spoken = view.printing(FAR), view.printing(FRR), view.terms
    said = [
        f"{view.names[point.model]} {spoken.far} {far.value_with_unit(point.far)},"
        f" {spoken.frr} {frr.value_with_unit(point.frr)}"
        for point in chosen_points(view)
        if not point.oracle
    ]
    criterion = view.point_criterion
    if not said or criterion is None:
        return ""
    more = [f"and {len(said) - MOST_NUMBERS} more"] if len(said) > MOST_NUMBERS else []
    return f" At {threshold_phrase(criterion, view.study)}: {'; '.join(said[:MOST_NUMBERS] + more)}."


def percent(share: float) -> str:
    """Print a proportion for an alternative text."""
    return f"{numbers.percent(share, 1)}{NARROW_SPACE}%"


def by_model(view: View, texts: Mapping[str, str]) -> str:
    """List one text for each model that has one, in the report's order."""
    found: Iterable[str] = (
        f"{view.names[model]} {texts[model]}" for model in view.results.models if model in texts
    )
    return listing(found)


def pairs_to_draw(view: View) -> list[tuple[str, str]]:
    """Return the pairs whose pictures are drawn: all against the baseline, or the leader against the others.

    The models come in rank order.
    """
    other = reference(view)
    if other is None:
        return []
    rest = [model for model in view.ranked if model != other]
    return [(model, other) if view.study.baseline is not None else (other, model) for model in rest]


def more_pairs(figure: str, view: View, found: int, drawn: int) -> tuple[Prose, ...]:
    """Say how many pairs are not drawn, and which are."""
    other = reference(view)
    if found <= drawn or other is None:
        return ()
    name = view.names[other]
    which = f"against the baseline {name}" if view.study.baseline is not None else f"of the leader {name}"
    said = f"{figure} of the first {drawn} of {found} pairs {which} are drawn, by rank"
    return (Prose(f"{said}; the frames hold those of all pairs."),)


def empty_class(view: View) -> str:
    """Say that a picture needs both classes, to follow its name."""
    return view.terms.say(EMPTY_CLASS)


def left_out(figure: str, why: str) -> Prose:
    """Say in one line why a picture that was asked for is not there."""
    return Prose(f"{figure} {why}")
