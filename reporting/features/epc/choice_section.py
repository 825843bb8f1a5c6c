"""Which model for which costs: over all priors and costs, who may have the lowest expected cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from reporting.core.measures.threshold import WEIGHTED_ERROR
from reporting.document import numbers
from reporting.document.blocks import Block, Prose, Section, Table
from reporting.document.charts.captions import models, test_set, which_are_drawn
from reporting.document.charts.picture import Words
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.results import Results
from reporting.document.words.decisions import answer, of_a_pair
from reporting.document.words.phrases import level_text, listing, reason, sense, units
from reporting.document.words.tables import ColumnOf, TableOf
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.epc import FEATURE
from reporting.features.epc.chart import cost_figure
from reporting.features.epc.control import cost_control, intervals_text, printing_of, weight_text
from reporting.features.epc.cost_axis import ratio_text, spans, spans_text
from reporting.features.epc.cost_curves_chart import CostCurves, is_with_choice, winners_figure
from reporting.features.epc.cost_difference_chart import cost_difference_figure
from reporting.features.epc.winners import SAME, WinnerRow, alpha_of
from reporting.features.epc.winners_chart import (
    ALONE,
    OUT,
    CostRatioRegions,
    asked_points,
    cost_limits,
    cost_ratio_regions,
    one_model_figure,
)

ALPHAS = (0.01, 0.1, 0.5, 0.9, 0.99)
"""The rows of the table, next to the operating points."""
MOST_NAMES = 6


def cost_choice(results: Results) -> Section | None:
    """Return pictures, control and table; nothing without a curve along the weighted error."""
    section = FEATURE.section("cost-choice").per_view(views(results), _blocks)
    if section is not None and len(results.models) == 1:
        return replace(section, title=ONE_MODEL)
    return section


ONE_MODEL = "Cost for each prior and costs"
"""The title where there is no choice."""


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    choice = cost_ratio_regions(view)
    if choice is None or not any(low is not None for low in choice.lowest):
        return ()
    difference = cost_difference_figure(view, choice.axis, choice.left)
    if len(choice.models) > 1:
        picture = winners_figure(choice, CostCurves(view), _words(choice))
    else:
        picture = one_model_figure(choice, _words(choice))
    below = [difference] if difference is not None else []
    kind = cost_figure(view)
    costs = [view.unique_name(kind)] if kind is not None and not is_with_choice(view) else []
    control = cost_control(choice, [*costs, *(each.name for each in below)])
    return (*_sentences(choice), replace(picture, explorer=control), *below, _table(choice))


def _sentences(choice: CostRatioRegions) -> tuple[Prose, ...]:
    """Say who has the lowest value where, and who is ruled out where."""
    view, n = choice.view, len(choice.alphas)
    error, names = view.terms.measure(WEIGHTED_ERROR), view.names
    if len(choice.models) == 1:
        return ()
    (first, most), *others = [(names[model], count) for model, count in choice.counts if count]
    where = "every one" if most == n else f"{most}"
    rest = listing((f"{name} at {_the_other(count, n - most)}" for name, count in others), MOST_NAMES)
    lowest = (
        f"{first} has the lowest observed {error} on the {test_set(view)} at {where} of the {n} cost ratios"
        f" examined{f', {rest}' if rest else ''}."
    )
    if view.study.baseline is not None:
        return (Prose(f"{lowest} Verdicts are those against the baseline {names[view.study.baseline]}."),)
    if of_a_pair(view):
        return (
            Prose(f"{lowest} Whether the two differ at all ratios is in the picture of their difference."),
        )
    if not choice.is_known:
        no_key = set(view.results.frame(COMPARISONS)["status"]) == {"no_trial_key"}
        why = reason("no_trial_key") if no_key else "with thresholds fixed each model has its own resamples"
        unknown = f"Which models are in contention is not tested, because {why}."
        return (Prose(f"{lowest} {unknown}"),)
    return (Prose(" ".join([lowest, *_contention(choice)])),)


def _the_other(count: int, left: int) -> str:
    if count != left:
        return str(count)
    return {1: "the other one", 2: "the other two"}.get(count, f"the other {count}")


def _contention(choice: CostRatioRegions) -> Iterable[str]:
    """Say who stays in contention everywhere, and who is ruled out at some ratios."""
    names, n = choice.view.names, len(choice.alphas)
    level = level_text(choice.view.study.inference.level)
    out = {model: count for model, count in choice.ruled_out.items() if count}
    best = answer(choice.view).where("best")
    if best:
        yield (
            f"The headline asks a narrower question: at its thresholds alone {names[best[0]]} is best."
            f" Limits that hold at all {n} ratios together are wider and decide less."
        )
    if not out:
        yield f"With all ratios taken together, no model is ruled out at any ({level} confidence)."
    else:
        stay = [names[model] for model in choice.models if model not in out]
        some = [names[model] for model, count in out.items() if count < n]
        every = [names[model] for model, count in out.items() if count == n]
        parts = [
            f"{listing(who, MOST_NAMES)} {verb if len(who) == 1 else verbs} {where}"
            for who, verb, verbs, where in (
                (stay, "stays", "stay", "in contention at every ratio"),
                (some, "is", "are", "ruled out at some"),
                (every, "is", "are", "ruled out at every ratio"),
            )
            if who
        ]
        yield f"With all ratios taken together, {'; '.join(parts)} ({level} confidence)."
    alone = [names[model] for model in choice.models if set(choice.states(model)) == {ALONE}]
    if alone and len(alone) < len(choice.models):
        are = "is" if len(alone) == 1 else "are"
        yield f"Even judged ratio by ratio, {listing(alone, MOST_NAMES)} {are} never ruled out."


def _words(choice: CostRatioRegions) -> Words:
    view = choice.view
    if len(choice.models) == 1:
        return _of_one(choice)
    subtitle = (
        f"Cost on the {test_set(view)} as a share of the cost of deciding without the scores; lower is"
        f" better. Below: {'models in contention' if choice.is_known else 'where each costs least'}"
    )
    return Words(_caption(choice), _alt(choice), _title(choice), subtitle)


def _title(choice: CostRatioRegions) -> str:
    names, out = choice.view.names, choice.ruled_out
    if not choice.is_known:
        return "The lowest observed cost along the cost ratio"
    stay = [names[model] for model in choice.models if not out[model]]
    if len(stay) == len(choice.models):
        return "No model is ruled out jointly at any cost ratio"
    if not stay:
        return "Every model is ruled out jointly at some cost ratio"
    return f"Only {listing(stay, MOST_NAMES)} {'is' if len(stay) == 1 else 'are'} never ruled out jointly"


def _of_one(choice: CostRatioRegions) -> Words:
    view, rows = choice.view, choice.of_model[choice.models[0]]
    name, error, printed = (
        view.names[choice.models[0]],
        view.terms.measure(WEIGHTED_ERROR),
        printing_of(choice),
    )
    values = [(row.value, row.alpha) for row in rows if row.value is not None]
    highest, alpha = max(values)
    title = f"{name}: {error} at most {printed.value_with_unit(highest)}, at {ratio_text(alpha)}"
    alt = f"{capitalised(error)} of {name} along the cost ratio. {title}."
    return Words(intervals_text(choice), alt, title, f"Expected performance curve, {test_set(view)}")


def _caption(choice: CostRatioRegions) -> str:
    parts = []
    if choice.is_known:
        parts.append("Rows: thick where the observed cost is lowest, solid where the model is in contention,")
        parts.append("thin where it is ruled out at this ratio alone, empty where it is ruled out jointly.")
        parts.append(_how(choice))
        parts.append("Isolated single ratios are smoothed over.")
    else:
        parts.append("Rows: where the observed cost is lowest.")
    if len(choice.drawn) < len(choice.models):
        parts.append(f"Rows of {len(choice.drawn)} of {len(choice.models)} models.")
    # The vertical lines in their order: in print they look alike.
    names = [name for name, _ in asked_points(choice)]
    points = f", then, left to right, {listing(names)}" if names else ""
    parts.append(f"Dashed: equal costs at a prior of 50%{points}.")
    return " ".join(filter(None, [*parts, which_are_drawn(choice.view)]))


def _how(choice: CostRatioRegions) -> str:
    rows = (row for of_model in choice.of_model.values() for row in of_model)
    row = next(row for row in rows if row.may_be_best is not None)
    how = "thresholds re-selected in each" if row.inference == "procedure" else "thresholds fixed in all"
    level = level_text(choice.view.study.inference.level)
    return (
        f"Multiple comparisons with the best ({level}, one-sided), at each ratio and jointly over all"
        f" {row.n_alphas}; {how} of {numbers.count(row.replicates or 0)} resamples of"
        f" {units(choice.view.results, choice.view.study.inference.unit)}."
    )


def _alt(choice: CostRatioRegions) -> str:
    parts = []

    def ranges(inside: Sequence[bool]) -> str:
        return spans_text(spans(inside, choice.alphas), choice.alphas)

    for model in choice.drawn:
        lowest = ranges(choice.leads(model))
        text = f"{choice.view.names[model]}: {f'lowest {lowest}' if lowest else 'never lowest'}"
        if choice.is_known:
            states = choice.states(model)
            inside = ranges([known == ALONE for known in states])
            out = ranges([known == OUT for known in states])
            text += f"; in contention {inside or 'at no ratio'}; ruled out jointly {out or 'at no ratio'}"
        parts.append(text)
    return f"Rows of {models(choice.view)} along the cost ratio. {'. '.join(parts)}."


class WeightRow(NamedTuple):
    """One alpha of the table: the operating points that lie there, the models' rows, and who is lowest."""

    alpha: float
    points: str
    rows: dict[str, WinnerRow]
    leading: list[str]

    @property
    def best(self) -> WinnerRow:
        """The row of the lowest value, or else of the first model, whose status has the reason."""
        return self.rows[self.leading[0]] if self.leading else next(iter(self.rows.values()))


