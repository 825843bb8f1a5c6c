"""Where scores that are not exact come from, and what counts that pair models by clusters cannot answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from reporting.app.config.question_keys import KEYS
from reporting.base.arrays import IntArray
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.noise import BinNoise, noise_in
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Test
from reporting.core.stats.confusion import recall, specificity
from reporting.errors import listed
from reporting.inputs.bundle import NUMBER, PLACE, Added, Bundle, Origin
from reporting.inputs.table import TrialTable

BY_TRIALS: tuple[Test, ...] = ("mcnemar", "null_z", "cochran_q", "venkatraman", "fragility")
"""Tests that take the scores or decisions of two models trial by trial."""
EXCHANGING: tuple[Test, ...] = ("permutation",)
"""Tests that exchange clusters, but independent trials, and those with two clusters, themselves."""
OF_AREAS: tuple[Test, ...] = ("delong",)
"""Tests whose noise is that of trials where these are independent."""
INFERRED_CURVES = ("calibration", "net_benefit", "net_benefit_differences", "precision_bands", "reliability")
"""Frames of curves that are drawn with their intervals."""
INFERRED_SECTIONS = ("agreement", "ranking")
"""Sections that the config names, of differences between models."""
PAIRED = "agreement"
"""The frame, and the section that shows it, that takes the decisions of two models trial by trial."""


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
        return Origin(
            about.bits, bound, bundle.names, table.pairing, named, about.least, _added(bundle, counts)
        )
    return None if spec.coarse is None else Origin(spec.coarse, bound)


def _added(bundle: Bundle, counts: Counts) -> Added | None:
    if bundle.about.noise is None:
        return None
    noise = noise_in(bundle)
    assert noise is not None
    of_rates = [_of_rates(noise, key.id, cuts) for key, cuts in counts.cuts.items() if key.split == "test"]
    added = {part.about.noise for part in bundle.parts or (bundle,)}
    return Added(
        tuple(sorted(each.epsilon for each in added if each)),
        noise.n_bins,
        math.sqrt(noise.of_trials),
        math.sqrt(max(of_rates, default=0.0)),
    )


def _of_rates(noise: BinNoise, whose: tuple[str, str], cuts: Cuts) -> float:
    """Return the largest of what it adds to the variance of FAR and FRR, over all thresholds."""
    thresholds = noise.keys[whose]
    cut = np.searchsorted(cuts.score, thresholds)
    errors, largest = zip(thresholds, *cuts.errors(cut), strict=True), 0.0
    for threshold, misses, false_alarms in errors:
        for share in (recall, specificity):
            k, n = share.counts(misses, false_alarms, *cuts.totals)
            if n:
                largest = max(largest, noise.of_rate(whose, float(threshold), share, k / n, n))
    return largest


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
    """Yield what is asked that these counts cannot answer, with the key of the config.

    Joined by clusters or blocks alone, they answer nothing that needs pairs of trials; with noise, nothing
    whose uncertainty the noise changes in a way that is not known.
    """
    if table.bundle is not None and table.bundle.about.noise is not None:
        yield from _hidden_by_noise(study)
    if table.pairs_trials:
        return
    known = f"the counts link models by {table.pairing}, not by trials"
    by_blocks = table.pairing == "blocks"
    if study.inference.unit == "trial" and not by_blocks:
        yield (
            f"significance.unit: 'trial' is requested, but {known}; use cluster or auto, or count with"
            " --paired"
        )
    refused = (*BY_TRIALS, *(EXCHANGING if table.spec.has_pairs or by_blocks else ()))
    refused += OF_AREAS if by_blocks else ()
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


def _hidden_by_noise(study: Study) -> Iterator[str]:
    curves = [curve.key for curve in study.curves if curve.frame in INFERRED_CURVES]
    sections = [section for section in study.sections if section in INFERRED_SECTIONS]
    for key, words in (
        ("significance.tests", study.inference.tests),
        ("curves", curves),
        ("report.sections", sections),
        ("fits", [str(fit) for fit in study.fits]),
        *((key.name, [key.name]) for key in KEYS if not key.allows_noise and key.name in study.question_keys),
    ):
        if words:
            which = listed(map(repr, words))
            yield f"{key}: what the noise on these counts does to {which} is not known; leave it out"


def area_bound(n_target: IntArray, n_nontarget: IntArray) -> float:
    """Return how far the AUC of tied scores may lie from that of the scores before they were tied.

    sum_k p_k n_k / (2 N1 N0), half the tied mass, over targets p_k and non-targets n_k at every key (shape
    (H,)): each tied pair counts half, and it was 0, half or 1 before. NaN where a class is empty.
    """
    pairs = int(n_target.sum()) * int(n_nontarget.sum())
    return int((n_target * n_nontarget).sum()) / (2 * pairs) if pairs else math.nan


def area_bound_of_bins(first: IntArray, end: IntArray, n_target: IntArray, n_nontarget: IntArray) -> float:
    """Return how far the AUC of scores at the low ends of bins may lie from that of the scores themselves.

    Bins (shape (B,)) may overlap: bin b holds targets and non-targets whose ranks were in first_b, ...,
    end_b - 1 and are now first_b. The AUC was at least the share of pairs whose bins show that the target is
    above, and at most 1 less the share of those that show it below; the bound is the larger distance. NaN
    where a class is empty. With bins of one rank each that is ``area_bound``.
    """
    pairs = int(n_target.sum()) * int(n_nontarget.sum())
    if not pairs:
        return math.nan
    targets_from, nontargets_from = (_up_to(first, n) for n in (n_target, n_nontarget))
    ended_targets, ended_nontargets = (_up_to(end, n) for n in (n_target, n_nontarget))
    above = int((n_target * ended_nontargets(first)).sum())
    below = int((n_nontarget * ended_targets(first)).sum())
    wins = int((n_target * nontargets_from(first - 1)).sum())
    losses = int((n_nontarget * targets_from(first - 1)).sum())
    now = wins + (pairs - wins - losses) / 2
    return max(now - above, pairs - below - now) / pairs


def _up_to(rank: IntArray, n: IntArray) -> Callable[[IntArray], IntArray]:
    """Return the function that sums n over ranks of at most its argument."""
    order = np.argsort(rank, kind="stable")
    sums = np.concatenate([[0], np.cumsum(n[order])])
    return lambda at: sums[np.searchsorted(rank[order], at, side="right")]
