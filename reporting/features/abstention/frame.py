"""The frames ``abstention``, ``risk_coverage``, ``abstention_comparisons``: decisions are left to review.

Two thresholds are chosen on the development set and judged on the test set, where they are fixed. Confidence
is the distance of a score from the single threshold of the primary criterion, chosen there too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.codes import Status
from reporting.base.records import dataclass, field, replace
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.model_runs import ModelRuns, models_with_runs
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.sample import Statistic, design_of
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, empty_class
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import (
    NO_INTERVAL,
    TOO_FEW_CLUSTERS,
    ModelInterval,
    know_nothing,
    rate_interval,
    spread,
    spread_interval,
)
from reporting.core.resampling.paired import adjust
from reporting.core.stats.confusion import Share, acceptance_rate, error_rate
from reporting.core.stats.effective_size import VERY_FEW, EffectiveRate, square_and_add
from reporting.core.stats.roc_bands import RATE, UNBOUNDED, least_errors
from reporting.document.frames.contract import KEY, Columns, Frame, KeyRow, PlaceRow, pair_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.limits import limits_of
from reporting.document.frames.recipe import frame_of
from reporting.features.abstention.formulas import COVERAGES, Decided, effective_sizes
from reporting.features.abstention.keys import ABSTENTION_KEY, Abstention, ReviewCosts
from reporting.features.abstention.samples import AbstainingModel, Rule, abstaining_models


@dataclass(frozen=True, kw_only=True, slots=True)
class AbstentionRow(KeyRow):
    """A row of ``abstention``."""

    rule: Annotated[
        str | None,
        "what placed the two thresholds: dev (least cost there), chow (likelihood ratios), no_review (one"
        " threshold, least cost on the development set); null of areas",
    ] = None
    quantity: Annotated[
        str,
        "accepted, reviewed, rejected (shares of trials), error, far, frr (of those decided), cost (mean of a"
        " trial), saving (cost of no_review less that of the rule), aurc, far_discard_area, frr_discard_area",
    ]
    threshold_low: Annotated[float | None, "scores below are rejected; null of areas and means"] = None
    threshold_high: Annotated[float | None, "scores from here on are accepted; null of areas and means"] = (
        None
    )
    value: Annotated[float | None, "the quantity on test; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit; null without one"] = None
    ci_high: Annotated[float | None, "upper limit; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    ci_method: Annotated[str | None, "how the limits were made; null without them"] = None
    value_dev: Annotated[
        float | None, "the same on the development set, which chose; null of areas, and where undefined"
    ] = None
    inference: Annotated[str, "given_thresholds: the thresholds are taken as fixed"] = "given_thresholds"
    unit: Annotated[str, "unit of inference, trial or cluster"]
    replicates: Annotated[int | None, "bootstrap resamples; null where the limits need none"] = None
    status: Annotated[str | None, "why it is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


ABSTENTION = Frame("abstention", AbstentionRow, (*KEY, "rule", "quantity"))


@dataclass(frozen=True, kw_only=True, slots=True)
class RiskCoverageRow(KeyRow):
    """A row of ``risk_coverage``."""

    measure: Annotated[str, "error_rate of all trials, frr of targets, far of non-targets"]
    coverage: Annotated[float | None, "share of these trials that is kept; null without a curve"] = None
    discarded: Annotated[float | None, "1 - coverage; null without a curve"] = None
    value: Annotated[float | None, "the error of the trials kept; null without a curve"] = None
    ci_low: Annotated[float | None, "lower limit at this coverage; null without one"] = None
    ci_high: Annotated[float | None, "upper limit at this coverage; null without one"] = None
    band_low: Annotated[float | None, "lower limit for the whole curve; null without one"] = None
    band_high: Annotated[float | None, "upper limit for the whole curve; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without limits"] = None
    unit: Annotated[str | None, "what is resampled; null without limits"] = None
    status: Annotated[str | None, "why there is no curve; null where there is one"] = None


RISK_COVERAGE = Frame("risk_coverage", RiskCoverageRow, (*KEY, "measure", "coverage"))


@dataclass(frozen=True, kw_only=True, slots=True)
class AbstentionComparisonRow(PlaceRow):
    """A row of ``abstention_comparisons``."""

    model: Annotated[str, "key of the model"]
    baseline: Annotated[str, "key of the model it is compared with"]
    quantity: Annotated[str, "cost, error, aurc, far_discard_area or frr_discard_area, as in abstention"]
    value: Annotated[float | None, "that of the model; null where undefined"] = None
    value_baseline: Annotated[float | None, "that of the baseline; null where undefined"] = None
    difference: Annotated[float | None, "model less baseline; null where undefined"] = None
    ci_low: Annotated[float | None, "lower limit of the difference; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the difference; null without one"] = None
    level: Annotated[float, "confidence level of the limits"]
    p_value: Annotated[float | None, "two-sided p of no difference; null where undefined"] = None
    p_method: Annotated[str | None, "how p was made; null without it"] = None
    p_adjusted: Annotated[float | None, "the same by Holm over the pairs; null where undefined"] = None
    family_size: Annotated[int, "pairs that are adjusted together"] = 1
    inference: Annotated[str, "given_thresholds: the thresholds are taken as fixed"] = "given_thresholds"
    unit: Annotated[str, "unit of inference, trial or cluster"]
    replicates: Annotated[int | None, "bootstrap resamples; null where undefined"] = None
    status: Annotated[str | None, "why it is undefined or not tested; null where it is tested"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


ABSTENTION_COMPARISONS = Frame(
    "abstention_comparisons",
    AbstentionComparisonRow,
    ("dataset", "split", "group", "quantity", "model", "baseline"),
)

CURVES = {"error_rate": "aurc", "frr": "frr_discard_area", "far": "far_discard_area"}
"""The curves in the order of ``ConfidenceReader``, and their areas."""
CLASSES = {"aurc": (True, True), "frr_discard_area": (True, False), "far_discard_area": (False, True)}
"""Whether an area is one of targets, and of non-targets."""
ADDED = 9.0
"""The trials that the least standard error of a curve adds: the square of 3, about what its band is wide in
standard errors."""


class OfDecided(NamedTuple):
    """A number of two thresholds, its range, and the share of trials that it is, where it is one."""

    of: Callable[[Decided, Abstention], FloatArray]
    share: Share | None = None
    decided: bool = False
    """Whether it is a share of decided trials alone."""


QUANTITIES: dict[str, OfDecided] = {
    "accepted": OfDecided(lambda decided, plan: decided.accepted, acceptance_rate),
    "reviewed": OfDecided(lambda decided, plan: decided.reviewed, acceptance_rate),
    "rejected": OfDecided(lambda decided, plan: decided.rejected, acceptance_rate),
    "error": OfDecided(lambda decided, plan: decided.error, error_rate, True),
    "far": OfDecided(lambda decided, plan: decided.far, FALSE_ALARMS, True),
    "frr": OfDecided(lambda decided, plan: decided.frr, MISSES, True),
    "cost": OfDecided(lambda decided, plan: decided.cost(plan.costs)),
}
COMPARED: tuple[tuple[Rule | None, str], ...] = (
    ("dev", "cost"),
    ("dev", "error"),
    *((None, area) for area in CURVES.values()),
)


@dataclass(frozen=True, eq=False)
class AbstainingRuns:
    """One run of a model, or the mean over all of them."""

    team: ModelRuns
    models: list[AbstainingModel]
    judged: JudgedPart
    plan: Abstention

    def sample(self, rule: Rule | None, quantity: str) -> Statistic:
        """Return a quantity on test; NaN where it is undefined."""
        of = self.estimate(
            lambda model: (
                self._of(quantity, rule, model.on_test, model.curves),
                self._of(quantity, rule, model.drawn, model.drawn_curves),
            )
        )
        units = self.judged.drawn.units.counting({"far": False, "frr": True}.get(quantity))
        return replace(of, design=Design.of(units, of.design.level))

    def estimate(self, of: Callable[[AbstainingModel], tuple[FloatArray, FloatArray]]) -> Statistic:
        """Return the mean over runs of a number, or of a curve, with its resamples."""
        return Statistic.over_runs(self.team, map(of, self.models), self.judged.drawn, self.judged.study)

    def value_dev(self, rule: Rule | None, quantity: str) -> float:
        """Return a quantity on the development set; NaN where it is undefined, and of areas."""
        if rule is None:
            return float("nan")
        return float(np.mean([self._of(quantity, rule, model.on_dev, None) for model in self.models]))

    def _of(
        self, quantity: str, rule: Rule | None, by_rule: Mapping[Rule, Decided], curves: FloatArray | None
    ) -> FloatArray:
        if rule is None:
            assert curves is not None
            return np.asarray(curves[..., list(CURVES.values()).index(quantity), -1])
        if quantity == "saving":
            return by_rule["no_review"].cost(self.plan.costs) - by_rule[rule].cost(self.plan.costs)
        return QUANTITIES[quantity].of(by_rule[rule], self.plan)

    @property
    def quantities(self) -> Iterator[tuple[Rule | None, str]]:
        """Every rule with its quantities; areas have no rule."""
        for rule in self.models[0].thresholds:
            yield from ((rule, quantity) for quantity in QUANTITIES)
            if rule != "no_review":
                yield rule, "saving"
        if self.models[0].curves is not None:
            yield from ((None, area) for area in CURVES.values())


def _runs(judged: JudgedPart) -> Iterator[tuple[ModelRuns, AbstainingRuns | None]]:
    """Yield every run of the models of a whole dataset, and the mean over those of a model.

    None where a class has no trials on the development set, or on the test set.
    """
    study = judged.study
    plan = ABSTENTION_KEY.of(study)
    if plan is None or judged.part.group:
        return
    given = judged.part, plan, study, judged.drawn.units, judged.pool, judged.drawn.cache
    abstaining = judged.once(abstaining_models, *given)
    for team in models_with_runs(judged.models):
        for runs in (*([] if team.alone else [team]), *(ModelRuns((run,)) for run in team.runs)):
            there = [abstaining[run.id] for run in runs.runs if run.id in abstaining]
            whole = len(there) == len(runs.runs)
            yield runs, AbstainingRuns(runs, there, judged, plan) if whole else None


def _why_none(runs: ModelRuns) -> Status:
    """Return why a model has no two thresholds."""
    for run in runs.runs:
        if run.dev is None:
            return "no_dev"
        if why := empty_class(*run.dev.trials) or empty_class(*run.test.trials):
            return why
    return "degenerate"


def abstention_rows(judged: JudgedPart) -> Iterator[AbstentionRow]:
    """Yield what the thresholds of every rule do on test, and the areas under the curves.

    Shares of trials have Wilson's interval, or the exact one of few errors, in effective sizes where trials
    depend. Areas have the exact interval in as many trials as the spread of their resamples shows. With a
    declared share of targets, and of costs, the spread of resamples makes the interval, on the logit scale
    of the range; a cost that rests on very few trials has the intervals of its rates, squared and added.
    """
    for team, runs in _runs(judged):
        row = AbstentionRow(**team.key._asdict(), quantity="cost", unit=judged.drawn.units.name)
        if runs is None:
            yield replace(row, rule="dev", status=_why_none(team), flags=sorted(judged.drawn.units.flags))
            continue
        for rule, quantity in runs.quantities:
            yield _row(replace(row, rule=rule, quantity=quantity), rule, runs)


def _row(row: AbstentionRow, rule: Rule | None, runs: AbstainingRuns) -> AbstentionRow:
    thresholds = runs.models[0].thresholds[rule] if rule is not None and runs.team.alone else None
    of = runs.sample(rule, row.quantity)
    value, bounds = float(of.point), bounds_of(row.quantity, runs.plan.costs)
    interval = _interval(runs, rule, row.quantity, of).of(value, bounds)
    return replace(
        row,
        threshold_low=None if thresholds is None else thresholds.lower,
        threshold_high=None if thresholds is None else thresholds.upper,
        value=defined(value),
        ci_low=interval.low,
        ci_high=interval.high,
        level=None if interval.low is None else of.design.level,
        ci_method=interval.method,
        value_dev=defined(runs.value_dev(rule, row.quantity)),
        replicates=interval.replicates,
        status=None if np.isfinite(value) else "nothing_decided",
        flags=sorted({*of.design.flags, *filter(None, [interval.withheld])}),
    )


def bounds_of(quantity: str, costs: ReviewCosts) -> tuple[float, float]:
    """Return the least and the greatest value of a quantity; a trial costs at most the costliest decision."""
    most = max(astuple(costs))
    if quantity == "saving":
        return -most, most
    return (0.0, most) if quantity == "cost" else RATE


def _interval(runs: AbstainingRuns, rule: Rule | None, quantity: str, of: Statistic) -> ModelInterval:
    value, level, judged = float(of.point), of.design.level, runs.judged
    share = QUANTITIES[quantity].share if quantity in QUANTITIES else None
    by_class = quantity in ("far", "frr")
    ends = [model.thresholds[rule] for model in runs.models] if rule is not None else []
    none_reviewed = quantity == "reviewed" and all(each.lower == each.upper for each in ends)
    if not np.isfinite(value) or none_reviewed:  # what cannot be reviewed is no estimate
        return NO_INTERVAL
    if of.design.too_few_clusters:
        return TOO_FEW_CLUSTERS
    counted = by_class or judged.study.prevalence is None
    if share is not None and rule is not None and runs.team.alone and counted:
        model = runs.models[0]
        marked, members = _marked(model, rule, quantity)
        return rate_interval(judged.drawn.error_rates.among(model.model, marked, share, members), level)
    if quantity in CURVES.values():
        return _area_interval(runs, quantity, of)
    if rule is not None and quantity in ("cost", "saving") and runs.team.alone:
        terms = list(_terms(runs.models[0], rule, quantity, runs.plan.costs, judged))
        if any(term.few for term in terms):
            limits = square_and_add([(term.weight, term.rate) for term in terms], level)
            return ModelInterval(*limits, "square_and_add")
    # A saving is a difference: it has a scale of its own.
    bounds = UNBOUNDED if quantity == "saving" else bounds_of(quantity, runs.plan.costs)
    return spread_interval(value, of.replicates, bounds, level, of.design)


class Term(NamedTuple):
    """One of the rates whose weighted sum is a cost, or a saving."""

    weight: float
    rate: EffectiveRate
    few: bool
    """Whether at most VERY_FEW trials are counted: resamples of them spread too little."""


def _terms(
    model: AbstainingModel, rule: Rule, quantity: str, costs: ReviewCosts, judged: JudgedPart
) -> Iterator[Term]:
    """Yield the terms of a cost, or of a saving, without those that no trial can belong to.

    Each is the share of a class whose scores lie from one threshold up to another. A saving has the errors
    that the single threshold makes and two do not, less those that two make and it does not, less reviews.
    """
    lower, upper = model.thresholds[rule].lower, model.thresholds[rule].upper
    single, reviews = model.thresholds["no_review"].upper, costs.review
    priced = [(costs.false_negative, True, -math.inf, lower), (costs.false_positive, False, upper, math.inf)]
    if quantity == "saving":
        reviews = -reviews
        priced = [
            *((costs.false_negative, True, lower, single), (-costs.false_negative, True, single, lower)),
            *((costs.false_positive, False, single, upper), (-costs.false_positive, False, upper, single)),
        ]
    priced += [(reviews, of_targets, lower, upper) for of_targets in (True, False)]
    label, share = judged.drawn.ranks.label, float(model.on_test[rule].share)
    for price, of_targets, start, end in priced:
        if not price or start >= end:
            continue
        members = np.flatnonzero(label == of_targets).astype(np.int64)
        counted = model.accepted_from(start) & ~(model.accepted_from(end) & (end < math.inf))
        rate = judged.drawn.error_rates.among(model.model, counted, acceptance_rate, members)
        few = int(counted[members].sum()) <= VERY_FEW
        yield Term(price * (share if of_targets else 1 - share), rate, few)


def _area_interval(runs: AbstainingRuns, area: str, of: Statistic) -> ModelInterval:
    """Return the exact interval of an area in as many trials as its resamples show that it is worth.

    An area rests on its most confident errors, and they are few. Without any it has that of a rate of 0.
    """
    value, level, drawn = float(of.point), of.design.level, runs.judged.drawn
    if value == 0:
        label, targets, nontargets = drawn.ranks.label, *CLASSES[area]
        members = np.flatnonzero(np.where(label, targets, nontargets)).astype(np.int64)
        none = np.zeros(len(label), dtype=bool)
        rate = drawn.error_rates.among(runs.models[0].model, none, acceptance_rate, members)
        return rate_interval(rate, level)
    replicates, design = of.design.reduced(of.replicates, value)
    if know_nothing(replicates, design.n_units):
        return NO_INTERVAL
    size = value * (1 - value) / spread(replicates, design) ** 2
    rate = EffectiveRate(value, size, design.df, few=True)
    return replace(rate_interval(rate, level), replicates=len(replicates))


def _marked(model: AbstainingModel, rule: Rule, quantity: str) -> tuple[BoolArray, IntArray]:
    """Return which trials count as accepted, and the indices of those that the quantity is a share of."""
    ends = model.thresholds[rule]
    from_lower, from_upper = model.accepted_from(ends.lower), model.accepted_from(ends.upper)
    decided = from_upper | ~from_lower
    members = np.flatnonzero(decided if QUANTITIES[quantity].decided else np.ones_like(decided)).astype(
        np.int64
    )
    return {"reviewed": ~decided, "rejected": ~from_lower}.get(quantity, from_upper), members


def risk_coverage_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the risk-coverage curve of all trials, and the error-versus-discard curve of each class."""
    yield RISK_COVERAGE.of_columns(
        columns for team, runs in _runs(judged) for columns in _curves(team, runs, judged)
    )


