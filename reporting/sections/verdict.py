"""The answer in words: a headline, the sentences under it, and the full text.

Every sentence is checked against the numbers by the tests. Words such as *best* or *better* repeat a decision
of ``wording.decisions``; nothing here looks at a p-value of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.engine.model_runs import MEAN
from reporting.frames import TESTS
from reporting.frames.results import Results
from reporting.report import numbers
from reporting.sections.caveats import second_thoughts
from reporting.sections.further_tests import margin_text
from reporting.wording.decisions import Answer, Decision, Word, answer, printed_alpha, standing
from reporting.wording.oriented import Contrast, primary_rows
from reporting.wording.phrases import (
    at_own_threshold,
    basis,
    few_units,
    level_text,
    listing,
    p_phrase,
    reason,
    threshold_phrase,
)
from reporting.wording.terms import capitalised
from reporting.wording.view import View, views

MOST_NAMES = 4
"""So many candidates are named in a headline."""
COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Statement:
    """The answer on one dataset: in a few words, what belongs to it, and what the full text adds."""

    headline: str
    sentences: tuple[str, ...]
    more: tuple[str, ...] = ()


def verdict(results: Results) -> str:
    """Return the full text of the answer, one dataset after the other."""
    return " ".join(_full_text(view) for view in views(results) if view.whole)


def headline(results: Results) -> str:
    """Return the answer in a few words; empty where there are several datasets."""
    return _only(results).headline


def answer_sentences(results: Results) -> tuple[str, ...]:
    """Return what belongs to the headline; nothing where there are several datasets."""
    return _only(results).sentences


def by_dataset(results: Results) -> tuple[tuple[str, str], ...]:
    """Return the headline with its value for each dataset, where there are several."""
    every = [view for view in views(results) if view.whole]
    lines = [(view.label, statement(view)) for view in every] if len(every) > 1 else []
    return tuple((label, " ".join((each.headline, *each.sentences[:1]))) for label, each in lines)


def statement(view: View) -> Statement:
    """Return the answer on one dataset."""
    outcome = answer(view)
    if all(decision.word == "undefined" for decision in outcome.decisions.values()):
        return _nothing_defined(view)
    if outcome.question == "best":
        return _which_is_best(view, outcome)
    if outcome.question == "baseline":
        return _against_the_baseline(view, outcome)
    return _observed(view)


def _only(results: Results) -> Statement:
    every = [view for view in views(results) if view.whole]
    return statement(every[0]) if len(every) == 1 else Statement("", ())


def _full_text(view: View) -> str:
    answer = statement(view)
    text = " ".join((answer.headline, *answer.sentences, *answer.more))
    where = [f"on {view.where}"] if view.where else []
    where += ["as the mean over runs"] if view.run == MEAN else []
    opening = ", ".join(where)
    return f"{capitalised(opening)}: {text}" if opening else text


def _which_is_best(view: View, outcome: Answer) -> Statement:
    """Answer which model is best."""
    first = view.ranked[0]
    alone = outcome.decisions[first].word == "best"
    possessive = "Its" if alone else "Their" if outcome.where("tied") else None
    who = " ".join((*_ruled_out(view, outcome), *_closest(view, outcome)))
    return Statement(
        _best_headline(view, outcome),
        tuple(
            filter(
                None, (*_identical(view, outcome), _value(view, first, possessive), who, *_undefined(view))
            )
        ),
        (*_p_of_best(view, outcome), *_within_margin(view)),
    )


def _best_headline(view: View, outcome: Answer) -> str:
    candidates, out = outcome.candidates, outcome.where("ruled out")
    tied = outcome.where("tied")
    first = view.names[view.ranked[0]]
    if outcome.decisions[view.ranked[0]].word == "best":
        return f"{first} is best."
    if tied:
        return f"{_tied(view, tied)}{_beside_the_tied(view, outcome)}."
    if not out:
        who = "Neither model" if len(candidates) == 2 else "No model"
        return f"{who} can be ruled out as best; {first} has {_extreme(view)}."
    others = f"{_others(view, outcome, out)} {'is' if len(out) == 1 else 'are'} ruled out"
    if len(candidates) > MOST_NAMES:
        many = capitalised(_counted(len(candidates)))
        return f"{many} models may be best, {first} has {_extreme(view)}; {others}."
    return f"{_names(view, candidates, 'or')} is best; {others}."


def _tied(view: View, tied: list[str]) -> str:
    return f"{_names(view, tied)} are tied at {_measure(view)} {_amount_of(view, tied[0])}"


def _beside_the_tied(view: View, outcome: Answer) -> str:
    """Return what is decided of the models behind a tie."""
    behind = [model for model in outcome.candidates if model not in outcome.where("tied")]
    out = outcome.where("ruled out")
    if not out:
        return "; no model can be ruled out as best" if behind else ""
    clauses = [f"{_names(view, behind)} may be best too"] if behind else []
    return "; " + ", ".join(
        [*clauses, f"{_others(view, outcome, out)} {'is' if len(out) == 1 else 'are'} ruled out"]
    )


def _others(view: View, outcome: Answer, models: list[str]) -> str:
    """Name one model, and count several that are all the others."""
    rest = [model for model in outcome.decisions if model not in outcome.candidates]
    if len(models) > 1 and rest == models:
        return f"the other {_counted(len(models))}"
    return _names(view, models)


def _identical(view: View, outcome: Answer) -> tuple[str, ...]:
    """Return that tied models do the same on every trial, where their comparisons show no difference."""
    tied = outcome.where("tied")
    rows = [row for row in primary_rows(view) if {row.model, row.baseline} <= set(tied)]
    if not rows or not all("identical_decisions" in row.flags for row in rows):
        return ()
    return (f"They {_alike(view)}.",)


def _alike(view: View) -> str:
    at_threshold = view.study.primary.measure.over == "threshold"
    return f"{'decide' if at_threshold else 'rank'} every {view.terms.trial} identically"


def _value(view: View, model: str, possessive: str | None) -> str:
    """Return a sentence with the primary value of a model, its interval and its thresholds."""
    measure, row = view.study.primary.measure, view.primary(model)
    of_one = row is not None and possessive != "Their"
    amount = _with_interval(view, model) if of_one else _amount_of(view, model)
    if possessive:
        return f"{possessive} {_full_name(view)} on the test set is {amount}{_thresholds(view)}."
    name = view.names[model]
    extreme = f"the {_full_name(view)} {measure.best}" if measure.ideal is not None else ""
    extreme = extreme or f"the {measure.best} {_full_name(view)}"
    return f"{name} has {extreme} on the test set: {amount}{_thresholds(view)}."


def _thresholds(view: View) -> str:
    primary = view.study.primary
    if primary.measure.over == "threshold":
        return f", at {threshold_phrase(primary.criterion, view.study)}"
    return f", {at_own_threshold(view.terms)}" if primary.measure.own_cut else ""


def _amount_of(view: View, model: str) -> str:
    row = view.primary(model)
    return view.printing(view.study.primary.measure).value_with_unit((row and row.value) or 0.0)


def _with_interval(view: View, model: str) -> str:
    row, printed = view.primary(model), view.printing(view.study.primary.measure)
    if row is None:
        return ""
    text = printed.value_with_unit(row.value or 0.0)
    return text if row.ci_low is None else f"{text} ({_ci(view, row.ci_low, row.ci_high)})"


def _ci(view: View, low: float | None, high: float | None) -> str:
    printed = view.printing(view.study.primary.measure)
    return f"{level_text(view.study.inference.level)} CI {printed.span(low, high)}"


def _ruled_out(view: View, outcome: Answer) -> tuple[str, ...]:
    """Return at which confidence models are ruled out, and whose thresholds are meant."""
    rows, out = standing(view), outcome.where("ruled out")
    confidence = f"{level_text(view.study.inference.level)} confidence"
    fixed = ", thresholds fixed" if rows and rows[0].inference == "given_thresholds" else ""
    if not out:
        return (f"No model is ruled out at {confidence}{fixed}.",) if fixed else ()
    who = _others(view, outcome, out)
    verb = "is" if len(out) == 1 else "are"
    return (
        f"{capitalised(who) if who.startswith('the ') else who} {verb} ruled out as best"
        f" ({confidence}{fixed}).",
    )


def _closest(view: View, outcome: Answer) -> tuple[str, ...]:
    """Return the model next behind the first, its difference, and why interval and decision fall apart."""
    tied = outcome.where("tied") or view.ranked[:1]
    behind = [
        d
        for m, d in outcome.decisions.items()
        if m not in tied and d.contrast and d.contrast.value is not None
    ]
    if not behind:
        return ()
    return (f"{_distance(view, behind[0])}.", *_explained(view, behind[0]))


def _distance(view: View, decision: Decision) -> str:
    """Return how far a model is from the reference: behind it where lower is better."""
    contrast, measure = decision.contrast, view.study.primary.measure
    assert contrast is not None
    amount = _amount(view, contrast)
    name, other = view.names[decision.model], view.names[contrast.other]
    if measure.ideal is None and measure.better == "lower":
        return f"The closest is {name}, {amount[0]} behind{amount[1]}"
    return f"The closest is {name}; the difference {name} − {other} is {amount[0]}{amount[1]}"


def _amount(view: View, contrast: Contrast, also: str = "") -> tuple[str, str]:
    """Return a difference with its unit, and its interval in parentheses."""
    printed = view.printing(view.study.primary.measure)
    unit = " percentage points" if printed.percent else ""
    inside = [_ci(view, contrast.low, contrast.high)] if contrast.low is not None else []
    inside += [also] if also else []
    return f"{printed.value(contrast.value)}{unit}", f" ({', '.join(inside)})" if inside else ""


def _explained(view: View, decision: Decision) -> tuple[str, ...]:
    """Return why a decision and the two-sided interval of one difference fall apart, where they do."""
    sentence = disagreement(view, decision)
    return (sentence,) if sentence else ()


def disagreement(view: View, decision: Decision) -> str:
    """Return why the interval of a difference and a decision fall apart; empty where they agree."""
    contrast = decision.contrast
    if contrast is None or contrast.low is None or contrast.high is None or decision.p is None:
        return ""
    apart, name = contrast.low > 0 or contrast.high < 0, view.names[decision.model]
    decided = decision.word in ("ruled out", "better", "worse")
    p = numbers.equation(decision.p)
    if apart == decided or decision.word in ("identical", "equivalent"):
        return ""
    if decision.word == "ruled out":
        return f"{name}'s CI is two-sided and includes 0; the test of being best is one-sided ({p})."
    if decided:
        return f"{name}'s CI includes 0, although the test decides ({p}); the two rest on different methods."
    joint = "among all models" if decision.word == "in contention" else "after adjustment"
    return f"{name}'s CI leaves out 0 for this pair alone, but not {joint} ({p})."


def _p_of_best(view: View, outcome: Answer) -> tuple[str, ...]:
    """Return the p-values of being the best, without that of the first in rank."""
    tried = [
        (model, d.p)
        for model, d in outcome.decisions.items()
        if d.p is not None and model != outcome.reference
    ]
    if not tried:
        return ()
    every = listing(f"{view.names[model]} {numbers.p_value(p)}" for model, p in tried)
    how = (
        "multiple comparisons with the best, one-sided" if standing(view) else "adjusted comparisons of pairs"
    )
    rows = [d.contrast.row for d in outcome.decisions.values() if d.contrast and d.contrast.row.p_method]
    rests = f"; {basis(view, rows[0])}" if rows else ""
    return (
        f"A model is ruled out as best if its p is at most {printed_alpha(view)} ({how}{rests}): {every}.",
    )


def _against_the_baseline(view: View, outcome: Answer) -> Statement:
    """Answer which models are better than the baseline."""
    base = str(view.study.baseline)
    first = view.ranked[0]
    values = [_value(view, first, None)]
    row = view.primary(base)
    if first != base and row is not None and row.value is not None:
        values.append(f"The baseline {view.names[base]} has {_with_interval(view, base)}.")
    others = [d for d in outcome.decisions.values() if d.model != base]
    compared = [d for d in others if d.contrast and d.contrast.value is not None][:1]
    differences = [text for d in compared for text in (_difference(view, d), *_explained(view, d))]
    tested = [d for d in compared if d.contrast and d.contrast.row.p_value is not None]
    more = [_tested(view, d) for d in tested]
    return Statement(
        _baseline_headline(view, others),
        (" ".join(values), *differences, *_undefined(view)),
        (*more, *_within_margin(view), *second_thoughts(view, primary_rows(view))),
    )


def _baseline_headline(view: View, others: list[Decision]) -> str:
    base = f"the baseline {view.names[str(view.study.baseline)]}"
    if len(others) == 1:
        return f"{_one_against(view, others[0], base)}."
    groups: dict[Word, list[str]] = {}
    for word in ("better", "equivalent", "identical", "worse", "inconclusive", "not compared", "undefined"):
        models = [decision.model for decision in others if decision.word == word]
        if models:
            groups[word] = models
    if list(groups) == ["inconclusive"]:
        every = "Both" if len(others) == 2 else f"All {_counted(len(others))}"
        return f"{every} comparisons with {base} are inconclusive."
    clauses: list[str] = []
    for word, models in groups.items():
        who = _names(view, models) if len(models) <= MOST_NAMES else f"{_counted(len(models))} models"
        who = capitalised(who) if not clauses and len(models) > MOST_NAMES else who
        clauses.append(f"{who} {_several_against(word, len(models), '' if clauses else base)}")
    return f"{'; '.join(clauses)}."


def _one_against(view: View, decision: Decision, base: str) -> str:
    name = view.names[decision.model]
    return {
        "better": f"{name} is better than {base}",
        "worse": f"{name} is worse than {base}",
        "inconclusive": f"The comparison of {name} with {base} is inconclusive",
        "equivalent": f"{name} and {base} are equivalent within ±{_margin(view)}",
        "identical": f"{name} and {base} {_alike(view)}",
        "undefined": f"{_measure(view)} cannot be compared: it is undefined for {name} or {base}",
    }.get(decision.word, f"{name} was not compared with {base}")


def _several_against(word: Word, count: int, base: str) -> str:
    """Return the predicate of some models; the first of a headline names the baseline."""
    verb = "is" if count == 1 else "are"
    behind = f" {base}" if base else ""
    return {
        "better": f"{verb} better{' than' if base else ''}{behind}",
        "worse": f"{verb} worse{' than' if base else ''}{behind}",
        "equivalent": f"{verb} equivalent{' to' if base else ''}{behind}",
        "identical": f"{verb} identical{' to' if base else ''}{behind}",
        "inconclusive": f"{verb} inconclusive{' against' if base else ''}{behind}",
        "undefined": f"{verb} undefined",
    }.get(word, f"{'was' if count == 1 else 'were'} not compared{' with' if base else ''}{behind}")


def _difference(view: View, decision: Decision) -> str:
    """Return the difference of a model from the baseline, with its interval and the p that decides."""
    contrast = decision.contrast
    assert contrast is not None
    name, other = view.names[decision.model], view.names[contrast.other]
    adjusted = (
        "adjusted " if contrast.row.p_adjusted is not None and (contrast.row.family_size or 0) > 1 else ""
    )
    p = "" if decision.p is None else f"{adjusted}{numbers.equation(decision.p)}"
    amount, interval = _amount(view, contrast, p)
    return f"The difference {name} − {other} is {amount}{interval}."


def _tested(view: View, decision: Decision) -> str:
    """Return how the comparison of a model with the baseline was tested."""
    assert decision.contrast is not None
    row = decision.contrast.row
    return f"Its test: {p_phrase(view, row)}{few_units(view, row)}."


def _observed(view: View) -> Statement:
    """Answer where nothing is compared: one model, or trials that cannot be paired."""
    first = view.ranked[0]
    name = view.names[first]
    if len(view.results.models) == 1:
        return Statement(
            f"{name}: {_measure(view)} {_amount_of(view, first)}.", (_value(view, first, "Its"),)
        )
    why = next((row.status for row in primary_rows(view) if row.status), None)
    because = f": {reason(why, view.terms)}" if why else ""
    return Statement(
        f"{name} has {_extreme(view)}; the models were not compared.",
        (
            _value(view, first, "Its"),
            f"Differences between models were not tested{because}.",
            *_undefined(view),
        ),
    )


def _within_margin(view: View) -> tuple[str, ...]:
    """Return what the test of equivalence of the first two models decides; nothing without a margin."""
    measure, finalists = str(view.study.primary.measure), set(view.finalists)
    for row in view.rows(TESTS):
        is_tested = (row.test, row.measure) == ("equivalence", measure) and row.verdict is not None
        if is_tested and {row.model, row.baseline} == finalists and row.p_value is not None:
            names = _names(view, list(view.finalists))
            established = "is" if row.verdict == "equivalent" else "is not"
            return (
                f"Equivalence of {names} within ±{_margin(view)} {established} established"
                f" ({numbers.equation(row.p_value)}, unadjusted).",
            )
    return ()


def _margin(view: View) -> str:
    return margin_text(view, str(view.study.primary.measure)).replace(" point", " percentage point")


def _undefined(view: View) -> tuple[str, ...]:
    """Return the models whose primary measure is undefined, and why."""
    without = [key for key in view.results.models if (row := view.primary(key)) is None or row.value is None]
    if not without:
        return ()
    return (f"The {_measure(view)} of {_names(view, without)} is undefined: {_why(view, without[0])}.",)


def _nothing_defined(view: View) -> Statement:
    why = _why(view, view.results.models[0])
    return Statement(f"{_measure(view)} is undefined for every model.", (f"The reason: {why}.",))


def _why(view: View, model: str) -> str:
    row = view.primary(model)
    return reason(None if row is None else row.status, view.terms)


def _extreme(view: View) -> str:
    measure = view.study.primary.measure
    if measure.ideal is not None:
        return f"the {_measure(view)} {measure.best}"
    return f"the {measure.best} {_measure(view)}"


def _names(view: View, models: list[str], last: str = "and") -> str:
    return listing((view.names[model] for model in models), last=last)


def _counted(n: int) -> str:
    return COUNTED[n] if n < len(COUNTED) else numbers.count(n)


def _measure(view: View) -> str:
    return view.terms.measure(view.study.primary.measure)


def _full_name(view: View) -> str:
    """Return the primary measure spelled out, unless its parameters belong to its printed name."""
    measure, printed = view.study.primary.measure, _measure(view)
    return view.terms.spelled(measure) if printed == view.terms.say(measure.label) else printed
