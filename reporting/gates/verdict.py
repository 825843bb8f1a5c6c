"""Verdicts of all gates of a report together: pass, fail or undecided, never by the estimate alone.

Each gate tests two hypotheses, each at half the error rate 1 - level: that the number is not on the good side
of its bound (rejected: pass), and that it is not on the bad side (rejected: fail). Over all gates the
p-values of either side are adjusted by Holm, so that the chance of any wrong pass, and of any wrong fail, is
at most (1 - level) / 2, however the gates depend on each other; of several levels, that of the lowest. Gates
at one look and always valid gates are adjusted by themselves and count the others as undecided: the error of
these is then over all looks, and that of both kinds together is still the report's.

*Limits* are those of the tail at which Holm tests this gate on that side: (1 - level) / 2 over the number of
gates that are not decided before it. So they leave out the bound exactly where the verdict says so. With one
gate they are the plain limits at the level. With the report's confidence no verdict is wrong and the limits
of all undecided gates hold the truth, together. Holm 1979; Strassburger, Bretz 2008.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from scipy.special import ndtri

from reporting.errors import ConfigError, did_you_mean, listed, quoted
from reporting.frames.gates_schema import GATES
from reporting.gates.collect import Collector, Found, Spot, models_of
from reporting.gates.evidence import Evidence, Looks
from reporting.gates.gate import EVERY, REFERENCE, Gate, Side
from reporting.gates.past import Today, against_reference, last_accepted, looked
from reporting.stats.planning import LARGEST, SLACK

Outcome = Literal["pass", "fail", "undecided"]
WANTED = 0.8
"""The power with which the data still needed would decide, were the present estimate the truth."""
LEAST_MORE = 0.1
HOPELESS = 1000.0
"""So many times the present data are no plan: the estimate lies on the bound."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One gate of one model on one dataset; ``found`` None: the ``status`` says why."""

    found: Evidence | Looks | None
    side: Side
    bound: float
    error: float
    """(1 - level) / 2, of either side."""
    n_units: int = 0
    unit: str = "trial"
    status: str | None = None


@dataclass(frozen=True)
class Verdict:
    """What is made of a gate. Both p are two-sided: twice the smaller of the sides, at most 1."""

    outcome: Outcome
    p: float | None = None
    p_adjusted: float | None = None
    low: float | None = None
    high: float | None = None
    needed: int | None = None
    """Units still needed, beyond the present ones."""
    reason: str | None = None
    """Why it is undecided."""


def judge(asked: Sequence[Asked]) -> list[Verdict]:
    """Return the verdict of every gate, in their order, which does not matter otherwise."""
    good, bad = (_holm(asked, good=good) for good in (True, False))
    return [_verdict(*one) for one in zip(asked, good, bad, strict=True)]


@dataclass(frozen=True)
class AdjustedTest:
    """One side of a gate: its p, that adjusted over the family, and the tail at which it is tested."""

    p: float
    adjusted: float
    tail: float
    rejected: bool


def _holm(asked: Sequence[Asked], *, good: bool) -> list[AdjustedTest]:
    """Test one side of all gates, at one look and always valid ones apart."""
    made: dict[int, AdjustedTest] = {}
    for kind in (False, True):
        members = [at for at, one in enumerate(asked) if isinstance(one.found, Looks) == kind]
        p = np.array([_p(asked[at], good) for at in members])
        # Gates of the other kind count as undecided; equal p-values are tested alike.
        factor = len(asked) - (p[:, None] > p).sum(axis=1)
        order = np.argsort(p, kind="stable")
        adjusted = np.empty(len(p))
        adjusted[order] = np.minimum(np.maximum.accumulate((factor * p)[order]), 1.0)
        for k, at in enumerate(members):
            error = asked[at].error
            rejected = bool(adjusted[k] <= error)
            left = int(factor[k]) if rejected else len(asked) - int((adjusted <= error).sum())
            made[at] = AdjustedTest(float(p[k]), float(adjusted[k]), error / left, rejected)
    return [made[at] for at in range(len(asked))]


def _p(one: Asked, good: bool) -> float:
    """The p-value of one side; 1 where nothing can be tested, which keeps its place in the family."""
    if one.found is None:
        return 1.0
    if isinstance(one.found, Looks):
        return min(1.0, 1 / (one.found.e_pass if good else one.found.e_fail))
    below = (one.side == "below") == good
    return one.found.p_below(one.bound) if below else one.found.p_above(one.bound)


