"""The one-paragraph answer: which model, at which cost, and how sure.

Every sentence is checked against the numbers by the tests. No sentence ranks models beyond what was
observed on test, unless a comparison shows it.
"""

from __future__ import annotations

import math

from reporting.engine.model_runs import MEAN
from reporting.frames import TESTS
from reporting.frames.results import Results
from reporting.report import numbers
from reporting.sections.further_tests import EQUIVALENT, margin_text
from reporting.wording.decisions import decisive_p, differs, shown_to_differ, standing
from reporting.wording.oriented import Contrast, contrast
from reporting.wording.phrases import (
    TUNED_SYSTEMS,
    at_own_threshold,
    few_units,
    level_text,
    listing,
    p_phrase,
    reason,
    threshold_phrase,
)
from reporting.wording.view import View, views

MOST_LEADERS = 3


def verdict(results: Results) -> str:
    """Return the verdict on the primary question, one for each dataset."""
    return " ".join(scope_verdict(view) for view in views(results) if view.whole)


def scope_verdict(view: View) -> str:
    """Return the verdict on one dataset."""
    leaders = _leaders(view)
    if not leaders:
        return _nothing_defined(view)
    sentences = [
        _first(view, leaders),
        *_differences(view, leaders),
        *_best_set(view, leaders),
        *_undefined(view),
    ]
    return " ".join(sentences)


def _leaders(view: View) -> list[str]:
    """Return the models that attain the extreme value; more than one where they tie."""
    values = {key: _value(view, key) for key in view.ranked}
    defined = {key: value for key, value in values.items() if value is not None}
    if not defined:
        return []
    measure = view.study.primary.measure
    extreme = measure.badness(next(iter(defined.values())))
    return [
        key for key, value in defined.items() if math.isclose(measure.badness(value), extreme, rel_tol=1e-12)
    ]


def _value(view: View, model: str) -> float | None:
    row = view.primary(model)
    return None if row is None else row.value


def _first(view: View, leaders: list[str]) -> str:
    measure = view.study.primary.measure
    if len(view.results.models) == 1:
        amount = _with_interval(view, leaders[0])
        statement = f"{_name(view, leaders[0])} has a test {_measure(view)} of {amount}"
    elif len(leaders) == 1:
        statement = f"{_name(view, leaders[0])} has {_extreme(view)}, {_with_interval(view, leaders[0])}"
    else:
        shown = view.printing(measure).value_with_unit(_value(view, leaders[0]) or 0.0)
        statement = f"{listing(_name(view, key) for key in leaders)} share {_extreme(view)}, {shown}"
    return f"{_introduced(view, statement)}."


def _extreme(view: View) -> str:
    measure = view.study.primary.measure
    if measure.ideal is not None:
        return f"the test {_measure(view)} {measure.best}"
    return f"the {measure.best} test {_measure(view)}"


def _introduced(view: View, statement: str) -> str:
    """Return a statement behind its dataset and thresholds; a model's name is never capitalised."""
    primary = view.study.primary
    before = [f"on {view.where}"] if view.where else []
    before += ["as the mean over runs"] if view.run == MEAN else []
    if primary.measure.over == "threshold":
        before.append(f"at {threshold_phrase(primary.criterion, view.study)}")
    if primary.measure.own_cut:
        before.append(at_own_threshold(view.terms))
    if not before:
        return statement
    opening = ", ".join(before)
    return f"{opening[0].upper()}{opening[1:]}, {statement}"


def _with_interval(view: View, model: str) -> str:
    row, printed = view.primary(model), view.printing(view.study.primary.measure)
    if row is None:
        return ""
    text = printed.value_with_unit(row.value or 0.0)
    return text if row.ci_low is None else f"{text} {printed.interval(row.ci_low, row.ci_high)}"


def _differences(view: View, leaders: list[str]) -> list[str]:
    other = _opponent(view, leaders)
    if other is None:
        return []
    differences = [contrast(view, key, other) for key in leaders[:MOST_LEADERS]]
    owner = "Its" if len(leaders) == 1 else None
    return [_difference(view, difference, owner) for difference in differences if difference is not None]


def _opponent(view: View, leaders: list[str]) -> str | None:
    """Return the baseline, unless it leads itself: then the first behind the leaders, or the other leader."""
    baseline = view.study.baseline
    if baseline is not None and baseline not in leaders:
        return baseline
    behind = [key for key in view.ranked if key not in leaders and _value(view, key) is not None]
    return behind[0] if behind else None


