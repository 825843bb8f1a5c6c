"""Which model at which cost: over all priors and costs, the models that may have the lowest expected cost."""

from __future__ import annotations

import math
import statistics
from typing import Any

from reporting.charts.draw import Words
from reporting.charts.winners import ALONE, OUT, TOGETHER, Map, asked_points, winner_map, winners_figure
from reporting.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.frames import COMPARISONS, EPC
from reporting.frames.results import Results
from reporting.frames.winners import SAME, alpha_of
from reporting.measures.rates import WEIGHTED_ERROR
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Prose, Section, Table
from reporting.sections.cost_explorer import explorer
from reporting.sections.figure_words import models, on_test
from reporting.wording.codes import CI_METHODS
from reporting.wording.phrases import (
    AFRESH,
    CHOSEN,
    level_text,
    listing,
    reason,
    sense,
    units,
)
from reporting.wording.printing import SMALLEST_ERROR, Z95, Printing
from reporting.wording.view import View, per_view

Row = dict[str, Any]

TITLE, ANCHOR = "Which model at which cost", "cost-choice"
ALPHAS = (0.01, 0.1, 0.5, 0.9, 0.99)
"""The rows of the table, beside the operating points."""
MOST_NAMES = 6


def cost_choice(results: Results) -> Section | None:
    """Return the winner map with its numbers; nothing without a curve along the weighted error."""
    return per_view(TITLE, ANCHOR, results, _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    found = winner_map(view)
    if found is None or not any(low is not None for low in found.lowest):
        return ()
    printed = weighted_printing(found)
    words = Words(_caption(found), _alt(found))
    asked = explorer(found, printed, _intervals(found))
    return (*_sentences(found), winners_figure(found, words, asked), _table(found, printed))


def weighted_printing(found: Map) -> Printing:
    """Return how the weighted error is printed here: two digits of its typical error over all alphas."""
    rows = found.rows.drop_nulls(("ci_low", "ci_high")).select("ci_low", "ci_high").rows()
    errors = [(high - low) / 2 / Z95 for low, high in rows]
    known = [error for error in errors if error > SMALLEST_ERROR]
    decimals = numbers.decimals_for(100 * statistics.median(known), most=2) if known else 2
    return Printing(percent=True, decimals=decimals)


def _sentences(found: Map) -> tuple[Prose, ...]:
    """Say who has the lowest value where, and who is ruled out where."""
    n, names = len(found.alphas), found.view.names
    leads = {model: sum(found.leads(model)) for model in found.models}
    order = sorted((model for model in found.models if leads[model]), key=lambda model: -leads[model])
    told = [f"{names[m]} {'at all of them' if leads[m] == n else f'at {leads[m]}'}" for m in order]
    spoken = found.view.terms
    said = (
        f"The weight α of {spoken.false_acceptance} stands for a prior p of {spoken.targets} and for the"
        f" costs of a {spoken.miss} and of a {spoken.false_alarm}: α = c_fa (1 − p) / (c_fa (1 − p) + c_miss"
        f" p). Over {n} values of α inside (0, 1), each with the threshold chosen {_where(found)} for it, the"
        f" lowest {spoken.measure(WEIGHTED_ERROR)} on test has: {listing(told, MOST_NAMES)}."
    )
    return (Prose(said), *_ruled_out(found))


def _ruled_out(found: Map) -> tuple[Prose, ...]:
    if not found.is_known:
        return (Prose(f"Nothing is said of which models may be the best: {_why_unknown(found)}."),)
    names, level = found.view.names, level_text(found.view.study.inference.level)
    states = {model: found.states(model) for model in found.models}
    kinds = {
        "nowhere": [m for m, s in states.items() if OUT not in s],
        "everywhere": [m for m, s in states.items() if set(s) == {OUT}],
        "at some": [m for m, s in states.items() if OUT in s and set(s) != {OUT}],
    }
    parts = [
        f"{where} {listing((names[m] for m in which), MOST_NAMES)}" for where, which in kinds.items() if which
    ]
    alone = [m for m, s in states.items() if all(one == ALONE for one in s)]
    said = f"Shown to be worse than the best, at all α at once ({level} confidence): {'; '.join(parts)}."
    if alone:
        are = "is" if len(alone) == 1 else "are"
        who = listing((names[m] for m in alone), MOST_NAMES)
        said += f" {who} {are} not shown to be worse at any α, even taken by itself."
    return (Prose(said),)


def _why_unknown(found: Map) -> str:
    if len(found.models) < 2:
        return "there is one model"
    if set(found.view.results.frame(COMPARISONS)["status"].to_list()) == {"no_trial_key"}:
        return reason("no_trial_key")
    return "at given thresholds each model has replicates of its own"


def _where(found: Map) -> str:
    return CHOSEN[found.view.study.thresholds.policy]


def _caption(found: Map) -> str:
    view, spoken = found.view, found.view.terms
    said = (
        f"{on_test(view)}: {spoken.measure(WEIGHTED_ERROR)} over its weight α, at thresholds chosen"
        f" {_where(found)} for each α ({spoken.criterion(CHOSEN_BY)}, a priori). Line: the lowest value. "
    )
    if found.is_known:
        said += (
            "Full colour: not shown to be worse than the best at that α by itself; pale: shown to be worse"
            " there, but not at all α at once; faint: shown to be worse even so. " + _how(found)
        )
    if len(found.drawn) < len(found.models):
        said += f"The first {len(found.drawn)} of {len(found.models)} models by rank. "
    return f"{said}{_upright(found)} At equal costs the prior of {spoken.targets} is 1 − α."


def _upright(found: Map) -> str:
    """Name the upright lines in their order: in print they look alike."""
    names = [name for name, _ in asked_points(found)]
    points = f" and, from the left, {listing(names)}" if names else ""
    return f"Dashed: α = 0.5, equal weights{points}."


def _how(found: Map) -> str:
    """Say what the map rests on."""
    inference = found.view.study.inference
    row = next(row for row in found.rows.iter_rows(named=True) if row["may_be_best"] is not None)
    how = AFRESH if row["inference"] == "procedure" else "given the thresholds"
    return (
        f"{level_text(row['level'])} confidence over all {row['n_models']} models, one-sided at one α, max-T"
        f" over all pairs and all {row['n_alphas']} α at once; {how},"
        f" {units(found.view.results, inference.unit)} resampled, {numbers.count(row['replicates'])}"
        " replicates. "
    )


def _alt(found: Map) -> str:
    names = found.view.names
    told = []
    for model in found.drawn[:MOST_NAMES]:
        places = [f"{_range(low, high)}" for low, high in found.stretches(found.leads(model))[:3]]
        lowest = f"lowest for α in {listing(places)}" if places else "nowhere lowest"
        states = found.states(model)
        alone, all_at_once = states.count(ALONE), states.count(ALONE) + states.count(TOGETHER)
        known = f", may be the best at {alone} of {len(states)} α, at {all_at_once} over all at once"
        told.append(f"{names[model]} {lowest}{known if found.is_known else ''}")
    more = [f"and {len(found.drawn) - MOST_NAMES} more"] if len(found.drawn) > MOST_NAMES else []
    return f"Map of the best of {models(found.view)} over the weight α. {'; '.join(told + more)}."


def _range(low: float, high: float) -> str:
    return f"{weight_text(low)} to {weight_text(high)}"


def weight_text(alpha: float) -> str:
    """Print a weight in (0, 1): two digits of its distance to the nearer end, and at least three places."""
    places = max(3, 1 - math.floor(math.log10(min(alpha, 1 - alpha))))
    return numbers.fixed(alpha, places).rstrip("0")


def _table(found: Map, printed: Printing) -> Table:
    view, spoken = found.view, found.view.terms
    level, measure = level_text(view.study.inference.level), spoken.measure(WEIGHTED_ERROR)
    places = _places(found)
    any_name = any(name for _, name in places)
    head = [Column("operating point")] if any_name else []
    rows = []
    for at, name in places:
        cells = _cells(found, at, printed)
        rows.append((Cell(name), *cells) if any_name else cells)
    columns = (
        Column("α", "number"),
        Column(f"prior of {spoken.targets} at equal costs", "number"),
        Column("lowest"),
        Column(measure, "number", printed.unit, sense(WEIGHTED_ERROR)),
        Column(f"{level} interval", "interval", printed.unit),
        Column("may be the best at this α"),
        Column("may be the best, all α at once"),
    )
    return Table(
        name=view.called("winners"),
        caption=f"The lowest {measure} on test at some weights α, and the models not shown to be worse.",
        columns=(*head, *columns),
        rows=tuple(rows),
        notes=(_intervals(found),),
    )


def _intervals(found: Map) -> str:
    """Say how the intervals were made: as those along the curve."""
    view, inference = found.view, found.view.study.inference
    along = view.part(view.results.frame(EPC)).filter(criterion=str(CHOSEN_BY))["inference"]
    how = AFRESH if "procedure" in along.to_list() else "given the thresholds"
    method = inference.interval if inference.interval in ("centred", "basic") else "percentile"
    return (
        f"Intervals: of each value by itself, {CI_METHODS[method].name}, {how},"
        f" {units(view.results, inference.unit)} resampled."
    )


def _places(found: Map) -> list[tuple[int, str]]:
    """The rows of the table: places among the alphas, with the operating points that lie there."""
    points = found.view.study.operating_points
    wanted = [(alpha, "") for alpha in ALPHAS] + [(alpha_of(point), point.name) for point in points]
    named: dict[int, list[str]] = {}
    for alpha, name in wanted:
        at = min(range(len(found.alphas)), key=lambda i: abs(found.alphas[i] - alpha))
        if not name or abs(found.alphas[at] - alpha) <= SAME:
            named.setdefault(at, []).extend([name] if name else [])
    return [(at, ", ".join(dict.fromkeys(names))) for at, names in sorted(named.items())]


def _cells(found: Map, at: int, printed: Printing) -> tuple[Cell, ...]:
    alpha, names = found.alphas[at], found.view.names
    rows = {model: found.of_model[model][at] for model in found.models}
    lead = [model for model in found.models if found.leads(model)[at]]
    best = rows[lead[0]] if lead else next(iter(rows.values()))
    interval = printed.interval(best["ci_low"], best["ci_high"])
    return (
        Cell(weight_text(alpha), alpha),
        Cell(weight_text(1 - alpha), 1 - alpha),
        Cell(listing((names[m] for m in lead), MOST_NAMES)) if lead else _unknown(found, best),
        Cell(printed.value(best["value"]), printed.scaled(best["value"])) if lead else _unknown(found, best),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
        *(_members(found, rows, column) for column in ("may_be_best", "may_be_best_joint")),
    )


def _unknown(found: Map, row: Row) -> Cell:
    return Cell(UNDEFINED, reason=reason(row["status"], found.view.terms))


def _members(found: Map, rows: dict[str, Row], column: str) -> Cell:
    if not found.is_known:
        return Cell(UNDEFINED, reason=_why_unknown(found))
    inside = [found.view.names[model] for model, row in rows.items() if row[column]]
    return Cell("all" if len(inside) == len(rows) > 2 else listing(inside, MOST_NAMES))