def _verdict(one: Asked, good: AdjustedTest, bad: AdjustedTest) -> Verdict:
    if one.found is None:
        return Verdict("undecided", reason=one.status)
    p, adjusted = (min(1.0, 2 * min(pair)) for pair in ((good.p, bad.p), (good.adjusted, bad.adjusted)))
    under, over = (good, bad) if one.side == "below" else (bad, good)
    low, high = _limits(one.found, over.tail, under.tail)
    outcome = _outcome(good, bad)
    if outcome != "undecided":
        return Verdict(outcome, p, adjusted, low, high)
    needed, reason = _undecided(one, good, bad)
    return Verdict("undecided", p, adjusted, low, high, needed, reason)


def _outcome(good: AdjustedTest, bad: AdjustedTest) -> Outcome:
    """Both sides at once, as of a model that changed between looks, decide nothing."""
    if good.rejected == bad.rejected:
        return "undecided"
    return "pass" if good.rejected else "fail"


def _limits(
    found: Evidence | Looks, lower_tail: float, upper_tail: float
) -> tuple[float | None, float | None]:
    low, high = found.lower(lower_tail), found.upper(upper_tail)
    return (None if math.isnan(low) else low), (None if math.isnan(high) else high)


def _undecided(one: Asked, good: AdjustedTest, bad: AdjustedTest) -> tuple[int | None, str]:
    """The data still needed, and why the present ones do not decide."""
    assert one.found is not None
    if good.rejected:
        return None, "conflict"
    towards = good if _leans_good(one) else bad
    if isinstance(one.found, Looks):
        reason = "not_yet" if one.found.trials_used else "no_new_trials"
        owned = one.found.e_pass if towards is good else one.found.e_fail
        return _still_needed(one, one.found.times_more(one.bound, towards.tail, owned), reason)
    if math.isnan(one.found.upper(towards.tail)):
        return None, "too_few_replicates"
    alone = min(good.p, bad.p) <= one.error
    reason = "after_adjustment" if alone else "straddles"
    return _still_needed(one, _times_more(one, towards.tail), reason)


def _still_needed(one: Asked, times: float, reason: str) -> tuple[int | None, str]:
    if math.isnan(times) or one.n_units == 0:
        return None, reason
    if times > HOPELESS or times * one.n_units > LARGEST:
        return None, "on_the_bound"
    return max(1, math.ceil(times * one.n_units - SLACK)), reason


def _leans_good(one: Asked) -> bool:
    """Whether the estimate is on the good side of the bound."""
    assert one.found is not None
    return (one.found.estimate < one.bound) == (one.side == "below")


def _times_more(one: Asked, tail: float) -> float:
    """How many times the present data are still needed; NaN where no standard error tells."""
    assert one.found is not None
    assert not isinstance(one.found, Looks)
    if not one.found.se > 0:
        return _without_spread(one, tail)
    away = abs(one.found.estimate - one.bound) / one.found.se
    # As ``planning.times_needed``, for a test of one side: the other has no part in its power.
    times = (float(ndtri(1 - tail) + ndtri(WANTED)) / max(away, 1e-9)) ** 2
    # Discrete data may stay undecided where the normal approximation decides.
    return max(times - 1, LEAST_MORE)


def _without_spread(one: Asked, tail: float) -> float:
    """Bounds of what was never seen fall as 1 / n."""
    assert one.found is not None
    reach = one.found.upper(tail) - one.found.estimate
    distance = abs(one.bound - one.found.estimate)
    return max(reach / distance - 1, LEAST_MORE) if distance > 0 else math.inf


Row = dict[str, Any]
ABOVE = 1 + 1e-9
"""Capital at the ceiling decides in spite of rounding."""


def check_gates(gates: Sequence[Gate], models: Sequence[str], datasets: Sequence[str]) -> list[str]:
    """Return what gates ask of models and datasets that the table does not hold, a line each."""
    faults = []
    for number, gate in enumerate(gates):
        others = [gate.against] if gate.against not in (None, REFERENCE) else []
        named = [("model", name) for name in gate.models if name != EVERY]
        for key, name in [*named, *(("against", name) for name in others)]:
            if name not in models:
                faults.append(_unknown(number, key, name, "a model of the trial table", models))
        if gate.dataset is not None and gate.dataset not in datasets:
            what = "a dataset with test trials"
            faults.append(_unknown(number, "dataset", gate.dataset, what, datasets))
        if gate.against is not None and gate.models == (EVERY,) and not models_of(gate, models):
            faults.append(f"gates[{number}].model: there is no model but {quoted(gate.against)}")
    return faults


