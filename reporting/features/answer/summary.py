"""The first screen: every model's primary measure, its difference from the reference, and what is decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reporting.core.measures.sweep import EER_ROCCH
from reporting.document import numbers
from reporting.document.blocks import Block, Cell, Column, Tone
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.metrics import MetricRow
from reporting.document.words import decisions, phrases, tables
from reporting.document.words.equal_error import interpolated
from reporting.document.words.printing import Printing
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.answer.phrases import disagreement, how_ruled_out

LONGEST_NAME = 24
"""A longer name of the reference is in a note, not in the head of a column."""
LONGEST_WORD = 14
LEADING = ("best", "tied", "baseline")
"""What is decided without a p of one's own."""
TONES: dict[decisions.Word, Tone] = {
    "best": "good",
    "better": "good",
    "worse": "bad",
    "ruled out": "bad",
    "in contention": "open",
    "inconclusive": "open",
    "tied": "open",
}
"""How a decision is set off; one that is not here is not."""
MANY = 30
"""The table of so many models is folded: their ranking is the picture of the first screen."""
CERTAIN = 0.001
"""A smaller p is not printed behind what it decides; the line under the table has it."""


class Ranked(NamedTuple):
    """A model, its primary value, its error counts, and what is decided of it."""

    decision: decisions.Decision
    row: MetricRow | None

    @property
    def model(self) -> str:
        """The key of the model."""
        return self.decision.model

    @property
    def value(self) -> float | None:
        """The primary value."""
        return None if self.row is None else self.row.value

    @property
    def difference(self) -> float | None:
        """The difference from the reference, which itself has none."""
        return None if self.decision.contrast is None else self.decision.contrast.value

    @property
    def limits(self) -> decisions.Limits:
        """The interval of the difference alone."""
        contrast = self.decision.contrast
        return (None, None) if contrast is None else (contrast.low, contrast.high)

    @property
    def comparison(self) -> ComparisonRow | None:
        """The row that the difference was read from."""
        return None if self.decision.contrast is None else self.decision.contrast.row


def models_compared(view: DatasetView) -> Iterator[Block]:
    """Yield the table of models: values, differences from the reference, and what is decided."""
    outcome = decisions.answer(view)
    lines = [Ranked(outcome.decisions[model], view.primary(model)) for model in view.ranked]
    what = f"{'weighted ' * view.results.weighted}{phrases.first_question(view)}"
    columns = [*_value_columns(view, lines)]
    if outcome.question != "none" and outcome.reference is not None:
        columns += _difference_columns(view, lines, outcome)
    table = tables.TableOf[Ranked](view)
    whole = table.build(
        "summary",
        f"{capitalised(what)}; test set{', best first' if len(lines) > 1 else ''}."
        f" In brackets: {table.level} CIs.",
        lines,
        (*columns, *_errors(view, lines)),
        _notes(view, lines, outcome),
    )
    drawn = _drawn_note(view, outcome), *_in_steps(view, outcome)
    yield replace(whole, drawn_notes=drawn, folded=len(lines) >= MANY)


def _value_columns(view: DatasetView, lines: list[Ranked]) -> tuple[tables.ColumnOf[Ranked], ...]:
    """Return the models with their colours, their values drawn, and in numbers with the interval beneath."""
    measure = view.study.primary.measure
    printed, table = view.printing(measure), tables.TableOf[Ranked](view, lambda line: table.reason(line.row))
    models = table.model(lambda line: line.model, order=lambda line: float(view.ranked.index(line.model)))
    value = table.number(
        view.terms.measure(measure), lambda line: line.value, printed, sense=phrases.sense(measure)
    )

    def coloured(line: Ranked) -> Cell:
        return replace(models.cell(line), style=view.styles[line.model])

    def bold(line: Ranked) -> Cell:
        # Bold is a claim: all others are ruled out.
        return replace(value.cell(line), bold=line.decision.word == "best")

    valued = tables.ColumnOf(value.head, bold)
    drawn = table.drawn(
        lines,
        lambda line: (
            None if line.value is None else tables.DrawnInterval(line.value, *tables.limits(line.row))
        ),
        printed,
        measure.bounds,
    )
    return (
        tables.ColumnOf(models.head, coloured),
        drawn,
        tables.second_line(valued, lambda line: _interval(printed, tables.limits(line.row))),
    )


def _interval(printed: Printing, ends: decisions.Limits) -> str:
    return "" if None in ends else printed.interval(*ends)


