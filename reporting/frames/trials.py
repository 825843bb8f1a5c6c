"""The ``trials`` frame: what was read, kept and counted."""

from __future__ import annotations

from typing import Any

from reporting.counts.count import Counts
from reporting.counts.cuts import Key
from reporting.trials.table import TrialTable


def trial_rows(table: TrialTable, counts: Counts) -> list[dict[str, Any]]:
    """Return one row per model, run, dataset and split."""
    rows = []
    for tally in table.tally.iter_rows(named=True):
        key = Key(tally["model"], tally["run"], tally["dataset"], tally["split"])
        n_target, n_nontarget = counts.cuts[key].totals
        kept = n_target + n_nontarget
        rows.append(
            {
                **key._asdict(),
                **{name: tally[name] for name in ("n_unlabelled", "n_missing", "n_infinite", "rows_read")},
                "n_target": n_target,
                "n_nontarget": n_nontarget,
                "rows_dropped": tally["rows_read"] - kept,
                "n_clusters": counts.n_clusters.get((key.dataset, key.split)),
                "prevalence": n_target / kept if kept else None,
                "n_distinct": len(counts.cuts[key].score),
            }
        )
    return rows
