"""Means over folds or trainings, differences of two models, and to which population limits apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.document import numbers
from reporting.document.blocks import Block, Caution, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.document.words.phrases import NOT_ADJUSTED, clusters, over_pairs, threshold_phrase
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ByRow, ColumnOf, Estimate, TableOf, by_dataset
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.learning_procedures import FEATURE
from reporting.features.learning_procedures.frame import CORRECTED, LEARNING, NAIVE, NEW, THESE, LearningRow
from reporting.features.learning_procedures.keys import LEARNING_KEY, has_folds

FEW = 10
"""Folds or trainings below which the estimate of their spread is imprecise."""


class BothLimits(NamedTuple):
    """The rows of one model, or of a pair, for one measure: narrower limits first."""

    narrow: LearningRow
    wide: LearningRow


def learning(results: Results) -> Section | None:
    """Return the tables of every dataset; nothing without the key ``learning``."""
    if LEARNING_KEY.of(results.study) is None:
        return None
    whole = [view for view in views(results) if view.whole]
    return FEATURE.section("learning").per_view(whole, lambda view: tuple(_blocks(view)), merged=by_dataset)


def few_trainings(view: DatasetView) -> Iterator[Caution]:
    """Yield what limits of learning procedures rest on, where that is little or a heuristic."""
    rows = [row for row in view.rows(LEARNING) if row.ci_low is not None]
    if not rows:
        return
    first = min(rows, key=lambda row: row.estimates)
    over_folds = first.ratio is not None
    if first.estimates < FEW:
        what = "folds" if over_folds else "trainings"
        yield FEATURE.caution(view, "few_trainings", n=first.estimates, what=what)
    if first.ratio is not None:
        share = numbers.fixed(first.ratio / (1 + first.ratio), 2)
        yield FEATURE.caution(view, "overlapping_trainings", share=share)
    if first.torn_clusters:
        named = clusters(view.results)
        yield FEATURE.caution(view, "torn_clusters", grave=True, n=first.torn_clusters, clusters=named)


def _blocks(view: DatasetView) -> Iterator[Block]:
    rows, folds = view.rows(LEARNING), has_folds(view.study)
    if not rows:
        yield Prose(FEATURE.text(view, "one_run"))
        return
    of: dict[tuple[str | None, ...], LearningRow] = {
        (row.method, row.measure, row.criterion, row.model, row.baseline): row for row in rows
    }
    lines = [
        BothLimits(of[THESE if method == NEW else NAIVE, *key], row)
        for (method, *key), row in of.items()
        if method in (CORRECTED, NEW)
    ]
    in_order = list(dict.fromkeys((str(m), None if c is None else str(c)) for m, c in _questions(view)))
    lines.sort(key=lambda line: in_order.index((line.wide.measure, line.wide.criterion)))
    alone = [line for line in lines if line.wide.baseline is None]
    alone.sort(key=lambda line: view.ranked.index(line.wide.model))
    alone.sort(key=lambda line: in_order.index((line.wide.measure, line.wide.criterion)))
    yield Prose(_population(view, rows[0]))
    yield _values(view, alone, folds)
    if pairs := [line for line in lines if line.wide.baseline is not None]:
        yield _differences(view, pairs, folds)


def _questions(view: DatasetView) -> Iterator[tuple[object, object]]:
    """Yield measures and criteria, the primary question first."""
    study = view.study
    for measure in (study.primary.measure, *study.measures):
        for criterion in (
            (study.primary.criterion, *study.criteria) if measure.over == "threshold" else (None,)
        ):
            yield measure, criterion


def _population(view: DatasetView, row: LearningRow) -> str:
    if row.ratio is None:
        return FEATURE.text(view, "of_trainings")
    tested = view.most_targets + view.most_nontargets
    known = LEARNING_KEY.of(view.study)
    given = known.training if known is not None else None
    # With equal folds n_train = N - n_test, and their ratio is 1 / (k - 1).
    training = given or round(tested / (1 + row.ratio))
    about = "" if given else "about "
    return FEATURE.text(view, "of_folds", training=f"{about}{numbers.count(training)}")


def _values(view: DatasetView, lines: Sequence[BothLimits], folds: bool) -> Table:
    table, show = (
        TableOf[BothLimits](view, lambda line: _reason(view, line)),
        ByRow[BothLimits](_printing(view)),
    )
    wide, narrow = ("corrected", "overlap ignored") if folds else ("new trainings", "these trainings")
    columns = [
        table.model(lambda line: line.wide.model),
        table.estimate(f"mean, {wide}", lambda line: _estimate(line.wide), show),
        table.interval(lambda line: (line.narrow.ci_low, line.narrow.ci_high), show, title=narrow),
        *_spread(table, show, lines),
    ]
    return table.build(
        "learning",
        f"Means over {_over(lines)}, with {table.level} CIs.",
        lines,
        columns,
        tuple(_notes(view, lines[0].wide)),
        group=lambda line: _question(view, line.wide),
    )


def _differences(view: DatasetView, lines: Sequence[BothLimits], folds: bool) -> Table:
    table, show = (
        TableOf[BothLimits](view, lambda line: _reason(view, line)),
        ByRow[BothLimits](_printing(view)),
    )
    wide, narrow = ("corrected", "overlap ignored") if folds else ("new trainings", "these trainings")
    adjusted = over_pairs(lines[0].wide.correction, lines[0].wide.family_size)
    return table.build(
        "learning_differences",
        f"Differences of means over {_over(lines)}, with {table.level} CIs.",
        lines,
        [
            table.text("models", lambda line: _pair(view, line.wide)),
            table.estimate(f"difference, {wide}", lambda line: _estimate(line.wide), show),
            table.p_value("p", lambda line: line.wide.p_value),
            *([table.p_value("adjusted p", lambda line: line.wide.p_adjusted)] if adjusted else []),
            table.interval(lambda line: (line.narrow.ci_low, line.narrow.ci_high), show, title=narrow),
            *_spread(table, show, lines),
        ],
        (adjusted or NOT_ADJUSTED,),
        group=lambda line: _question(view, line.wide),
    )


def _spread(
    table: TableOf[BothLimits], show: ByRow[BothLimits], lines: Sequence[BothLimits]
) -> list[ColumnOf[BothLimits]]:
    """Return the columns of what limits are made of; of how many estimates, where lines differ in that."""
    folds = lines[0].wide.ratio is not None
    of, more = ("folds", "repeats") if folds else ("trainings", "trainings")
    columns = [table.number(f"SD of {of}", lambda line: line.wide.sd, show)]
    if len({line.wide.estimates for line in lines}) > 1:
        columns.insert(0, table.count(of, lambda line: line.wide.estimates))
    if any(line.wide.repeats > 1 for line in lines):
        columns.append(table.number("SD of repeats", lambda line: line.wide.sd_between, show))
    return [
        *columns,
        table.number("SE", lambda line: line.wide.se, show),
        table.number(f"SE, twice the {more}", lambda line: line.wide.se_twice, show),
        table.number(f"SE, any number of {more}", lambda line: line.wide.se_limit, show),
    ]


def _over(lines: Sequence[BothLimits]) -> str:
    n, of = (
        {line.wide.estimates for line in lines},
        "trainings" if lines[0].wide.ratio is None else "test folds",
    )
    return of if len(n) > 1 else f"{n.pop()} {of}"


def _notes(view: DatasetView, row: LearningRow) -> Iterator[str]:
    if row.ratio is None:
        yield FEATURE.text(view, "crossed")
        return
    repeats = "one cross-validation" if row.repeats == 1 else f"{row.repeats} repeats"
    ratio = numbers.fixed(row.ratio, 3)
    of_one = ", those of one repeat" if row.repeats > 1 and row.df == round(1 / row.ratio) else ""
    df = "not defined" if row.df is None else f"{numbers.count(int(row.df))}{of_one}"
    yield FEATURE.text(view, "corrected", folds=row.estimates, repeats=repeats, ratio=ratio, df=df)
    yield FEATURE.text(view, "naive")
    if row.repeats > 1:
        yield FEATURE.text(view, "repeats")
    yield FEATURE.text(view, "nested")


def _question(view: DatasetView, row: LearningRow) -> str:
    measure = read_measure(row.measure)
    printed, name = view.printing(measure), capitalised(view.terms.measure(measure))
    unit = printed.unit if row.baseline is None else printed.difference_unit
    name = f"{name} ({unit})" if unit else name
    if row.criterion is None:
        return name
    return f"{name}, at {threshold_phrase(read_criterion(row.criterion), view.study)}"


def _printing(view: DatasetView) -> Callable[[BothLimits], Printing]:
    return lambda line: view.printing(read_measure(line.wide.measure))


def _estimate(row: LearningRow) -> Estimate:
    return Estimate(row.value, row.ci_low, row.ci_high, row.status)


def _reason(view: DatasetView, line: BothLimits) -> str:
    return TableOf[LearningRow](view).reason(line.wide)


def _pair(view: DatasetView, row: LearningRow) -> str:
    return f"{view.names[row.model]} − {view.names[str(row.baseline)]}"
