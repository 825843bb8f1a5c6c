"""Phrases that the captions and alternative texts of several pictures share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reporting.charts.rates import chosen_points, equal_cost_models
from reporting.charts.scope import MEAN_LABEL, Scope
from reporting.charts.smooth import drawn_fit
from reporting.charts.words import terms_of
from reporting.frames.teams import MEAN
from reporting.measures.rates import FAR, FRR
from reporting.report import numbers
from reporting.report.blocks import Prose
from reporting.sections.contrast import reference
from reporting.sections.printing import NARROW_SPACE, printing
from reporting.sections.wording import listing, threshold_phrase

MOST_NUMBERS = 12
"""An alternative text gives the numbers of so many models."""

EMPTY_CLASS = "needs targets and non-targets on test."


def on_test(scope: Scope) -> str:
    """Say which test: the beginning of a caption."""
    said = the_test(scope)
    return f"{said[0].upper()}{said[1:]}"


def the_test(scope: Scope) -> str:
    """Say which test within a sentence."""
    said = f"test of {scope.where}" if scope.where else "test"
    return f"{said} ({MEAN_LABEL})" if scope.run == MEAN else said


def models(scope: Scope) -> str:
    """Say how many models a picture shows."""
    count = len(scope.results.models)
    return "one model" if count == 1 else f"{count} models"


def dots(scope: Scope) -> str:
    """Say what the dots are, or nothing where there are none."""
    criterion = scope.point_criterion
    if criterion is None or criterion.oracle:
        return ""
    return f"Dots: {threshold_phrase(criterion, scope.study)} (a priori)"


def with_dots(scope: Scope, said: str) -> str:
    """Add what the dots are to a caption."""
    return f"{said} {dots(scope)}." if dots(scope) else said


def equal_costs(scope: Scope) -> str:
    """Say what the lines of equal cost are, or nothing."""
    found = equal_cost_models(scope)
    if not found:
        return ""
    whose = "dot" if len(found) == 1 else "dots"
    measure = terms_of(scope).measure(scope.study.primary.measure)
    of = listing(scope.names[model] for model in found)
    return f" Thin dashed lines: the same {measure} as at the {whose} of {of}."


def fitted(scope: Scope, curves: Mapping[str, object]) -> str:
    """Say which fit the thin dark lines are, or nothing."""
    fit = drawn_fit(scope)
    return f" Thin dark lines: fitted, {fit.printed}." if curves and fit is not None else ""


def points_in_numbers(scope: Scope) -> str:
    """Give the chosen points in numbers, a priori."""
    far, frr, spoken = printing(scope, FAR), printing(scope, FRR), terms_of(scope)
    said = [
        f"{scope.names[point.model]} {spoken.far} {far.value_with_unit(point.far)},"
        f" {spoken.frr} {frr.value_with_unit(point.frr)}"
        for point in chosen_points(scope)
        if not point.oracle
    ]
    criterion = scope.point_criterion
    if not said or criterion is None:
        return ""
    more = [f"and {len(said) - MOST_NUMBERS} more"] if len(said) > MOST_NUMBERS else []
    return f" At {threshold_phrase(criterion, scope.study)}: {'; '.join(said[:MOST_NUMBERS] + more)}."


def percent(share: float) -> str:
    """Print a proportion for an alternative text."""
    return f"{numbers.percent(share, 1)}{NARROW_SPACE}%"


def by_model(scope: Scope, texts: Mapping[str, str]) -> str:
    """List one text for each model that has one, in the report's order."""
    found: Iterable[str] = (
        f"{scope.names[model]} {texts[model]}" for model in scope.results.models if model in texts
    )
    return listing(found)


def pairs_to_draw(scope: Scope) -> list[tuple[str, str]]:
    """Return the pairs whose pictures are drawn: all against the baseline, or the leader against the others.

    The models come in rank order.
    """
    other = reference(scope)
    if other is None:
        return []
    rest = [model for model in scope.ranked if model != other]
    return [(model, other) if scope.study.baseline is not None else (other, model) for model in rest]


def more_pairs(figure: str, scope: Scope, found: int, drawn: int) -> tuple[Prose, ...]:
    """Say how many pairs are not drawn, and which are."""
    other = reference(scope)
    if found <= drawn or other is None:
        return ()
    name = scope.names[other]
    which = f"against the baseline {name}" if scope.study.baseline is not None else f"of the leader {name}"
    said = f"{figure} of the first {drawn} of {found} pairs {which} are drawn, by rank"
    return (Prose(f"{said}; the frames hold those of all pairs."),)


def empty_class(scope: Scope) -> str:
    """Say that a picture needs both classes, to follow its name."""
    return terms_of(scope).say(EMPTY_CLASS)


def left_out(figure: str, why: str) -> Prose:
    """Say in one line why a picture that was asked for is not there."""
    return Prose(f"{figure} {why}")
