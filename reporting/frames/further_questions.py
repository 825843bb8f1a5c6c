"""Rows of the ``tests`` frame that ask on from a comparison: no real difference, how frail, how many more."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reporting.engine.pairs import PairedTest, Row
from reporting.engine.values import defined
from reporting.significance.paired import PairedDifference, decide_alike, discordant_flags, linear_by_units
from reporting.significance.settings import Test
from reporting.stats import planning
from reporting.stats.equivalence import equivalence_level, non_inferiority, tost
from reporting.stats.fragility import flips_to_reverse, units_to_reverse_verdict
from reporting.stats.intervals import ZERO, normal_p
from reporting.stats.paired import exact_p

RESOLVED, UNRESOLVED = "different", "not_shown_different"


def equivalence(pair: PairedTest) -> Iterator[Row]:
    """Two one-sided tests of the headline comparison, and the interval dual to them."""
    row, headline = _headline(pair, "equivalence")
    margin, level = pair.study.inference.margin, pair.study.inference.level
    if headline.status is not None or margin is None:
        yield row
        return
    bounded = tost(headline.difference, headline.se, margin, level, headline.df)
    limits = _finite(bounded.interval) | {"level": equivalence_level(level) if bounded.interval else None}
    yield row | limits | _with_p(bounded.p) | {"margin": margin, "verdict": bounded.verdict}


def not_inferior(pair: PairedTest) -> Iterator[Row]:
    """The one-sided test that the model is not worse than the baseline by the margin."""
    row, headline = _headline(pair, "non_inferiority")
    margin, level, measure = (
        pair.study.inference.margin,
        pair.study.inference.level,
        pair.study.primary.measure,
    )
    if headline.status is not None or margin is None:
        yield row
        return
    if measure.ideal is not None:
        yield row | {"margin": margin, "status": "no_direction"}
        return
    bounded = non_inferiority(headline.difference, headline.se, margin, level, measure.better, headline.df)
    limits = _finite(bounded.interval) | {"level": level if bounded.interval else None}
    yield row | limits | _with_p(bounded.p) | {"margin": margin, "verdict": bounded.verdict}


def power(pair: PairedTest) -> Iterator[Row]:
    """What difference the trials at hand would find, and how many times as many would find this one.

    ``times`` takes the observed difference for the true one, which it is not. Development and test grow
    alike, at their present ratio of classes.
    """
    row, headline = _headline(pair, "power")
    settings = pair.study.inference
    if headline.status is not None:
        yield row
        return
    row |= {"power": settings.power, "level": settings.level}
    within = planning.detectable(headline.se, settings.level, settings.power, df=headline.df)
    if math.isnan(within):
        yield row | {"status": "degenerate"}
        return
    point = 0.0 if abs(headline.difference) <= ZERO else headline.difference
    times = planning.times_needed(point, headline.se, settings.level, settings.power, df=headline.df)
    verdict = "more_needed" if times > 1 else "enough"
    yield (
        row
        | {"detectable": within, "times": defined(times)}
        | _needed(pair, row["n_units"], times)
        | {"verdict": verdict if math.isfinite(times) else "no_difference"}
    )


def _needed(pair: PairedTest, n_units: int, times: float) -> Row:
    """How many units, and of independent trials how many of either class."""
    if not times * n_units < planning.LARGEST:
        return {}
    needed: Row = {"needed_units": planning.needed(n_units, times)}
    if pair.drawn.clustered:
        return needed
    n_target, n_nontarget = (planning.needed(n, times) for n in pair.models[0].test.trials)
    return needed | {"needed_targets": n_target, "needed_nontargets": n_nontarget}


def _headline(pair: PairedTest, test: Test) -> tuple[Row, PairedDifference]:
    """The headline comparison: what is asked, the difference and its error."""
    headline, units = pair.headline, pair.drawn.units
    row = pair.row(test, pair.study.primary.measure, pair.estimand)
    row |= {"unit": units.name, "n_units": units.n_units, "status": headline.status}
    if headline.status is not None:
        return row, headline
    flags = set(pair.drawn.flags)
    if pair.estimand is not None:
        flags |= set(discordant_flags(pair.discordant, pair.weights or (1.0, 1.0)))
    if pair.estimand == "procedure" and any(model.id in pair.drawn.coarse for model in pair.models):
        flags.add("coarse_dev")
    if headline.difference == 0 and headline.se == 0:
        flags.add("identical_decisions")
    spread = {
        "estimate": headline.difference,
        "se": defined(headline.se),
        "df": headline.df,
        "replicates": headline.replicates,
    }
    return row | spread | {"flags": sorted(flags)}, headline


def _finite(limits: tuple[float, float] | None) -> Row:
    """Both limits; None where a one-sided interval has none."""
    low, high = limits or (math.nan, math.nan)
    return {"low": defined(low), "high": defined(high)}


def _with_p(p: float) -> Row:
    return {"p_value": defined(p), "status": "degenerate" if math.isnan(p) else None}


def fragility(pair: PairedTest) -> Iterator[Row]:
    """How little turns the verdict at given thresholds: decisions, and clusters where they are declared."""
    primary = pair.study.primary.measure
    row = pair.row("fragility", primary, pair.given)
    why = pair.refused(counted=True, linear=True, decided=True)
    weights = pair.weights
    if not why and weights is not None:
        why = pair.undefined(pair.observed(primary))
    clustered = pair.drawn.clustered
    by_clusters = {"unit": "cluster", "n_units": pair.drawn.units.n_units, "flags": pair.drawn.flags}
    if why or weights is None:
        yield row | {"status": why, "flags": pair.declared}
        if clustered:
            yield row | by_clusters | {"status": why}
        return
    alpha = round(1 - pair.study.inference.level, 12)
    yield row | _by_decisions(pair, weights, alpha)
    if clustered:
        yield row | by_clusters | _by_clusters(pair, weights, alpha)


def _by_decisions(pair: PairedTest, weights: tuple[float, float], alpha: float) -> Row:
    """The exact mid-p test; ``statistic`` decisions must change, on so many trials of either class."""
    d = pair.discordant
    flips, p = flips_to_reverse(d, *weights, alpha), exact_p(d, *weights, mid=True)
    row = {
        "estimate": pair.signed(pair.observed(pair.study.primary.measure)),
        "p_value": p,
        "verdict": RESOLVED if p < alpha else UNRESOLVED,
        "flags": sorted([*pair.declared, *(["identical_decisions"] if decide_alike(d) else [])]),
    }
    if flips is None:
        return row | {"status": "not_reversible"}
    on_classes = {"needed_targets": flips.target, "needed_nontargets": flips.nontarget}
    return row | on_classes | {"statistic": flips.decisions, "p_after": defined(flips.p_after)}


def _by_clusters(pair: PairedTest, weights: tuple[float, float], alpha: float) -> Row:
    """The normal test by clusters; leaving out ``needed_units`` of the most influential ones turns it."""
    ranks = pair.drawn.ranks
    if ranks.unit_a is None or ranks.unit_b is not None:
        return {"status": "pair_trials"}
    _, unit = np.unique(ranks.unit_a, return_inverse=True)
    accepted = pair.accepted(pair.models[0]), pair.accepted(pair.models[1])
    by_units, influence, estimate = linear_by_units(ranks.label, accepted, unit, weights)
    difference = pair.signed(by_units.difference)
    if not by_units.se > 0:
        return {"estimate": defined(difference), "status": "degenerate"}
    # By clusters and not by their bootstrap: the normal test, which leaving out some of them can turn.
    p = normal_p(by_units.difference, by_units.se)
    removal = units_to_reverse_verdict(influence, estimate, alpha)
    verdict = RESOLVED if p < alpha else UNRESOLVED
    row: Row = {"estimate": difference, "se": by_units.se, "p_value": p, "verdict": verdict}
    if removal is None:
        return row | {"status": "not_reversible"}
    units = len(removal.units)
    return row | {"statistic": units, "needed_units": units, "p_after": defined(removal.p)}