def _difference_columns(
    view: DatasetView, lines: list[Ranked], outcome: decisions.Answer
) -> list[tables.ColumnOf[Ranked]]:
    """Return the differences drawn and in numbers, row minus reference, and what is decided."""
    measure, other = view.study.primary.measure, outcome.reference
    printed, name = view.printing(measure), _called(view, str(other))
    table = tables.TableOf[Ranked](view, lambda line: table.reason(line.comparison))
    unit = "points" if printed.percent else ""
    behind = outcome.question == "best" and measure.ideal is None and measure.better == "lower"
    group = f"{'behind' if behind else 'difference from'} {name}{f' ({unit})' if unit else ''}"
    by_row = tables.ByRow[Ranked](lambda line: printed.off_zero(*line.limits))
    difference = table.number("difference", lambda line: line.difference, by_row, unit="")

    def interval(line: Ranked) -> tables.DrawnInterval | None:
        ends = *line.limits, *line.decision.joint
        return None if line.difference is None else tables.DrawnInterval(line.difference, *ends)

    columns = (
        table.drawn(lines, interval, printed, zero=True),
        tables.second_line(difference, lambda line: _interval(printed.off_zero(*line.limits), line.limits)),
    )
    order = {model: float(place) for place, model in enumerate(outcome.decisions)}
    verdict = table.text("verdict", lambda line: decided_text(line.decision), lambda line: order[line.model])

    def toned(line: Ranked) -> Cell:
        return replace(verdict.cell(line), tone=TONES.get(line.decision.word, ""))

    return [
        *(
            tables.blank_where(lambda line: line.model == other, column)
            for column in tables.spanner(group, *columns)
        ),
        tables.ColumnOf(verdict.head, toned),
    ]


def decided_text(decision: decisions.Decision) -> str:
    """Return a decision with the p-value that decides, unless that is tiny: ``ruled out, p = .030``."""
    if decision.p is None or decision.contrast is None or decision.word in LEADING:
        return decision.word
    return decision.word if _is_certain(decision) else f"{decision.word}, {numbers.equation(decision.p)}"


def _is_certain(decision: decisions.Decision) -> bool:
    """Return whether a decision goes without its p-value, which prints as < .001."""
    decided = decision.word in ("ruled out", "better", "worse")
    return decided and decision.p is not None and decision.p < CERTAIN


def _errors(view: DatasetView, lines: list[Ranked]) -> list[tables.ColumnOf[Ranked]]:
    """Return the errors behind the primary measure as ``12 + 35``; nothing over the sweep or several runs."""
    rows = [line.row for line in lines if line.row is not None]
    if view.study.primary.measure.over != "threshold" or view.results.weighted:
        return []
    if any(row.false_alarms is None or row.misses is None for row in rows) or not rows:
        return []
    kinds = [("misses", "n_target", view.terms.misses)]
    if any(row.n_nontarget for row in rows):
        kinds.insert(0, ("false_alarms", "n_nontarget", view.terms.false_alarms))
    alike = all(len({getattr(row, total) for row in rows}) == 1 for _, total, _ in kinds)
    table = tables.TableOf[Ranked](view, lambda line: table.reason(line.row))

    def counted(line: Ranked) -> Cell:
        if line.row is None:
            return table.undefined(line)
        counts = [getattr(line.row, count) for count, _, _ in kinds]
        out_of = ["" if alike else f" of {numbers.count(getattr(line.row, total))}" for _, total, _ in kinds]
        texts = [f"{numbers.count(n)}{of}" for n, of in zip(counts, out_of, strict=True)]
        return Cell(" + ".join(texts), float(sum(counts)))

    title = " + ".join(name for _, _, name in kinds)
    return [tables.ColumnOf(Column(title, "number", group=title), counted)]


def _called(view: DatasetView, other: str) -> str:
    """Return the name of the reference in the head of a column, or what it is called there."""
    name = view.names[other]
    short = len(name) <= LONGEST_NAME and max(map(len, name.split()), default=0) <= LONGEST_WORD
    return name if short else "the baseline" if other == view.study.baseline else "the first"


def _notes(view: DatasetView, lines: list[Ranked], outcome: decisions.Answer) -> list[str]:
    rows = [line.row for line in lines if line.row is not None]
    compared = [line.comparison for line in lines if line.comparison is not None]
    tests = [row for row in compared if row.p_value is not None]
    notes = [_decision_note(view, outcome)] if outcome.question != "none" else []
    if methods := dict.fromkeys(phrases.interval_name(row) for row in rows if row.ci_method):
        name, spoken = view.terms.measure(view.study.primary.measure), [*map(view.terms.say, methods)]
        again = any(row.inference == "procedure" and row.replicates for row in rows)
        held = f", {phrases.TUNED}" if any(map(phrases.is_tuned, rows)) and not again else ""
        notes.append(f"CIs of {name}: {_how(view, spoken, rows)}{held}.")
    if tests and outcome.question != "none":
        notes.append(_difference_note(view, tests, outcome))
    if methods or tests:
        what = " and ".join(["CIs"] * bool(methods) + ["p-values"] * bool(tests))
        notes.append(f"{what} refer to {phrases.population(view.results)}.")
    if not _adds_up(view, lines, outcome):
        notes.append(phrases.UNROUNDED)
    notes += interpolated(view) if view.study.primary.measure == EER_ROCCH else ()
    notes += (text for decision in outcome.decisions.values() for text in disagreement(view, decision))
    return notes


