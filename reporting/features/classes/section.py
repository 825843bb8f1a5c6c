"""The page of several classes: means over classes, each class, differences, and the confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import polars as pl

from reporting.base.legible import counted
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.calibration import CALIBRATION_ERROR
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AP_STEP, AUC
from reporting.core.measures.threshold import ACCURACY, F1, PRECISION, RECALL
from reporting.document import numbers
from reporting.document.blocks import Block, Caution, Section, Table
from reporting.document.frames.results import Results
from reporting.document.words.phrases import NOT_ADJUSTED, listing, over_pairs, reason
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.tables import ByRow, ColumnOf, Estimate, TableOf
from reporting.document.words.view import DatasetView, views
from reporting.features.classes import FEATURE
from reporting.features.classes.chart import confusion_figure
from reporting.features.classes.contrasts import BETWEEN_GROUPS, REST, ClassGroupDifferenceRow
from reporting.features.classes.frame import (
    CLASSES,
    CONFUSION,
    DIFFERENCES,
    ClassDifferenceRow,
    ClassRow,
    ConfusionRow,
)
from reporting.features.classes.keys import CLASSES_KEY, Classes

MEANS: tuple[tuple[str, Measure, str], ...] = (
    ("macro AUC", AUC, "macro"),
    ("macro AP", AP_STEP, "macro"),
    ("accuracy", ACCURACY, "micro"),
    ("balanced accuracy", RECALL, "macro"),
    ("macro F1", F1, "macro"),
    ("classwise ECE", CALIBRATION_ERROR, "macro"),
    ("top-label ECE", CALIBRATION_ERROR, "top_label"),
)
OTHER_MEANS: tuple[tuple[str, Measure, str], ...] = (
    ("weighted AUC", AUC, "weighted"),
    ("micro AUC", AUC, "micro"),
    ("weighted AP", AP_STEP, "weighted"),
    ("micro AP", AP_STEP, "micro"),
    ("macro precision", PRECISION, "macro"),
    ("weighted F1", F1, "weighted"),
)
OF_CLASS: tuple[tuple[str, Measure], ...] = (
    ("AUC", AUC),
    ("AP", AP_STEP),
    ("recall", RECALL),
    ("precision", PRECISION),
    ("F1", F1),
    ("ECE", CALIBRATION_ERROR),
)
BETWEEN = tuple(each for each in MEANS if each[1] is not CALIBRATION_ERROR)
"""What groups are held against one another in."""
ORDER = [(str(measure), average) for _, measure, average in BETWEEN]
TITLES = {(str(measure), average): title for title, measure, average in (*MEANS, *OTHER_MEANS)}
FEW, VERY_FEW = 20, 5
"""Trials of a class below which resamples vary too little (``studies/classes.md``), and those of AP."""
OF_RATES = ("wilson", "clopper_pearson", "logit_delong", "newcombe", "newcombe_delong")
"""Methods of accuracy and AUC of one run of independent trials without weights: limits of classes then make
those of means, and resamples those of AP alone."""
MOST_COLUMNS, MOST_CONFUSED, MOST_DRAWN = 7, 12, 4
"""Classes up to which the whole matrix is a table, rows of the commonest confusions, and models drawn."""


class ModelLine(NamedTuple):
    """A model on a group of the trials, and its numbers of all classes together by measure and average."""

    group: str
    model: str
    of: dict[tuple[str, str], ClassRow]


class ClassLine(NamedTuple):
    """A class of a model, and its numbers by measure."""

    model: str
    label: str
    of: dict[str, ClassRow]


class NamedLine(NamedTuple):
    """A measure of a model that the config names, and its numbers by average, and by class."""

    model: str
    measure: Measure
    of: dict[str, ClassRow]


class MatrixLine(NamedTuple):
    """A class of a model, and how its trials are taken by predicted class."""

    label: str
    of: dict[str, ConfusionRow]


def classes(results: Results) -> Section | None:
    """Return the tables for each dataset; nothing without the key ``classes``."""
    return FEATURE.section("classes").per_view((view for view in views(results) if view.whole), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    plan, rows = CLASSES_KEY.of(view.study), view.rows(CLASSES, "test")
    if plan is None or not rows:
        return ()
    models = [model for model in view.ranked if any(row.model == model for row in rows)]
    matrix = view.rows(CONFUSION, "test")
    differences = view.rows(DIFFERENCES, "test")
    figures = [confusion_figure(view, model, plan.labels, matrix) for model in models[:MOST_DRAWN]]
    shares = _printing(view, rows, RECALL)
    tables = [_matrix(view, model, plan, matrix, shares) for model in models]
    named = [measure for measure in plan.measures if _is_known(rows, measure)]
    return (
        _means(view, models, rows, MEANS),
        *([_differences(view, differences, rows)] if differences else []),
        *figures,
        *tables,
        _each_class(view, models, plan, rows),
        *([_named(view, models, plan, rows, named)] if named else []),
        _means(view, models, rows, OTHER_MEANS, folded=True),
        *_groups(view, models, rows),
    )


def _means(
    view: DatasetView,
    models: Sequence[str],
    rows: Sequence[ClassRow],
    means: Sequence[tuple[str, Measure, str]],
    *,
    folded: bool = False,
) -> Table:
    table, lines = TableOf[ModelLine](view), _lines(models, rows)
    columns = [
        table.estimate(title, partial(_of_all, key=(str(measure), average)), _printing(view, rows, measure))
        for title, measure, average in means
        if _is_known(rows, measure)
    ]
    caption = "Further means over classes." if folded else "Means over classes."
    return table.build(
        "classes_more" if folded else "classes",
        f"{caption} In brackets: {table.level} CIs.",
        lines,
        [table.model(lambda line: line.model), *columns],
        () if folded else (NOTE, ECE_NOTE) if _is_known(rows, CALIBRATION_ERROR) else (NOTE,),
        folded=folded,
    )


def _lines(models: Sequence[str], rows: Sequence[ClassRow]) -> list[ModelLine]:
    """Return a line for each group of the rows, and each model."""
    of_all: dict[tuple[str, str], dict[tuple[str, str], ClassRow]] = {}
    for row in rows:
        if row.label is None:
            of_all.setdefault((row.group, row.model), {})[row.measure, row.average] = row
    groups = dict.fromkeys(group for group, _ in of_all)
    return [ModelLine(group, model, of_all[group, model]) for group in groups for model in models]


NOTE = (
    "AUC and AP (average precision) are of each class against the rest. Macro: mean over classes. Accuracy is"
    " the share of right top labels, balanced accuracy the mean recall, of the class with the highest score."
)
ECE_NOTE = (
    "ECE: expected calibration error over ten equal bins from 0 to 1; classwise is the mean over classes,"
    " top-label that of the highest probability. Noise alone makes it positive: a CI that begins at 0 is no"
    " sign of errors."
)


def _is_known(rows: Sequence[ClassRow], measure: Measure) -> bool:
    """Return whether a measure has a column: of probabilities only where a model has some (a caution)."""
    own = (row.value for row in rows if row.measure == str(measure))
    return not measure.needs or any(value is not None for value in own)


def _printing(view: DatasetView, rows: Sequence[ClassRow], measure: Measure) -> Printing:
    """Return how a measure is printed: two digits of the typical error of its means over classes."""
    level = view.study.inference.level
    means = (row for row in rows if row.measure == str(measure) and row.label is None)
    return Printing.of(measure, [standard_error(row.ci_low, row.ci_high, level) for row in means])


def _title(view: DatasetView, measure: Measure, average: str) -> str:
    """Return the title of a mean over classes."""
    return TITLES.get((str(measure), average)) or f"{average} {view.terms.measure(measure)}"


def _of_all(line: ModelLine, key: tuple[str, str]) -> ClassRow:
    return line.of[key]


def _each_class(view: DatasetView, models: Sequence[str], plan: Classes, rows: Sequence[ClassRow]) -> Table:
    table = TableOf[ClassLine](view)
    lines = [
        ClassLine(model, label, {r.measure: r for r in rows if (r.model, r.label) == (model, label)})
        for model in models
        for label in plan.labels
    ]
    columns = [
        table.estimate(title, partial(_of_class, key=str(measure)), _printing(view, rows, measure))
        for title, measure in OF_CLASS
        if _is_known(rows, measure)
    ]
    return table.build(
        "classes_each",
        f"Every class against the rest. In brackets: {table.level} CIs.",
        lines,
        [
            table.text("class", lambda line: line.label),
            table.count(f"{view.terms.trials} n", lambda line: line.of[str(AUC)].trials),
            *columns,
        ],
        group=lambda line: view.names[line.model],
    )


def _named(
    view: DatasetView,
    models: Sequence[str],
    plan: Classes,
    rows: Sequence[ClassRow],
    measures: Sequence[Measure],
) -> Table:
    """Return the measures that the config names, a row each: means over classes, and a few classes."""
    table, printed = TableOf[NamedLine](view), {of: _printing(view, rows, of) for of in measures}
    lines = [
        NamedLine(
            model,
            measure,
            {
                row.average if row.label is None else f"class {row.label}": row
                for row in rows
                if (row.model, row.measure) == (model, str(measure))
            },
        )
        for model in models
        for measure in measures
    ]
    by_class = plan.labels if len(plan.labels) <= MOST_COLUMNS else ()
    columns = [
        table.estimate(title, partial(_of_named, key=key), ByRow(lambda line: printed[line.measure]))
        for title, key in (
            *((average, average) for average in ("macro", "weighted", "micro")),
            *((label, f"class {label}") for label in by_class),
        )
    ]
    return table.build(
        "classes_named",
        f"Further measures: means over classes{' and each class' * bool(by_class)}. In brackets:"
        f" {table.level} CIs.",
        lines,
        [
            table.text(
                "measure",
                lambda line: _with_unit(view.terms.measure(line.measure), printed[line.measure].unit),
            ),
            *columns,
        ],
        group=lambda line: view.names[line.model],
    )


def _of_named(line: NamedLine, key: str) -> ClassRow | None:
    return line.of.get(key)


def _groups(view: DatasetView, models: Sequence[str], whole: Sequence[ClassRow]) -> Iterator[Table]:
    """Yield the means over classes of every group, and the differences of models there."""
    of_group = (pl.col("group") != "") & (pl.col("dataset") == view.dataset)
    rows = CLASSES.rows(view.results.frame(CLASSES).filter(of_group, pl.col("label").is_null()))
    if not rows:
        return
    contrasts = BETWEEN_GROUPS.rows(
        view.results.frame(BETWEEN_GROUPS).filter(pl.col("dataset") == view.dataset)
    )
    shown = [row for row in contrasts if (row.measure, row.average) in ORDER]
    held = [row for row in shown if row.difference is not None]
    left_out = Counter(row.status for row in shown if row.difference is None)
    of_groups = "Groups against the rest: " * (not held)
    notes = [
        f"{of_groups}{numbers.count(n)} {'differences are' if n > 1 else 'difference is'} left out because"
        f" {reason(status)}."
        for status, n in left_out.items()
    ]
    table = TableOf[ModelLine](view)
    yield table.build(
        "classes_groups",
        f"Means over classes within groups. In brackets: {table.level} CIs.",
        _lines(models, rows),
        [
            table.model(lambda line: line.model),
            table.count(f"{view.terms.trials} n", lambda line: line.of[str(ACCURACY), "micro"].trials),
            *(
                table.estimate(title, partial(_of_all, key=key), _printing(view, whole, measure))
                for title, measure, average in MEANS
                if measure is not CALIBRATION_ERROR and (key := (str(measure), average))
            ),
        ],
        (
            f"Means leave out classes that a group has no {view.terms.trials} of.",
            *(() if held else notes),
        ),
        group=lambda line: line.group,
    )
    if held:
        yield _between_groups(view, models, held, whole, notes)
    differences = DIFFERENCES.rows(view.results.frame(DIFFERENCES).filter(of_group))
    if differences:
        yield _differences(view, differences, whole, of_groups=True)


def _of_class(line: ClassLine, key: str) -> ClassRow:
    return line.of[key]


def _between_groups(
    view: DatasetView,
    models: Sequence[str],
    rows: Sequence[ClassGroupDifferenceRow],
    values: Sequence[ClassRow],
    notes: Sequence[str],
) -> Table:
    """Return how far groups lie from the rest, in means over classes; ``notes`` say what is left out."""
    table = TableOf[ClassGroupDifferenceRow](view)
    of_measure = {str(measure): _printing(view, values, measure) for _, measure, _ in BETWEEN}
    places = {group: at for at, group in enumerate(dict.fromkeys(row.group for row in rows))}
    against = {row.against for row in rows}
    others = "the rest" if REST in against else "each other"
    return table.build(
        "classes_between_groups",
        f"Groups against {others}. In brackets: {table.level} CIs that hold for all groups together.",
        sorted(
            rows,
            key=lambda row: (
                models.index(row.model),
                ORDER.index((row.measure, row.average)),
                places[row.group],
            ),
        ),
        [
            table.text("mean over classes", partial(_titled, view, of_measure)),
            table.text("group", lambda row: row.group),
            *([table.text("against", lambda row: row.against)] if against != {REST} else []),
            table.estimate(
                "difference",
                lambda row: Estimate(row.difference, row.ci_low, row.ci_high, row.status),
                ByRow(lambda row: of_measure[row.measure]),
            ),
            table.p_value("p", lambda row: row.p_value),
            table.p_value("adjusted p", lambda row: row.p_adjusted),
        ],
        (
            *([f"Rest: all test {view.terms.trials} outside the group."] if REST in against else []),
            BETWEEN_NOTE,
            *notes,
        ),
        group=lambda row: view.names[row.model],
        folded=True,
    )


BETWEEN_NOTE = "p is adjusted over the groups of a column (max-T), for each model and measure separately."


def _titled(
    view: DatasetView,
    of_measure: dict[str, Printing],
    row: ClassDifferenceRow | ClassGroupDifferenceRow,
) -> str:
    """Return the mean over classes of a row, with the unit of its differences."""
    return _with_unit(
        _title(view, read_measure(row.measure), row.average), of_measure[row.measure].difference_unit
    )


def _with_unit(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _differences(
    view: DatasetView,
    rows: Sequence[ClassDifferenceRow],
    values: Sequence[ClassRow],
    *,
    of_groups: bool = False,
) -> Table:
    table = TableOf[ClassDifferenceRow](view)
    measures = dict.fromkeys(row.measure for row in rows)
    of_measure = {name: _printing(view, values, read_measure(name)) for name in measures}
    adjusted = over_pairs(rows[0].correction, rows[0].family_size)
    order = list(dict.fromkeys((*TITLES, *((row.measure, row.average) for row in rows))))
    pairs = list(dict.fromkeys((row.model, row.baseline) for row in rows))
    shown = sorted(
        rows,
        key=lambda row: (
            row.group,
            pairs.index((row.model, row.baseline)),
            order.index((row.measure, row.average)),
        ),
    )
    within = " within groups" if of_groups else ""
    return table.build(
        "classes_group_differences" if of_groups else "classes_differences",
        f"Differences over the same {view.terms.trials}{within}. In brackets: {table.level} CIs.",
        shown,
        [
            table.text("models", lambda row: f"{view.names[row.model]} − {view.names[row.baseline]}"),
            table.text("mean over classes", partial(_titled, view, of_measure)),
            table.estimate(
                "difference",
                lambda row: Estimate(row.difference, row.ci_low, row.ci_high, row.status),
                ByRow(lambda row: of_measure[row.measure]),
            ),
            table.p_value("p", lambda row: row.p_value),
            *([table.p_value("adjusted p", lambda row: row.p_adjusted)] if adjusted else []),
        ],
        (adjusted or NOT_ADJUSTED,),
        group=(lambda row: row.group) if of_groups else None,
        folded=of_groups,
    )


def _matrix(
    view: DatasetView, model: str, plan: Classes, rows: Sequence[ConfusionRow], shares: Printing
) -> Table:
    """Return the whole matrix of few classes; of many the commonest confusions."""
    own, number = [row for row in rows if row.model == model], view.ranked.index(model) + 1
    name, of = f"classes_matrix_{number}", f"Confusion matrix of {view.names[model]}"
    if len(plan.labels) > MOST_COLUMNS:
        return _commonest(view, name, of, own, shares)
    table = TableOf[MatrixLine](view)
    summed = " of all runs" if view.run == MEAN else ""
    brackets = f" and {table.level} CIs in brackets" if _have_limits(own) else ""
    lines = [
        MatrixLine(label, {row.predicted: row for row in own if row.label == label}) for label in plan.labels
    ]
    columns: list[ColumnOf[MatrixLine]] = [
        table.estimate(
            predicted,
            partial(_share, predicted=predicted),
            shares,
            after=partial(_trials, predicted=predicted),
        )
        for predicted in plan.labels
    ]
    return table.build(
        name,
        f"{of}: shares of each class (a row) by predicted class, with {view.terms.trials}{summed} in"
        f" parentheses{brackets}.",
        [line for line in lines if line.of],
        [table.text("class", lambda line: line.label), *columns],
    )


def _share(line: MatrixLine, predicted: str) -> Estimate:
    row = line.of[predicted]
    return Estimate(row.share, row.ci_low, row.ci_high, None)


def _trials(line: MatrixLine, predicted: str) -> str:
    return f"({numbers.count(line.of[predicted].trials)})"


def _commonest(
    view: DatasetView, name: str, of: str, rows: Sequence[ConfusionRow], shares: Printing
) -> Table:
    table = TableOf[ConfusionRow](view)
    wrong = sorted((row for row in rows if row.label != row.predicted and row.trials), key=_by_trials)
    return table.build(
        name,
        f"{of}: its commonest confusions{f', with {table.level} CIs in brackets' * _have_limits(rows)}.",
        wrong[:MOST_CONFUSED],
        [
            table.text("class", lambda row: row.label),
            table.text("predicted", lambda row: row.predicted),
            table.count(f"{view.terms.trials} n", lambda row: row.trials),
            table.estimate(
                "share of the class", lambda row: Estimate(row.share, row.ci_low, row.ci_high, None), shares
            ),
        ],
    )


def _have_limits(rows: Sequence[ConfusionRow]) -> bool:
    """Return whether any share has limits: a mean over runs has none."""
    return any(row.ci_low is not None for row in rows)


def _by_trials(row: ConfusionRow) -> tuple[int, str, str]:
    return -row.trials, row.label, row.predicted


def class_cautions(view: DatasetView) -> Iterator[Caution]:
    """Yield where classes have no trials, or few, scores are no probabilities, and top labels are tied."""
    rows = view.rows(CLASSES, "test")
    if empty := dict.fromkeys(row.label for row in rows if row.average == "class" and not row.trials):
        yield FEATURE.caution(view, "empty_classes", classes=listing(str(label) for label in empty))
    of_class = {row.label: row.trials for row in rows if row.average == "class"}
    of_model = {row.model: row for row in rows if (row.measure, row.average) == (str(ACCURACY), "micro")}
    alone = [row for row in rows if row.average == "class" and row.measure == str(AUC) and row.trials]
    of_rates = all(row.ci_method in OF_RATES for row in (*of_model.values(), *alone))
    few, what = (VERY_FEW, "macro AP") if of_rates else (FEW, "balanced accuracy and other macro means")
    if rare := sorted((n, str(label)) for label, n in of_class.items() if 0 < n < few):
        named = [f"{numbers.count(n)} of {label}" for n, label in rare]
        if len(named) > MOST_COLUMNS:
            named[MOST_COLUMNS:] = [f"fewer than {few} of {counted(len(named) - MOST_COLUMNS, 'other')}"]
        yield FEATURE.caution(
            view, "rare_classes", grave=not of_rates, means=what, shares=listing(named), few=few
        )
    if in_groups := _rare_in_groups(view):
        yield FEATURE.caution(view, "rare_classes_in_groups", shares=in_groups, few=VERY_FEW)
    without = [
        view.names[row.model]
        for row in rows
        if row.status == "not_probability" and row.average == "top_label"
    ]
    if without:
        yield FEATURE.caution(view, "no_class_probabilities", models=listing(without))
    if tied := [row for row in of_model.values() if row.ties]:
        shares = (f"{numbers.count(row.ties)} of {view.names[row.model]}" for row in tied)
        yield FEATURE.caution(view, "tied_classes", shares=listing(shares))


def _rare_in_groups(view: DatasetView) -> str:
    """Name the classes of few trials in groups, the fewest first; empty where there are none."""
    of_group = (pl.col("group") != "") & (pl.col("dataset") == view.dataset)
    of_class = of_group & (pl.col("average") == "class") & pl.col("trials").is_between(1, VERY_FEW - 1)
    held = view.results.frame(CLASSES).filter(of_class).select("trials", "label", "group").unique()
    rare = held.sort(pl.all()).iter_rows()
    return listing((f"{numbers.count(n)} of {label} in {group}" for n, label, group in rare), MOST_COLUMNS)