def _table(choice: CostRatioRegions) -> Table:
    measure, several = choice.view.terms.measure(WEIGHTED_ERROR), len(choice.models) > 1
    contention = ", and all models still in contention" if choice.is_known else ""
    best = f"Lowest observed {measure} at selected cost ratios{contention}."
    table = TableOf[WeightRow](choice.view, lambda place: table.reason(place.best))
    drawn = table.build(
        "winners",
        best if several else f"{capitalised(measure)} at selected cost ratios.",
        _places(choice),
        (*_ratio_columns(choice, table), *_value_columns(choice, table), *_member_columns(choice, table)),
        (_weight(choice.view), intervals_text(choice)),
    )
    return replace(drawn, folded=True)


def _ratio_columns(choice: CostRatioRegions, table: TableOf[WeightRow]) -> Iterable[ColumnOf[WeightRow]]:
    spoken = choice.view.terms
    if asked_points(choice):
        yield table.text("operating point", lambda place: place.points)
    title = f"{spoken.false_acceptance} : {spoken.false_rejection}"
    yield table.text(title, lambda place: ratio_text(place.alpha), lambda place: place.alpha)
    places = max(len(weight_text(place.alpha).partition(".")[2]) for place in _places(choice))
    yield table.number("α", lambda place: place.alpha, places)
    prior = spoken.legend("prior_at_equal_costs")
    yield table.number(
        prior, lambda place: 1 - place.alpha, lambda share: numbers.percent(share, max(0, places - 2))
    )


