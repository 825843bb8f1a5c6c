"""One run and its past: what the report says of earlier runs, and what later ones will find of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from reporting.counts.count import Counts
from reporting.engine.parts import parts
from reporting.frames.results import Results
from reporting.history.decided import outcomes_from
from reporting.history.manifest import Facts
from reporting.history.past import facts_of, past_of
from reporting.history.store import Store
from reporting.trials.table import TrialTable


@dataclass(frozen=True, eq=False)
class Remembering:
    """Results with the frames of the past, and the run as it will be kept."""

    results: Results
    store: Store
    facts: Facts
    frames: Mapping[str, pl.DataFrame]

    def keep(self) -> bool:
        """Keep the run; False where one of the same inputs, config and date is kept already."""
        return self.store.record(self.facts, self.frames)


def remember(
    store: Store,
    said: str,
    reference: str | None,
    sources: tuple[TrialTable, Counts],
    results: Results,
    resolved: Mapping[str, object],
) -> Remembering:
    """Compare a run with those of earlier dates; what of them it depends on becomes an input.

    ``said`` is the store as the config names it, ``resolved`` the whole config.
    """
    provenance = results.provenance
    outcomes = decisions(*sources, results)
    frames = results.frames() | ({} if outcomes is None else {"outcomes": outcomes})
    facts = facts_of(results, resolved, provenance.inputs, provenance.as_of)
    past = past_of(store, facts, frames, said, reference)
    if past.snapshot is not None:
        provenance = replace(provenance, inputs=(*provenance.inputs, past.snapshot))
    found: dict[str, Any] = dict(past.frames)
    return Remembering(replace(results, provenance=provenance, **found), store, facts, frames)


def decisions(table: TrialTable, counts: Counts, results: Results) -> pl.DataFrame | None:
    """Return the frame ``outcomes``: thresholds are chosen again, by the primary criterion alone."""
    primary = results.study.primary.criterion
    alone = replace(results.study, criteria=(primary,), epc=None, by=(), operating_points=())
    return outcomes_from(table, parts(counts, alone), primary)
