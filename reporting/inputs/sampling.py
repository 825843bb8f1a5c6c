"""The strata of the sampling design of a trial table, read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from reporting.errors import listed, quoted, refuse, with_code
from reporting.inputs.design import TrialSet
from reporting.inputs.spec import SAMPLED, TrialSpec
from reporting.inputs.strata import Strata
from reporting.inputs.values import Coded, codes_of


def strata_of(spec: TrialSpec, sets: Mapping[TrialSet, Mapping[str, Coded]]) -> dict[TrialSet, Strata]:
    """Return the strata of every set of trials; nothing where all trials are of one stratum.

    DataError for a cluster in two strata, and for a stratum with a single unit, whose variance is unknown.
    """
    if not spec.has_strata:
        return {}
    names = pl.concat([shared[SAMPLED].names for shared in sets.values()]).unique().sort()
    if len(names) == 1:
        return {}
    clusters = [shared["cluster"].names for shared in sets.values() if "cluster" in shared]
    known = pl.concat(clusters).unique().sort() if clusters else pl.Series([], dtype=pl.String)
    strata = {}
    for trials, shared in sets.items():
        code = shared[SAMPLED].among(names).astype(np.int64)
        unit = shared["cluster"].among(known).astype(np.int64) if clusters else np.zeros(0, dtype=np.int64)
        cluster, first = np.unique(unit, return_index=True)
        strata[trials] = Strata(code, np.bincount(code, minlength=len(names)), cluster, code[first])
    refuse(with_code("TR608", [*_crossing(spec, sets, names), *_lonely(spec, strata, names)]))
    return strata


def _crossing(
    spec: TrialSpec, sets: Mapping[TrialSet, Mapping[str, Coded]], names: pl.Series
) -> Iterator[str]:
    """Say which cluster lies in two strata, of one set or of two that share it."""
    stratum: dict[str, str] = {}
    for shared in sets.values():
        if "cluster" not in shared:
            return
        cluster, code = shared["cluster"], codes_of(shared[SAMPLED].names, names)[shared[SAMPLED].code]
        for member, of in np.unique(np.stack((cluster.code, code), axis=1), axis=0).tolist():
            unit, here = cluster.names[member], names[of]
            if stratum.setdefault(unit, here) != here:
                yield (
                    f"{spec.called('cluster')}: {quoted(unit)} lies in two strata of column"
                    f" {quoted(spec.column(SAMPLED))}, {quoted(stratum[unit])} and {quoted(here)}; clusters"
                    f" are drawn within strata: name each by both, such as {quoted(f'{here} {unit}')}"
                )
                return


def _lonely(spec: TrialSpec, strata: Mapping[TrialSet, Strata], names: pl.Series) -> Iterator[str]:
    """Say which strata have a single unit in a set."""
    for trials, of in strata.items():
        clustered = bool(len(of.cluster))
        sizes = np.bincount(of.of_cluster, minlength=len(names)) if clustered else of.trials
        alone = [quoted(name) for name, n in zip(names, sizes, strict=True) if n == 1]
        if alone:
            unit = "cluster" if clustered else "trial"
            yield (
                f"{spec.called(SAMPLED)}: {listed(alone, 3)} {'has' if len(alone) == 1 else 'have'} a single"
                f" {unit} in {trials.words}, which shows no variance; merge such a stratum with one like it"
            )
