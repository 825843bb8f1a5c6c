"""Rows of a table without a development set: undefined ones with their reason, and those that test gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reporting.app.api.query import Query
from reporting.base.codes import Status
from reporting.core.curves.epc import best_on_test
from reporting.core.engine.operations import a_priori
from reporting.core.engine.pairing import model_pairs
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.contract import group_of, place_of
from reporting.document.frames.metrics import MetricRow
from reporting.features.operating_points.frame import oracle_row, unplaced_row

NO_DEV: Status = "no_dev"


def metrics_without_dev(query: Query) -> Iterator[MetricRow]:
    """Yield, for every criterion that has no dev to choose on, a row without a value and its oracle's."""
    at = tuple(measure for measure in query.study.measures if measure.over == "threshold")
    if not (at and query.without_dev):
        return
    rules = query.study.ties, query.study.threshold_at
    for part in query.parts():
        group = group_of(part)._asdict()
        for model in part.models:
            for criterion in query.without_dev:
                if not criterion.oracle:
                    for measure in at:
                        yield replace(unplaced_row(model, measure, criterion, NO_DEV), **group)
            for criterion in a_priori(query.without_dev):
                if criterion.has_oracle:
                    best = best_on_test(criterion, model.test, *rules)
                    for measure in at:
                        yield replace(oracle_row(model, measure, criterion, *best), **group)


def comparisons_without_dev(query: Query) -> Iterator[ComparisonRow]:
    """Yield a row without a difference for every comparison that would need a dev to choose on."""
    at = [measure for measure in query.study.measures if measure.over == "threshold"]
    chosen = [criterion for criterion in query.without_dev if not criterion.oracle]
    for part in query.parts() if at and chosen else ():
        for pair in model_pairs(part.models, query.study):
            key = pair.model.key
            for measure in at:
                for criterion in chosen:
                    yield ComparisonRow(
                        **place_of(key),
                        measure=str(measure),
                        criterion=str(criterion),
                        model=key.model,
                        baseline=pair.baseline.key.model,
                        family="descriptive",
                        status=NO_DEV,
                        **group_of(part)._asdict(),
                    )