def _curves(team: ModelRuns, runs: AbstainingRuns | None, judged: JudgedPart) -> Iterator[Columns]:
    sizes = team.first.test.trials
    for at, (measure, n) in enumerate(zip(CURVES, (sum(sizes), *sizes), strict=True)):
        keys = team.key._asdict() | {"measure": measure}
        if runs is None or runs.models[0].curves is None:
            yield keys | {"status": _why_none(team) if runs is None else "no_criterion"}
            continue
        of = runs.estimate(partial(_at_coverages, at))
        sizes_at = COVERAGES * n
        if of.design.df is not None:
            replicates, design = of.design.reduced(of.replicates, of.point)
            sizes_at = effective_sizes(of.point, replicates, sizes_at, design.inflation)
        curve = {"coverage": COVERAGES, "discarded": (100 - np.arange(1, 101)) / 100, "value": of.point}
        limits = of.limits(least_errors(of.point, sizes_at, ADDED), RATE)
        yield keys | curve | limits_of(of, limits)


def _at_coverages(at: int, model: AbstainingModel) -> tuple[FloatArray, FloatArray]:
    """Return one of the curves (shape (G,)) and its resamples (shape (M, G))."""
    assert model.curves is not None
    assert model.drawn_curves is not None
    return model.curves[at, :-1], model.drawn_curves[:, at, :-1]


