"""The one-paragraph answer: which model, at which cost, and how sure.

Every sentence is checked against the numbers by the tests. No sentence ranks models beyond what was
observed on test, unless a comparison shows it.
"""

from __future__ import annotations

import math

from reporting.charts.scope import Scope, scopes
from reporting.charts.words import terms_of
from reporting.frames.results import Results
from reporting.frames.teams import MEAN
from reporting.report import numbers
from reporting.sections.certainty import decisive_p, differs, shown_to_differ
from reporting.sections.contrast import Contrast, contrast
from reporting.sections.further_sentences import EQUIVALENT, margin_text
from reporting.sections.printing import printing
from reporting.sections.standing import standing
from reporting.sections.wording import (
    OWN_CUT,
    TUNED_SYSTEMS,
    few_units,
    level_text,
    listing,
    p_phrase,
    reason,
    threshold_phrase,
)

MOST_LEADERS = 3


def verdict(results: Results) -> str:
    """Return the verdict on the primary question, one for each dataset."""
    return " ".join(scope_verdict(scope) for scope in scopes(results) if scope.whole)


def scope_verdict(scope: Scope) -> str:
    """Return the verdict on one dataset."""
    leaders = _leaders(scope)
    if not leaders:
        return _nothing_defined(scope)
    said = [
        _first(scope, leaders),
        *_differences(scope, leaders),
        *_best_set(scope, leaders),
        *_undefined(scope),
    ]
    return " ".join(said)


def _leaders(scope: Scope) -> list[str]:
    """The models that attain the extreme value; more than one where they tie."""
    values = {key: _value(scope, key) for key in scope.ranked}
    defined = {key: value for key, value in values.items() if value is not None}
    if not defined:
        return []
    measure = scope.study.primary.measure
    extreme = measure.badness(next(iter(defined.values())))
    return [
        key for key, value in defined.items() if math.isclose(measure.badness(value), extreme, rel_tol=1e-12)
    ]


def _value(scope: Scope, model: str) -> float | None:
    row = scope.primary(model)
    return None if row is None else row["value"]


def _first(scope: Scope, leaders: list[str]) -> str:
    measure = scope.study.primary.measure
    if len(scope.results.models) == 1:
        amount = _with_interval(scope, leaders[0])
        said = f"{_name(scope, leaders[0])} has a test {_measure(scope)} of {amount}"
    elif len(leaders) == 1:
        said = f"{_name(scope, leaders[0])} has {_extreme(scope)}, {_with_interval(scope, leaders[0])}"
    else:
        shown = printing(scope, measure).value_with_unit(_value(scope, leaders[0]) or 0.0)
        said = f"{listing(_name(scope, key) for key in leaders)} share {_extreme(scope)}, {shown}"
    return f"{_introduced(scope, said)}."


def _extreme(scope: Scope) -> str:
    measure = scope.study.primary.measure
    if measure.ideal is not None:
        return f"the test {_measure(scope)} {measure.best}"
    return f"the {measure.best} test {_measure(scope)}"


def _introduced(scope: Scope, said: str) -> str:
    """Put the dataset and the thresholds before a statement; a model's name is never capitalised."""
    asked = scope.study.primary
    before = [f"on {scope.where}"] if scope.where else []
    before += ["as the mean over runs"] if scope.run == MEAN else []
    if asked.measure.over == "threshold":
        before.append(f"at {threshold_phrase(asked.criterion, scope.study)}")
    if asked.measure.own_cut:
        before.append(OWN_CUT)
    if not before:
        return said
    opening = ", ".join(before)
    return f"{opening[0].upper()}{opening[1:]}, {said}"


def _with_interval(scope: Scope, model: str) -> str:
    row, printed = scope.primary(model), printing(scope, scope.study.primary.measure)
    if row is None:
        return ""
    text = printed.value_with_unit(row["value"])
    return text if row["ci_low"] is None else f"{text} {printed.interval(row['ci_low'], row['ci_high'])}"


def _differences(scope: Scope, leaders: list[str]) -> list[str]:
    other = _opponent(scope, leaders)
    if other is None:
        return []
    found = ((key, contrast(scope, key, other)) for key in leaders[:MOST_LEADERS])
    alone = len(leaders) == 1
    return [_difference(scope, made, "Its" if alone else None) for _, made in found if made is not None]


def _opponent(scope: Scope, leaders: list[str]) -> str | None:
    """The baseline, unless it leads itself: then the first behind the leaders, or the other leader."""
    baseline = scope.study.baseline
    if baseline is not None and baseline not in leaders:
        return baseline
    behind = [key for key in scope.ranked if key not in leaders and _value(scope, key) is not None]
    return behind[0] if behind else None


