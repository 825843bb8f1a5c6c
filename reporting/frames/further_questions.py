"""Rows of the ``tests`` frame that ask on from a comparison: no real difference, how frail, how many more."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reporting.engine.tested import Difference, PairedTest, Row
from reporting.engine.values import defined
from reporting.significance.paired import decide_alike, discordant_flags
from reporting.significance.settings import Test
from reporting.stats import planning
from reporting.stats.equivalence import equivalence_level, non_inferiority, tost
from reporting.stats.fragility import flips_to_reverse, linear_units, units_to_reverse_verdict
from reporting.stats.intervals import ZERO, normal_p
from reporting.stats.paired import exact_p

RESOLVED, UNRESOLVED = "different", "not_shown_different"


def equivalence(duel: PairedTest) -> Iterator[Row]:
    """Two one-sided tests of the headline comparison, and the interval dual to them."""
    row, found = _headline(duel, "equivalence")
    margin, level = duel.study.inference.margin, duel.study.inference.level
    if found.status is not None or margin is None:
        yield row
        return
    made = tost(found.point, found.se, margin, level, found.df)
    limits = _finite(made.interval) | {"level": equivalence_level(level) if made.interval else None}
    yield row | limits | _tested(made.p) | {"margin": margin, "verdict": made.verdict}


def not_inferior(duel: PairedTest) -> Iterator[Row]:
    """The one-sided test that the model is not worse than the baseline by the margin."""
    row, found = _headline(duel, "non_inferiority")
    margin, level, measure = (
        duel.study.inference.margin,
        duel.study.inference.level,
        duel.study.primary.measure,
    )
    if found.status is not None or margin is None:
        yield row
        return
    if measure.ideal is not None:
        yield row | {"margin": margin, "status": "no_direction"}
        return
    made = non_inferiority(found.point, found.se, margin, level, measure.better, found.df)
    limits = _finite(made.interval) | {"level": level if made.interval else None}
    yield row | limits | _tested(made.p) | {"margin": margin, "verdict": made.verdict}


def power(duel: PairedTest) -> Iterator[Row]:
    """What difference the trials at hand would find, and how many times as many would find this one.

    ``times`` takes the observed difference for the true one, which it is not. Development and test grow
    alike, at their present ratio of classes.
    """
    row, found = _headline(duel, "power")
    settings = duel.study.inference
    if found.status is not None:
        yield row
        return
    row |= {"power": settings.power, "level": settings.level}
    within = planning.detectable(found.se, settings.level, settings.power, df=found.df)
    if math.isnan(within):
        yield row | {"status": "degenerate"}
        return
    point = 0.0 if abs(found.point) <= ZERO else found.point
    times = planning.times_needed(point, found.se, settings.level, settings.power, df=found.df)
    verdict = "more_needed" if times > 1 else "enough"
    yield (
        row
        | {"detectable": within, "times": defined(times)}
        | _needed(duel, row["n_units"], times)
        | {"verdict": verdict if math.isfinite(times) else "no_difference"}
    )


def _needed(duel: PairedTest, n_units: int, times: float) -> Row:
    """How many units, and of independent trials how many of either class."""
    if not times * n_units < planning.LARGEST:
        return {}
    made: Row = {"needed_units": planning.needed(n_units, times)}
    if duel.drawn.clustered:
        return made
    n_target, n_nontarget = (planning.needed(n, times) for n in duel.models[0].test.trials)
    return made | {"needed_targets": n_target, "needed_nontargets": n_nontarget}


def _headline(duel: PairedTest, test: Test) -> tuple[Row, Difference]:
    """The headline comparison: what is asked, the difference and its error."""
    found, units = duel.headline, duel.drawn.units
    row = duel.row(test, duel.study.primary.measure, duel.estimand)
    row |= {"unit": units.name, "n_units": units.n_units, "status": found.status}
    if found.status is not None:
        return row, found
    flags = set(duel.drawn.flags)
    if duel.estimand is not None:
        flags |= set(discordant_flags(duel.discordant, duel.weights or (1.0, 1.0)))
    if duel.estimand == "procedure" and any(model.id in duel.drawn.coarse for model in duel.models):
        flags.add("coarse_dev")
    if found.point == 0 and found.se == 0:
        flags.add("identical_decisions")
    spread = {
        "estimate": found.point,
        "se": defined(found.se),
        "df": found.df,
        "replicates": found.replicates,
    }
    return row | spread | {"flags": sorted(flags)}, found


def _finite(limits: tuple[float, float] | None) -> Row:
    """Both limits; None where a one-sided interval has none."""
    low, high = limits or (math.nan, math.nan)
    return {"low": defined(low), "high": defined(high)}


def _tested(p: float) -> Row:
    return {"p_value": defined(p), "status": "degenerate" if math.isnan(p) else None}


def fragility(duel: PairedTest) -> Iterator[Row]:
    """How little turns the verdict at given thresholds: decisions, and clusters where they are declared."""
    primary = duel.study.primary.measure
    row = duel.row("fragility", primary, duel.given)
    why = duel.refused(counted=True, linear=True, decided=True)
    weights = duel.weights
    if not why and weights is not None:
        why = duel.undefined(duel.observed(primary))
    clustered = duel.drawn.clustered
    by_clusters = {"unit": "cluster", "n_units": duel.drawn.units.n_units, "flags": duel.drawn.flags}
    if why or weights is None:
        yield row | {"status": why, "flags": duel.declared}
        if clustered:
            yield row | by_clusters | {"status": why}
        return
    alpha = round(1 - duel.study.inference.level, 12)
    yield row | _by_decisions(duel, weights, alpha)
    if clustered:
        yield row | by_clusters | _by_clusters(duel, weights, alpha)


def _by_decisions(duel: PairedTest, weights: tuple[float, float], alpha: float) -> Row:
    """The exact mid-p test; ``statistic`` decisions must change, on so many trials of either class."""
    d = duel.discordant
    made, p = flips_to_reverse(d, *weights, alpha), exact_p(d, *weights, mid=True)
    row = {
        "estimate": duel.signed(duel.observed(duel.study.primary.measure)),
        "p_value": p,
        "verdict": RESOLVED if p < alpha else UNRESOLVED,
        "flags": sorted([*duel.declared, *(["identical_decisions"] if decide_alike(d) else [])]),
    }
    if made is None:
        return row | {"status": "not_reversible"}
    on_classes = {"needed_targets": made.target, "needed_nontargets": made.nontarget}
    return row | on_classes | {"statistic": made.decisions, "p_after": defined(made.p_after)}


def _by_clusters(duel: PairedTest, weights: tuple[float, float], alpha: float) -> Row:
    """The normal test by clusters; leaving out ``needed_units`` of the most influential ones turns it."""
    ranks = duel.drawn.ranks
    if ranks.unit_a is None or ranks.unit_b is not None:
        return {"status": "pair_trials"}
    _, unit = np.unique(ranks.unit_a, return_inverse=True)
    first, second = (duel.accepted(model).astype(np.int64) for model in duel.models)
    sides = ((~ranks.label, 1), (ranks.label, -1))
    # Accepting alone is an error on a non-target and right on a target; whole numbers add up exactly.
    surplus = np.array([np.bincount(unit, sign * (first - second) * of) for of, sign in sides])
    size = np.array([np.bincount(unit, of) for of, _ in sides])
    influence, estimate = linear_units(surplus.astype(np.int64), size.astype(np.int64), np.array(weights))
    point, se = estimate(np.ones(len(influence), dtype=bool))
    if not se > 0:
        return {"estimate": defined(duel.signed(point)), "status": "degenerate"}
    p = normal_p(point, se)
    made = units_to_reverse_verdict(influence, estimate, alpha)
    verdict = RESOLVED if p < alpha else UNRESOLVED
    row: Row = {"estimate": duel.signed(point), "se": se, "p_value": p, "verdict": verdict}
    if made is None:
        return row | {"status": "not_reversible"}
    return row | {"statistic": len(made.units), "needed_units": len(made.units), "p_after": defined(made.p)}
