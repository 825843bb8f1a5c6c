"""Rates that rest on few errors, or on none: how many, and how far off they may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from reporting.base.legible import counted
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures import sweep
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure, pairs_of
from reporting.core.measures.threshold import FAR, FRR
from reporting.document import numbers
from reporting.document.blocks import Caution
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.precision_bands import PRECISION_BANDS
from reporting.document.frames.roc import BANDS, ROC
from reporting.document.words.codes import FLAGS
from reporting.document.words.phrases import (
    clusters,
    in_order,
    level_text,
    listing,
    threshold_phrase,
    two_pools,
)
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.reliability import FEATURE
from reporting.inputs.spec import ACROSS_FOLDS

MOST_NAMED = 3
"""So many further rates are named; more are counted."""
KINDS = {"far": ("false alarm", "false alarms"), "frr": ("miss", "misses")}


class RateOfErrors(NamedTuple):
    """FAR or FRR of a model at one threshold, with its errors."""

    model: str
    measure: Measure
    errors: int
    trials: int


def few_errors(view: DatasetView) -> Iterator[Caution]:
    """Yield the rates of the primary question with fewer than 30 errors (rule of 30); others are counted.

    With them, or alone, the other measures that are read at a threshold of their own.
    """
    few = list(_of_primary(view))
    if not few:
        yield from _at_own_cuts(view)
        return
    first, *more = few
    others = [measure for measure in view.study.measures if measure != view.study.primary.measure]
    names = [view.terms.measure(measure) for measure in others if _rows_of_few(view, measure)]
    also = f" Fewer than 30 errors also in {listing(names, MOST_NAMED)}." if names else ""
    yield replace(first, text=first.text + also)
    yield from more


def _rule_of_30(details: str, grave: bool = False, elsewhere: str = "") -> Caution:
    flag = FLAGS["below_rule_of_30"]
    return flag.caution(flag.values.format(details=details) + elsewhere, grave)


def _of_primary(view: DatasetView) -> Iterator[Caution]:
    primary = view.study.primary
    if primary.measure.over != "threshold":
        yield from _read_at_few(view)
        yield from _across_folds(view)
        return
    few = _few(view, primary.criterion)
    if not few:
        return
    text = _rests_on(view, few[0])
    if few[1:]:
        text += f"; also few errors: {_by_model(view, few[1:])}"
    yield _rule_of_30(text, True, _elsewhere(view))


def _read_at_few(view: DatasetView) -> Iterator[Caution]:
    """Yield the primary measure over the sweep where it is read at a rate of few errors."""
    measure = view.study.primary.measure
    if _rows_of_few(view, measure):
        own = _at_own_cut(view, measure)
        details = (
            own or f"{view.terms.measure(measure)} is read at a rate of fewer than 30 errors on the test set"
        )
        yield _rule_of_30(capitalised(details), True)


def _at_own_cuts(view: DatasetView) -> Iterator[Caution]:
    """Yield the measures that are read at a threshold of their own where few errors are made."""
    every = [own for measure in view.study.measures if (own := _at_own_cut(view, measure))]
    if every:
        more = [counted(len(every) - MOST_NAMED, "more measure")] if len(every) > MOST_NAMED else []
        details = capitalised("; ".join([*every[:MOST_NAMED], *more]))
        yield _rule_of_30(details)


def _rows_of_few(view: DatasetView, measure: Measure) -> list[MetricRow]:
    """Return the test rows of a measure over the sweep that rest on few errors, models by rank."""
    rows = [view.metric(model, measure, None) for model in view.ranked]
    return [row for row in rows if row is not None and "below_rule_of_30" in row.flags]


def _at_own_cut(view: DatasetView, measure: Measure) -> str:
    """Return how few errors a measure rests on at its own threshold; empty where that is not known."""
    if measure.over != "sweep":
        return ""
    fixed = sweep.fixed_rate(measure)
    if fixed is not None:
        rows = _rows_of_few(view, measure)
        allowed = [sweep.errors_allowed(measure, row.n_target, row.n_nontarget) or 0 for row in rows]
        most = int(min(allowed, default=0))
        errors = view.terms.say(KINDS[(FRR if fixed.of_targets else FAR).key][most != 1])
        count = numbers.count(most) if most else "no"
        name = view.terms.measure(measure)
        return f"{name} is read where the test set has at most {count} {errors}" if rows else ""
    of_model = [(row.model, _errors_at_own_cut(view, measure, row)) for row in _rows_of_few(view, measure)]
    few = [rate for _, rates in of_model for rate in rates if rate.errors < sweep.RULE_OF_30]
    where = "on the test set, at its own threshold"
    return f"{view.terms.measure(measure)} rests on few errors {where}: {_by_model(view, few)}" if few else ""


def _errors_at_own_cut(view: DatasetView, measure: Measure, row: MetricRow) -> list[RateOfErrors]:
    """Return both kinds of errors where a least cost is attained, or as many as an equal error rate makes.

    A least cost is attained at a corner of the ROC. Nothing of a mean of several costs, or over runs.
    """
    least, value = measure.least_cost, row.value
    if value is None or view.run == MEAN:
        return []
    if measure.key in (sweep.EER_INTERP.key, sweep.EER_DISCRETE.key):
        eer = value
    elif least is not None and least.weights is None:
        eer = float(least.cost(value))
    else:
        corners = view.frame(ROC).filter(split="test", model=row.model)
        weights = pairs_of(least.weights, measure.arguments) if least is not None and least.weights else []
        if len(weights) != 1 or corners.is_empty():
            return []
        ((w_far, w_frr),) = weights
        far, frr = pl.col("false_alarms") / row.n_nontarget, pl.col("misses") / row.n_target
        best = corners.sort(w_far * far + w_frr * frr, "misses").row(0, named=True)
        errors = int(best["false_alarms"]), int(best["misses"])
        return _both_kinds(row, *errors)
    return _both_kinds(row, round(eer * row.n_nontarget), round(eer * row.n_target))


def _both_kinds(row: MetricRow, false_alarms: int, misses: int) -> list[RateOfErrors]:
    return [
        RateOfErrors(row.model, FAR, false_alarms, row.n_nontarget),
        RateOfErrors(row.model, FRR, misses, row.n_target),
    ]


def _across_folds(view: DatasetView) -> Iterator[Caution]:
    """Yield the rates of few errors at each threshold across folds, where the primary measure has none."""
    if view.study.thresholds.policy not in ACROSS_FOLDS:
        return
    for criterion in view.study.criteria:
        few = [] if criterion.oracle else _few(view, criterion)
        if few:
            details = f"At {threshold_phrase(criterion, view.study)} rates rest on few errors: "
            yield _rule_of_30(details + _by_model(view, few))


def _rates_at(view: DatasetView, criterion: Criterion) -> list[RateOfErrors]:
    """Return the rates at a criterion that enter the primary measure, models by rank."""
    far, frr = view.study.primary.measure.linear() or (1.0, 1.0)
    rates = []
    for model in view.ranked:
        row = view.operating_point(model, criterion)
        # A mean over runs has no counts.
        if row is not None and row.false_alarms is not None and far > 0:
            rates.append(RateOfErrors(model, FAR, row.false_alarms, row.n_nontarget))
        if row is not None and row.misses is not None and frr > 0:
            rates.append(RateOfErrors(model, FRR, row.misses, row.n_target))
    return [rate for rate in rates if rate.trials]


def _few(view: DatasetView, criterion: Criterion) -> list[RateOfErrors]:
    return [rate for rate in _rates_at(view, criterion) if 0 < rate.errors < sweep.RULE_OF_30]


def _by_model(view: DatasetView, rates: Sequence[RateOfErrors]) -> str:
    """Return ``B (22 false alarms and 12 misses)``, models by rank."""
    of_model: dict[str, list[str]] = {}
    for rate in rates:
        texts = of_model.setdefault(view.names[rate.model], [])
        texts.append(_errors(view, rate))
    return listing((f"{name} ({listing(texts)})" for name, texts in of_model.items()), MOST_NAMED)


def _errors(view: DatasetView, rate: RateOfErrors) -> str:
    return f"{rate.errors} {view.terms.say(KINDS[rate.measure.key][rate.errors != 1])}"


def _rests_on(view: DatasetView, rate: RateOfErrors) -> str:
    """Return ``The false acceptance rate (FAR) of TC6 rests on only 12 false alarms (1.50%, ...)``."""
    name = view.terms.spelled(rate.measure)
    text = f"The {name} of {view.names[rate.model]} rests on only {_errors(view, rate)}"
    row = view.metric(rate.model, rate.measure, view.study.primary.criterion)
    if row is None or row.value is None:
        return f"{text} in {_of_class(view, rate.trials, rate.measure.key)}"
    printed = view.printing(rate.measure)
    value = printed.value_with_unit(row.value)
    if row.ci_low is None or row.level is None:
        return f"{text} ({value})"
    return f"{text} ({value}, {level_text(row.level)} CI {printed.span(row.ci_low, row.ci_high)})"


def _elsewhere(view: DatasetView) -> str:
    """Return how many more rates rest on few errors at the other thresholds of the report."""
    primary = view.study.primary.criterion
    others = [criterion for criterion in view.study.criteria if not criterion.oracle and criterion != primary]
    few = [(rate, criterion) for criterion in others for rate in _few(view, criterion)]
    if len(few) != 1:
        return f" Also few errors: {len(few)} rates at other {view.terms.thresholds}." if few else ""
    ((rate, criterion),) = few
    return f" Also few errors: {_by_model(view, [rate])} at {threshold_phrase(criterion, view.study)}."


def too_few_for_a_ci(view: DatasetView) -> Iterator[Caution]:
    """Yield the measures whose CI is left out for few errors, or there by a named method alone."""
    rows = [row for row in view.metrics if row.split == "test" and row.threshold_source != "oracle"]
    named = view.study.inference.interval != "auto"
    withheld, printed = FLAGS[WITHHELD], FEATURE.spoken().cautions["ci_on_few_errors"]
    for code, text, these in (
        (withheld, withheld.values, [row for row in rows if WITHHELD in row.flags]),
        (printed, printed.text, [row for row in rows if named and row.ci_low is not None]),
    ):
        by_reason: dict[str, list[MetricRow]] = {}
        for row in these:
            if reason := _too_few(view, row):
                by_reason.setdefault(reason, []).append(row)
        for reason, alike in by_reason.items():
            names = dict.fromkeys(view.terms.measure(read_measure(row.measure)) for row in alike)
            models = in_order(view, (row.model for row in alike))
            facts = {
                "measures": listing(names, MOST_NAMED),
                "models": "all models" if len(models) == len(view.names) > 1 else listing(models, MOST_NAMED),
                "have": "have" if len(names) > 1 else "has",
                "reason": reason + _at_equal_rates(view, alike),
            }
            of_primary = any(row.measure == str(view.study.primary.measure) for row in alike)
            yield code.caution(capitalised(text.format(**facts)), of_primary)
    for frame, curve in ((BANDS, "ROC"), (PRECISION_BANDS, "precision-recall")):
        without = view.frame(frame).filter(pl.col("status") == "few_errors")
        if models := in_order(view, without["model"].unique()):
            band = f"The simultaneous band of the {curve} curve is left out for {listing(models, MOST_NAMED)}"
            reason = f"it needs 5 errors of a class where {view.terms.far} = {view.terms.frr}"
            yield withheld.caution(f"{band}: {reason}.")


WITHHELD = "interval_withheld"


def _too_few(view: DatasetView, row: MetricRow) -> str:
    """Return why a CI is left out unless its method is named; empty where it is not."""
    measure, trials = read_measure(row.measure), (row.n_target, row.n_nontarget)
    if sweep.allows_fewer(sweep.LEAST_ALLOWED, measure, *trials):
        allowed = float(sweep.errors_allowed(measure, *trials) or 0)
        return f"the fixed rate allows {allowed:.2g} errors, and {sweep.LEAST_ALLOWED} are needed"
    if measure.unknown_of_pairs and view.results.cluster_b is not None:
        return f"none is known to hold for pair {view.terms.trials}"
    least, errors = 0.0 if measure.optimum is None else measure.optimum.least_errors, _at_eer(view, row)
    if least and (WITHHELD in row.flags or (errors is not None and errors < least)):
        return f"it needs {least:g} errors of a class where {view.terms.far} = {view.terms.frr}"
    return "too few errors support it" if WITHHELD in row.flags else ""


def _at_eer(view: DatasetView, row: MetricRow) -> float | None:
    """Return the errors of the smaller class where both rates are equal; None where these are not known."""
    eer = view.metric(row.model, sweep.EER_ROCCH, None)
    if eer is None or eer.along_curve is None or read_measure(row.measure).optimum is None:
        return None
    return eer.along_curve * min(row.n_target, row.n_nontarget)


def _of_class(view: DatasetView, n: int, rate: str) -> str:
    """Print how many trials a rate is of."""
    return view.terms.counted("target" if rate == "frr" else "nontarget", n)


def _at_equal_rates(view: DatasetView, rows: Sequence[MetricRow]) -> str:
    """Return ``, and there are 2.6 (A) among 60 targets``; empty where errors are not known."""
    known = {row.model: errors for row in rows if (errors := _at_eer(view, row)) is not None}
    smaller = {
        min((row.n_target, view.terms.targets), (row.n_nontarget, view.terms.nontargets)) for row in rows
    }
    if not known or len(smaller) > 1:
        return ""
    ((trials, named),) = smaller
    ranked = [model for model in view.ranked if model in known]
    named_errors = (
        f"{known[model]:.2g}{f' ({view.names[model]})' if len(view.names) > 1 else ''}" for model in ranked
    )
    return f", and there are {listing(named_errors)} among {numbers.count(trials)} {named}"


def no_errors(view: DatasetView) -> Iterator[Caution]:
    """Yield the highest error rate that a test without any error still allows (rule of 3)."""
    primary, level = view.study.primary, view.study.inference.level
    rates = _rates_at(view, primary.criterion) if primary.measure.over == "threshold" else []
    for measure in (FAR, FRR):
        none = [rate for rate in rates if rate.measure == measure and not rate.errors]
        if none:
            yield FEATURE.caution(view, "no_errors", True, **_compatible(view, none, level))


def _compatible(view: DatasetView, none: Iterable[RateOfErrors], level: float) -> dict[str, str]:
    """Return who makes no error among which trials, and what the true rate may still be."""
    rates = list(none)
    fewest, key = min(rate.trials for rate in rates), rates[0].measure.key
    names = in_order(view, (rate.model for rate in rates))
    who = f"{listing(names)} make{'s' if len(names) == 1 else ''}"
    trials = _of_class(view, fewest, key)
    # 0 where trials were treated as independent.
    n_clusters = min((row.n_units or 0 for row in view.metrics if row.unit == "cluster"), default=0)
    if n_clusters:
        named = clusters(view.results)
        # Trials that share no cluster: of pair trials in one population every member has one.
        of_pairs = view.results.cluster_b is not None and not two_pools(view.results)
        n = max(1, n_clusters // 2) if of_pairs else n_clusters
        what = (
            f"{_limit(view, rates)}as high as {_bound(n, level)}% if errors come"
            f" from few {named} (one-sided {level_text(level)} bound for {numbers.count(n_clusters)} {named})"
        )
    else:
        independent = f", for independent {view.terms.trials}" if view.results.cluster else ""
        what = f"as high as {_bound(fewest, level)}% (one-sided {level_text(level)} bound{independent})"
    return {"who": who, "error": view.terms.say(KINDS[key][0]), "judged": trials, "limit": what}


def bound_without_errors(n: int, level: float) -> float:
    """One-sided upper bound of a rate that showed no error in n trials: 1 - (1 - level)^(1/n); n > 0.

    About 3 / n at 95%, the rule of 3. Methods 5.3.
    """
    return -math.expm1(math.log1p(-level) / n)


def _bound(n: int, level: float) -> str:
    return numbers.percent(bound_without_errors(n, level), 2)


def _limit(view: DatasetView, rates: Iterable[RateOfErrors]) -> str:
    """Return ``as high as 0.05% (95% CI), or `` where the rates have intervals, else nothing."""
    rows = [view.metric(rate.model, rate.measure, view.study.primary.criterion) for rate in rates]
    highs = [row.ci_high for row in rows if row is not None and row.ci_high is not None]
    if len(highs) < len(rows):
        return ""
    limit, level = numbers.percent(max(highs), 2), level_text(view.study.inference.level)
    return f"as high as {limit}% ({level} CI), or "
