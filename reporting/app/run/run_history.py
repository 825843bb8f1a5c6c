"""What a run reports about earlier runs: its gates, what has changed since last time, and that it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from reporting.app.config.plan import Plan
from reporting.app.config.sources import on_any_machine
from reporting.base.progress import Stages
from reporting.core.counts.count import Counts
from reporting.document.frames.history import CHANGES
from reporting.document.frames.results import Results
from reporting.document.words.history_phrases import stale_sentence
from reporting.errors import HistoryError
from reporting.features.gates.collect import Collector
from reporting.features.gates.frame import GATES
from reporting.features.gates.keys import GATES_KEY, REFERENCE
from reporting.features.gates.past import CurrentRun, PastRun
from reporting.features.gates.verdict import gates_exit, gates_frame
from reporting.features.history import FEATURE as HISTORY
from reporting.features.history.keys import HISTORY_KEY
from reporting.features.history.past import decisions, frames_of, remember
from reporting.features.history.store import Store
from reporting.inputs.table import TrialTable

Sources = tuple[TrialTable, Counts]


def look_back(
    plan: Plan, past: Store | None, sources: Sources, gates: Collector, results: Results, stages: Stages
) -> tuple[Results, Callable[[], object]]:
    """Return the results with verdicts and what has changed, and what keeps this run for the next one."""
    judged = with_verdicts(plan, sources, gates, results, past)
    history = HISTORY_KEY.of(plan.study)
    if history is None or past is None:
        return judged, lambda: None
    with stages.stage("looking back"):
        names = on_any_machine(history.store, plan.source.parent), history.reference
        remembered = remember(past, *names, sources, judged, plan.resolved)
        for row in remembered.results.rows(CHANGES):
            if row.kind == "stale":
                sentence = stale_sentence(row)
                if history.stale == "error":
                    raise HistoryError(
                        f"history.stale: {sentence} Nothing is written, and the run is not kept."
                    )
                # Also where only errors are written.
                stages.caution(sentence, HISTORY.code("stale_trials").key, also_quiet=True)
    return remembered.results, remembered.keep


def with_verdicts(
    plan: Plan, sources: Sources, gates: Collector, results: Results, past: Store | None
) -> Results:
    """Return the results with the frame ``gates``; unchanged where the config has none."""
    keys = GATES_KEY.of(plan.study)
    if not keys:
        return results
    table, looks_back = sources[0], any(g.always_valid or g.against == REFERENCE for g in keys)
    today = CurrentRun(
        outcomes=decisions(*sources, results, past.salt if past else "") if looks_back else None,
        past=earlier(past, results) if looks_back and past is not None else (),
        criterion=plan.study.primary.criterion,
        clustered=table.has_cluster and plan.study.inference.unit != "trial",
        weighted=bool(plan.trials.weights),
        pairs=table.spec.has_pairs,
        averaged=f"mean({plan.study.averaged_over})" if plan.study.averaged_over else "",
    )
    return results.with_frames({GATES: gates_frame(gates, table.models, today)})


def earlier(store: Store, results: Results) -> list[PastRun]:
    """Return the runs of this report at earlier dates, with all frames that are kept of them."""
    mine = [run for run in store.before(results.provenance.as_of) if run.facts.title == results.study.title]
    return [PastRun(run.name, frames_of(run, store.salt)) for run in mine]


def held_back(folder: Path) -> bool:
    """Return whether a gate of the report in a folder counts as failed."""
    frame = folder / "frames" / "gates.parquet"
    return frame.exists() and gates_exit(pl.read_parquet(frame))