def _value_columns(choice: CostRatioRegions, table: TableOf[WeightRow]) -> Iterable[ColumnOf[WeightRow]]:
    view, printed = choice.view, printing_of(choice)
    if len(choice.models) > 1:
        yield table.text(
            "best observed",
            lambda place: listing((view.names[model] for model in place.leading), MOST_NAMES) or None,
        )
    yield table.number(
        view.terms.measure(WEIGHTED_ERROR),
        lambda place: printed.scaled(place.best.value) if place.leading else None,
        printed.decimals,
        unit=printed.unit,
        sense=sense(WEIGHTED_ERROR),
    )
    yield table.interval(lambda place: cost_limits(view, place.best), printed)


def _member_columns(choice: CostRatioRegions, table: TableOf[WeightRow]) -> Iterable[ColumnOf[WeightRow]]:

    def members(inside: Callable[[WinnerRow], bool | None]) -> Callable[[WeightRow], str]:
        def names(place: WeightRow) -> str:
            members = [choice.view.names[model] for model, row in place.rows.items() if inside(row)]
            return "all" if len(members) == len(place.rows) > 2 else listing(members, MOST_NAMES)

        return names

    if choice.is_known:
        yield table.text("in contention at this ratio", members(lambda row: row.may_be_best))
        yield table.text("in contention (all ratios together)", members(lambda row: row.may_be_best_joint))


def _weight(view: DatasetView) -> str:
    spoken = view.terms
    return (
        f"The cost ratio is α : (1 − α). α, the weight of a {spoken.false_alarm}, combines the prior"
        f" probability p of {spoken.a_target} with the costs of the two errors:"
        " α = c_fa (1 − p) / (c_fa (1 − p) + c_miss p)."
    )


def _places(choice: CostRatioRegions) -> list[WeightRow]:
    """Return the rows of the table: some alphas, and those of the operating points."""
    points = [(alpha_of(point), point.name) for point in choice.view.study.operating_points]
    names_at: dict[int, list[str]] = {}
    for alpha, name in [*((alpha, "") for alpha in ALPHAS), *points]:
        at = min(range(len(choice.alphas)), key=lambda i: abs(choice.alphas[i] - alpha))
        if not name or abs(choice.alphas[at] - alpha) <= SAME:
            names_at.setdefault(at, []).extend([name] if name else [])
    return [
        WeightRow(
            choice.alphas[at],
            ", ".join(dict.fromkeys(names)),
            {model: choice.of_model[model][at] for model in choice.models},
            [model for model in choice.models if choice.leads(model)[at]],
        )
        for at, names in sorted(names_at.items())
    ]
