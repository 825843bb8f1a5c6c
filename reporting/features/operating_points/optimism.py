"""How much better than the truth optima over thresholds look: minima too low, maxima too high."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reporting.core.measures.measure import Measure
from reporting.document.blocks import Caution
from reporting.document.frames.history import SINCE_LAST
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView
from reporting.features.operating_points import FEATURE

BIASED = {"lower": "minima are biased downwards", "higher": "maxima are biased upwards"}
WIDER = "best_cut_clustered"
"""The method whose intervals are wider where choosing the threshold adds to the spread, and not shifted."""
CORRECTED = frozenset({"best_cut", "held_cut", WIDER})
"""Methods of intervals that allow for it."""


def optimism_of(view: DatasetView, measures: Sequence[Measure]) -> str:
    """Return how far off optima are and whether their intervals allow for it; empty without optima."""
    known = {m: rows for m in measures if (rows := [row for row in _rows(view, m) if row.optimism])}
    texts = []
    for better, biased in BIASED.items():
        sizes = [
            f"{view.terms.measure(m)} by {_size(view, m, rows)}"
            for m, rows in known.items()
            if m.better == better
        ]
        texts += [f"{biased} ({listing(sizes)}, estimated)"] if sizes else []
    wider = [
        view.terms.measure(m) for m, rows in known.items() if any(row.ci_method == WIDER for row in rows)
    ]
    allow = "CIs allow for it" + (f", those of {listing(wider)} by their width alone" if wider else "")
    text = "; ".join([*texts, allow]) if texts else ""
    sentences = [f"{text[0].upper()}{text[1:]}."] if text else []
    optima = {m: {row.ci_method for row in _rows(view, m)} for m in measures if m.least_cost or m.optimum}
    if ignored := [view.terms.measure(m) for m, methods in optima.items() if methods - CORRECTED - {None}]:
        look, their = ("looks", "its") if len(ignored) == 1 else ("look", "their")
        than = "it is" if len(ignored) == 1 else "they are"
        sentences.append(f"{listing(ignored)} {look} better than {than}; {their} CIs do not allow for it.")
    return " ".join(sentences)


def optimism_between(view: DatasetView) -> Iterator[Caution]:
    """Yield that differences between groups, datasets and runs of other sizes include optimism."""
    measure, study = view.study.primary.measure, view.study
    sizes_differ = study.by or study.averaged_over or view.where or view.results.rows(SINCE_LAST)
    rows = [row for row in _rows(view, measure) if row.optimism]
    if rows and sizes_differ:
        yield FEATURE.caution(
            view,
            "optimistic_optimum",
            measure=view.terms.measure(measure),
            optimism=_size(view, measure, rows),
        )


def _rows(view: DatasetView, measure: Measure) -> list[MetricRow]:
    """The rows of a measure on test, those of groups among them."""
    here = {"dataset": view.dataset, "run": view.run, "split": "test", "measure": str(measure)}
    return METRICS.rows(view.results.frame(METRICS).filter(**here))


def _size(view: DatasetView, measure: Measure, rows: Iterable[MetricRow]) -> str:
    """Print how large the optimism is, from the least to the largest."""
    printed, sizes = view.printing(measure), [row.optimism or 0.0 for row in rows]
    low, high = printed.value(min(sizes)), printed.difference_with_unit(max(sizes))
    return high if high.partition(" ")[0] == low else f"{low} to {high}"
