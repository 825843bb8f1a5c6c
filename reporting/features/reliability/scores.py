"""What scores themselves are like: worse than chance, constant, misleading, unstable, or of one class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

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
from reporting.document.words.codes import CAUTIONS, FLAGS
from reporting.document.words.log_bases import misread_logs
from reporting.document.words.phrases import group_label, in_order, listing
from reporting.document.words.view import DatasetView
from reporting.features.reliability import FEATURE

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
        yield flag.caution(text, any(model in below for model in view.finalists))


def _area(view: DatasetView, model: str) -> float | None:
    """Return the AUC on test, from the corners of the ROC where it was not requested."""
    row = view.metric(model, AUC, None)
    if row is not None:
        return row.value
    corners = view.frame(ROC).filter(split="test", model=model).select("p_fa", "p_miss")
    if corners.is_empty() or corners.null_count().sum_horizontal().item():
        return None
    far, frr = corners.sort("p_fa", "p_miss", descending=[False, True]).to_numpy().T
    return float(np.trapezoid(1 - frr, far))


def constant_scores(view: DatasetView) -> Iterator[Caution]:
    """Yield the models that give all test trials one score."""
    rows = [row for row in view.rows(TRIALS, "test") if row.n_distinct == 1]
    names = in_order(view, (row.model for row in rows if row.n_target + row.n_nontarget > 1))
    if names:
        yield FEATURE.caution(view, "constant_scores", True, models=listing(names))


def hard_decisions(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose test scores take two values, as decisions do; an item is solved or not."""
    rows = [row for row in view.rows(TRIALS, "test") if row.n_distinct == 2 and row.n_nontarget]
    names = in_order(view, (row.model for row in rows if row.n_target + row.n_nontarget > MOST_OF_TWO))
    if names:
        grave = any(model in names for model in view.finalists)
        yield FEATURE.caution(view, "hard_decisions", grave, models=listing(names, MOST_NAMED))


def rejects_infinite(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose infinite threshold rejects all, also a score that reaches it."""
    infinite = {row.model for row in view.rows(TRIALS, "test") if row.n_infinite}
    on_test = [row for row in view.metrics if row.split == "test" and math.isinf(row.threshold or 0.0)]
    rejecting = {row.model for row in on_test if (row.misses, row.false_alarms) == (row.n_target, 0)}
    names = in_order(view, infinite & rejecting)
    if names:
        yield FEATURE.caution(view, "infinite_threshold", True, models=listing(names))


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
        yield FEATURE.caution(
            view,
            "unstable_thresholds",
            True,
            folds=row.folds,
            model=view.names[model],
            rule=rule,
            span=span,
            between=" of ".join(between),
            again=again,
            also=also,
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
        grave = primary.measure == CLLR or primary.criterion.on == "llr"
        yield FEATURE.caution(view, "misleading_ratios", grave, models=listing(worse, MOST_NAMED), cllr=name)


def another_base(view: DatasetView) -> Iterator[Caution]:
    """Yield the models whose scores are named after another logarithm than their scale."""
    primary = view.study.primary
    for text in misread_logs(view.study, view.results.score_columns):
        grave = primary.measure.needs == "llr" or primary.criterion.on == "llr"
        yield CAUTIONS["another_base"].caution(text, grave)


def mixed_scales(view: DatasetView) -> Iterator[Caution]:
    """Yield the fixed thresholds that are applied to scores of different kinds."""
    study = view.study
    fixed = [each for each in study.criteria if each.threshold is not None and each.on == "score"]
    scales = {model: study.scale_of(model) for model in view.ranked}
    if fixed and len(set(scales.values())) > 1:
        yield FEATURE.caution(
            view,
            "mixed_scales",
            study.point_criterion in fixed,
            criteria=listing(map(view.terms.criterion, fixed), MOST_NAMED),
            scales=scale_phrase(view.names, scales),
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
            yield FEATURE.caution(
                view,
                "outside_scores",
                criterion == view.study.point_criterion,
                criterion=view.terms.criterion(criterion),
                models=listing(names, MOST_NAMED),
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
            yield FEATURE.caution(
                view,
                "unseen_values",
                values=listing([group_label(row) for row in lacking], MOST_NAMED),
                occur="occurs" if len(lacking) == 1 else "occur",
                described=described,
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
        yield FEATURE.caution(
            view,
            "groups_of_one_class",
            lacking=len(lacking),
            every=len(groups),
            hold="holds" if len(lacking) == 1 else "hold",
            groups=listing(lacking.values(), MOST_NAMED),
        )


SCALES = {
    "score": "of no declared scale",
    "llr": "log-likelihood ratios",
    "log10_llr": "log10-likelihood ratios",
    "probability": "probabilities",
    "logit": "log-odds",
}


"""What scores of each scale are."""


def scale_phrase(names: Mapping[str, str], scales: Mapping[str, str]) -> str:
    """Return what the scores of models are: ``those of A and B are probabilities, those of C log-odds``."""
    kinds = {scale: [names[model] for model in scales if scales[model] == scale] for scale in scales.values()}
    return ", ".join(f"those of {listing(models, 3)} are {SCALES[scale]}" for scale, models in kinds.items())