def _unknown(number: int, key: str, name: str | None, what: str, allowed: Sequence[str]) -> str:
    guess = did_you_mean(str(name), allowed)
    return f"gates[{number}].{key}: {quoted(str(name))} is not {what}{guess} (found: {listed(allowed)})"


def gates_frame(collector: Collector, models: Sequence[str], today: Today) -> pl.DataFrame:
    """Judge all gates together and return the frame; ConfigError where a group does not exist."""
    _check_groups(collector)
    spots = [
        Spot(number, model, dataset, gate.group)
        for number, gate in enumerate(collector.gates)
        for dataset in sorted(collector.groups)
        if gate.dataset in (None, dataset)
        for model in models_of(gate, models)
    ]
    ceiling = len(spots) * ABOVE
    rows, asked = [], []
    for spot in spots:
        gate = collector.gates[spot.gate]
        row, found = _found(gate, spot, collector.found.get(spot, MISSING), today, ceiling / gate.error)
        rows.append(row)
        asked.append(found)
    judged = zip(spots, rows, asked, judge(asked), strict=True)
    return GATES.build(
        [row | _judged(collector.gates[spot.gate], one, made, len(spots)) for spot, row, one, made in judged]
    )


MISSING = Found(None, "no_such_group", "trial", 0)


def _check_groups(collector: Collector) -> None:
    faults = []
    for number, gate in enumerate(collector.gates):
        groups = {
            group
            for dataset, found in collector.groups.items()
            if gate.dataset in (None, dataset)
            for group in found
        }
        if gate.group not in groups:
            known = sorted(groups - {""})
            faults.append(_unknown(number, "group", gate.group, "a group of the report's breakdowns", known))
    if faults:
        raise ConfigError(*faults)


def _found(gate: Gate, spot: Spot, found: Found, today: Today, ceiling: float) -> tuple[Row, Asked]:
    """What is asked, and what the data say of it."""
    row = _question(gate, spot) | {"inference": found.inference}
    if gate.always_valid:
        run = last_accepted(today.past, spot.model) if gate.against == REFERENCE else None
        row |= {"reference": run.name if run else None, "inference": "given_thresholds"}
        looks, status = looked(gate, spot, row, today, ceiling)
        row |= {"unit": "trial", "n_units": looks.n_new if looks else None}
        n_units = looks.n_new if looks else 0
        return row, Asked(looks, gate.side, gate.bound, gate.error, n_units, status=status)
    if gate.against == REFERENCE:
        found, row["reference"] = against_reference(gate, spot, found, today)
        row["inference"] = found.inference
    row |= {"unit": found.unit, "n_units": found.n_units}
    return row, Asked(
        found.evidence, gate.side, gate.bound, gate.error, found.n_units, found.unit, found.status
    )


def _question(gate: Gate, spot: Spot) -> Row:
    return {
        "number": spot.gate,
        "gate": gate.title,
        "model": spot.model,
        "dataset": spot.dataset,
        "group": spot.group,
        "kind": gate.kind,
        "against": gate.against,
        "reference": None,
        "measure": str(gate.measure),
        "criterion": None if gate.criterion is None else str(gate.criterion),
        "level": gate.level,
        "side": gate.side,
        "bound": gate.bound,
    }


def _judged(gate: Gate, one: Asked, verdict: Verdict, n_gates: int) -> Row:
    counts_as = gate.on_undecided if verdict.outcome == "undecided" else verdict.outcome
    made: Row = {
        "p_value": verdict.p,
        "p_adjusted": verdict.p_adjusted,
        "n_gates": n_gates,
        "ci_low": verdict.low,
        "ci_high": verdict.high,
        "outcome": verdict.outcome,
        "counts_as": counts_as,
        "needed": verdict.needed,
        "needed_unit": None if verdict.needed is None else one.unit,
        "reason": verdict.reason,
        "status": one.status if one.found is None else None,
    }
    return made | _estimated(one.found)


def _estimated(found: Evidence | Looks | None) -> Row:
    if found is None:
        return {}
    row: Row = {
        "estimate": found.estimate if math.isfinite(found.estimate) else None,
        "ci_method": found.method,
    }
    if isinstance(found, Looks):
        row |= {"e_pass": found.e_pass, "e_fail": found.e_fail}
        row |= {"looks": found.state.looks, "trials_used": found.state.trials_used}
    return row


def gates_exit(frame: pl.DataFrame | None) -> bool:
    """Tell whether any gate counts as failed: the program then exits 1, with the report written."""
    return frame is not None and bool((frame["counts_as"] == "fail").any())
