"""Phrases of the answer: values, differences and names, each read from the frames or from a decision."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.base.records import dataclass
from reporting.document import numbers
from reporting.document.frames.tests import TESTS
from reporting.document.words import phrases
from reporting.document.words.decisions import Decision, best_candidates, of_a_pair
from reporting.document.words.margins import margin_text
from reporting.document.words.oriented import Contrast
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView

MOST_NAMES = 4
"""So many candidates are named in a headline."""
COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Statement:
    """The answer on one dataset: in a few words, what belongs to it, and what the full text adds.

    ``lead`` replaces the sentences where a table has their numbers; ``below`` follows that table.
    """

    headline: str
    sentences: tuple[str, ...]
    more: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def judged_by(view: DatasetView) -> str:
    """Return what models are judged by, in full, and where their thresholds were set."""
    primary, spoken = view.study.primary, view.terms
    name = capitalised(_full_name(view))
    if primary.measure.over != "threshold" or primary.criterion.threshold is not None:
        return f"{name}{_thresholds(view)}."
    phrase = phrases.threshold_phrase(primary.criterion, view.study)
    return f"{name}; {phrase.removesuffix(phrases.by_rule(primary.criterion, spoken))}."


def value_sentence(view: DatasetView, model: str, possessive: str | None) -> str:
    """Return a sentence with the primary value of a model, its interval and its thresholds."""
    of_one = view.primary(model) is not None and possessive != "Their"
    picked = possessive is None and len(view.ranked) > 1
    among = f", not corrected for picking the best of {counted(len(view.ranked))}" if picked else ""
    amount = value_with_interval(view, model, among) if of_one else value_text(view, model)
    if possessive:
        return f"{possessive} {_full_name(view)} on the test set is {amount}{_thresholds(view)}."
    best = extreme(view, _full_name(view))
    return f"{view.names[model]} has {best} on the test set: {amount}{_thresholds(view)}."


def _thresholds(view: DatasetView) -> str:
    primary = view.study.primary
    if primary.measure.over == "threshold":
        return f", at {phrases.threshold_phrase(primary.criterion, view.study)}"
    return f", {phrases.at_own_threshold(view.terms)}" if primary.measure.optimised else ""


def difference_text(view: DatasetView, contrast: Contrast, also: str = "") -> str:
    """Return ``1.1 percentage points lower than B (95% CI 2.0 lower to 0.3 higher, p = .10)``.

    ``also`` follows the limits.
    """
    printed = view.printing(view.study.primary.measure).off_zero(contrast.low, contrast.high)
    unit = " percentage points" if printed.percent else ""
    inside = [also] if also else []
    if contrast.low is not None and contrast.high is not None:
        ends = contrast.low, contrast.high
        if contrast.low < 0 < contrast.high:
            span = " to ".join(f"{printed.value(abs(end))} {_side(end)}" for end in ends)
        else:
            nearer, farther = sorted(ends, key=abs)
            span = f"{printed.span(abs(nearer), abs(farther))} {_side(farther)}"
        inside.insert(0, f"{phrases.level_text(view.study.inference.level)} CI {span}")
    value, name = contrast.value or 0.0, view.names[contrast.other]
    apart = f"{printed.value(abs(value))}{unit} {_side(value)} than {name}" if value else f"equal to {name}"
    return f"{apart} ({', '.join(inside)})" if inside else apart


def _side(difference: float) -> str:
    return "lower" if difference < 0 else "higher"


def value_text(view: DatasetView, model: str) -> str:
    """Return the primary value of a model with its unit."""
    row = view.primary(model)
    return view.printing(view.study.primary.measure).value_with_unit((row and row.value) or 0.0)


def value_with_interval(view: DatasetView, model: str, more: str = "") -> str:
    """Return ``2.13% (95% CI 1.40 to 2.94)``; ``more`` follows the limits."""
    row, printed = view.primary(model), view.printing(view.study.primary.measure)
    if row is None:
        return ""
    text = printed.value_with_unit(row.value or 0.0)
    if row.ci_low is None:
        return text
    level = phrases.level_text(view.study.inference.level)
    return f"{text} ({level} CI {printed.span(row.ci_low, row.ci_high)}{more})"


def disagreement(view: DatasetView, decision: Decision) -> Iterator[str]:
    """Yield why the two-sided interval of a difference and a decision fall apart, where they do."""
    contrast = decision.contrast
    if contrast is None or contrast.low is None or contrast.high is None or decision.p is None:
        return
    apart, name = contrast.low > 0 or contrast.high < 0, view.names[decision.model]
    decided = decision.word in ("ruled out", "better", "worse")
    p = numbers.equation(decision.p)
    if apart == decided or decision.word in ("identical", "equivalent"):
        return
    if decision.word == "ruled out" and not of_a_pair(view):
        yield f"{name}'s CI is two-sided and includes 0; the test of being best is one-sided ({p})."
    elif decided:
        yield f"{name}'s CI includes 0, although the test decides ({p}); the two rest on different methods."
    elif of_a_pair(view):
        yield f"{name}'s CI leaves out 0, but the test ({p}) does not; the two rest on different methods."
    else:
        joint = "among all models" if decision.word == "in contention" else "after adjustment"
        yield f"{name}'s CI leaves out 0 for this pair alone, but not {joint} ({p})."


def how_ruled_out(view: DatasetView) -> str:
    """Return by which p-values models are ruled out as best."""
    by_best = "multiple comparisons with the best, one-sided"
    return by_best if best_candidates(view) else "adjusted comparisons of pairs"


def alike(view: DatasetView) -> str:
    """Return that models do the same on every trial: ``decide every trial identically``."""
    at_threshold = view.study.primary.measure.over == "threshold"
    return f"{'decide' if at_threshold else 'rank'} every {view.terms.trial} identically"


def within_margin(view: DatasetView) -> tuple[str, ...]:
    """Return what the test of equivalence of the first two models decides; nothing without a margin."""
    measure, finalists = str(view.study.primary.measure), set(view.finalists)
    for row in () if view.averaged else view.rows(TESTS):
        is_tested = (row.test, row.measure) == ("equivalence", measure) and row.verdict is not None
        if is_tested and {row.model, row.baseline} == finalists and row.p_value is not None:
            names = names_of(view, list(view.finalists))
            established = "is" if row.verdict == "equivalent" else "is not"
            return (
                f"Equivalence of {names} within ±{margin(view)} {established} established"
                f" ({numbers.equation(row.p_value)}, unadjusted).",
            )
    return ()


def margin(view: DatasetView) -> str:
    """Return the margin of equivalence with its unit."""
    return margin_text(view, str(view.study.primary.measure)).replace(" point", " percentage point")


def undefined_models(view: DatasetView) -> tuple[str, ...]:
    """Return the models whose primary measure is undefined, and why."""
    without = [key for key in view.results.models if (row := view.primary(key)) is None or row.value is None]
    if not without:
        return ()
    return (
        f"The {measure_name(view)} of {names_of(view, without)} is undefined:"
        f" {why_undefined(view, without[0])}.",
    )


def why_undefined(view: DatasetView, model: str) -> str:
    """Return why the primary measure of a model is undefined."""
    row = view.primary(model)
    return phrases.reason(None if row is None else row.status, view.terms)


def extreme(view: DatasetView, name: str) -> str:
    """Return ``the lowest HTER``, under a name of the primary measure."""
    measure = view.study.primary.measure
    return f"the {name} {measure.best}" if measure.ideal is not None else f"the {measure.best} {name}"


def names_of(view: DatasetView, models: list[str], last: str = "and") -> str:
    """Return the printed names of models, as a list in words."""
    return phrases.listing((view.names[model] for model in models), last=last)


def counted(n: int) -> str:
    """Return a number in words where it is small."""
    return COUNTED[n] if n < len(COUNTED) else numbers.count(n)


def measure_name(view: DatasetView) -> str:
    """Return the printed name of the primary measure, and over what it is averaged."""
    return f"{view.terms.measure(view.study.primary.measure)}{phrases.averaged_over(view)}"


def _full_name(view: DatasetView) -> str:
    """Return the primary measure spelled out, unless its parameters belong to its printed name."""
    measure, over = view.study.primary.measure, phrases.averaged_over(view)
    printed = view.terms.measure(measure)
    spelled = view.terms.spelled(measure) if printed == view.terms.say(measure.label) else printed
    return f"{spelled}{over}"
