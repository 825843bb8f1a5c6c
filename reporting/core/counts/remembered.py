"""The counts of one model as a cache keeps them: what they follow from, and their arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from reporting.base.arrays import RankArray
from reporting.base.cache.cache import Arrays
from reporting.base.cache.fingerprint import fingerprint
from reporting.core.counts.cuts import Cuts, narrow
from reporting.inputs.design import TrialSet
from reporting.inputs.order import Reference
from reporting.inputs.table import TrialTable
from reporting.inputs.values import digest_of

CutsAndRank = tuple[Cuts, RankArray]


def follow_from(table: TrialTable, references: dict[TrialSet, Reference]) -> dict[str, object]:
    """Return what the counts of each model follow from; models whose rows are not in files are left out.

    That are the files that hold the model, what the config sets for rows, the trials that all models share,
    and those that every model goes without. Other models have no part in it. Nothing is remembered where
    the policy halves the trials.
    """
    if table.halves is not None:
        return {}
    trials = [
        (of, {name: column.in_order for name, column in reference.digests.items()}, reference.label)
        for of, reference in references.items()
    ]
    dropped = [digest_of(column) for column in table.dropped.sort(table.key)] if table.drops_trials else []
    columns = table.target, table.shared, table.has_trial, table.several_runs
    rules = replace(table.spec, sources=(), keys=(), cluster_files=())  # what holds for rows anywhere
    of_all = fingerprint(pl.__version__, rules, columns, dropped, trials)
    scan, files = table.scan, {model: table.scan.files_of(model) for model in table.models}
    return {
        model: (model, table.parts_of(model), [(scan.digests[f].sha256, f.path_values) for f in held], of_all)
        for model, held in files.items()
        if held is not None
    }


def as_arrays(counted: Iterable[CutsAndRank]) -> Arrays:
    """Return thresholds and ranks of the sets of one model as named arrays, whole numbers in few bytes."""
    arrays: dict[str, Any] = {}
    for number, (cuts, rank) in enumerate(counted):
        named = {"score": cuts.score, "hull": cuts.hull, "rank": rank}
        counts = zip(COUNTED, (cuts.n_target, cuts.n_nontarget, *(cuts.raw or ())), strict=False)
        named |= {name: narrow(each) for name, each in counts}
        arrays |= {f"{number} {name}": array for name, array in named.items()}
    return arrays


COUNTED = ("targets", "nontargets", "raw targets", "raw nontargets")


def of_arrays(arrays: Arrays) -> Iterator[CutsAndRank]:
    """Yield the thresholds and ranks that were named."""
    number = 0
    while f"{number} score" in arrays:
        score, hull, rank = (arrays[f"{number} {name}"] for name in ("score", "hull", "rank"))
        counts = [arrays[name].astype(np.int64) for each in COUNTED if (name := f"{number} {each}") in arrays]
        raw = (counts[2], counts[3]) if len(counts) == len(COUNTED) else None
        yield Cuts(score, counts[0], counts[1], hull, raw), rank
        number += 1