def _decision_note(view: DatasetView, outcome: decisions.Answer) -> str:
    """Return what rules a model out, or from which p on it is better or worse."""
    limit = decisions.printed_alpha(view)
    if outcome.question == "best" and decisions.of_a_pair(view):
        return f"Ruled out as best if p ≤ {limit} (two-sided, of the difference)."
    if outcome.question == "best":
        return (
            f"Ruled out as best if p ≤ {limit} ({how_ruled_out(view)}). Small p-values rule a model out; they"
            " are not probabilities of being best."
        )
    adjusted = _adjusted(outcome)
    return f"Better or worse if p ≤ {limit}{f', {adjusted}' if adjusted else ''}."


def _adjusted(outcome: decisions.Answer) -> str:
    """Return how the p-values of several comparisons are adjusted; nothing for one of its own."""
    rows = [d.contrast.row for d in outcome.decisions.values() if d.contrast is not None]
    several = any((row.family_size or 0) > 1 for row in rows)
    return next(filter(None, map(phrases.adjustment, rows)), "") if several else ""


def _drawn_note(view: DatasetView, outcome: decisions.Answer) -> str:
    """Return what dots, thick and thin lines are, and which p-values are not printed."""
    level, measure = phrases.level_text(view.study.inference.level), view.study.primary.measure
    parts = [f"{phrases.sense(measure).capitalize()}. Dot: value"]
    of_models = (view.primary(model) for model in view.ranked)
    if any(row is not None and row.ci_low is not None for row in of_models):
        parts.append(f"line and brackets: {level} CI")
    if any(decision.joint[0] is not None for decision in outcome.decisions.values()):
        if outcome.question == "best" and decisions.best_candidates(view):
            parts.append(f"thin line: {level} limits of the multiple comparisons with the best")
        elif outcome.question == "baseline" and _adjusted(outcome):
            parts.append("thin line: adjusted, for all comparisons together")
    certain = any(map(_is_certain, outcome.decisions.values()))
    return f"{'; '.join(parts)}.{' p < .001 where none is printed.' if certain else ''}"


def _in_steps(view: DatasetView, outcome: decisions.Answer) -> Iterator[str]:
    """Yield why an adjusted CI includes 0 where the adjusted p-value decides: it is adjusted in steps."""
    if outcome.question != "baseline":
        return
    decided = [outcome.decisions[model] for model in outcome.where("better", "worse")]
    apart = [d for d in decided if d.joint[0] is not None and d.joint[0] <= 0 <= (d.joint[1] or 0.0)]
    for decision in apart:
        name, p = view.names[decision.model], numbers.equation(decision.p)
        steps = "p-values are adjusted in steps"
        yield f"{name}'s adjusted CI includes 0, although its test decides ({p}): {steps}."


def _adds_up(view: DatasetView, lines: list[Ranked], outcome: decisions.Answer) -> bool:
    """Return whether every printed difference is that of the printed values."""
    printed = view.printing(view.study.primary.measure)
    values = {line.model: line.value for line in lines}
    base = values.get(outcome.reference or "")
    return all(printed.adds_up(line.difference, line.value, base) for line in lines)


def _difference_note(view: DatasetView, tests: Sequence[ComparisonRow], outcome: decisions.Answer) -> str:
    """Return how the differences came by their intervals and, against a baseline, by their p-values."""
    intervals = list(dict.fromkeys(phrases.interval_name(row) for row in tests if row.ci_method))
    methods = list(dict.fromkeys(phrases.test_name(row) for row in tests))
    other = _called(view, str(outcome.reference))
    label = f", {phrases.TUNED}" if any(phrases.is_tuned(row) for row in tests) else ""
    what = f"Differences (row minus {other}{label})"
    if (outcome.question == "best" and not decisions.of_a_pair(view)) or intervals == methods:
        return f"{what}: {_how(view, intervals or methods, tests)}."
    return f"{what}: {_how(view, intervals, tests)}; p: {phrases.listing(methods)}."


def _how(view: DatasetView, methods: list[str], rows: Sequence[MetricRow | ComparisonRow]) -> str:
    """Return the method, and what was drawn how often where it rests on draws."""
    return ", ".join(
        [phrases.listing(methods), *dict.fromkeys(filter(None, (phrases.draws(view, row) for row in rows)))]
    )
