"""A config and its data, checked up to the counts; what computes and draws is not even imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import (
    count_all,
    executor_of,
    name_one_sided,
    open_table,
    plan_for_table,
    refuse_one_class,
    warn_inverted_scores,
    warn_log_base,
    warn_suspect_scores,
    work_folder,
)
from reporting.app.run.origin import origin_of
from reporting.base.legible import plural
from reporting.base.progress import Stages
from reporting.core.counts.count import Counts
from reporting.errors import listed, one_line
from reporting.inputs.bundle import Origin
from reporting.inputs.spec import LEAVE_DEV_OUT
from reporting.inputs.table import TrialTable


def check_report(
    config: Path, overrides: Sequence[str] = (), tell: Callable[[str], None] = lambda line: None
) -> str:
    """Validate a config and its data without computing anything; return one line about them."""
    plan = read_plan(config, overrides)
    with counted_trials(plan, Stages(tell)) as (_, table, counts):
        return _summary(table, counts, plan.study.cluster_names)


@contextmanager
def counted_trials(plan: Plan, stages: Stages) -> Iterator[tuple[Plan, TrialTable, Counts]]:
    """Check trials up to their counts; yield these with the plan of what can be asked of them.

    ``stages`` hear of scores that look wrong. DataError and ConfigError where a rule is broken.
    """
    with (
        work_folder(plan.execution.folder) as work,
        executor_of(plan, work, stages) as executor,
    ):
        with stages.stage("reading trials"):
            table = open_table(plan, work)
            warn_log_base(plan, table, stages)
        with stages.stage("checking that models share trials"):
            counts, _ = count_all(table, executor, work, stages)
            warn_inverted_scores(plan, counts, stages)
            can_ask = plan_for_table(plan, table)
            name_one_sided(can_ask, counts, stages)
            refuse_one_class(plan, counts)
            warn_suspect_scores(plan, counts, stages)
        yield can_ask, table, counts


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
    return one_line(summary if origin is None else ". ".join((summary, *_sentences(origin))))


def _left_out(table: TrialTable) -> str:
    """Count the rows of a development set that the policy has no use for."""
    policy = table.spec.thresholds.policy
    if policy not in LEAVE_DEV_OUT:
        return ""
    n = int(table.tally.filter(split="dev")["rows_read"].sum())
    return f", {n:,} rows of the development set left out (thresholds.policy: {policy})" if n else ""


def _sentences(origin: Origin) -> list[str]:
    """Return where scores come from; sections take long to import, and most scores are exact."""
    from reporting.document.words.origins import origin_sentences
    from reporting.document.words.terms import DETECTION

    return origin_sentences(origin, DETECTION)
