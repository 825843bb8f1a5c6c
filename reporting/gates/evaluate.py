"""All gates of a report -> the frame ``gates``, and whether a release is held back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from reporting.errors import ConfigError, did_you_mean, listed, quoted
from reporting.frames.gates_schema import GATES
from reporting.gates.collect import Collector, Found, Spot, models_of
from reporting.gates.evidence import Evidence
from reporting.gates.gate import EVERY, REFERENCE, Gate
from reporting.gates.looks import Looks
from reporting.gates.paired import Today, against_reference, looked
from reporting.gates.past import last_accepted
from reporting.gates.verdict import Asked, Verdict, judge

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
