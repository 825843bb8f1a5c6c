"""What a report has of the past: the frames of its sections, and what it then depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from polars.exceptions import PolarsError

from reporting.base.provenance import InputFile
from reporting.base.records import dataclass, replace
from reporting.core.counts.count import Counts
from reporting.document.frames.results import Results
from reporting.errors import DataError, HistoryError
from reporting.features.decided_trials import decisions, salted
from reporting.features.history.differences import cautions, changes, differences, stale
from reporting.features.history.frame import CHANGES, HISTORY
from reporting.features.history.outcomes import Remembered
from reporting.features.history.store import KEPT, Facts, Run, Store, stored_config
from reporting.features.history.trends import values_of, values_over
from reporting.inputs.table import TrialTable


@dataclass(frozen=True, eq=False)
class Past:
    """Frames by name, none without earlier runs, and the snapshot of the store as an input."""

    frames: dict[str, pl.DataFrame]
    snapshot: InputFile | None


def facts_of(
    results: Results, resolved: Mapping[str, object], inputs: tuple[InputFile, ...], as_of: str
) -> Facts:
    """Return the facts of a run; ``inputs`` are the files read, without any history."""
    study = results.study
    return Facts(
        as_of=as_of,
        version=results.provenance.version,
        title=study.title,
        measure=str(study.primary.measure),
        criterion=str(study.primary.criterion),
        models=tuple((key, study.name_of(key)) for key in results.models),
        inputs=inputs,
        config=stored_config(resolved),
        seed=study.inference.seed,
        level=study.inference.level,
        replicates=study.inference.replicates,
        clustered=results.cluster is not None and study.inference.unit != "trial",
        pools=results.pools,
        weighted=results.has_design,
    )


def past_of(
    store: Store, facts: Facts, frames: Mapping[str, pl.DataFrame], address: str, reference: str | None = None
) -> Past:
    """Compare a run with the last one of an earlier date, or with the run that ``reference`` names.

    ``frames`` are those of the run, ``metrics`` and ``outcomes`` among them; ``address`` is the store as
    the config names it. Only runs of earlier dates count, so that a report made again is the same report.
    """
    before = store.before(facts.as_of)
    last = store.latest(facts.as_of, facts.title, facts.measure)
    if reference is not None:
        last = _earlier(store.find(reference), facts)
    if not before:
        return Past({"changes": cautions(store.cautions)} if store.cautions else {}, None)
    same = [run for run in before if (run.facts.title, run.facts.measure) == (facts.title, facts.measure)]
    values, unread = values_over(same)
    current = values_of(facts, frames["metrics"])
    history = pl.concat([values, current]).sort(HISTORY.sorted_by, maintain_order=True)
    earlier = [run.facts for run in same]
    since = _since(last, Remembered(facts, frames), (*store.cautions, *unread), earlier)
    trends = {"history": history} if values.height else {}
    return Past(trends | since, store.snapshot(facts.as_of, address))


def _earlier(run: Run, facts: Facts) -> Run:
    if run.facts.as_of >= facts.as_of:
        raise HistoryError(
            f"history.reference: run {run.short} is of {run.facts.as_of}, not earlier than {facts.as_of}"
        )
    return run


def _since(
    last: Run | None, now: Remembered, texts: tuple[str, ...], earlier: Sequence[Facts]
) -> dict[str, pl.DataFrame]:
    if last is None:
        return {"changes": cautions(texts)} if texts else {}
    try:
        then = remembered(last)
        repeated = CHANGES.build(list(stale(now, earlier, then)))
        compared = {
            "since_last": differences(now, then),
            "changes": pl.concat([changes(now, then), repeated]),
        }
    except (DataError, PolarsError) as error:
        text = f"run {last.name} cannot be compared with: {str(error).partition(chr(10))[0]}"
        repeated = CHANGES.build(list(stale(now, earlier, None)))
        return {"changes": pl.concat([repeated, cautions((*texts, text))]).sort("kind", "name")}
    return compared | {"changes": pl.concat([compared["changes"], cautions(texts)]).sort("kind", "name")}


def remembered(run: Run) -> Remembered:
    """Read what comparisons need of a stored run."""
    frames = {name: run.frame(name) for name in ("metrics", "outcomes")}
    return Remembered(run.facts, {name: frame for name, frame in frames.items() if frame is not None})


@dataclass(frozen=True, eq=False)
class RunToKeep:
    """Results with the frames of the past, and the run as it will be kept."""

    results: Results
    store: Store
    facts: Facts
    frames: Mapping[str, pl.DataFrame]

    def keep(self) -> bool:
        """Keep the run, its digests salted; False where one of the same inputs, config and date is kept."""
        facts, frames = replace(self.facts, salt=self.store.salt or self.facts.id), dict(self.frames)
        if "outcomes" in frames:
            frames["outcomes"] = salted(frames["outcomes"], facts.salt)
        return self.store.record(facts, frames)


def remember(
    store: Store,
    address: str,
    reference: str | None,
    sources: tuple[TrialTable, Counts],
    results: Results,
    resolved: Mapping[str, object],
) -> RunToKeep:
    """Compare a run with those of earlier dates; what of them it depends on becomes an input.

    ``address`` is the store as the config names it, ``resolved`` the whole config.
    """
    provenance = results.provenance
    outcomes = decisions(*sources, results)
    frames = dict(results.frames) | ({} if outcomes is None else {"outcomes": outcomes})
    facts = facts_of(results, resolved, provenance.inputs, provenance.as_of)
    past = past_of(store, facts, frames, address, reference)
    if past.snapshot is not None:
        provenance = replace(provenance, inputs=(*provenance.inputs, past.snapshot))
    with_past = {**results.frames, **past.frames}
    return RunToKeep(replace(results, provenance=provenance, frames=with_past), store, facts, frames)


def frames_of(run: Run, salt: str) -> dict[str, pl.DataFrame]:
    """Return all frames of a run; digests that an earlier version kept get the salt of the store."""
    frames = {name: frame for name in KEPT if (frame := run.frame(name)) is not None}
    if "outcomes" in frames and not run.facts.salt:
        frames["outcomes"] = salted(frames["outcomes"], salt)
    return frames