def abstention_comparison_rows(judged: JudgedPart) -> Iterator[AbstentionComparisonRow]:
    """Yield the differences of every pair of models, paired: on the same trials and the same resamples."""
    if not abstains(judged.study) or judged.part.group:
        return
    by_model = {team.key: runs for team, runs in _runs(judged)}
    for pair in model_pairs(judged.models, judged.study):
        both = by_model[pair.model.key], by_model[pair.baseline.key]
        for rule, quantity in COMPARED:
            yield _compared(pair, both, rule, quantity, judged)


def _compared(
    pair: Pair,
    both: tuple[AbstainingRuns | None, AbstainingRuns | None],
    rule: Rule | None,
    quantity: str,
    judged: JudgedPart,
) -> AbstentionComparisonRow:
    design = design_of(judged.drawn, judged.study)
    row = AbstentionComparisonRow(
        **pair_of(pair), quantity=quantity, level=design.level, unit=design.unit, flags=sorted(design.flags)
    )
    first, second = both
    if first is None or second is None:
        return replace(row, status=_why_none(pair.model if first is None else pair.baseline))
    if rule is None and first.models[0].curves is None:
        return replace(row, status="no_criterion")
    own, its = (runs.sample(rule, quantity) for runs in (first, second))
    row = replace(row, value=defined(float(own.point)), value_baseline=defined(float(its.point)))
    if not np.isfinite([own.point, its.point]).all():
        return replace(row, status="nothing_decided")
    if not judged.drawn.ranks.paired:
        return replace(row, status="no_trial_key")
    tested = (own - its).tested().within(bounds_of(quantity, first.plan.costs))
    return replace(
        row,
        difference=tested.difference,
        ci_low=tested.low,
        ci_high=tested.high,
        p_value=tested.p_value,
        p_method=tested.p_method,
        replicates=tested.replicates,
        status=tested.status,
        flags=sorted({*row.flags, *tested.flags}),
    )


