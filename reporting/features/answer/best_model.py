"""The answer to *which model is best?*, without a baseline."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.document import numbers
from reporting.document.words.caveats import sensitivity_notes, unsettled_answer
from reporting.document.words.decisions import (
    Answer,
    Decision,
    best_candidates,
    decisive_p,
    of_a_pair,
    printed_alpha,
)
from reporting.document.words.oriented import primary_rows
from reporting.document.words.phrases import basis, is_tuned, level_text, listing, resampled
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.answer.phrases import (
    MOST_NAMES,
    Statement,
    alike,
    counted,
    difference_text,
    disagreement,
    how_ruled_out,
    judged_by,
    measure_name,
    names_of,
    undefined_models,
    value_sentence,
    value_text,
    within_margin,
)


def which_is_best(view: DatasetView, outcome: Answer) -> Statement:
    """Answer which model is best."""
    first = view.ranked[0]
    alone = outcome.decisions[first].word == "best"
    possessive = "Its" if alone else "Their" if outcome.where("tied") else None
    who = " ".join(_behind(view, outcome))
    sentences = value_sentence(view, first, possessive), who, *undefined_models(view)
    return Statement(
        _best_headline(view, outcome),
        tuple(filter(None, (*_identical(view, outcome), *sentences))),
        (
            *_p_of_best(view, outcome),
            *within_margin(view),
            *(sensitivity_notes(view, primary_rows(view)) if of_a_pair(view) else unsettled_answer(view)),
        ),
        (*_identical(view, outcome), *undefined_models(view)),
        (judged_by(view),),
    )


def _best_headline(view: DatasetView, outcome: Answer) -> str:
    candidates, out = outcome.candidates, outcome.where("ruled out")
    tied = outcome.where("tied")
    first = view.names[view.ranked[0]]
    value, alone = value_text(view, view.ranked[0]), outcome.decisions[view.ranked[0]].word == "best"
    looks = f"{first} looks best ({value})"
    if view.study.profile == "stratos":
        # Calibration and net benefit have sentences of their own.
        looks = f"{first} {'is' if alone else 'looks'} best by {measure_name(view)} ({value})"
    if alone:
        return f"{looks}." if view.study.profile == "stratos" else f"{first} is best."
    if tied:
        at = f"{measure_name(view)} {value_text(view, tied[0])}"
        return f"{names_of(view, tied)} are tied at {at}{_beside_the_tied(view, outcome)}."
    others = f"; {_others(view, outcome, out)} {'is' if len(out) == 1 else 'are'} ruled out" if out else ""
    behind = [model for model in candidates if model != view.ranked[0]]
    if len(behind) == 1:
        second = f"{view.names[behind[0]]} ({value_text(view, behind[0])})"
        return f"{looks} but is not shown to beat {second}{others}."
    if not out:
        return f"{looks} but no model can be ruled out as best."
    if len(candidates) > MOST_NAMES:
        many = f"{capitalised(counted(len(candidates)))} of {counted(len(outcome.decisions))} models"
        return f"{many} may be best, led by {first} ({value}){others}."
    return f"{looks} but is not shown to beat {names_of(view, behind, 'or')}{others}."


def _beside_the_tied(view: DatasetView, outcome: Answer) -> str:
    """Return what is decided of the models behind a tie."""
    behind = [model for model in outcome.candidates if model not in outcome.where("tied")]
    out = outcome.where("ruled out")
    if not out:
        return "; no model can be ruled out as best" if behind else ""
    who = names_of(view, behind) if len(behind) <= MOST_NAMES else f"{counted(len(behind))} others"
    clauses = [f"{who} may be best too"] if behind else []
    return "; " + ", ".join(
        [*clauses, f"{_others(view, outcome, out)} {'is' if len(out) == 1 else 'are'} ruled out"]
    )


def _others(view: DatasetView, outcome: Answer, models: list[str]) -> str:
    """Name one model, and count several that are all the others."""
    rest = [model for model in outcome.decisions if model not in outcome.candidates]
    if len(models) > 1 and rest == models:
        return f"the other {counted(len(models))}"
    return names_of(view, models)


def _identical(view: DatasetView, outcome: Answer) -> tuple[str, ...]:
    """Return that tied models do the same on every trial, where their comparisons show no difference."""
    tied = outcome.where("tied")
    rows = [row for row in primary_rows(view) if {row.model, row.baseline} <= set(tied)]
    if not rows or not all("identical_decisions" in row.flags for row in rows):
        return ()
    return (f"They {alike(view)}.",)


def _behind(view: DatasetView, outcome: Answer) -> Iterator[str]:
    """Yield who is ruled out, and how far the next model is behind the first."""
    closest = _closest(view, outcome)
    out = outcome.where("ruled out")
    if closest and out == [closest.model]:
        yield f"{_distance(view, closest)} and ruled out as best ({_confidence(view)})."
    else:
        yield from _ruled_out(view, outcome)
        if closest:
            yield f"{_distance(view, closest)}."
    if closest:
        yield from disagreement(view, closest)


def _confidence(view: DatasetView) -> str:
    """Return at which confidence models are ruled out, and whether thresholds are fixed."""
    rows = best_candidates(view)
    held = rows[0].inference == "given_thresholds" if rows else any(map(is_tuned, primary_rows(view)))
    return f"{level_text(view.study.inference.level)} confidence{', thresholds fixed' if held else ''}"


def _ruled_out(view: DatasetView, outcome: Answer) -> Iterator[str]:
    """Yield which models are ruled out, or that none is where thresholds are fixed."""
    out, confidence = outcome.where("ruled out"), _confidence(view)
    if out:
        who, verb = _others(view, outcome, out), "is" if len(out) == 1 else "are"
        who = capitalised(who) if who.startswith("the ") else who
        yield f"{who} {verb} ruled out as best ({confidence})."
    elif "fixed" in confidence:
        yield f"No model is ruled out at {confidence}."


def _closest(view: DatasetView, outcome: Answer) -> Decision | None:
    """Return the decision on the model next behind the first."""
    tied = outcome.where("tied") or view.ranked[:1]
    behind = (
        d
        for m, d in outcome.decisions.items()
        if m not in tied and d.contrast and d.contrast.value is not None
    )
    return next(behind, None)


def _distance(view: DatasetView, decision: Decision) -> str:
    """Return how far a model is from the reference."""
    assert decision.contrast is not None
    p = numbers.equation(decision.p) if of_a_pair(view) and decision.p is not None else ""
    return f"{view.names[decision.model]} is {difference_text(view, decision.contrast, p)}"


def _p_of_best(view: DatasetView, outcome: Answer) -> tuple[str, ...]:
    """Return the p-values of being the best, without that of the first in rank."""
    tried = [
        (model, d.p)
        for model, d in outcome.decisions.items()
        if d.p is not None and model != outcome.reference
    ]
    if not tried:
        return ()
    if of_a_pair(view):
        (row,) = (row for row in primary_rows(view) if row.p_value is not None)
        return (
            f"The two-sided p-value of their difference is {numbers.p_value(decisive_p(row))}"
            f" ({basis(view, row)}); the worse model is ruled out as best if it is at most"
            f" {printed_alpha(view)}.",
        )
    every = listing(f"{view.names[model]} {numbers.p_value(p)}" for model, p in tried)
    rows = [d.contrast.row for d in outcome.decisions.values() if d.contrast and d.contrast.row.p_method]
    # Exchanging two models shows nothing of several jointly: these are resampled together.
    jointly = any(row.p_method != "swap" for row in best_candidates(view))
    drawn = resampled if jointly and rows and rows[0].inference == "procedure" else basis
    rests = f"; {drawn(view, rows[0])}" if rows else ""
    by = f"{how_ruled_out(view)}{rests}"
    return (f"A model is ruled out as best if its p is at most {printed_alpha(view)} ({by}): {every}.",)
