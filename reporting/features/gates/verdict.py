"""Verdicts of all gates of a report together: pass, fail or undecided, never by the estimate alone.

Each gate tests two hypotheses, each at half the error rate 1 - level: that the number is not on the good side
of its bound (rejected: pass), and that it is not on the bad side (rejected: fail). Over all gates the
p-values of either side have Holm's adjustment, so that the chance of any wrong pass, and of any wrong fail,
is at most (1 - level) / 2, however the gates depend on each other; of several levels, that of the lowest.
Gates at one look and always valid gates are adjusted separately and count the others as undecided: the error
of these is then over all looks, and that of both kinds together is still the report's.

*Limits* are those of the tail at which Holm tests this gate on that side: (1 - level) / 2 over the number of
gates that are not decided before it. So they leave out the bound exactly where the gate passes or fails. With
one gate they are the plain limits at the level. With the report's confidence no verdict is wrong and the
limits of all undecided gates hold the truth, together. Holm 1979; Strassburger, Bretz 2008.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from reporting.base.codes import CiMethod, Status
from reporting.base.records import dataclass, replace
from reporting.core.engine.values import defined
from reporting.core.resampling.settings import Inference
from reporting.core.stats.planning import LARGEST, SLACK
from reporting.core.stats.special import ndtri
from reporting.document.frames.gates import GATES, GateRow
from reporting.errors import ConfigError, refuse
from reporting.features.gates.bounds import Compared
from reporting.features.gates.collect import Collector, GateData, GateTarget
from reporting.features.gates.evidence import HOPELESS, Evidence, Looks
from reporting.features.gates.keys import REFERENCE, Gate, Side, models_of, unknown_name
from reporting.features.gates.past import CurrentRun, against_reference, all_looks, last_accepted

Outcome = Literal["pass", "fail", "undecided"]
WANTED = 0.8
"""The power with which the data still needed would decide, were the present estimate the truth."""
LEAST_MORE = 0.1
ABOVE = 1 + 1e-9
"""Capital at the ceiling decides in spite of rounding."""


def gates_frame(collector: Collector, models: Sequence[str], today: CurrentRun) -> pl.DataFrame:
    """Judge all gates together and return the frame; ConfigError where a group does not exist."""
    _check_groups(collector)
    gates = collector.gates
    spots = [
        GateTarget(number, model, dataset, gate.group or "")
        for number, gate in enumerate(gates)
        for dataset in sorted(collector.groups)
        if gate.dataset in (None, dataset)
        for model in models_of(gate, models)
    ]
    ceiling, missing = len(spots) * ABOVE, GateData(None, "no_such_group", "trial", 0)
    questions, cases = [], []
    for spot in spots:
        gate, data = gates[spot.gate], collector.data.get(spot, missing)
        question, case = _case(gate, spot, data, today, ceiling / gate.error, collector.study.inference)
        questions.append(replace(question, n_gates=len(spots)))
        cases.append(case)
    judged = zip(questions, cases, judge(cases), strict=True)
    return GATES.build(
        [_row(gates[question.number], question, case, verdict) for question, case, verdict in judged]
    )


def _check_groups(collector: Collector) -> None:
    faults = []
    for number, gate in enumerate(collector.gates):
        groups = {
            group
            for dataset, groups_of_dataset in collector.groups.items()
            if gate.dataset in (None, dataset)
            for group in groups_of_dataset
        }
        if (gate.group or "") not in groups:
            known = sorted(groups - {""})
            faults.append(
                unknown_name(number, "group", gate.group, "a group of the report's breakdowns", known)
            )
    refuse(faults, ConfigError)


@dataclass(frozen=True, eq=False)
class GateCase:
    """One gate of one model on one dataset, to be judged; ``evidence`` None for the reason in ``status``."""

    evidence: Evidence | Looks | None
    side: Side
    bound: float
    error: float
    """(1 - level) / 2, of either side."""
    n_units: int = 0
    unit: str = "trial"
    status: Status | None = None


def _case(
    gate: Gate, spot: GateTarget, data: GateData, today: CurrentRun, ceiling: float, inference: Inference
) -> tuple[GateRow, GateCase]:
    """What is asked, and what the data say of it; ``inference`` is that of the report's comparisons."""
    estimate = None if gate.against == REFERENCE or data.estimate is None else defined(data.estimate)
    question = replace(_question(gate, spot), inference=data.inference, estimate=estimate)
    if gate.always_valid:
        run = last_accepted(today.past, spot.model) if gate.against == REFERENCE else None
        reference = run.name if run else None
        unit = "cluster" if today.clustered and not gate.independent else "trial"
        question = replace(question, reference=reference, inference="given_thresholds", unit=unit)
        looks, status = all_looks(gate, spot, question, today, ceiling)
        used = looks.units_used if looks else 0
        case = GateCase(looks, gate.side, gate.bound, gate.error, used, unit, status)
        return replace(question, n_units=looks.n_new if looks else None), case
    if gate.against == REFERENCE:
        data, reference = against_reference(gate, spot, data, today, inference)
        question = replace(question, reference=reference, inference=data.inference)
    evidence = data.evidence
    if gate.bound == 0 and data.compared is not None and data.compared.limits_at is not None:
        evidence = Compared(data.compared)
    case = GateCase(evidence, gate.side, gate.bound, gate.error, data.n_units, data.unit, data.status)
    return replace(question, unit=data.unit, n_units=data.n_units), case


