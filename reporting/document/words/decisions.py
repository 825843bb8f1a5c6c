"""What is decided of every model, with the p-value that decides and an interval that agrees with it.

Without a baseline the question is *which model is best*: multiple comparisons with the best, from the frame
``standing``. With one it is *is it better than the baseline*: those comparisons, adjusted. No other place of
a report turns a p-value of the primary question into a word.
"""

from __future__ import annotations

import math
from typing import Literal

from reporting.base.records import dataclass
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.frames.comparisons import STANDING, ComparisonRow, StandingRow
from reporting.document.frames.history import SinceLastRow
from reporting.document.frames.tests import TESTS
from reporting.document.words.oriented import Contrast, contrast, primary_rows, reference, turned
from reporting.document.words.view import DatasetView

Question = Literal["best", "baseline", "none"]
Word = Literal[
    "best",
    "tied",
    "in contention",
    "ruled out",
    "baseline",
    "better",
    "worse",
    "inconclusive",
    "equivalent",
    "identical",
    "undefined",
    "not compared",
]
Limits = tuple[float | None, float | None]
Tested = ComparisonRow | SinceLastRow

EXACT = 1e-12
"""Values that differ by no more, relatively, are tied."""


@dataclass(frozen=True, eq=False)
class Decision:
    """The decision on one model.

    ``p`` decides: of being the best, or the adjusted one of the comparison; None where nothing is tested.
    ``contrast`` is the model minus the reference of the view (``Answer.reference``), None for the reference
    itself. ``joint`` are the limits that hold for all models together. Of being the best, they leave out 0
    exactly where a model is ruled out; of comparisons, only where p decides, and stepwise p-values
    decide more.
    """

    model: str
    word: Word
    p: float | None = None
    contrast: Contrast | None = None
    joint: Limits = (None, None)


@dataclass(frozen=True, eq=False)
class Answer:
    """The decisions of one view, from the best primary value on."""

    question: Question
    reference: str | None
    decisions: dict[str, Decision]

    def where(self, *words: Word) -> list[str]:
        """Return the models with one of these decisions, best first."""
        return [model for model, decision in self.decisions.items() if decision.word in words]

    @property
    def candidates(self) -> list[str]:
        """The models in contention: those with a value that nothing rules out."""
        return [
            model
            for model, decision in self.decisions.items()
            if decision.word not in ("ruled out", "undefined")
        ]


def answer(view: DatasetView) -> Answer:
    """Return what is asked of a view, and what is decided of each of its models."""
    question = asked(view)
    decide = _against if question == "baseline" else _alone
    decided = _best(view) if question == "best" else {model: decide(view, model) for model in view.ranked}
    return Answer(question, reference(view), decided)


def asked(view: DatasetView) -> Question:
    """Return which question a view answers; ``none`` for a single model, or where nothing is compared."""
    if len(view.results.models) < 2 or not view.whole:
        return "none"
    if view.study.baseline is not None:
        return "baseline"
    if sum(_has_value(view, model) for model in view.ranked) < 2:
        return "none"
    compared = any(row.p_value is not None for row in primary_rows(view))
    return "best" if best_candidates(view) or compared else "none"


def best_candidates(view: DatasetView) -> list[StandingRow]:
    """Return what is known of being the best, from the best primary value on; none where nothing is.

    Nor of two models that are compared: their own two-sided test shows which is best. Nor where means over a
    column answer: the joint resamples are of all trials.
    """
    if not view.whole or of_a_pair(view) or view.averaged:
        return []
    rows = {row.model: row for row in view.rows(STANDING, "test")}
    return [rows[model] for model in view.ranked if model in rows]


def of_a_pair(view: DatasetView) -> bool:
    """Return whether there are exactly two models, without a baseline, and their difference is tested."""
    alone = len(view.results.models) == 2 and view.study.baseline is None
    return alone and any(row.p_value is not None for row in primary_rows(view))


def alpha(view: DatasetView) -> float:
    """Return the error rate 1 - level that tests are held to."""
    return 1 - view.study.inference.level


def printed_alpha(view: DatasetView) -> str:
    """Print the error rate that tests are held to: ``.05``."""
    return numbers.error_rate(alpha(view))


def differs(view: DatasetView, p: float | None) -> bool:
    """Return whether a p-value stays at or below 1 - level."""
    return p is not None and p <= alpha(view) + 1e-12


def decisive_p(row: Tested) -> float | None:
    """Return the p-value that decides: the adjusted one wherever there is one."""
    return row.p_value if row.p_adjusted is None else row.p_adjusted


def shown_to_differ(view: DatasetView, row: Tested) -> bool:
    """Return whether a comparison decides that the two sides differ."""
    return differs(view, decisive_p(row))


def word_of(view: DatasetView, compared: Contrast) -> Word:
    """Return what a comparison decides of its model against the other."""
    row = compared.row
    if compared.value is None:
        return "undefined" if row.status != "no_trial_key" else "not compared"
    if "identical_decisions" in row.flags:
        return "identical"
    if decisive_p(row) is None:
        return "not compared"
    if shown_to_differ(view, row):
        return "better" if _is_better(view, compared) else "worse"
    return "equivalent" if _equivalent(view, compared) else "inconclusive"


