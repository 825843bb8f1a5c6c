"""The one-paragraph answer: which model, at which cost, and how sure.

Every sentence is checked against the numbers by the tests. Comparisons answer for two tuned
systems, so no sentence ranks models beyond what was observed on test.
"""

from __future__ import annotations

import math

from reporting.charts.scope import Scope, scopes
from reporting.frames.results import Results
from reporting.sections.contrast import Contrast, contrast
from reporting.sections.printing import printing
from reporting.sections.wording import OWN_CUT, few_units, listing, p_phrase, reason, threshold_phrase

MOST_LEADERS = 3


def verdict(results: Results) -> str:
    """Return the verdict on the primary question, one for each dataset."""
    return " ".join(scope_verdict(scope) for scope in scopes(results))


def scope_verdict(scope: Scope) -> str:
    """Return the verdict on one dataset."""
    leaders = _leaders(scope)
    if not leaders:
        return _nothing_defined(scope)
    return " ".join([_first(scope, leaders), *_differences(scope, leaders), *_undefined(scope)])


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
        said = (
            f"{_name(scope, leaders[0])} has a test {measure.printed} of {_with_interval(scope, leaders[0])}"
        )
    elif len(leaders) == 1:
        said = f"{_name(scope, leaders[0])} has {_extreme(scope)}, {_with_interval(scope, leaders[0])}"
    else:
        shown = printing(scope, measure).value_with_unit(_value(scope, leaders[0]) or 0.0)
        said = f"{listing(_name(scope, key) for key in leaders)} share {_extreme(scope)}, {shown}"
    return f"{_introduced(scope, said)}."


def _extreme(scope: Scope) -> str:
    measure = scope.study.primary.measure
    if measure.ideal is not None:
        return f"the test {measure.printed} {measure.best}"
    return f"the {measure.best} test {measure.printed}"


def _introduced(scope: Scope, said: str) -> str:
    """Put the dataset and the thresholds before a statement; a model's name is never capitalised."""
    asked = scope.study.primary
    before = [f"on {scope.label}"] if scope.label else []
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
        return f"{whose} difference to {other} is undefined: {reason(made.row['status'])}."
    printed = printing(scope, scope.study.primary.measure)
    amount = printed.difference_with_unit(made.value)
    if made.low is not None:
        amount = f"{amount} {printed.interval(made.low, made.high)}"
    if made.row["p_value"] is None:
        return f"{whose} difference to {other} is {amount}."
    sure = f"{p_phrase(scope, made.row)}{few_units(scope, made.row)}"
    if shown_to_differ(scope, made):
        return f"{whose} difference to {other} is {amount}; {sure}."
    who = "It" if owner else _name(scope, made.model)
    return f"{who} is not shown to differ from {other}: difference {amount}; {sure}."


def shown_to_differ(scope: Scope, made: Contrast) -> bool:
    """Whether the comparison's p-value, adjusted where it is, stays at or below 1 - level."""
    p = made.row["p_adjusted"] if made.row["p_adjusted"] is not None else made.row["p_value"]
    return p is not None and p <= 1 - scope.study.inference.level + 1e-12


def _undefined(scope: Scope) -> list[str]:
    """Name the models that could not take part."""
    without = [key for key in scope.results.models if _value(scope, key) is None]
    if not without:
        return []
    names = listing(_name(scope, key) for key in without)
    return [f"The {scope.study.primary.measure.printed} of {names} is undefined: {_why(scope, without[0])}."]


def _nothing_defined(scope: Scope) -> str:
    said = f"no model has a defined test {scope.study.primary.measure.printed}"
    text = _introduced(scope, said)
    return f"{text[0].upper()}{text[1:]}: {_why(scope, scope.results.models[0])}."


def _why(scope: Scope, model: str) -> str:
    row = scope.primary(model)
    return reason(None if row is None else row["status"])


def _name(scope: Scope, key: str) -> str:
    return scope.names[key]
