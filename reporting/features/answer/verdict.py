"""The answer in words: a headline, the sentences under it, and the full text.

Every sentence is checked against the numbers by the tests. Words such as *best* or *better* repeat a decision
of ``wording.decisions``; nothing here looks at a p-value of its own.
"""

from __future__ import annotations

from reporting.core.engine.model_runs import MEAN
from reporting.document.blocks import InWords
from reporting.document.frames.results import Results
from reporting.document.words.decisions import answer, tied
from reporting.document.words.oriented import primary_rows
from reporting.document.words.phrases import reason
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.answer import phrases
from reporting.features.answer.against_baseline import against_the_baseline
from reporting.features.answer.best_model import which_is_best
from reporting.features.answer.datasets import sentence


def in_words(results: Results) -> InWords:
    """Return the answer of a report: of one dataset its statement, of several a line each."""
    every = [view for view in views(results) if view.whole]
    lines = [(view.label, statement(view)) for view in every] if len(every) > 1 else []
    only = (
        statement(every[0])
        if len(every) == 1
        else phrases.Statement(sentence(every), (), below=(phrases.judged_by(every[0]),))
    )
    return InWords(
        verdict=verdict(results),
        headline=only.headline,
        sentences=only.sentences,
        lead=only.lead,
        below=only.below,
        by_dataset=tuple((label, " ".join((each.headline, *each.sentences[:1]))) for label, each in lines),
    )


def verdict(results: Results) -> str:
    """Return the full text of the answer, one dataset after the other."""
    return " ".join(_full_text(view) for view in views(results) if view.whole)


def statement(view: DatasetView) -> phrases.Statement:
    """Return the answer on one dataset."""
    outcome = answer(view)
    if all(decision.word == "undefined" for decision in outcome.decisions.values()):
        why = phrases.why_undefined(view, view.results.models[0])
        return phrases.Statement(
            f"{phrases.measure_name(view)} is undefined for every model.", (f"The reason: {why}.",)
        )
    if outcome.question == "best":
        return which_is_best(view, outcome)
    if outcome.question == "baseline":
        return against_the_baseline(view, outcome)
    return _observed(view)


def _full_text(view: DatasetView) -> str:
    answer = statement(view)
    text = " ".join((answer.headline, *answer.sentences, *answer.more))
    where = [f"on {view.where}"] if view.where else []
    where += ["as the mean over runs"] if view.run == MEAN else []
    opening = ", ".join(where)
    return f"{capitalised(opening)}: {text}" if opening else text


def _observed(view: DatasetView) -> phrases.Statement:
    """Answer where nothing is compared: one model, or trials that cannot be paired."""
    first, measure = view.ranked[0], phrases.measure_name(view)
    name = view.names[first]
    if len(view.results.models) == 1:
        return phrases.Statement(
            f"{name}: {measure} {phrases.value_text(view, first)}.",
            (phrases.value_sentence(view, first, "Its"),),
            below=(phrases.judged_by(view),),
        )
    why = next((row.status for row in primary_rows(view) if row.status), None)
    because = f": {reason(why, view.terms)}" if why else ""
    untested = f"Differences between models were not tested{because}.", *phrases.undefined_models(view)
    leaders = tied(view) or [first]
    has, whose = ("have", "Their") if len(leaders) > 1 else ("has", "Its")
    return phrases.Statement(
        f"{phrases.names_of(view, leaders)} {has} {phrases.extreme(view, measure)} on these"
        f" {view.terms.trials}; the models were not compared.",
        (phrases.value_sentence(view, first, whose), *untested),
        lead=untested,
        below=(phrases.judged_by(view),),
    )
