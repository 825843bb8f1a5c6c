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
from reporting.base.legible import counted, plural
from reporting.base.progress import Stages
from reporting.core.counts.count import Counts
from reporting.errors import listed, one_line
from reporting.features.catalogue import FEATURES
from reporting.inputs.spec import LEAVE_DEV_OUT
from reporting.inputs.strata import Strata, counted_strata
from reporting.inputs.table import TrialTable


def check_report(
    config: Path, overrides: Sequence[str] = (), tell: Callable[[str], None] = lambda line: None
) -> str:
    """Validate a config and its data without computing anything; return one line about them."""
    with checked_trials(read_plan(config, overrides), Stages(tell)) as trials:
        return _summary(trials.table, trials.counts, trials.plan.study.cluster_names)


@contextmanager
def checked_trials(plan: Plan, stages: Stages) -> Iterator[CountedPlan]:
    """Read and count trials, and report whatever looks wrong. DataError and ConfigError as a run."""
    with counted_trials(plan, stages) as trials:
        name_one_sided(trials.plan, trials.counts, stages)
        refuse_one_class(plan, trials.counts)
        warn(plan, stages, "suspect_scores", suspect_scores(trials.counts))
        for feature in FEATURES.values():
            feature.check(trials.table, trials.counts, trials.plan.study, trials.pool)
        yield trials


def _summary(table: TrialTable, counts: Counts, names: tuple[str, ...]) -> str:
    rows = int(table.tally["rows_read"].sum())
    by_column = "pair member" if table.spec.has_pairs else table.spec.column("cluster")
    singular, many = (" and ".join(map(how, names or (by_column,))) for how in (str, plural))
    places = ", ".join(
        f"{place[1] if place[0] == 'all' else ' '.join(place)} {counted(ranks.n_trials, 'trial')}"
        f" ({counted(int(ranks.label.sum()), 'target')}"
        + (f", {counted(counts.n_clusters[place], singular, many)}" if place in counts.n_clusters else "")
        + f"{_in_strata(ranks.strata)})"
        for place, ranks in sorted(counts.ranks.items())
    )
    row = ("mean over epochs", "means over epochs") if table.spec.runs == "epoch" else ("row",)
    held = f"{counted(rows, *row)}, {counted(len(table.models), 'model')}"
    summary = f"{held} ({listed(table.models)}): {places}{_left_out(table)}"
    origin = origin_of(table, counts)
    if origin is not None:  # sections take long to import, and most scores are exact
        from reporting.document.words.origins import origin_sentences
        from reporting.document.words.terms import DETECTION

        summary = ". ".join((summary, *origin_sentences(origin, DETECTION)))
    return one_line(summary)


def _in_strata(strata: Strata | None) -> str:
    if strata is None:
        return ""
    return f" in {counted_strata(len(strata.sizes), int(strata.sizes.min()))}"


def _left_out(table: TrialTable) -> str:
    """Count the rows of a development set that the policy has no use for."""
    policy = table.spec.thresholds.policy
    if policy not in LEAVE_DEV_OUT:
        return ""
    n = int(table.tally.filter(split="dev")["rows_read"].sum())
    return f", {counted(n, 'row')} of the development set left out (thresholds.policy: {policy})" if n else ""