def _question(gate: Gate, spot: GateTarget) -> GateRow:
    return GateRow(
        number=spot.gate,
        gate=gate.title,
        model=spot.model,
        dataset=spot.dataset,
        group=spot.group,
        kind=gate.kind,
        against=gate.against,
        measure=str(gate.measure),
        criterion=None if gate.criterion is None else str(gate.criterion),
        level=gate.level,
        side=gate.side,
        bound=gate.bound,
    )


def _row(gate: Gate, question: GateRow, case: GateCase, verdict: GateVerdict) -> GateRow:
    evidence = case.evidence
    row = replace(
        question,
        p_value=verdict.p,
        p_adjusted=verdict.p_adjusted,
        ci_low=verdict.low,
        ci_high=verdict.high,
        outcome=verdict.outcome,
        counts_as=gate.on_undecided if verdict.outcome == "undecided" else verdict.outcome,
        needed=verdict.needed,
        needed_unit=None if verdict.needed is None else case.unit,
        reason=verdict.reason,
        status=case.status if evidence is None else None,
    )
    if evidence is None:
        return row
    estimate = evidence.estimate if math.isfinite(evidence.estimate) else None
    row = replace(_within(row, gate), estimate=estimate, ci_method=verdict.method)
    if not isinstance(evidence, Looks):
        return row
    state = evidence.state
    return replace(
        row, e_pass=state.e_pass, e_fail=state.e_fail, looks=state.looks, trials_used=state.trials_used
    )


def _within(row: GateRow, gate: Gate) -> GateRow:
    """Return a row with limits that its number can have; without one where that number has no bounds."""
    low, high = gate.measure.bounds
    if gate.against is not None:
        low, high = low - high, high - low
    clipped = (None if limit is None else min(max(limit, low), high) for limit in (row.ci_low, row.ci_high))
    ci_low, ci_high = (None if limit is None or math.isinf(limit) else limit for limit in clipped)
    return replace(row, ci_low=ci_low, ci_high=ci_high)


@dataclass(frozen=True)
class GateVerdict:
    """What a gate comes to. Both p are two-sided: twice the smaller of the sides, at most 1."""

    outcome: Outcome
    p: float | None = None
    p_adjusted: float | None = None
    low: float | None = None
    high: float | None = None
    method: CiMethod | None = None
    needed: int | None = None
    """Units still needed, beyond the present ones."""
    reason: Status | None = None
    """Why it is undecided."""


def judge(cases: Sequence[GateCase]) -> list[GateVerdict]:
    """Return the verdict of every gate, in their order, which does not matter otherwise."""
    good, bad = _holm(cases, good=True), _holm(cases, good=False)
    return [_verdict(*tests) for tests in zip(cases, good, bad, strict=True)]


@dataclass(frozen=True)
class AdjustedTest:
    """One side of a gate: its p, that adjusted over the family, and the tail at which it is tested."""

    p: float
    adjusted: float
    tail: float
    rejected: bool


