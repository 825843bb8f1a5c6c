"""The rank of every model with its limits, and tiers of models that are not separated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.base.legible import counted
from reporting.document import numbers
from reporting.document.blocks import Block, Prose, Section, Table
from reporting.document.frames.pairs import PAIRS
from reporting.document.frames.ranking import RankingRow
from reporting.document.frames.results import Results
from reporting.document.words import phrases
from reporting.document.words.codes import CORRECTIONS
from reporting.document.words.decisions import answer, printed_alpha
from reporting.document.words.tables import TableOf
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.ranking import FEATURE
from reporting.features.ranking.chart import RankingChart, ladder, ranking_figures

MOST_NAMES = 12
"""So many models of a tier, or of a group, are named; the others are counted."""
MOST_GROUPS = 5
"""So many groups of models that never differ are named."""


def ranking(results: Results) -> Section | None:
    """Return a ranking for each dataset; nothing of few models, unless the config names the section."""
    whole = (view for view in views(results) if view.whole)
    return FEATURE.section("ranking").per_view(whole, lambda view: tuple(_blocks(view)))


def _blocks(view: DatasetView) -> Iterator[Block]:
    ranked = ladder(view)
    if ranked is None:
        return
    first, *others = ranking_figures(ranked)
    yield first
    behind = (*others, *_below(ranked))
    if view.study.many:
        # The picture opens the page: what follows it would part it from the cautions.
        yield Section("Tiers and ranks", view.unique_name("tiers"), behind, folded=True)
    else:
        yield from behind


def _below(ranked: RankingChart) -> Iterator[Block]:
    """Yield what follows the picture: tiers, ranks and tested pairs."""
    view = ranked.view
    if ranked.limited:
        yield Prose(" ".join(_sentences(ranked)))
        yield _tiers(ranked)
    else:
        why = phrases.reason(ranked.rows[0].status, view.terms, of_spread=True)
        yield Prose(f"The models are in order of value; their ranks have no limits, because {why}.")
    yield _table(ranked)
    yield from _tested_pairs(view)


def _sentences(ranked: RankingChart) -> Iterator[str]:
    """Say what the tiers are, between which ranks the first lies, and which models never differ."""
    view, rows, n = ranked.view, ranked.rows, len(ranked.rows)
    first, leader, last = [row for row in rows if row.tier == 1], rows[0], max(row.tier or 0 for row in rows)
    name, rest = view.names[leader.model], n - len(first)
    if not rest:
        yield f"No model is significantly better than another: all {n} are in one tier."
    elif len(first) == 1:
        yield f"{name} alone is in the first tier."
    else:
        yield (
            f"{len(first)} of {n} models are in the first tier: no model is significantly better than any of"
            " these."
        )
    if rest:
        who = f"The other {rest} are" if rest > 1 else "The other one is"
        more = "the second" if last == 2 else f"{last - 1} further tiers"
        yield f"{who} in {more}, each significantly worse than a model of the tier before."
    if leader.rank_low != leader.rank_high:
        yield f"{name} has the best value; its rank lies between {leader.rank_low} and {leader.rank_high}."
    if leader.inference == "given_thresholds":
        yield "The ranks are those of the models with exactly these thresholds."
    pairs, level = numbers.count(n * (n - 1) // 2), phrases.level_text(view.study.inference.level)
    yield f"All this holds together, over {pairs} pairs of models, with {level} confidence."
    yield from _narrower(view, first)
    yield from _identical(ranked)


def _narrower(view: DatasetView, first: Sequence[RankingRow]) -> Iterator[str]:
    """Yield how many models of the first tier the question which is best rules out, which asks less."""
    outcome = answer(view)
    out = set(outcome.where("ruled out")) & {row.model for row in first}
    if outcome.question == "best" and out:
        which = f"{len(out)} models" if len(out) > 1 else view.names[out.pop()]
        yield f"Which model is best is a narrower question: alone, it rules out {which} of the first tier."


def _identical(ranked: RankingChart) -> Iterator[str]:
    """Yield which models never differ, in no resample."""
    names, groups = ranked.view.names, dict[str, list[str]]()
    for row in ranked.rows:
        if row.identical_to is not None:
            groups.setdefault(row.identical_to, [row.identical_to]).append(row.model)
    for models in list(groups.values())[:MOST_GROUPS]:
        who = phrases.listing((names[model] for model in models), MOST_NAMES)
        yield f"{who} have the same value in every resample, so that nothing separates them."
    if len(groups) > MOST_GROUPS:
        yield (
            f"So have the models of {counted(len(groups) - MOST_GROUPS, 'more group')}, which the"
            " frame ranking names."
        )


def _tiers(ranked: RankingChart) -> Table:
    """Return one row per tier: its models, their values and ranks."""
    view = ranked.view
    measure = view.study.primary.measure
    printed, table = view.printing(measure), TableOf[int](view)
    members: dict[int, list[RankingRow]] = {}
    for row in ranked.rows:
        members.setdefault(row.tier or 0, []).append(row)

    def names(tier: int) -> str:
        return phrases.listing((view.names[row.model] for row in members[tier]), MOST_NAMES)

    def values(tier: int) -> str:
        first, last = (printed.value(row.value) for row in (members[tier][0], members[tier][-1]))
        return first if first == last else f"{first} to {last}"

    def ranks(tier: int) -> str:
        return _span(members[tier][0].rank, members[tier][-1].rank)

    unit = f" ({printed.unit})" if printed.unit else ""
    return table.build(
        "tiers",
        "Tiers of models. No model is significantly better than those of the first tier; those of every other"
        " tier are significantly worse than a model of the tier before, and than none of their own.",
        sorted(members),
        (
            table.text("tier", str, float),
            table.count("models", lambda tier: len(members[tier])),
            table.text("members, best first", names),
            table.text(f"{view.terms.measure(measure)}{unit}", values),
            table.text("ranks by value", ranks),
        ),
    )


def _table(ranked: RankingChart) -> Table:
    """Return every model with its value, its rank, the limits of both, and its tier."""
    view, first = ranked.view, ranked.rows[0]
    primary = view.study.primary
    printed, table = view.printing(primary.measure), TableOf[RankingRow](view)
    value, what = (
        view.terms.measure(primary.measure),
        phrases.question(primary.measure, primary.criterion, view.study),
    )
    drawn = f"{numbers.count(first.replicates or 0)} resamples of {phrases.units(view.results, first.unit)}"
    chosen = {"procedure": f", {phrases.AFRESH}", "given_thresholds": ", thresholds fixed", None: ""}[
        first.inference
    ]
    at_least = "; p-values at least those of Holm's correction" if first.unit == "cluster" else ""
    notes = (
        "Limits of ranks: step-down max-T over all pairs of models, in both directions (Mogstad, Romano,"
        f" Shaikh and Wilhelm 2024), {drawn}{phrases.and_readers(view)}{chosen}{at_least}.",
        f"p tests that no other model is better, adjusted over all pairs: p ≤ {printed_alpha(view)} takes a"
        " model out of the first tier.",
        "Simultaneous CIs of values hold for all models together.",
    )
    return table.build(
        "ranks",
        f"{capitalised(what)}, and the rank of every model; test set, best first.",
        ranked.rows,
        (
            table.count("rank", lambda row: row.rank),
            table.model(lambda row: row.model, order=lambda row: float(view.ranked.index(row.model))),
            table.number(value, lambda row: row.value, printed, sense=phrases.sense(primary.measure)),
            table.interval(
                lambda row: (row.band_low, row.band_high), printed, title=f"simultaneous {table.level} CI"
            ),
            table.text(f"rank, {table.level} limits", rank_limits, lambda row: float(row.rank_low or 0)),
            table.count("tier", lambda row: row.tier),
            table.p_value("p", lambda row: row.p_separated),
        ),
        notes if ranked.limited else (),
        folded=True,
    )


def rank_limits(row: RankingRow) -> str | None:
    """Print the limits of a rank: ``1 to 9``; None without any."""
    return None if row.rank_low is None else _span(row.rank_low, row.rank_high)


def _span(low: int | None, high: int | None) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _tested_pairs(view: DatasetView) -> Iterator[Prose]:
    """Yield how many pairs differ, where the config asks for all of them."""
    pairs = view.frame(PAIRS)
    if not len(pairs):
        return
    correction, alpha = pairs["correction"][0], 1 - view.study.inference.level
    p = pairs["p_value"] if correction == "none" else pairs["p_adjusted"]
    how = "unadjusted" if correction == "none" else f"{CORRECTIONS[correction].name}-adjusted"
    differ = numbers.count(int((p <= alpha + 1e-12).sum()))
    yield Prose(
        f"Of all {numbers.count(len(pairs))} pairs, {differ} differ (p ≤ {printed_alpha(view)}, {how}). The"
        " frame pairs holds them all."
    )
