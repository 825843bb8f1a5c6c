"""What scores themselves are like: worse than chance, constant, misleading, unstable, or of one class."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.sweep import AUC
from reporting.document import numbers
from reporting.document.blocks import Caution
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.roc import ROC
from reporting.document.frames.trials import TRIALS
from reporting.document.words.catalogue import caution
from reporting.document.words.codes import FLAGS
from reporting.document.words.log_bases import misread_logs
from reporting.document.words.phrases import group_label, in_order, listing, scale_phrase
from reporting.document.words.view import DatasetView

AT_CHANCE = 0.5
MOST_OF_TWO = 10
"""At most this many trials may have two scores by chance."""
NONTARGET = "'higher_is: nontarget'"
CLLR = MEASURES["cllr"]
MOST_NAMED = 3
"""So many models or groups are named; more are counted."""


def below_chance(view: DatasetView) -> Iterator[Caution]:
    """Yield the models that rank a target below a non-target more often than not, by the AUC alone."""
    areas = {model: area for model in view.ranked if (area := _area(view, model)) is not None}
    below = [model for model, area in areas.items() if area < AT_CHANCE]
    if below:
        flag, name, printed = FLAGS["below_chance"], view.terms.measure(AUC), view.printing(AUC)
        models = [f"{view.names[model]} ({name} {printed.value(areas[model])})" for model in below]
        details = f"{listing(models)} rank{'s' if len(below) == 1 else ''} worse than chance"
        text = flag.values.format(details=details, a_target=view.terms.a_target, setting=NONTARGET)
        yield caution(flag.key, text, any(model in below for model in view.finalists))


def _area(view: DatasetView, model: str) -> float | None:
    """Return the AUC on test, from the corners of the ROC where it was not requested."""
    row = view.metric(model, AUC, None)
    if row is not None:
        return row.value
    corners = view.part(view.results.frame(ROC)).filter(split="test", model=model).select("p_fa", "p_miss")
    if corners.is_empty() or corners.null_count().sum_horizontal().item():
        return None
    far, frr = corners.sort("p_fa", "p_miss", descending=[False, True]).to_numpy().T
    return float(np.trapezoid(1 - frr, far))


def constant_scores(view: DatasetView) -> Iterator[Caution]:
    """Yield the models that give all test trials one score."""
    rows = [row for row in view.rows(TRIALS, "test") if row.n_distinct == 1]
    names = in_order(view, (row.model for row in rows if row.n_target + row.n_nontarget > 1))
    if names:
        text = (
            f"All test scores of {listing(names)} are equal: decisions are identical and nothing is ranked."
        )
        yield caution("constant_scores", text, True)


def hard_decisions(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose test scores take two values, as decisions do."""
    rows = [row for row in view.rows(TRIALS, "test") if row.n_distinct == 2]
    names = in_order(view, (row.model for row in rows if row.n_target + row.n_nontarget > MOST_OF_TWO))
    if names:
        yield caution(
            "hard_decisions",
            f"The test scores of {listing(names, MOST_NAMED)} have two values only, as decisions have. One"
            " threshold lies between them, so AUC, EER and curves speak of that one alone. Report scores:"
            " probabilities, distances or likelihood ratios from before the decision.",
            any(model in names for model in view.finalists),
        )


