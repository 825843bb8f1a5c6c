"""The answer to *which models are better than the baseline?*"""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.words.caveats import sensitivity_notes
from reporting.document.words.decisions import Answer, Decision, Word
from reporting.document.words.oriented import primary_rows
from reporting.document.words.phrases import few_units, p_phrase
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.answer.phrases import (
    MOST_NAMES,
    Statement,
    alike,
    counted,
    difference_text,
    disagreement,
    judged_by,
    margin,
    measure_name,
    names_of,
    undefined_models,
    value_sentence,
    value_text,
    value_with_interval,
    within_margin,
)


def against_the_baseline(view: DatasetView, outcome: Answer) -> Statement:
    """Answer which models are better than the baseline."""
    base = str(view.study.baseline)
    first = view.ranked[0]
    values = [value_sentence(view, first, None)]
    row = view.primary(base)
    if first != base and row is not None and row.value is not None:
        values.append(f"The baseline {view.names[base]} has {value_with_interval(view, base)}.")
    others = [d for d in outcome.decisions.values() if d.model != base]
    compared = [d for d in others if d.contrast and d.contrast.value is not None][:1]
    differences = [text for d in compared for text in (_difference(view, d), *disagreement(view, d))]
    rows = [d.contrast.row for d in compared if d.contrast and d.contrast.row.p_value is not None]
    tests = [f"Its test: {p_phrase(view, row)}{few_units(view, row)}." for row in rows]
    return Statement(
        _headline(view, others),
        (" ".join(values), *differences, *undefined_models(view)),
        (*tests, *within_margin(view), *sensitivity_notes(view, primary_rows(view))),
        undefined_models(view),
        (judged_by(view),),
    )


def _headline(view: DatasetView, others: list[Decision]) -> str:
    """Return what is decided, the leader first where it is not shown to beat the baseline."""
    key, first = str(view.study.baseline), view.ranked[0]
    words = {decision.model: decision.word for decision in others}
    base, rest = f"the baseline {view.names[key]}", [each for each in others if each.word != "inconclusive"]
    looks = f"looks best ({value_text(view, first)})"
    if words.get(first) == "inconclusive":
        clause = f"{view.names[first]} {looks} but is not shown to beat {base} ({value_text(view, key)})"
        return f"{clause}; {_clauses(view, rest, '')}." if rest else f"{clause}."
    if first == key and not rest:
        return f"{capitalised(base)} {looks}; no other model is shown to differ."
    if len(others) == 1:
        return f"{_one_against(view, others[0], base)}."
    return f"{_clauses(view, others, base)}."


def _clauses(view: DatasetView, others: list[Decision], base: str) -> str:
    """Return a clause for each decision; the first names the baseline, unless that is done."""
    groups: dict[Word, list[str]] = {}
    for word in ("better", "equivalent", "identical", "worse", "inconclusive", "not compared", "undefined"):
        models = [decision.model for decision in others if decision.word == word]
        if models:
            groups[word] = models
    clauses: list[str] = []
    for word, models in groups.items():
        who = names_of(view, models) if len(models) <= MOST_NAMES else f"{counted(len(models))} models"
        who = capitalised(who) if base and not clauses and len(models) > MOST_NAMES else who
        clauses.append(f"{who} {_several_against(word, len(models), '' if clauses else base)}")
    return "; ".join(clauses)


def _one_against(view: DatasetView, decision: Decision, base: str) -> str:
    name = view.names[decision.model]
    values = f"({value_text(view, decision.model)} against {value_text(view, str(view.study.baseline))})"
    return {
        "better": f"{name} is better than {base} {values}",
        "worse": f"{name} is worse than {base} {values}",
        "equivalent": f"{name} and {base} are equivalent within ±{margin(view)}",
        "identical": f"{name} and {base} {alike(view)}",
        "undefined": f"{measure_name(view)} cannot be compared: it is undefined for {name} or {base}",
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


def _difference(view: DatasetView, decision: Decision) -> str:
    """Return the difference of a model from the baseline, with its interval and the p that decides."""
    contrast = decision.contrast
    assert contrast is not None
    adjusted = (
        "adjusted " if contrast.row.p_adjusted is not None and (contrast.row.family_size or 0) > 1 else ""
    )
    p = "" if decision.p is None else f"{adjusted}{numbers.equation(decision.p)}"
    return f"{view.names[decision.model]} is {difference_text(view, contrast, p)}."
