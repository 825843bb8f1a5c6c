"""Class skew: what changes when nine tenths of the non-targets are left out, and what does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from configs.papers.hamel.read import CLAIMS, Errors, at_threshold, fixed, of, value, with_limits
from configs.papers.paper import Claim
from reporting.core.criteria.criterion import Criterion
from reporting.core.stats import confusion
from reporting.document import Block, Cell, Column, Prose, Section, Table, numbers
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import DatasetView

TARGETS, TPR, FPR = 3700, 0.90, 0.35
"""The paper's model, on so many targets and as many, or a tenth as many, non-targets."""

PRINTED_ACCURACY = 0.77
WEAK = "sum"
"""The model whose point lies near the paper's."""

FARTHEST = 3.0
"""A rate may lie so many standard deviations from that of all non-targets."""


Counts = tuple[float, float, float, float]
"""Misses, false alarms, targets, non-targets."""


class Shift(NamedTuple):
    """A model's rates of false alarms on all non-targets and on those kept, and how far apart these are."""

    model: str
    fpr: float
    fpr_kept: float
    sd: float
    distance: float
    width_ratio: float


def paper_counts(nontargets: int) -> Counts:
    """The errors of the paper's model by its rates."""
    return TARGETS * (1 - TPR), nontargets * FPR, TARGETS, nontargets


def subsample_sd(false_alarms: int, n: int, kept: int) -> float:
    """Standard deviation of the share of false alarms among ``kept`` of ``n`` non-targets: hypergeometric."""
    share = false_alarms / n
    return math.sqrt(share * (1 - share) / kept * (n - kept) / (n - 1)) if n > 1 else 0.0


