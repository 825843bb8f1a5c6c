"""Whether each model keeps the rate that its threshold was asked to keep: met, not met, or undecided."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR, PRECISION
from reporting.document import numbers
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.tables import limits
from reporting.document.words.view import DatasetView, views

ASKING = {
    "target_far": FAR,
    "guarantee": FAR,
    "target_frr": FRR,
    "guarantee_frr": FRR,
    "guarantee_precision": PRECISION,
}
"""The rate that a criterion limits, by its key."""
VERDICTS = ("met by", "undecided for", "not met by")
MOST_NAMES = 6


def limits_asked(results: Results) -> Iterator[str]:
    """Yield a sentence for each limit that a threshold was set for, on each test set."""
    whole = [view for view in views(results) if view.whole]
    for view in whole:
        for criterion in view.study.criteria:
            if criterion.key in ASKING and not criterion.oracle:
                yield from _kept(view, criterion, ASKING[criterion.key], len(whole) > 1)


def _kept(view: DatasetView, criterion: Criterion, rate: Measure, several: bool) -> Iterator[str]:
    allowed = next(float(str(p.value)) for p in criterion.parameters if p.name == rate.key)
    rows = {model: view.metric(model, rate, criterion) for model in view.ranked}
    by_verdict: dict[str, list[str]] = {}
    for model, row in rows.items():
        if row is not None and row.value is not None and None not in limits(row):
            text = f"{view.names[model]} ({_with_limits(view, rate, row)})"
            by_verdict.setdefault(_verdict(row, rate, allowed), []).append(text)
    if by_verdict:
        on = f" on {view.dataset}" if several else ""
        parts = [
            f"{verdict} {listing(by_verdict[verdict], MOST_NAMES)}"
            for verdict in VERDICTS
            if verdict in by_verdict
        ]
        yield f"The limit of {level_text(allowed)} {view.terms.measure(rate)}{on} is {'; '.join(parts)}."


def _verdict(row: MetricRow, rate: Measure, allowed: float) -> str:
    low, high = (end or 0.0 for end in limits(row))
    met, missed = high <= allowed, low > allowed
    if rate.better == "higher":
        met, missed = low >= allowed, high < allowed
    return VERDICTS[0 if met else 2 if missed else 1]


def _with_limits(view: DatasetView, rate: Measure, row: MetricRow) -> str:
    printed = view.printing(rate)
    low, high = (numbers.fixed(printed.scale * (end or 0.0), printed.decimals) for end in limits(row))
    level = level_text(view.study.inference.level)
    return f"{printed.value_with_unit(row.value or 0.0)}, {level} CI {low} to {high}"
