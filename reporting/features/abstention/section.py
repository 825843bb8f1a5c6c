"""Decisions of which a part is left to review: thresholds, errors and costs, and errors by confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from reporting.base.records import dataclass
from reporting.core.measures.threshold import FAR, FRR
from reporting.document import numbers
from reporting.document.blocks import UNDEFINED, Block, Caution, Prose, Section, Table
from reporting.document.charts.captions import percent
from reporting.document.frames.results import Results
from reporting.document.words.codes import undefined
from reporting.document.words.decisions import differs
from reporting.document.words.phrases import listing, reason
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.tables import ByRow, ColumnOf, Estimate, TableOf, blank_where, limits
from reporting.document.words.terms import capitalised, with_article
from reporting.document.words.view import DatasetView, views
from reporting.features.abstention import FEATURE
from reporting.features.abstention.chart import risk_figures
from reporting.features.abstention.frame import (
    ABSTENTION,
    ABSTENTION_COMPARISONS,
    AbstentionComparisonRow,
    AbstentionRow,
)
from reporting.features.abstention.keys import ABSTENTION_KEY, Abstention

RULES = {
    "dev": "least cost on development",
    "chow": "Chow's rule for likelihood ratios",
    "no_review": "no review",
}
POINTS = " (percentage points)"
AREAS = ("aurc", "frr_discard_area", "far_discard_area")
FIXED = "Thresholds are held fixed; a CI does not include the uncertainty of choosing them."
AREA = (
    "Area: mean error of the k most confident {trials}, over all k (AURC); of one class it is the area under"
    " the error-versus-discard curve. Equally confident {trials} count in random order."
)
CHOW = (
    "Chow's rule trusts the scores to be likelihood ratios: a higher cost than with the thresholds of least"
    " cost on development is the price of their calibration."
)


@dataclass(frozen=True, eq=False)
class ReviewedModel:
    """The rows of one model and rule by quantity; areas have no rule."""

    model: str
    rule: str | None
    rows: Mapping[str, AbstentionRow]

    def of(self, quantity: str) -> AbstentionRow | None:
        """Return the row of a quantity."""
        return self.rows.get(quantity)


def abstention(results: Results) -> Section | None:
    """Return what review changes, for every dataset; nothing where no decision is left to it."""
    return FEATURE.section("abstention").per_view(views(results), _blocks, beside=True)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    plan, models = ABSTENTION_KEY.of(view.study), _models(view)
    if plan is None or not models:
        return ()
    by_rule = [model for model in models if model.rule in ("dev", "chow")]
    first, *others = risk_figures(view) or (None,)
    return (
        *_sentence(view, plan, models),
        _decisions(view, by_rule),
        _costs(view, plan, [model for model in models if model.rule is not None]),
        *([] if first is None else [first]),
        *_areas(view, [model for model in models if model.rule is None]),
        *others,
        *_comparisons(view),
    )


def _models(view: DatasetView) -> list[ReviewedModel]:
    """Return models in rank order by rule, the thresholds of least cost first."""
    rows: dict[tuple[str | None, str], dict[str, AbstentionRow]] = {}
    for row in view.rows(ABSTENTION, "test"):
        rows.setdefault((row.rule, row.model), {})[row.quantity] = row
    return [
        ReviewedModel(model, rule, rows[rule, model])
        for rule in (*RULES, None)
        for model in view.ranked
        if (rule, model) in rows
    ]


def _sentence(view: DatasetView, plan: Abstention, models: Sequence[ReviewedModel]) -> Iterator[Prose]:
    """Say of the first model how much is reviewed and what that changes."""
    first = next((model for model in models if model.rule == "dev"), None)
    if first is None:
        return
    decides_all = (model for model in models if (model.model, model.rule) == (first.model, "no_review"))
    without = next(decides_all, None)
    rows = first.of("reviewed"), first.of("error"), None if without is None else without.of("error")
    reviewed, error, before = (None if row is None else row.value for row in rows)
    if reviewed is None or error is None or before is None:
        return
    trials, name = view.terms.trials, view.names[first.model]
    if not reviewed:
        yield Prose(
            f"{name} leaves no {view.terms.trial} of the test set to review. {_rule_in_words(view, plan)}"
        )
        return
    yield Prose(
        f"{name} leaves {percent(reviewed)} of the {trials} of the test set to review and decides the rest:"
        f" {percent(error)} of these decisions are wrong, against {percent(before)} where the one"
        f" {view.terms.threshold} of least cost decides all {trials}. {_rule_in_words(view, plan)}"
    )


def _rule_in_words(view: DatasetView, plan: Abstention) -> str:
    """Say how the two thresholds were chosen."""
    costs, terms = plan.costs, view.terms
    most = (
        ""
        if plan.capacity is None
        else f" with at most {plan.capacity * 100:g}% of the {terms.trials} reviewed"
    )
    return (
        f"The two {terms.thresholds} have the least mean cost on the development set{most}, where"
        f" {with_article(terms.false_alarm)} costs {costs.false_positive:g}, {with_article(terms.miss)}"
        f" {costs.false_negative:g} and a review {costs.review:g}."
    )


def _printing(rows: Sequence[AbstentionRow | None], percent: bool) -> Printing:
    errors = [standard_error(*limits(row), row.level if row else None) for row in rows]
    known = [error for error in errors if error]
    decimals = 1 if percent else 3
    if known:
        decimals = numbers.decimals_for(sorted(known)[len(known) // 2] * (100 if percent else 1), most=4)
    return Printing(percent, decimals)


def _estimate(
    table: TableOf[ReviewedModel], title: str, quantity: str, models: Sequence[ReviewedModel], percent: bool
) -> ColumnOf[ReviewedModel]:
    printed = _printing([model.of(quantity) for model in models], percent)
    sense = "" if quantity in ("accepted", "reviewed", "rejected") else "lower is better"
    if quantity == "saving":
        sense = "higher is better"
    return table.estimate(title, lambda model: model.of(quantity), printed, sense=sense)  # type: ignore[arg-type]


def _decisions(view: DatasetView, models: Sequence[ReviewedModel]) -> Table:
    """One row per model: its two thresholds, and what becomes of the trials."""
    table, terms = TableOf[ReviewedModel](view), view.terms
    shares = (("rejected", "rejected"), ("reviewed", "reviewed"), (terms.accepted, "accepted"))
    return table.build(
        "abstention",
        f"What becomes of the {terms.trials} of the test set: two {terms.thresholds} chosen on development.",
        models,
        (
            table.model(lambda model: model.model),
            table.text("rejected at", _ends(view, rejected=True)),
            table.text(f"{terms.accepted} at", _ends(view, rejected=False)),
            *(_estimate(table, title, key, models, True) for title, key in shares),
        ),
        (f"Scores between the two {terms.thresholds} are reviewed. In brackets: {table.level} CIs. {FIXED}",),
        group=lambda model: capitalised(RULES[model.rule or "dev"]),
    )


def _ends(view: DatasetView, rejected: bool) -> Callable[[ReviewedModel], str]:
    """Return what shows at which scores trials are rejected, or accepted."""

    def text(model: ReviewedModel) -> str:
        row = model.of("reviewed") or model.of("cost")
        if row is None or row.threshold_low is None or row.threshold_high is None:
            return ""
        low, high = numbers.thresholds([row.threshold_low, row.threshold_high])
        if view.sign(model.model) > 0:
            return f"below {low}" if rejected else f"{high} and above"
        return f"above {high}" if rejected else f"{low} and below"

    return text


def _costs(view: DatasetView, plan: Abstention, models: Sequence[ReviewedModel]) -> Table:
    """One row per model and rule: the errors of what is decided, and the mean cost of a trial."""
    table, terms = TableOf[ReviewedModel](view), view.terms
    return table.build(
        "abstention_costs",
        f"On the test set: errors of the {terms.trials} decided, and the mean cost of a {terms.trial}.",
        models,
        (
            table.model(lambda model: model.model),
            _estimate(table, "wrong", "error", models, True),
            _estimate(table, terms.measure(FAR), "far", models, True),
            _estimate(table, terms.measure(FRR), "frr", models, True),
            _estimate(table, "mean cost", "cost", models, False),
            blank_where(
                lambda model: model.rule == "no_review",
                _estimate(table, "saved by review", "saving", models, False),
            ),
        ),
        (
            f"Wrong: errors over all decisions. Saved by review: mean cost with the one {terms.threshold} of"
            f" least cost on development, minus that with two. In brackets: {table.level} CIs. {FIXED}",
            *((CHOW,) if any(model.rule == "chow" for model in models) else ()),
        ),
        group=lambda model: capitalised(RULES[model.rule or "dev"]),
    )


def _areas(view: DatasetView, models: Sequence[ReviewedModel]) -> Iterator[Table]:
    """Yield the areas under the curves, one row per model."""
    if not models:
        return
    table, terms = TableOf[ReviewedModel](view), view.terms
    yield table.build(
        "abstention_areas",
        f"Mean errors of confident decisions on the test set, all made at one {terms.threshold}.",
        models,
        (
            table.model(lambda model: model.model),
            *(_estimate(table, _area_name(view, area), area, models, True) for area in AREAS),
        ),
        (f"{AREA.format(trials=terms.trials)} In brackets: {table.level} CIs.",),
    )


def _area_name(view: DatasetView, area: str) -> str:
    names = {"frr_discard_area": FRR, "far_discard_area": FAR}
    return f"area, {view.terms.measure(names[area])}" if area in names else "AURC"


def _comparisons(view: DatasetView) -> Iterator[Table]:
    """Yield the differences of the pairs of models, decided by adjusted p-values."""
    frame = view.results.frame(ABSTENTION_COMPARISONS).filter(dataset=view.dataset)
    rows = ABSTENTION_COMPARISONS.rows(frame) if view.whole else []
    if not rows:
        return
    named = {"cost": "mean cost", "error": "wrong"} | {area: _area_name(view, area) for area in AREAS}
    rows = sorted(rows, key=lambda row: list(named).index(row.quantity))
    table = TableOf[AbstentionComparisonRow](view)

    def verdict(row: AbstentionComparisonRow) -> str:
        if row.difference is None or row.p_adjusted is None:
            return UNDEFINED
        if not differs(view, row.p_adjusted):
            return "inconclusive"
        return f"{view.names[row.model if row.difference < 0 else row.baseline]} is better"

    def printed(row: AbstentionComparisonRow) -> Printing:
        percent = row.quantity != "cost"
        error = standard_error(row.ci_low, row.ci_high, row.level)
        return Printing(percent, numbers.decimals_for((error or 0.001) * (100 if percent else 1), most=4))

    yield table.build(
        "abstention_comparisons",
        "Differences between models on the test set; lower is better.",
        rows,
        (
            table.model(lambda row: row.model),
            table.text("against", lambda row: view.names[row.baseline]),
            table.estimate(
                "difference",
                lambda row: Estimate(row.difference, row.ci_low, row.ci_high, row.status),
                ByRow(printed),
            ),
            table.p_value("adjusted p", lambda row: row.p_adjusted),
            table.text("verdict", verdict),
        ),
        (
            f"In brackets: {table.level} CIs, paired, on the same resamples. p-values are Holm-adjusted"
            f" over the pairs of each number. {FIXED}",
        ),
        group=lambda row: capitalised(named[row.quantity]) + ("" if row.quantity == "cost" else POINTS),
        folded=True,
    )


def abstention_cautions(view: DatasetView) -> Iterator[Caution]:
    """Yield where more is reviewed on test than can be, where nothing is, and where nothing is decided."""
    plan = ABSTENTION_KEY.of(view.study)
    if plan is None:
        return
    rows = [row for row in view.rows(ABSTENTION, "test") if row.rule == "dev"]
    rows.sort(key=lambda row: view.ranked.index(row.model))
    reviewed = [row for row in rows if row.quantity == "reviewed" and row.value is not None]
    over = [row for row in reviewed if plan.capacity is not None and (row.value or 0) > plan.capacity]
    if over and plan.capacity:
        shares = (f"{view.names[row.model]} {percent(row.value or 0)}" for row in over)
        yield FEATURE.caution(
            view, "over_capacity", capacity=f"{plan.capacity * 100:g}", shares=listing(shares)
        )
    nothing = [row for row in rows if row.quantity == "reviewed" and row.value_dev == 0]
    if nothing:
        why = "no_capacity" if plan.capacity == 0 else "no_gain"
        yield FEATURE.caution(
            view, f"nothing_reviewed.{why}", models=listing(view.names[row.model] for row in nothing)
        )
    for status in dict.fromkeys(row.status for row in rows if row.status):
        names = listing(dict.fromkeys(view.names[row.model] for row in rows if row.status == status))
        text = f"Errors of decisions cannot be computed for {names}: {reason(status, view.terms)}."
        yield undefined(status, text, False, "Undefined values.")