def _holm(cases: Sequence[GateCase], *, good: bool) -> list[AdjustedTest]:
    """Test one side of all gates, at one look and always valid ones apart."""
    tests: dict[int, AdjustedTest] = {}
    for always_valid in (False, True):
        members = [at for at, case in enumerate(cases) if isinstance(case.evidence, Looks) == always_valid]
        p = np.array([_p(cases[at], good) for at in members])
        # Gates of the other kind count as undecided; equal p-values are tested alike.
        factor = len(cases) - (p[:, None] > p).sum(axis=1)
        order = np.argsort(p, kind="stable")
        adjusted = np.empty(len(p))
        adjusted[order] = np.minimum(np.maximum.accumulate((factor * p)[order]), 1.0)
        for k, at in enumerate(members):
            error = cases[at].error
            rejected = bool(adjusted[k] <= error)
            left = int(factor[k]) if rejected else len(cases) - int((adjusted <= error).sum())
            tests[at] = AdjustedTest(float(p[k]), float(adjusted[k]), error / left, rejected)
    return [tests[at] for at in range(len(cases))]


def _p(case: GateCase, good: bool) -> float:
    """The p-value of one side; 1 where nothing can be tested, which keeps its place in the family."""
    evidence = case.evidence
    if evidence is None:
        return 1.0
    if isinstance(evidence, Looks):
        return min(1.0, 1 / (evidence.state.e_pass if good else evidence.state.e_fail))
    below = (case.side == "below") == good
    return evidence.p_below(case.bound) if below else evidence.p_above(case.bound)


def _verdict(case: GateCase, good: AdjustedTest, bad: AdjustedTest) -> GateVerdict:
    evidence = case.evidence
    if evidence is None:
        return GateVerdict("undecided", reason=case.status)
    p, adjusted = (min(1.0, 2 * min(pair)) for pair in ((good.p, bad.p), (good.adjusted, bad.adjusted)))
    under, over = (good, bad) if case.side == "below" else (bad, good)
    ends = evidence.lower(over.tail), evidence.upper(under.tail)
    low, high = (None if math.isnan(end) else end for end in ends)
    limits = low, high, evidence.method
    # Both sides together, as of a model that changed between looks, decide nothing.
    if good.rejected != bad.rejected:
        return GateVerdict("pass" if good.rejected else "fail", p, adjusted, *limits)
    needed, reason = _undecided(case, evidence, good, bad)
    return GateVerdict("undecided", p, adjusted, *limits, needed, reason)


def _undecided(
    case: GateCase, evidence: Evidence | Looks, good: AdjustedTest, bad: AdjustedTest
) -> tuple[int | None, Status]:
    """The data still needed, and why the present ones do not decide."""
    if good.rejected:
        return None, "conflict"
    leans_good = (evidence.estimate < case.bound) == (case.side == "below")
    tail = (good if leans_good else bad).tail
    if isinstance(evidence, Looks):
        reason: Status = "not_yet" if evidence.n_new else "no_new_trials"
        owned = evidence.state.e_pass if leans_good else evidence.state.e_fail
        return _still_needed(case, evidence.times_more(case.bound, tail, owned), reason)
    if math.isnan(evidence.upper(tail)):
        return None, "too_few_replicates"
    reason = "after_adjustment" if min(good.p, bad.p) <= case.error else "straddles"
    return _still_needed(case, _times_more(evidence, case.bound, tail), reason)


def _still_needed(case: GateCase, times: float, reason: Status) -> tuple[int | None, Status]:
    if math.isnan(times) or case.n_units == 0:
        return None, reason
    if times > HOPELESS or times * case.n_units > LARGEST:
        return None, "on_the_bound"
    return max(1, math.ceil(times * case.n_units - SLACK)), reason


def _times_more(evidence: Evidence, bound: float, tail: float) -> float:
    distance = abs(evidence.estimate - bound)
    if not evidence.se > 0:
        # Bounds of what was never seen fall as 1 / n.
        reach = evidence.upper(tail) - evidence.estimate
        return max(reach / distance - 1, LEAST_MORE) if distance > 0 else math.inf
    # Phi(distance / SE - z_tail) is the power of a bound so far away; SE falls as the root of the units.
    times = (float(ndtri(1 - tail) + ndtri(WANTED)) / max(distance / evidence.se, 1e-9)) ** 2
    # Discrete data may stay undecided where the normal approximation decides.
    return max(times - 1, LEAST_MORE)
