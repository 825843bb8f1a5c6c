"""What section 5 and Figures 6 to 8 of the EPC paper say of resampled tables, held against the data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from configs.papers.epc_general import errata
from configs.papers.epc_general.numbers import Pair, along, apart, replicates_of, tuned
from configs.papers.paper import Claim
from reporting.criteria.rates import WEIGHTED_ERROR
from reporting.measures.rates import HTER
from reporting.report import numbers
from reporting.sections.figure_words import percent
from reporting.wording.oriented import contrast
from reporting.wording.phrases import listing
from reporting.wording.view import View


def cells() -> Iterator[Claim]:
    """Yield that on the table of outcomes: those of a trial under two models, which share its label."""
    outcomes = {"target": ("TP", "FN"), "nontarget": ("TN", "FP")}
    possible = {two for label in outcomes for two in product(outcomes[label], repeat=2)}
    every = {one for cells in outcomes.values() for one in cells}
    yield Claim(
        "section 5",
        "A table of the TP, TN, FP or FN of both models on every trial holds all that is compared",
        f"it does; of the {len(every) ** 2} pairs of outcomes {len(possible)} can occur",
        None,
        erratum=errata.OUTCOMES,
    )


def replicates(view: View, pair: Pair) -> Iterator[Claim]:
    """Yield those on where the replicates lie, and which interval is meant."""
    found = contrast(view, *pair)
    drawn = None if found is None else replicates_of(view, found.row)
    if found is None or drawn is None or found.value is None:
        return
    who = f"{view.names[found.row.model]} − {view.names[found.row.baseline]}"
    points = [numbers.percent(value, 2) for value in (found.row.difference, drawn.mean)]
    yield Claim(
        "section 5",
        "The resampled tables follow the distribution that the table came from",
        f"{who}, HTER: {points[0]} points on the trials, {points[1]} on average over the replicates",
        None,
        erratum=errata.EMPIRICAL,
    )
    two = [numbers.bracket(*ends, 2, 100) for ends in (drawn.centred, drawn.percentile)]
    yield Claim(
        "section 5",
        "The interval is the one centred at the mean of the replicates",
        f"{who}: centred {two[0]}, percentile {two[1]}; to the width of a bin"
        f" ({numbers.percent(drawn.width, 2)})",
        max(abs(a - b) for a, b in zip(drawn.centred, drawn.percentile, strict=True)) <= drawn.width,
        erratum=errata.CENTRED,
    )


def one_sided(first: View, last: View, pair: Pair) -> Iterator[Claim]:
    """Yield that on Figure 6: 95 % of the replicates on one side against a two-sided interval."""
    p = [
        found.p_percentile
        for view in dict.fromkeys((first, last))
        if (found := along(view, WEIGHTED_ERROR, HTER, pair)) is not None
    ]
    every = np.concatenate(p) if p else np.array([])
    if not np.isfinite(every).any():
        return
    level = 1 - first.study.inference.level
    one, two = int((every < 2 * level).sum()), int((every <= level).sum())
    yield Claim(
        "Figure 6",
        "0 outside a two-sided 95 % interval says that one model is higher more than 95 % of the times",
        f"of {len(every)} α of eq. (10), {one} have more than {percent(1 - level)} of the replicates on one"
        f" side, {two} a two-sided p of at most {numbers.p_value(level)}",
        one == two,
        erratum=errata.ONE_SIDED,
    )


def shaded(view: View, equal: Pair | None) -> Iterator[Claim]:
    """Yield that on Figure 8: shaded alphas of two models of one law."""
    held = None if equal is None else tuned(view, equal)
    if equal is None or held is None:
        return
    found = along(view, WEIGHTED_ERROR, HTER, equal)
    count = int(apart(held).sum())
    names = listing(view.names[model] for model in equal)
    said = f"{names}, one law: shaded at {count} of {len(held.alpha)} α"
    if found is not None and found.inference == "procedure":
        said += f"; by the band of the models at {int(found.shown.sum())} of {len(found.alpha)}"
    smallest = float(np.nanmin(held.p_percentile)) if np.isfinite(held.p_percentile).any() else math.nan
    yield Claim(
        "Figure 8",
        "Where α is shaded, one model is statistically better than the other",
        said + ("" if math.isnan(smallest) else f"; smallest percentile p {numbers.p_value(smallest)}"),
        count == 0,
        erratum=errata.SHADED,
    )