def rejects_infinite(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose infinite threshold rejects all, also a score that reaches it."""
    infinite = {row.model for row in view.rows(TRIALS, "test") if row.n_infinite}
    on_test = [row for row in view.metrics if row.split == "test" and math.isinf(row.threshold or 0.0)]
    rejecting = {row.model for row in on_test if (row.misses, row.false_alarms) == (row.n_target, 0)}
    names = in_order(view, infinite & rejecting)
    if names:
        trial = view.terms.trial
        text = (
            f"A threshold of {listing(names)} is infinite: it rejects every {trial}, also one"
            " whose score is infinite and would reach it. No finite threshold gives these rates."
        )
        yield caution("infinite_threshold", text, True)


def unstable_thresholds(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose folds disagree on more trials than errors vary by chance, their root.

    Of the primary thresholds, or else of the first of the report that are so.
    """
    study, unstable = view.study, dict[str, MetricRow]()
    for criterion in dict.fromkeys((study.primary.criterion, *study.criteria)):
        rows = {model: view.operating_point(model, criterion) for model in view.ranked}
        unstable = {
            model: row
            for model, row in rows.items()
            if row is not None
            and row.between is not None
            and row.between > max(1.0, math.sqrt((row.misses or 0) + (row.false_alarms or 0)))
        }
        if unstable:
            break
    for model, row in list(unstable.items())[:1]:
        ends = [end for end in (row.threshold_low, row.threshold_high) if end is not None]
        span = " to ".join(numbers.thresholds(ends))
        between = numbers.count(row.between or 0), numbers.count(row.n_target + row.n_nontarget)
        others = [view.names[other] for other in unstable if other != model]
        also = f" Also {listing(others, MOST_NAMED)}." if others else ""
        primary = row.criterion == str(study.primary.criterion)
        rule = "" if primary else f" {view.terms.rule(read_criterion(row.criterion or ''))}"
        given = study.thresholds.column is not None  # folds that no seed of the report deals
        again = "folds made anew (another random_state) show" if given else "a run with another seed shows"
        yield caution(
            "unstable_thresholds",
            f"The {row.folds} folds of {view.names[model]} chose thresholds{rule} from {span};"
            f" {' of '.join(between)} {view.terms.trials} lie between them. Another partition into folds may"
            f" move the error rates and turn a borderline p-value; {again} by how much.{also}",
            True,
        )


def misleading_ratios(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose Cllr is above 1, that of no scores, with its interval where it has one."""
    rows = {row.model: row for row in view.metrics if row.measure == str(CLLR) and row.split == "test"}
    printed, name, worse = view.printing(CLLR), view.terms.measure(CLLR), []
    for model in view.ranked:
        row = rows.get(model)
        if row is not None and row.value is not None and min(row.value, row.ci_low or row.value) > 1:
            worse.append(f"{view.names[model]} ({name} {printed.value(row.value)})")
    if worse:
        primary = view.study.primary
        yield caution(
            "misleading_ratios",
            f"As log-likelihood ratios the scores of {listing(worse, MOST_NAMED)} are worse than no scores"
            f" ({name} 1). Calibrate them before they are used as such.",
            primary.measure == CLLR or primary.criterion.on == "llr",
        )


def another_base(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose scores are named after another logarithm than their scale."""
    primary = view.study.primary
    for text in misread_logs(view.study, view.results.score_columns):
        grave = primary.measure.needs == "llr" or primary.criterion.on == "llr"
        yield caution("another_base", text, grave)


def mixed_scales(view: DatasetView) -> Iterator[Caution]:
    """Yield the fixed thresholds that are applied to scores of different kinds."""
    study = view.study
    fixed = [each for each in study.criteria if each.threshold is not None and each.on == "score"]
    scales = {model: study.scale_of(model) for model in view.ranked}
    if fixed and len(set(scales.values())) > 1:
        yield caution(
            "mixed_scales",
            f"The {listing(map(view.terms.criterion, fixed), MOST_NAMED)} is applied to scores of different"
            f" kinds: {scale_phrase(view.names, scales)}. The same number means something else to each, so"
            " do not compare models at it.",
            study.point_criterion in fixed,
        )


def outside_scores(view: DatasetView) -> Iterator[Caution]:
    """Yield the models of which a fixed threshold accepts, or rejects, every trial of the test set."""
    fixed = [row for row in view.metrics if row.split == "test" and row.threshold_source == "fixed"]
    for criterion in [each for each in view.study.criteria if each.key == "fixed"]:
        here = [row for row in fixed if row.criterion == str(criterion)]
        both = [row for row in here if row.n_target and row.n_nontarget]
        alike = [r for r in both if (r.misses, r.false_alarms) in ((0, r.n_nontarget), (r.n_target, 0))]
        names = in_order(view, {row.model for row in alike})
        if names:
            yield caution(
                "outside_scores",
                f"The {view.terms.criterion(criterion)} is outside the test scores of"
                f" {listing(names, MOST_NAMED)}: all {view.terms.trials} are on one side of it. Perhaps the"
                " scores are on another scale; do not compare models there.",
                criterion == view.study.point_criterion,
            )


def unseen_values(view: DatasetView) -> Iterator[Caution]:
    """Yield the values of columns that describe one class which occur on test, and not on development."""
    dev = view.results.dev_of.get(view.dataset, view.dataset)
    here = {"dataset": dev, "run": view.run, "split": "dev"}
    for column, of in view.study.one_class.items():
        rows = TRIALS.rows(view.results.frame(TRIALS).filter(**here))
        alone = {row.group: row for row in rows if row.group_columns == [column]}
        lacking = [row for row in alone.values() if not (row.n_target if of == "target" else row.n_nontarget)]
        if lacking:
            described = view.terms.targets if of == "target" else view.terms.nontargets
            occur = "occurs" if len(lacking) == 1 else "occur"
            yield caution(
                "unseen_values",
                f"{listing([group_label(row) for row in lacking], MOST_NAMED)} {occur} on the test set only;"
                f" thresholds were set without such {described}.",
            )


def groups_of_one_class(view: DatasetView) -> Iterator[Caution]:
    """Yield the groups of breakdowns in which a class is missing on test, though the test set has both."""
    here = {"dataset": view.dataset, "run": view.run, "split": "test"}
    rows = TRIALS.rows(view.results.frame(TRIALS).filter(pl.col("group") != "", **here))
    if not all(any(sizes) for sizes in zip(*((row.n_target, row.n_nontarget) for row in rows), strict=True)):
        return
    groups = {row.group for row in rows}
    lacking = {row.group: group_label(row) for row in rows if not (row.n_target and row.n_nontarget)}
    if lacking:
        hold = "holds" if len(lacking) == 1 else "hold"
        yield caution(
            "groups_of_one_class",
            f"{len(lacking)} of {len(groups)} groups {hold} {view.terms.trials}"
            f" of one class only ({listing(lacking.values(), MOST_NAMED)}); measures that need both are"
            " undefined there.",
        )
