"""The ``metrics`` frame: every measure of every model, on dev and on test, with intervals on test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from reporting.counts.cuts import Cuts, Key
from reporting.criteria.catalogue import oracle
from reporting.criteria.criterion import Criterion
from reporting.curves.epc import Operation
from reporting.frames.operations import Operating
from reporting.frames.resampling import Resampling
from reporting.frames.study import Study
from reporting.measures.measure import Measure
from reporting.significance.estimate import (
    NO_ESTIMATE,
    Estimate,
    auc_interval,
    rate_interval,
    replicate_interval,
)
from reporting.stats.staircase import threshold_of

TINY_DEV = 10
RULE_OF_30 = 30


def metric_rows(model: Operating, drawn: Resampling, study: Study) -> Iterator[dict[str, Any]]:
    """Yield the rows of one model on one dataset."""
    for measure in study.measures:
        if measure.over == "sweep":
            yield from _sweep_rows(model, measure, drawn, study)
            continue
        for criterion, operation in model.single.items():
            if criterion in study.criteria:
                yield _dev_row(model, measure, criterion, operation)
                yield _test_row(model, measure, criterion, operation, drawn, study)
            yield _oracle_row(model, measure, criterion, operation, study)


def defined(value: float) -> float | None:
    """Return the value, or None where it is undefined (NaN)."""
    return None if math.isnan(value) else float(value)


def status_of(value: float, n_target: int, n_nontarget: int) -> str | None:
    """Say why a value is undefined; None where it is defined."""
    if not math.isnan(value):
        return None
    if n_target == 0:
        return "no_targets"
    return "no_nontargets" if n_nontarget == 0 else "degenerate"


def value_over_sweep(measure: Measure, cuts: Cuts) -> float:
    """Return a sweep measure of one set of cuts; NaN where undefined."""
    staircase = cuts.staircase
    return float(measure.formula(staircase.misses, staircase.false_alarms, **measure.arguments))


def value_at(measure: Measure, cuts: Cuts, cut: int) -> float:
    """Return a measure at one cut; NaN where undefined."""
    errors = cuts.staircase.misses[cut], cuts.staircase.false_alarms[cut]
    return float(measure.formula(*errors, *cuts.totals, **measure.arguments))


def _sweep_rows(
    model: Operating, measure: Measure, drawn: Resampling, study: Study
) -> Iterator[dict[str, Any]]:
    dev_key = model.key._replace(split="dev")
    yield _row(dev_key, measure, value_over_sweep(measure, model.dev), model.dev)
    value = value_over_sweep(measure, model.test)
    flags = ["below_chance"] if measure.key == "auc" and value < 0.5 else []
    estimate = _sweep_estimate(model, measure, value, drawn, study)
    interval = _interval(estimate, drawn, study, flags, drawn.sweeps_redrawn)
    yield _row(model.key, measure, value, model.test, **interval)


def _sweep_estimate(
    model: Operating, measure: Measure, value: float, drawn: Resampling, study: Study
) -> Estimate:
    level = study.inference.level
    if math.isnan(value):
        return NO_ESTIMATE
    if measure.key == "auc":
        cluster = drawn.ranks.unit_a if drawn.clustered else None
        return auc_interval(value, drawn.placements(model), drawn.ranks.label, cluster, level)
    return replicate_interval(drawn.sweeps[model.key.model][measure], level, drawn.units.n_units)


def _dev_row(
    model: Operating, measure: Measure, criterion: Criterion, operation: Operation
) -> dict[str, Any]:
    key = model.key._replace(split="dev")
    cut, threshold = int(operation.dev_cut[0]), float(operation.threshold[0])
    return _row_at(key, measure, criterion, model.dev, cut, threshold, "dev")


def _test_row(
    model: Operating,
    measure: Measure,
    criterion: Criterion,
    operation: Operation,
    drawn: Resampling,
    study: Study,
) -> dict[str, Any]:
    cut, threshold = int(operation.test_cut[0]), float(operation.threshold[0])
    row = _row_at(model.key, measure, criterion, model.test, cut, threshold, "dev")
    flags = row["flags"] + dev_flags(model, operation)
    estimate = _estimate_at(model, measure, row, operation, drawn, study)
    interval = _interval(estimate, drawn, study, flags, drawn.at(model, operation).redrawn)
    return row | {"inference": "given_thresholds"} | interval


def dev_flags(model: Operating, operation: Operation, at: int = 0) -> list[str]:
    """Cautions about a threshold chosen on dev: few trials of a class there, or a tie at the optimum."""
    flags = ["tiny_dev"] if min(model.dev.totals) < TINY_DEV else []
    return flags + (["tied_cut"] if int(operation.tied[at]) > 1 else [])


def _estimate_at(
    model: Operating,
    measure: Measure,
    row: dict[str, Any],
    operation: Operation,
    drawn: Resampling,
    study: Study,
) -> Estimate:
    level = study.inference.level
    if row["value"] is None:
        return NO_ESTIMATE
    if not drawn.clustered and measure.linear() == (1.0, 0.0):
        return rate_interval(row["false_alarms"], row["n_nontarget"], level)
    if not drawn.clustered and measure.linear() == (0.0, 1.0):
        return rate_interval(row["misses"], row["n_target"], level)
    values = drawn.at(model, operation).values(measure)[:, 0]
    return replicate_interval(values, level, drawn.units.n_units)


def _oracle_row(
    model: Operating, measure: Measure, criterion: Criterion, operation: Operation, study: Study
) -> dict[str, Any]:
    if operation.oracle_cut is None:
        row = _row(model.key, measure, math.nan, model.test, criterion=str(oracle(criterion)))
    else:
        cut = int(operation.oracle_cut[0])
        threshold = float(threshold_of(model.test.score, cut, study.threshold_at))
        row = _row_at(model.key, measure, oracle(criterion), model.test, cut, threshold, "oracle")
    return row | {"threshold_source": "oracle", "flags": sorted({*row["flags"], "oracle"})}


def _row_at(
    key: Key, measure: Measure, criterion: Criterion, cuts: Cuts, cut: int, threshold: float, source: str
) -> dict[str, Any]:
    misses, false_alarms = int(cuts.staircase.misses[cut]), int(cuts.staircase.false_alarms[cut])
    return _row(
        key,
        measure,
        value_at(measure, cuts, cut),
        cuts,
        criterion=str(criterion),
        threshold=threshold,
        threshold_source=source,
        misses=misses,
        false_alarms=false_alarms,
        flags=["below_rule_of_30"] if _few_errors(measure, misses, false_alarms) else [],
    )


def _few_errors(measure: Measure, misses: int, false_alarms: int) -> bool:
    """Under 30 errors of a kind that enters the measure (methods 5.3)."""
    far, frr = measure.linear() or (1.0, 1.0)
    return (far > 0 and false_alarms < RULE_OF_30) or (frr > 0 and misses < RULE_OF_30)


def _row(key: Key, measure: Measure, value: float, cuts: Cuts, **columns: Any) -> dict[str, Any]:
    n_target, n_nontarget = cuts.totals
    return {
        **key._asdict(),
        "measure": str(measure),
        "value": defined(value),
        "n_target": n_target,
        "n_nontarget": n_nontarget,
        "status": status_of(value, n_target, n_nontarget),
        "flags": [],
        **columns,
    }


def _interval(
    estimate: Estimate, drawn: Resampling, study: Study, flags: list[str], redrawn: bool
) -> dict[str, Any]:
    """The columns of an interval, and the flags of the row that holds it."""
    if estimate.method is None:
        return {"flags": sorted({*flags, *drawn.flags})}
    again = ["redrawn_empty_class"] if estimate.replicates and redrawn else []
    return {
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "level": study.inference.level,
        "ci_method": estimate.method,
        "unit": drawn.units.name,
        "n_units": drawn.units.n_units,
        "replicates": estimate.replicates,
        "flags": sorted({*flags, *again, *drawn.flags}),
    }
