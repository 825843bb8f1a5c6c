"""Where another way of asking, or more resamples, would decide a comparison otherwise.

Decisions are compared with decisions: each other p-value takes the place of that of every member of the
family, and is adjusted with them, before anything is reported of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import polars as pl

from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.paired import adjust
from reporting.core.stats.special import ndtr
from reporting.document import numbers
from reporting.document.frames.adjusted import pair_correction
from reporting.document.frames.comparisons import COMPARISONS, DIFFERENCES, ComparisonRow, StandingRow
from reporting.document.words.decisions import (
    alpha,
    asked,
    best_candidates,
    decisive_p,
    differs,
    printed_alpha,
)
from reporting.document.words.oriented import primary_rows
from reporting.document.words.phrases import AFRESH, TUNED, listing, test_name, units
from reporting.document.words.view import DatasetView

Z99 = 2.576
BIASED = 0.25
"""From so many standard errors on the bias of the bootstrap is named."""
MOST = 4
"""The most comparisons that a sentence names."""

Other = Callable[[ComparisonRow, ComparisonRow | None], float | None]
"""Another p-value of a comparison: from its row, and that of the same systems with thresholds fixed."""


def sensitivity_notes(view: DatasetView, rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """Return a sentence for each other analysis that would decide some of these comparisons otherwise."""
    tested = list(rows)
    return (
        *_estimands(view, tested),
        *_percentiles(view, tested),
        *_dependence(view, tested),
        *unsettled(view, tested),
        *_bias(view, tested),
    )


def _estimands(view: DatasetView, rows: list[ComparisonRow]) -> Iterator[str]:
    """Compare with the systems at fixed thresholds."""

    def fixed(row: ComparisonRow, tuned: ComparisonRow | None) -> float | None:
        return row.p_value if tuned is None else tuned.p_value

    with_tuned = [row for row in rows if view.tuned(row) is not None]
    yield from _dissent(view, with_tuned, fixed, TUNED, lambda row: f"with {AFRESH}")


def _percentiles(view: DatasetView, rows: list[ComparisonRow]) -> Iterator[str]:
    """Compare with the percentiles of the bootstrap."""

    def percentile(row: ComparisonRow, _: ComparisonRow | None) -> float | None:
        return row.p_value if row.p_percentile is None else row.p_percentile

    def how(row: ComparisonRow) -> str:
        return f"by the reported test ({test_name(row)})"

    yield from _dissent(view, rows, percentile, "by percentiles of the bootstrap", how)


def _dependence(view: DatasetView, rows: list[ComparisonRow]) -> Iterator[str]:
    """Compare with what the test would be if trials were independent."""

    def independent(row: ComparisonRow, _: ComparisonRow | None) -> float | None:
        if not row.design_effect or not row.se or row.difference is None:
            return row.p_value
        return float(2 * ndtr(-abs(row.difference) * math.sqrt(row.design_effect) / row.se))

    def how(row: ComparisonRow) -> str:
        return f"with {units(view.results, row.unit)} resampled"

    judged = [row for row in rows if row.design_effect]
    yield from _dissent(view, judged, independent, f"if {view.terms.trials} were independent", how)


def _dissent(
    view: DatasetView,
    rows: list[ComparisonRow],
    other: Other,
    there: str,
    here: Callable[[ComparisonRow], str],
) -> Iterator[str]:
    """Name the comparisons that another analysis, adjusted alike, decides otherwise, with both p-values."""
    adjusted = _adjusted(view, other) if rows else {}
    apart = []
    for row in rows:
        p, instead = decisive_p(row), adjusted.get(_key(row), other(row, view.tuned(row)))
        if p is not None and instead is not None and differs(view, p) != differs(view, instead):
            otherwise = f"{numbers.equation(instead)} {there}"
            apart.append(f"{pair(view, row)}, {otherwise} and {numbers.equation(p)} {here(row)}")
    if apart:
        both = "both adjusted" if rows[0].p_adjusted is not None else "unadjusted"
        yield f"Another analysis decides otherwise: {_listed(apart)} ({both}). The report takes the latter."


def _adjusted(view: DatasetView, other: Other) -> dict[tuple[str | None, ...], float]:
    """Return another p-value of every member of the family, adjusted as the family is."""
    every = COMPARISONS.rows(
        view.results.frame(COMPARISONS).filter(pl.col("parameter").is_null(), split="test")
    )
    tuned = {_key(row): row for row in every if row.inference == "given_thresholds"}
    members = [row for row in every if row.family != "descriptive" and row.p_adjusted is not None]
    twins = {_key(row): twin for row in members if (twin := tuned.get(_key(row))) is not row and twin}
    tried = [other(row, twins.get(_key(row))) for row in members]
    p_values = adjust(tried, pair_correction(view.study))
    return dict(zip(map(_key, members), p_values, strict=True))


def _key(row: ComparisonRow) -> tuple[str | None, ...]:
    return row.dataset, row.group, row.measure, row.criterion, row.model, row.baseline


def unsettled_answer(view: DatasetView) -> Iterator[str]:
    """Yield the p-values of the answer that more resamples, or another seed, may turn."""
    question = asked(view)
    best = best_candidates(view) if question == "best" else []
    if question != "none":
        yield from _unsettled_best(view, best) if best else unsettled(view, primary_rows(view))


def unsettled(view: DatasetView, rows: Iterable[ComparisonRow]) -> Iterator[str]:
    """Yield the comparisons whose p-value has a Monte-Carlo 99% interval across the level (methods 8.10)."""
    tried = [(pair(view, row), decisive_p(row), monte_carlo_error(row), row.replicates) for row in rows]
    yield from _across_the_level(view, tried)


def _unsettled_best(view: DatasetView, rows: Iterable[StandingRow]) -> Iterator[str]:
    """Yield the models whose p-value against being the best is so, but for the first in rank."""
    tried = [
        (
            view.names[row.model],
            row.p_best,
            math.sqrt(row.p_best * (1 - row.p_best) / row.replicates),
            row.replicates,
        )
        for row in rows
        if row.model != view.ranked[0] and row.p_best is not None and row.replicates
    ]
    yield from _across_the_level(view, tried)


Drawn = tuple[str, float | None, float, int | None]
"""What a p-value is of, the p, its Monte-Carlo standard error, and the resamples behind it."""


def _across_the_level(view: DatasetView, tried: Iterable[Drawn]) -> Iterator[str]:
    across, replicates = [], 0
    for name, p, error, drawn in tried:
        if p is not None and error > 0 and abs(p - alpha(view)) < Z99 * error:
            across.append(f"{name} ({numbers.p_value(p)} ± {numbers.p_value(Z99 * error)})")
            replicates = replicates or drawn or 0
    if across:
        # Three times the resamples nearly halve the error; a power of ten is easily written.
        enough = 10 ** math.ceil(math.log10(3 * max(replicates, 1)))
        several = "s" if len(across) > 1 else ""
        yield (
            f"The p-value{several} of {_listed(across)} may lie on either side of {printed_alpha(view)} (±:"
            f" Monte-Carlo error, 99%); rerun with {numbers.count(enough)} resamples."
        )


def monte_carlo_error(row: ComparisonRow) -> float:
    """Return the Monte-Carlo standard error of the p-value that decides."""
    p, raw, error = decisive_p(row), row.p_value, row.mc_error
    if not p or not raw or not error:
        return 0.0
    if row.p_adjusted is not None and row.correction == "maxt":
        return math.sqrt(p * (1 - p) / (row.replicates or 1))
    return float(error * p / raw)


def _bias(view: DatasetView, rows: list[ComparisonRow]) -> Iterator[str]:
    """Name the differences whose resamples do not centre on the estimate."""
    biased: list[str] = []
    for row in rows:
        centre = bootstrap_centre(view, row)
        if centre is None or not row.se or row.difference is None:
            continue
        bias, printed = centre - row.difference, view.printing(read_measure(row.measure))
        if abs(bias) > BIASED * row.se:
            unit = " percentage points" if printed.percent and not biased else ""
            errors = f"{numbers.fixed(abs(bias) / row.se, 1)} standard errors"
            biased.append(f"{pair(view, row)} {printed.value(bias)}{unit} ({errors})")
    if biased:
        yield f"Bootstrap bias, the mean of the resamples minus the estimate: {_listed(biased)}."


def bootstrap_centre(view: DatasetView, row: ComparisonRow) -> float | None:
    """Return the mean of the resamples of a difference, off their bins; None where they are not kept."""
    if row.group:
        return None
    tested = [
        pl.col(name).eq_missing(pl.lit(getattr(row, name), pl.String))
        for name in ("split", "measure", "criterion", "model", "baseline", "inference")
    ]
    bins = view.frame(DIFFERENCES).filter(*tested)
    middles = ((bins["low"] + bins["high"]) / 2).to_numpy()
    return float(np.average(middles, weights=bins["count"].to_numpy())) if len(middles) else None


def pair(view: DatasetView, row: ComparisonRow) -> str:
    """Return the name of a comparison, model minus the other."""
    return f"{view.names[row.model]} \N{MINUS SIGN} {view.names[row.baseline]}"


def _listed(clauses: Iterable[str]) -> str:
    every = list(clauses)
    more = [f"{len(every) - MOST} more"] if len(every) > MOST else []
    return (
        "; ".join([*every[:MOST], *more])
        if any("," in each for each in every)
        else listing([*every[:MOST], *more])
    )