def skew_section(whole: DatasetView, kept: DatasetView, criterion: Criterion) -> Section:
    """Return the confusion matrices, and what skew changes and what it leaves."""
    equal, tenth = (paper_counts(n) for n in (TARGETS, TARGETS // 10))
    mcc, accuracy = (
        [numbers.fixed(float(formula(*counts)), 3) for counts in (equal, tenth)]
        for formula in (confusion.mcc, confusion.accuracy)
    )
    said = (
        f"Both sets of test trials have the thresholds set on development"
        f" ({whole.terms.criterion(criterion)}). By"
        f" the rates accuracy goes from {' to '.join(accuracy)} and Matthews' correlation from"
        f" {' to '.join(mcc)}:"
        " measures of the whole table do not even agree on the direction."
    )
    blocks: list[Block] = [matrices(whole, kept, criterion), Prose(said)]
    found = shifts(whole, kept, criterion)
    if found:
        blocks += [areas(whole, kept), same_point(whole, kept, found), changed(whole, kept, criterion)]
    return Section("Class skew", "paper-skew", tuple(blocks))


def matrices(whole: DatasetView, kept: DatasetView, criterion: Criterion) -> Table:
    """Return the confusion matrices of the paper's model, by its rates, and of ours, from data."""
    columns: list[Counts | None] = [paper_counts(TARGETS), paper_counts(TARGETS // 10)]
    for view in (whole, kept):
        row = at_threshold(view, WEAK, criterion)
        columns.append(None if row is None else _counts(row))
    name = whole.names.get(WEAK, WEAK)
    return Table(
        name="paper_matrices",
        caption=(
            f"Confusion matrices under class skew: the paper's model by its rates (true positives {TPR:.2f},"
            f" false positives {FPR:.2f}), and {name} from data."
        ),
        columns=(
            Column(""),
            Column("by the rates, equal", "number"),
            Column("a tenth", "number"),
            Column(f"{name}, {whole.dataset}", "number"),
            Column(f"{name}, {kept.dataset}", "number"),
        ),
        rows=tuple(
            (Cell(title), *(Cell("—") if c is None else fixed(formula(c), decimals) for c in columns))
            for title, formula, decimals in LINES
        ),
    )


def _of(formula: Callable[..., Any]) -> Callable[[Counts], float]:
    return lambda counts: float(formula(*counts))


LINES: Sequence[tuple[str, Callable[[Counts], float], int]] = (
    ("true positives", lambda c: c[2] - c[0], 0),
    ("false negatives", lambda c: c[0], 0),
    ("false positives", lambda c: c[1], 1),
    ("true negatives", lambda c: c[3] - c[1], 1),
    ("true positive rate", _of(confusion.recall), 4),
    ("false positive rate", lambda c: c[1] / c[3], 4),
    ("accuracy", _of(confusion.accuracy), 4),
    ("precision", _of(confusion.precision), 4),
    ("F1", _of(confusion.f1), 4),
    ("Matthews' correlation", _of(confusion.mcc), 4),
)


def _counts(row: Errors) -> Counts:
    return row.misses, row.false_alarms, row.n_target, row.n_nontarget


def shifts(whole: DatasetView, kept: DatasetView, criterion: Criterion) -> list[Shift]:
    """How far the false positive rate of each model lies from that of all non-targets."""
    found = []
    for model in whole.results.models:
        one, other = (at_threshold(view, model, criterion) for view in (whole, kept))
        if one is None or other is None or other.n_nontarget > one.n_nontarget:
            continue
        rates = [row.false_alarms / row.n_nontarget for row in (one, other)]
        sd = subsample_sd(one.false_alarms, one.n_nontarget, other.n_nontarget)
        distance = (rates[1] - rates[0]) / sd if sd else (0.0 if rates[0] == rates[1] else math.inf)
        widths = [_width(view, model, criterion) for view in (whole, kept)]
        ratio = widths[1] / widths[0] if widths[0] > 0 else math.nan
        found.append(Shift(model, rates[0], rates[1], sd, distance, ratio))
    return found


def _width(view: DatasetView, model: str, criterion: Criterion) -> float:
    row = value(view, model, "far", criterion)
    return math.nan if row is None or row.ci_low is None or row.ci_high is None else row.ci_high - row.ci_low


def areas(whole: DatasetView, kept: DatasetView) -> Table:
    """Return what depends on the two rates alone, over all thresholds."""
    rows = []
    for model in whole.results.models:
        auc = [with_limits(value(view, model, "auc")) for view in (whole, kept)]
        at_far = [of(value(view, model, FRR_AT_FAR)) for view in (whole, kept)]
        rows.append((Cell(whole.names[model]), *auc, *at_far))
    two = whole.dataset, kept.dataset
    return Table(
        name="paper_areas",
        caption="What depends on the two rates alone: the area, and misses at a false positive rate of .1.",
        columns=(
            Column("model"),
            *(Column(f"AUC, {name}", "number") for name in two),
            *(Column(f"FRR at FPR .1, {name}", "number") for name in two),
        ),
        rows=tuple(rows),
    )


def same_point(whole: DatasetView, kept: DatasetView, found: Sequence[Shift]) -> Table:
    """Return the false positive rates at one threshold, how far apart they are, and how limits widen."""
    return Table(
        name="paper_same_point",
        caption="The false positive rate at one threshold, and how much wider its interval is.",
        columns=(
            Column("model"),
            *(Column(f"FPR, {view.dataset}", "number") for view in (whole, kept)),
            Column("sd", "number"),
            Column("apart, in sd", "number"),
            Column("interval wider by", "number"),
        ),
        rows=tuple(
            (
                Cell(whole.names[one.model]),
                fixed(one.fpr),
                fixed(one.fpr_kept),
                fixed(one.sd, 4),
                fixed(one.distance, 1),
                fixed(one.width_ratio, 2),
            )
            for one in found
        ),
        notes=(
            "sd: of the share of false alarms when so many non-targets are drawn without replacement. With a"
            " tenth of the non-targets limits are about √10 = 3.16 times as wide, more near 0 and 1.",
        ),
    )


FRR_AT_FAR = "frr_at_far(far=0.1)"
CHANGED = (
    ("accuracy", "accuracy"),
    ("precision", "precision"),
    ("precision at one half", "precision(prevalence=0.5)"),
)


def changed(whole: DatasetView, kept: DatasetView, criterion: Criterion) -> Table:
    """What depends on the share of targets, and precision at a declared share beside it."""
    two = whole, kept
    rows = []
    for model in whole.results.models:
        at = [of(value(view, model, name, criterion)) for _, name in CHANGED for view in two]
        rows.append((Cell(whole.names[model]), *at, *(of(value(view, model, "ap_step")) for view in two)))
    titles = [*(title for title, _ in CHANGED), "AP"]
    return Table(
        name="paper_changed",
        caption=(
            "What depends on the share of targets: accuracy, precision and average precision. Precision at a"
            " declared share of one half depends on the two rates alone."
        ),
        columns=(
            Column("model"),
            *(Column(f"{title}, {view.dataset}", "number") for title in titles for view in two),
        ),
        rows=tuple(rows),
    )


def skew_claims(whole: DatasetView, kept: DatasetView, criterion: Criterion) -> list[Claim]:
    """What the paper says of skew."""
    by_rates = [float(confusion.accuracy(*paper_counts(n))) for n in (TARGETS, TARGETS // 10)]
    rows = [at_threshold(view, WEAK, criterion) for view in (whole, kept)]
    ours = [float(confusion.accuracy(*_counts(row))) for row in rows if row is not None]
    data = f"; {whole.names[WEAK]}: {numbers.percent(ours[0], 1)} %" if len(ours) == 2 else ""
    rise = f"; {numbers.percent(ours[0], 1)} to {numbers.percent(ours[1], 1)} %" if len(ours) == 2 else ""
    claims = [
        CLAIMS["accuracy"].found(
            f"{numbers.percent(by_rates[0], 1)} % by the rates{data}",
            abs(by_rates[0] - PRINTED_ACCURACY) < 0.01 and all(abs(a - by_rates[0]) < 0.03 for a in ours[:1]),
        ),
        CLAIMS["accuracy_changes"].found(
            f"{numbers.percent(by_rates[0], 1)} to {numbers.percent(by_rates[1], 1)} % by the rates{rise}",
            by_rates[1] != by_rates[0] and (len(ours) < 2 or abs(ours[1] - ours[0]) > 0.02),
        ),
    ]
    return [*claims, *_invariance(whole, kept, criterion), _random_line(whole, kept)]


def _invariance(whole: DatasetView, kept: DatasetView, criterion: Criterion) -> list[Claim]:
    found = shifts(whole, kept, criterion)
    if not found:
        return []
    farthest = max(found, key=lambda one: abs(one.distance))
    inside = [_inside(whole, kept, one.model) for one in found]
    known = [one for one in inside if one is not None]
    return [
        CLAIMS["same_point"].found(
            f"false positive rates at most {numbers.fixed(abs(farthest.distance), 1)} sd apart"
            f" ({whole.names[farthest.model]}: {numbers.fixed(farthest.fpr, 3)} and"
            f" {numbers.fixed(farthest.fpr_kept, 3)}, sd {numbers.fixed(farthest.sd, 4)})",
            abs(farthest.distance) <= FARTHEST,
        ),
        CLAIMS["curves_invariant"].found(
            f"AUC of {whole.dataset} inside the interval of {kept.dataset} for {sum(known)} of {len(known)}"
            " models",
            all(known) if known else None,
        ),
    ]


def _inside(whole: DatasetView, kept: DatasetView, model: str) -> bool | None:
    one, other = value(whole, model, "auc"), value(kept, model, "auc")
    if one is None or other is None or one.value is None:
        return None
    if other.ci_low is None or other.ci_high is None:
        return None
    return other.ci_low <= one.value <= other.ci_high


def _random_line(whole: DatasetView, kept: DatasetView) -> Claim:
    """Deciding by a coin of any bias accepts both classes at one rate."""
    rows = kept.part(kept.results.frame(TRIALS)).filter(split="test")
    targets, nontargets = int(rows["n_target"].max() or 0), int(rows["n_nontarget"].max() or 0)  # type: ignore[arg-type]
    return CLAIMS["random_line"].found(
        f"{kept.dataset}: {numbers.count(targets)} targets and {numbers.count(nontargets)} non-targets, so"
        " that"
        f" equal rates are counts of {numbers.fixed(targets / max(nontargets, 1), 1)} to 1",
        targets == nontargets,
    )