def _difference(scope: Scope, made: Contrast, owner: str | None) -> str:
    whose = owner or f"{_name(scope, made.model)}'s"
    other = _name(scope, made.other)
    if made.value is None:
        return f"{whose} difference to {other} is undefined: {reason(made.row['status'], terms_of(scope))}."
    printed = printing(scope, scope.study.primary.measure)
    amount = printed.difference_with_unit(made.value)
    if made.low is not None:
        amount = f"{amount} {printed.interval(made.low, made.high)}"
    if made.row["p_value"] is None:
        return f"{whose} difference to {other} is {amount}."
    sure = f"{p_phrase(scope, made.row)}{few_units(scope, made.row)}"
    aside = _tuned_aside(scope, made)
    if shown_to_differ(scope, made.row):
        return f"{whose} difference to {other} is {amount}; {sure}.{aside}"
    who = "It" if owner else _name(scope, made.model)
    within = _within_margin(scope, made)
    return f"{who} is not shown to differ from {other}: difference {amount}; {sure}.{aside}{within}"


def _within_margin(scope: Scope, made: Contrast) -> str:
    """Say whether two models are equivalent: only where a margin was chosen and its test was asked for."""
    frame = scope.results.tests
    if frame is None:
        return ""
    measure = str(scope.study.primary.measure)
    for row in scope.part(frame).filter(test="equivalence", measure=measure).to_dicts():
        if {row["model"], row["baseline"]} == {made.model, made.other} and row["p_value"] is not None:
            said = EQUIVALENT[row["verdict"]]
            margin = f"±{margin_text(scope, row)}"
            return f" The two are {said} within {margin} ({numbers.equation(row['p_value'])}, unadjusted)."
    return ""


def _tuned_aside(scope: Scope, made: Contrast) -> str:
    """Say in the same breath where the two tuned systems, as they stand, have another answer."""
    tuned = scope.tuned(made.row)
    if tuned is None or tuned["p_value"] is None:
        return ""
    if differs(scope, made.row["p_value"]) == differs(scope, tuned["p_value"]):
        return ""
    also = "are" if differs(scope, tuned["p_value"]) else "are not"
    p = numbers.equation(tuned["p_value"])
    return f" As they stand, {TUNED_SYSTEMS} {also} shown to differ on test ({p}, unadjusted)."


def _best_set(scope: Scope, leaders: list[str]) -> list[str]:
    """Say which models may have the best value; nothing where their replicates are not joint."""
    rows = standing(scope)
    inside = [row["model"] for row in rows if row["may_be_best"]]
    outside = [row["model"] for row in rows if row["may_be_best"] is False]
    if not inside:
        return []
    level = level_text(scope.study.inference.level)
    of = " of these tuned systems" if rows[0]["inference"] == "given_thresholds" else ""
    if not outside:
        who = "Both" if len(inside) == 2 else f"All {len(inside)}"
        every = f"{who} models may still be the one with {_the_extreme(scope)}{of}"
        return [f"{every} ({level} confidence)."]
    names = listing((_name(scope, key) for key in inside), last="or")
    sure = f"With {level} confidence {_the_extreme(scope)}{of} is that of {names}"
    return [f"{sure}; {_ruled_out(scope, outside)}{_asks_less(scope, leaders, outside)}."]


def _asks_less(scope: Scope, leaders: list[str], outside: list[str]) -> str:
    """Explain how a model may be ruled out as the best that is not shown to differ from the best."""
    other = _opponent(scope, leaders)
    made = contrast(scope, leaders[0], other) if other in outside else None
    if made is None or decisive_p(made.row) is None or shown_to_differ(scope, made.row):
        return ""
    size = made.row["family_size"] or 1
    if size == 1:
        return ", which is a one-sided question"
    return f", a one-sided question that asks less than the {size} comparisons do"


def _the_extreme(scope: Scope) -> str:
    measure = scope.study.primary.measure
    if measure.ideal is not None:
        return f"the {_measure(scope)} {measure.best}"
    return f"the {measure.best} {_measure(scope)}"


def _ruled_out(scope: Scope, models: list[str]) -> str:
    if len(models) == 1:
        return f"{_name(scope, models[0])} is ruled out"
    return f"the other {len(models)} models are ruled out"


def _undefined(scope: Scope) -> list[str]:
    """Name the models that could not take part."""
    without = [key for key in scope.results.models if _value(scope, key) is None]
    if not without:
        return []
    names = listing(_name(scope, key) for key in without)
    return [f"The {_measure(scope)} of {names} is undefined: {_why(scope, without[0])}."]


def _nothing_defined(scope: Scope) -> str:
    said = f"no model has a defined test {_measure(scope)}"
    text = _introduced(scope, said)
    return f"{text[0].upper()}{text[1:]}: {_why(scope, scope.results.models[0])}."


def _why(scope: Scope, model: str) -> str:
    row = scope.primary(model)
    return reason(None if row is None else row["status"], terms_of(scope))


def _name(scope: Scope, key: str) -> str:
    return scope.names[key]


def _measure(scope: Scope) -> str:
    return terms_of(scope).measure(scope.study.primary.measure)
