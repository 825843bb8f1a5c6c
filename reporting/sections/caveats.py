"""What comparisons show, and where another way of asking, or more replicates, would show something else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from reporting.frames import ComparisonRow
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.wording.decisions import alpha, decisive_p, differs
from reporting.wording.phrases import AFRESH, TUNED_SYSTEMS, is_tuned, listing, units
from reporting.wording.view import View

Z99 = 2.576


def second_thoughts(view: View, rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """Return a sentence for each way of asking that would change the answer of these headlines."""
    headlines = list(rows)
    return (*_estimands(view, headlines), *_dependence(view, headlines), *_replicates(view, headlines))


def _estimands(view: View, rows: list[ComparisonRow]) -> Iterator[str]:
    """Compare the headline with the two tuned systems as they stand; neither p is adjusted."""
    beside = [(row, tuned) for row in rows if (tuned := view.tuned(row)) is not None]
    only_tuned, only_afresh = [], []
    for row, tuned in beside:
        if row.p_value is None or tuned.p_value is None:
            continue
        answers = differs(view, row.p_value), differs(view, tuned.p_value)
        first, second = (numbers.p_value(tested.p_value) for tested in (tuned, row))
        pair_with_p = f"{_pair(view, row)} ({first} and {second})"
        if answers == (False, True):
            only_tuned.append(pair_with_p)
        elif answers == (True, False):
            only_afresh.append(pair_with_p)
    asks = "The answer depends on the question for"
    order = f"p of {TUNED_SYSTEMS} comes first, neither is adjusted"
    if only_tuned:
        yield (
            f"{asks} {listing(only_tuned)}: at the very thresholds chosen, {TUNED_SYSTEMS} are shown to"
            f" differ; with {AFRESH} the models are not ({order})."
        )
    if only_afresh:
        yield (
            f"{asks} {listing(only_afresh)}: with {AFRESH} the models are shown to differ; at the very"
            f" thresholds chosen, {TUNED_SYSTEMS} are not ({order})."
        )


def _dependence(view: View, rows: list[ComparisonRow]) -> Iterator[str]:
    """Compare intervals with what they would be if trials were independent."""
    judged = [with_effect for row in rows if (with_effect := effect_row(view, row)) is not None]
    lost: list[str] = []
    gained: list[str] = []
    for row in judged:
        alone = independent_limits(row)
        if _excludes_zero(*alone) == _excludes_zero(*_limits(row)):
            continue
        printed = view.printing(read_measure(row.measure))
        pair_with_limits = (
            f"{_pair(view, row)} ({printed.interval(*alone)} instead of"
            f" {printed.interval(row.ci_low, row.ci_high)}, design effect {row.design_effect:.1f})"
        )
        (lost if _excludes_zero(*alone) else gained).append(pair_with_limits)
    if not judged:
        return
    who = f"{TUNED_SYSTEMS}" if is_tuned(judged[0]) else "the models"
    kept = f"with {units(view.results, judged[0].unit)} resampled they"
    were = f"were trials independent, {who} would"
    if lost:
        yield f"Dependence decides for {listing(lost)}: {were} be shown to differ; {kept} are not."
    if gained:
        yield f"Dependence decides for {listing(gained)}: {were} not be shown to differ; {kept} are."


def effect_row(view: View, row: ComparisonRow) -> ComparisonRow | None:
    """Return the row of a comparison, or that of its two tuned systems, which has a design effect."""
    for candidate in (row, view.tuned(row)):
        if candidate is not None and candidate.design_effect and candidate.ci_low is not None:
            return candidate
    return None


def independent_limits(row: ComparisonRow) -> tuple[float, float]:
    """Return the interval if trials were independent: half as wide by the root of the design effect."""
    low, high = _limits(row)
    half = (high - low) / 2 / math.sqrt(row.design_effect or 1.0)
    middle = (high + low) / 2
    return middle - half, middle + half


def _limits(row: ComparisonRow) -> tuple[float, float]:
    return row.ci_low or 0.0, row.ci_high or 0.0


def _excludes_zero(low: float, high: float) -> bool:
    return low > 0 or high < 0


def _replicates(view: View, rows: list[ComparisonRow]) -> Iterator[str]:
    """Name the p-values whose Monte-Carlo 99 % interval straddles the level (methods 8.10)."""
    unsettled = []
    for row in rows:
        p, error = decisive_p(row), Z99 * monte_carlo_error(row)
        if p is not None and error > 0 and abs(p - alpha(view)) < error:
            unsettled.append((row, f"{_pair(view, row)} ({numbers.p_value(p)} ± {numbers.p_value(error)})"))
    if unsettled:
        replicates = numbers.count(unsettled[0][0].replicates or 0)
        yield (
            f"On which side of {numbers.p_value(alpha(view))} p lies is not settled by {replicates}"
            f" replicates for {listing(pair for _, pair in unsettled)}; ± is the Monte-Carlo error at 99 %."
        )


def monte_carlo_error(row: ComparisonRow) -> float:
    """Return the Monte-Carlo standard error of the p-value that decides."""
    p, raw, error = decisive_p(row), row.p_value, row.mc_error
    if not p or not raw or not error:
        return 0.0
    if row.p_adjusted is not None and row.correction == "maxt":
        return math.sqrt(p * (1 - p) / (row.replicates or 1))
    return float(error * p / raw)


def _pair(view: View, row: ComparisonRow) -> str:
    return f"{view.names[row.model]} − {view.names[row.baseline]}"
