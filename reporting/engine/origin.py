"""Where scores that are not exact come from, and what counts that pair models by clusters cannot answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from reporting.counts.count import Counts
from reporting.engine.study import Study
from reporting.errors import listed
from reporting.significance.settings import Test
from reporting.stats.staircase import area_bound, area_bound_of_bins
from reporting.trials.bundle import NUMBER, PLACE, Bundle, Names, Pairing
from reporting.trials.table import TrialTable

BY_TRIALS: tuple[Test, ...] = ("mcnemar", "null_z", "cochran_q", "venkatraman", "fragility")
"""Tests that take the scores or decisions of two models trial by trial."""
EXCHANGING: tuple[Test, ...] = ("permutation",)
"""Tests that exchange clusters, but of trials with two clusters the trials themselves."""
PAIRED = "agreement"
"""The frame, and the section that shows it, that takes the decisions of two models trial by trial."""


@dataclass(frozen=True)
class Origin:
    """Where scores that are not exact come from: a table whose scores were floored, or bundles of counts."""

    bits: int
    """How many bits of a score are left."""
    bound: float | None
    """How far any AUC may lie from that of the exact scores; None where none is defined."""
    bundles: tuple[str, ...] = ()
    pairing: Pairing = "trials"
    """How bundles link pairs of models."""
    names: Names | None = None
    """What bundles call clusters; None where they have none."""
    least: int | None = None
    """Neighbouring scores of bundles were merged until no count was smaller; None: they were not merged."""


def origin_of(table: TrialTable, counts: Counts) -> Origin | None:
    """Return where the scores come from; None where they are exact."""
    spec = table.spec
    bundle = table.bundle
    if bundle is not None and bundle.about.least is not None:
        bounds = _bounds_of_bins(bundle)
    else:
        bounds = [area_bound(cuts.n_target, cuts.n_nontarget) for cuts in counts.cuts.values()]
    bound = max((limit for limit in bounds if not math.isnan(limit)), default=None)
    if bundle is not None:
        about = bundle.about
        named = about.clusters.names if about.clusters else None
        return Origin(about.bits, bound, bundle.names, table.pairing, named, about.least)
    return None if spec.coarse is None else Origin(spec.coarse, bound)


def _bounds_of_bins(bundle: Bundle) -> list[float]:
    """The bound of the AUC of every model, run and set, where files have merged other neighbours each."""
    whose = ["model", "run", *PLACE]
    bins = []
    for part in bundle.parts or (bundle,):
        key = pl.col("key")
        bins.append(
            part.rows.group_by(*whose, "key")
            .agg(
                pl.col(NUMBER).filter("label").sum().alias("n_target"),
                pl.col(NUMBER).filter(~pl.col("label")).sum().alias("n_nontarget"),
            )
            .sort(*whose, "key")
            .with_columns(
                pl.lit(part.about.least is not None).alias("merged"), key.shift(-1).over(whose).alias("next")
            )
        )
    bounds = []
    for _, rows in pl.concat(bins).group_by(whose, maintain_order=True):
        keys = rows["key"].unique().sort().to_numpy()
        first = np.searchsorted(keys, rows["key"].to_numpy())
        following = np.searchsorted(keys, rows["next"].fill_null(math.inf).to_numpy())
        last = rows["next"].is_null().to_numpy()
        end = np.where(rows["merged"].to_numpy(), np.where(last, len(keys), following), first + 1)
        n_target, n_nontarget = (rows[name].to_numpy() for name in ("n_target", "n_nontarget"))
        bounds.append(area_bound_of_bins(first, end, n_target, n_nontarget))
    return bounds


def unanswerable(table: TrialTable, study: Study) -> Iterator[str]:
    """Yield what is asked that only pairs of trials could answer, with the key of the config."""
    if not by_clusters(table):
        return
    known = "the counts link models by clusters, not by trials"
    if study.inference.unit == "trial":
        yield (
            f"significance.unit: 'trial' is requested, but {known}; use cluster or auto, or count with"
            " --paired"
        )
    refused = (*BY_TRIALS, *(EXCHANGING if table.spec.has_pairs else ()))
    refused_tests = [test for test in study.inference.tests if test in refused]
    if refused_tests:
        which = listed(map(repr, refused_tests))
        yield (
            f"significance.tests: {which} would pair trials, but {known}; leave it out, or count with"
            " --paired"
        )
    if PAIRED in study.sections:
        yield (
            f"report.sections: {PAIRED!r} would pair trials, but {known}; leave it out, or count with"
            " --paired"
        )


def by_clusters(table: TrialTable) -> bool:
    """Return whether the table pairs models by clusters alone."""
    return table.pairing == "clusters"