def turn(measure: Measure, difference: float) -> float:
    """Return a difference, positive where it is the worse; of a measure with an ideal value as it is."""
    return -difference if measure.ideal is None and measure.better == "higher" else difference


def joint_limits(row: ComparisonRow) -> Limits:
    """Return the limits of a comparison that hold together with all of its family; (None, None) without."""
    if row.band_low is not None:
        return row.band_low, row.band_high
    unadjusted = row.p_adjusted is None or row.p_value is None or row.p_adjusted <= row.p_value
    return (row.ci_low, row.ci_high) if unadjusted else (None, None)


def _best(view: DatasetView) -> dict[str, Decision]:
    """Decide which models are in contention."""
    known = {row.model: row for row in best_candidates(view)}
    defined = [model for model in view.ranked if _has_value(view, model)]
    results = {
        model: _by_standing(view, known, model) if known else _by_pairs(view, model) for model in defined
    }
    left = [model for model, (_, inside, _) in results.items() if inside is not False]
    leaders = tied(view)

    def word(model: str, inside: bool | None) -> Word:
        if inside is None:
            return "not compared"
        if not inside:
            return "ruled out"
        if model in leaders and len(leaders) > 1:
            return "tied"
        return "best" if left == [model] else "in contention"

    decisions = {
        model: Decision(model, word(model, inside), p, _contrast(view, model), joint)
        for model, (p, inside, joint) in results.items()
    }
    return {model: decisions.get(model, Decision(model, "undefined")) for model in view.ranked}


def _has_value(view: DatasetView, model: str) -> bool:
    row = view.primary(model)
    return row is not None and row.value is not None


def tied(view: DatasetView) -> list[str]:
    """Return the models that attain the best value, to the last bit; one where none tie."""
    measure = view.study.primary.measure
    values = {key: row.value for key in view.ranked if (row := view.primary(key)) and row.value is not None}
    if not values:
        return []
    least = measure.loss(next(iter(values.values())))
    return [key for key, value in values.items() if math.isclose(measure.loss(value), least, rel_tol=EXACT)]


Tried = tuple[float | None, bool | None, Limits]
"""The p against being the best, whether a model may be it (None: not known), and the limits that agree."""


def _by_standing(view: DatasetView, known: dict[str, StandingRow], model: str) -> Tried:
    """Return what joint draws say of a model, with the limits of row minus reference."""
    measure, leader, row = view.study.primary.measure, known.get(view.ranked[0]), known.get(model)
    if row is None:
        return None, None, (None, None)
    behind = row.behind_low, row.behind_high
    from_the_leader = leader is not None and leader.behind == 0 and measure.ideal is None
    if model == view.ranked[0] or not from_the_leader or behind[0] is None or behind[1] is None:
        return row.p_best, row.may_be_best, (None, None)
    low, high = sorted((turn(measure, behind[0]), turn(measure, behind[1])))
    return row.p_best, row.may_be_best, (low, high)


def _by_pairs(view: DatasetView, model: str) -> Tried:
    """Where models share no draws, an adjusted comparison that finds a model worse than any rules it out."""
    p_values = []
    for row in primary_rows(view):
        if model in (row.model, row.baseline) and (p := decisive_p(row)) is not None:
            worse = not _is_better(view, turned(row, model))
            p_values.append(p if worse and row.difference else 1.0)
    if not p_values:
        return None, None, (None, None)
    against, least = _contrast(view, model), min(p_values)
    return least, not differs(view, least), (None, None) if against is None else _turned_limits(against)


def _against(view: DatasetView, model: str) -> Decision:
    compared = _contrast(view, model)
    if model == view.study.baseline:
        return Decision(model, "baseline")
    if not _has_value(view, model):
        return Decision(model, "undefined", None, compared)
    if compared is None:
        return Decision(model, "not compared")
    p = decisive_p(compared.row)
    return Decision(model, word_of(view, compared), p, compared, _turned_limits(compared))


def _alone(view: DatasetView, model: str) -> Decision:
    word: Word = "not compared" if _has_value(view, model) else "undefined"
    return Decision(model, word, None, _contrast(view, model))


def _contrast(view: DatasetView, model: str) -> Contrast | None:
    other = reference(view)
    return None if other is None or other == model else contrast(view, model, other)


def _turned_limits(compared: Contrast) -> Limits:
    low, high = joint_limits(compared.row)
    if low is None or high is None or compared.row.model == compared.model:
        return low, high
    return 0.0 - high, 0.0 - low


def _is_better(view: DatasetView, compared: Contrast) -> bool:
    """Return whether the model of a comparison has the better value."""
    measure = read_measure(compared.row.measure)
    if measure.ideal is None:
        return turn(measure, compared.value or 0.0) < 0
    values = [
        row.value
        for key in (compared.model, compared.other)
        if (row := view.primary(key)) is not None and row.value is not None
    ]
    return len(values) == 2 and measure.loss(values[0]) < measure.loss(values[1])


def _equivalent(view: DatasetView, compared: Contrast) -> bool:
    """Return whether the test of equivalence within the margin of the report decides for it."""
    measure = str(view.study.primary.measure)
    return not view.averaged and any(
        (row.test, row.measure, row.verdict) == ("equivalence", measure, "equivalent")
        and {row.model, row.baseline} == {compared.model, compared.other}
        for row in view.rows(TESTS)
    )