def _difference(view: View, difference: Contrast, owner: str | None) -> str:
    whose = owner or f"{_name(view, difference.model)}'s"
    other = _name(view, difference.other)
    if difference.value is None:
        return f"{whose} difference to {other} is undefined: {reason(difference.row.status, view.terms)}."
    printed = view.printing(view.study.primary.measure)
    amount = printed.difference_with_unit(difference.value)
    if difference.low is not None:
        amount = f"{amount} {printed.interval(difference.low, difference.high)}"
    if difference.row.p_value is None:
        return f"{whose} difference to {other} is {amount}."
    sure = f"{p_phrase(view, difference.row)}{few_units(view, difference.row)}"
    aside = _tuned_aside(view, difference)
    if shown_to_differ(view, difference.row):
        return f"{whose} difference to {other} is {amount}; {sure}.{aside}"
    who = "It" if owner else _name(view, difference.model)
    within = _within_margin(view, difference)
    return f"{who} is not shown to differ from {other}: difference {amount}; {sure}.{aside}{within}"


def _within_margin(view: View, difference: Contrast) -> str:
    """Return whether two models are equivalent; empty without a margin and its test."""
    measure = str(view.study.primary.measure)
    for row in view.rows(TESTS):
        if (row.test, row.measure, row.verdict is None) != ("equivalence", measure, False):
            continue
        if {row.model, row.baseline} == {difference.model, difference.other} and row.p_value is not None:
            outcome = EQUIVALENT[str(row.verdict)]
            margin = f"±{margin_text(view, row.measure)}"
            return f" The two are {outcome} within {margin} ({numbers.equation(row.p_value)}, unadjusted)."
    return ""


def _tuned_aside(view: View, difference: Contrast) -> str:
    """Return the answer of the two tuned systems as they stand, where it is another one."""
    tuned = view.tuned(difference.row)
    if tuned is None or tuned.p_value is None:
        return ""
    if differs(view, difference.row.p_value) == differs(view, tuned.p_value):
        return ""
    also = "are" if differs(view, tuned.p_value) else "are not"
    p = numbers.equation(tuned.p_value)
    return f" As they stand, {TUNED_SYSTEMS} {also} shown to differ on test ({p}, unadjusted)."


def _best_set(view: View, leaders: list[str]) -> list[str]:
    """Return which models may have the best value; nothing where their replicates are not joint."""
    rows = standing(view)
    inside = [row.model for row in rows if row.may_be_best]
    outside = [row.model for row in rows if row.may_be_best is False]
    if not inside:
        return []
    level = level_text(view.study.inference.level)
    of = " of these tuned systems" if rows[0].inference == "given_thresholds" else ""
    if not outside:
        who = "Both" if len(inside) == 2 else f"All {len(inside)}"
        every = f"{who} models may still be the one with {_the_extreme(view)}{of}"
        return [f"{every} ({level} confidence)."]
    names = listing((_name(view, key) for key in inside), last="or")
    sure = f"With {level} confidence {_the_extreme(view)}{of} is that of {names}"
    return [f"{sure}; {_ruled_out(view, outside)}{_asks_less(view, leaders, outside)}."]


def _asks_less(view: View, leaders: list[str], outside: list[str]) -> str:
    """Return why a model may be ruled out as the best though it is not shown to differ from the best."""
    other = _opponent(view, leaders)
    difference = contrast(view, leaders[0], other) if other in outside else None
    if difference is None or decisive_p(difference.row) is None or shown_to_differ(view, difference.row):
        return ""
    size = difference.row.family_size or 1
    if size == 1:
        return ", which is a one-sided question"
    return f", a one-sided question that asks less than the {size} comparisons do"


def _the_extreme(view: View) -> str:
    measure = view.study.primary.measure
    if measure.ideal is not None:
        return f"the {_measure(view)} {measure.best}"
    return f"the {measure.best} {_measure(view)}"


def _ruled_out(view: View, models: list[str]) -> str:
    if len(models) == 1:
        return f"{_name(view, models[0])} is ruled out"
    return f"the other {len(models)} models are ruled out"


def _undefined(view: View) -> list[str]:
    """Return the models whose first measure is undefined, and why."""
    without = [key for key in view.results.models if _value(view, key) is None]
    if not without:
        return []
    names = listing(_name(view, key) for key in without)
    return [f"The {_measure(view)} of {names} is undefined: {_why(view, without[0])}."]


def _nothing_defined(view: View) -> str:
    statement = f"no model has a defined test {_measure(view)}"
    text = _introduced(view, statement)
    return f"{text[0].upper()}{text[1:]}: {_why(view, view.results.models[0])}."


def _why(view: View, model: str) -> str:
    row = view.primary(model)
    return reason(None if row is None else row.status, view.terms)


def _name(view: View, key: str) -> str:
    return view.names[key]


def _measure(view: View) -> str:
    return view.terms.measure(view.study.primary.measure)
