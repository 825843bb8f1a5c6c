"""Rows of a table without dev: what could not be chosen says so, and stands beside what test itself gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reporting.api.query import Query
from reporting.counts.count import Counts
from reporting.criteria.catalogue import oracle
from reporting.frames import METRICS, ComparisonRow, MetricRow
from reporting.frames.comparisons import model_pairs
from reporting.frames.contract import group_of, place_of

NO_DEV = "no_dev"


def metrics_without_dev(query: Query) -> Iterator[MetricRow]:
    """Yield, for every criterion that has no dev to choose on, a row without a value and its oracle's."""
    at = tuple(measure for measure in query.study.measures if measure.over == "threshold")
    if not (at and query.without_dev):
        return
    for part in query.parts():
        for model in part.models:
            n_target, n_nontarget = model.test.trials
            for measure in at:
                for criterion in query.without_dev:
                    if not criterion.oracle:
                        yield MetricRow(
                            **model.key._asdict(),
                            measure=str(measure),
                            criterion=str(criterion),
                            n_target=n_target,
                            n_nontarget=n_nontarget,
                            status=NO_DEV,
                            **group_of(part)._asdict(),
                        )
    best = dict.fromkeys(oracle(criterion) for criterion in query.without_dev if criterion.has_oracle)
    study = replace(query.study, measures=at, criteria=tuple(best))
    # The criteria are all oracles, so whatever this dev chose never shows.
    judged = replace(query, counts=_developed_on_test(query.counts), study=study, without_dev=())
    yield from METRICS.rows(judged.frame(METRICS))


def _developed_on_test(counts: Counts) -> Counts:
    """Return counts whose dev is the test set itself."""
    copies = {key._replace(split="dev"): counted for key, counted in counts.cuts.items()}
    ranks = {(dataset, "dev"): counted for (dataset, _), counted in counts.ranks.items()}
    return replace(
        counts,
        cuts=counts.cuts | copies,
        ranks=counts.ranks | ranks,
        dev_of={dataset: dataset for dataset, _ in counts.ranks},
    )


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
