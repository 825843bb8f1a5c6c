"""What each criterion's thresholds yield on test: rates with their counts, best model first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR, HTER, RECALL, SPECIFICITY
from reporting.core.stats.intervals import ZERO
from reporting.document import numbers
from reporting.document.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.words import phrases
from reporting.document.words.tables import ColumnOf, Estimate, TableOf, by_dataset
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.operating_points import FEATURE

ALIKE = "Some thresholds differ only in digits that are not printed; the frame metrics has them in full."
WEIGHTED = "Rates are weighted and counts are not, so a rate is not errors divided by trials."
TUNED_ON_TEST = "{thresholds} tuned on the test set are optimistic; no CI is given for them."

CORRECT = {FAR: SPECIFICITY, FRR: RECALL}
"""The rate of correct decisions by that of errors, whose complement it is."""


class Point(NamedTuple):
    """A model at the threshold of a criterion: the row of any measure there has its errors."""

    model: str
    criterion: Criterion
    row: MetricRow | None


def operating_points(results: Results) -> Section | None:
    """Return the points of the first criterion, and those of the others opened on request."""
    return FEATURE.section("operating-points").per_view(views(results), _blocks, merged=by_dataset)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    chosen = [criterion for criterion in _in_order(view) if not criterion.oracle]
    twins = [oracle(each) for each in chosen if each.has_oracle and _has_values(view, oracle(each))]
    tuned = dict.fromkeys([*twins, *(criterion for criterion in _in_order(view) if criterion.oracle)])
    tuned_so = f" with {view.terms.thresholds} {view.terms.a_posteriori}"
    tables = (
        _table(view, "operating_points_1", chosen[:1], ""),
        _table(view, "operating_points_2", chosen[1:], f" with other {view.terms.thresholds}"),
        _table(view, "operating_points_tuned", tuned, tuned_so),
    )
    return tuple(table for table in (tables if view.whole else tables[:1]) if table is not None)


def _in_order(view: DatasetView) -> list[Criterion]:
    """Return the criteria that some model has values at, that of the pictures first."""
    first = view.point_criterion
    every = sorted(view.study.criteria, key=lambda criterion: criterion != first)
    return [criterion for criterion in every if _has_values(view, criterion)]


def _has_values(view: DatasetView, criterion: Criterion) -> bool:
    measure = judged(view)
    return any(
        view.operating_point(model, criterion) or (measure and view.metric(model, measure, criterion))
        for model in view.ranked
    )


def _table(view: DatasetView, name: str, criteria: Iterable[Criterion], several: str) -> Table | None:
    """Return one row per model under each criterion; None without any. ``several`` criteria are so called."""
    measure, table, every = judged(view), TableOf[Point](view), list(criteria)
    points = [
        Point(model, criterion, view.operating_point(model, criterion))
        for criterion in every
        for model in view.ranked
    ]
    if not points:
        return None
    tuned, thresholds = every[0].oracle, _thresholds(points)
    # Whether thresholds that differ are printed with the same digits.
    alike = len(set(numbers.thresholds(thresholds))) < len(set(thresholds))
    where = f" at {_threshold_phrase(view, every[0])}" if len(every) == 1 else several
    notes = (
        *((f"{table.level} CIs in brackets.",) if not tuned else ()),
        *((WEIGHTED,) if view.results.weighted else ()),
        *(
            (view.terms.say(MISLEADING),)
            if any(phrases.ratio_at(view, each) == AT_ONE for each in every)
            else ()
        ),
        *(_above_no_scores(view, measure, points) if measure else ()),
        *((phrases.acceptance(view),) if view.study.negated else ()),
        *((TUNED_ON_TEST.format(thresholds=capitalised(view.terms.thresholds)),) if tuned else ()),
        *((view.terms.say(ALIKE),) if alike else ()),
    )
    return table.build(
        name,
        f"{'Weighted errors' if view.results.weighted else 'Errors'} on the test set{where}.",
        points,
        (
            table.model(lambda point: point.model),
            *_rate(view, points, FAR, lambda row: (row.false_alarms, row.n_nontarget)),
            *_rate(view, points, FRR, lambda row: (row.misses, row.n_target)),
            *((_judged_value(view, measure, "test"),) if measure else ()),
            # The caption names the threshold that decides whether an item is solved.
            *((_threshold(view, points),) if view.most_nontargets else ()),
            *((_judged_value(view, measure, "dev"),) if measure else ()),
        ),
        notes,
        group=lambda point: capitalised(_threshold_phrase(view, point.criterion)),
        folded=name != "operating_points_1",
    )


def _above_no_scores(view: DatasetView, measure: Measure, points: Sequence[Point]) -> Iterator[str]:
    """Yield the models that cost more than to accept, or to reject, every trial: min(w_far, w_frr)."""
    weights = measure.linear()
    if weights is None or min(weights) <= 0:
        return
    rows = [view.metric(point.model, measure, point.criterion) for point in points]
    above = {row.model for row in rows if row is not None and (row.value or 0.0) > min(weights) + ZERO}
    if above:
        printed = view.printing(measure).value_with_unit(min(weights))
        yield (
            f"Accepting or rejecting every {view.terms.trial}, whichever costs less, gives"
            f" {view.terms.measure(measure)} {printed}."
            f" That of {phrases.listing(phrases.in_order(view, above))} is higher."
        )


AT_ONE = " (LR = 1)"
MISLEADING = (
    "At LR = 1 the two rates are those of misleading evidence: FAR of non-targets whose LR is at least 1, and"
    " FRR of targets whose LR is below 1."
)


def _threshold_phrase(view: DatasetView, criterion: Criterion) -> str:
    return f"{phrases.threshold_phrase(criterion, view.study)}{phrases.ratio_at(view, criterion)}"


def judged(view: DatasetView) -> Measure | None:
    """Return the measure that is shown with the rates: the primary one, HTER, or the first."""
    primary = view.study.primary.measure
    shown = (FAR, FRR, *(CORRECT.values() if view.terms.counts_correct else ()))
    offered = [m for m in (primary, *view.study.measures) if m.over == "threshold" and m not in shown]
    return primary if primary in offered else HTER if HTER in offered else next(iter(offered), None)


def _threshold(view: DatasetView, points: list[Point]) -> ColumnOf[Point]:
    """The thresholds with digits enough each, and enough to distinguish them."""
    known = _thresholds(points)
    texts = dict(zip(known, numbers.thresholds(known), strict=True))
    return TableOf[Point](view).number(
        view.terms.threshold,
        lambda point: None if point.row is None else point.row.threshold,
        texts.__getitem__,
        why=phrases.no_threshold(view),
    )


def _thresholds(points: Iterable[Point]) -> list[float]:
    return [point.row.threshold for point in points if point.row and point.row.threshold is not None]


def _rate(
    view: DatasetView,
    points: list[Point],
    measure: Measure,
    counts: Callable[[MetricRow], tuple[int | None, int]],
) -> tuple[ColumnOf[Point], ...]:
    """A rate with its interval beneath, and the errors it counts."""
    printed, table = view.printing(measure), TableOf[Point](view)
    errors, empty = (
        (view.terms.false_alarms, "no_nontargets") if measure == FAR else (view.terms.misses, "no_targets")
    )
    trials = {counts(point.row)[1] for point in points if point.row is not None}
    alone = len(trials) == 1 and sum(each.whole for each in view.peers) == 1
    of_all = f"of {numbers.count(trials.pop())}" if alone else ""

    shown = CORRECT[measure] if view.terms.counts_correct else measure

    def rate(point: Point) -> Cell:
        row = _estimated(view, point, measure)
        if row is not None and row.value is not None:
            return estimate.cell(point)
        far, frr = view.rates_at(point.model, point.criterion)
        value = far if measure == FAR else frr
        if value is not None:
            value = value if shown == measure else 1 - value
            return Cell(printed.value(value), value)
        return Cell(UNDEFINED, reason=why(point) if row is None else table.reason(row))

    def why(point: Point) -> str:
        has_trials = point.row is None or counts(point.row)[1]
        return phrases.no_threshold(view) if has_trials else phrases.reason(empty, view.terms)

    def counted(point: Point) -> Cell:
        number, of = (None, 0) if point.row is None else counts(point.row)
        if number is None or not of:
            return Cell(UNDEFINED, reason=why(point))
        text = numbers.count(number)
        return Cell(text if of_all else f"{text}/{numbers.count(of)}", float(number))

    estimate = table.estimate(
        view.terms.measure(shown),
        lambda point: _estimated(view, point, measure),
        printed,
        sense=phrases.sense(shown),
    )
    return ColumnOf(estimate.head, rate), ColumnOf(Column(errors, "number", of_all), counted)


def _estimated(view: DatasetView, point: Point, measure: Measure) -> MetricRow | Estimate | None:
    """Return a rate of errors, or its complement where the field reports that; None of no value."""
    row = view.metric(point.model, measure, point.criterion)
    if not view.terms.counts_correct:
        return row
    complement = view.metric(point.model, CORRECT[measure], point.criterion)
    if complement is not None or row is None:
        return complement
    ends = row.value, row.ci_high, row.ci_low
    value, low, high = (None if end is None else 1 - end for end in ends)
    return Estimate(value, low, high, row.status)


def _judged_value(view: DatasetView, measure: Measure, split: str) -> ColumnOf[Point]:
    title = view.terms.measure(measure)
    return TableOf[Point](view).estimate(
        title if split == "test" else f"{title}, development set",
        lambda point: view.metric(point.model, measure, point.criterion, split),
        view.printing(measure),
        sense=phrases.sense(measure) if split == "test" else "",
    )
