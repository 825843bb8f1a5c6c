"""A config and its data, checked up to the counts; what computes and draws is not even imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import (
    CountedPlan,
    counted_trials,
    name_one_sided,
    refuse_one_class,
    suspect_scores,
    warn,
)
from reporting.app.run.origin import origin_of
from reporting.base.legible import plural
from reporting.base.progress import Stages
from reporting.core.counts.count import Counts
from reporting.errors import listed, one_line
from reporting.features.catalogue import FEATURES
from reporting.inputs.spec import LEAVE_DEV_OUT
from reporting.inputs.table import TrialTable


def check_report(
    config: Path, overrides: Sequence[str] = (), tell: Callable[[str], None] = lambda line: None
) -> str:
    """Validate a config and its data without computing anything; return one line about them."""
    with checked_trials(read_plan(config, overrides), Stages(tell)) as counted:
        return _summary(counted.table, counted.counts, counted.plan.study.cluster_names)


@contextmanager
def checked_trials(plan: Plan, stages: Stages) -> Iterator[CountedPlan]:
    """Read and count trials, and report whatever looks wrong. DataError and ConfigError as a run."""
    with counted_trials(plan, stages) as counted:
        name_one_sided(counted.plan, counted.counts, stages)
        refuse_one_class(plan, counted.counts)
        warn(plan, stages, "suspect_scores", suspect_scores(counted.counts))
        for feature in FEATURES.values():
            feature.check(counted.table, counted.counts, counted.plan.study, counted.pool)
        yield counted


def _summary(table: TrialTable, counts: Counts, names: tuple[str, ...]) -> str:
    rows = int(table.tally["rows_read"].sum())
    by_column = "pair member" if table.spec.has_pairs else table.spec.column("cluster")
    clusters = " and ".join(plural(name) for name in names or (by_column,))
    places = ", ".join(
        f"{place[1] if place[0] == 'all' else ' '.join(place)} {ranks.n_trials:,} trials"
        f" ({int(ranks.label.sum()):,} targets"
        + (f", {counts.n_clusters[place]:,} {clusters})" if place in counts.n_clusters else ")")
        for place, ranks in sorted(counts.ranks.items())
    )
    summary = (
        f"{rows:,} rows, {len(table.models)} models ({listed(table.models)}): {places}{_left_out(table)}"
    )
    origin = origin_of(table, counts)
    if origin is not None:  # sections take long to import, and most scores are exact
        from reporting.document.words.origins import origin_sentences
        from reporting.document.words.terms import DETECTION

        summary = ". ".join((summary, *origin_sentences(origin, DETECTION)))
    return one_line(summary)


def _left_out(table: TrialTable) -> str:
    """Count the rows of a development set that the policy has no use for."""
    policy = table.spec.thresholds.policy
    if policy not in LEAVE_DEV_OUT:
        return ""
    n = int(table.tally.filter(split="dev")["rows_read"].sum())
    return f", {n:,} rows of the development set left out (thresholds.policy: {policy})" if n else ""