def with_adjusted_abstention(
    rows: list[AbstentionComparisonRow], study: Study
) -> list[AbstentionComparisonRow]:
    """Return the rows with p-values adjusted over the pairs of a dataset, for each quantity separately."""
    families: dict[tuple[str, str], list[AbstentionComparisonRow]] = defaultdict(list)
    for row in rows:
        families[row.dataset, row.quantity].append(row)
    return [adjusted for family in families.values() for adjusted in _adjusted(family)]


def _adjusted(family: list[AbstentionComparisonRow]) -> Iterator[AbstentionComparisonRow]:
    tested = [row for row in family if row.p_value is not None]
    adjusted = iter(adjust([row.p_value for row in tested if row.p_value is not None], "holm"))
    for row in family:
        p = None if row.p_value is None else next(adjusted)
        yield replace(row, p_adjusted=p, family_size=len(tested) or 1)


def abstains(study: Study) -> bool:
    """Return whether a part of the decisions is left to review."""
    return ABSTENTION_KEY.of(study) is not None


RECIPES = (
    frame_of(ABSTENTION, abstention_rows, wanted=abstains),
    frame_of(RISK_COVERAGE, risk_coverage_of, wanted=abstains),
    frame_of(
        ABSTENTION_COMPARISONS, abstention_comparison_rows, finish=with_adjusted_abstention, wanted=abstains
    ),
)
