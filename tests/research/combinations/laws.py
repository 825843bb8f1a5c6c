"""Laws that every frame of every report keeps, whatever was asked: ``broken(folder)`` names those it breaks.

A law speaks of one row (limits enclose their value), of one frame (counts add up over groups), or of several
(a number that two frames share is the same). Each broken law is one text, ``kind: frame and row``, so that
kinds can be counted. Nothing here computes a statistic: ``oracle`` does.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from reporting.core.measures.catalogue import read_measure

Row = dict[str, Any]
Frames = Mapping[str, list[Row]]
NEAR = 1e-9
"""Relative and absolute rounding between numbers that are the same."""

KEY = ("model", "run", "dataset", "split", "group")
MAY_BE_INFINITE = ("threshold", "threshold_low", "threshold_high", "llr")


@dataclass(frozen=True)
class Limits:
    """Columns of a frame that belong together: a number, its limits, and those that hold for many at once.

    ``bounds`` is ``measure`` (those of the row's measure), ``difference`` (of a difference of two values of
    it), or a pair of numbers. ``encloses`` is off where the limits are of another estimand than the value.
    """

    frame: str
    value: str
    low: str
    high: str
    bounds: str | tuple[float, float] = "measure"
    joint: tuple[str, str] | None = None
    encloses: bool = True
    where: Callable[[Row], bool] = lambda row: True


SHARE = (0.0, 1.0)
REAL = (-math.inf, math.inf)
NOT_NEGATIVE = (0.0, math.inf)


def _of_costs(row: Row) -> bool:
    return row["quantity"] in ("cost", "saving")


LIMITS = (
    Limits("metrics", "value", "ci_low", "ci_high"),
    Limits("comparisons", "difference", "ci_low", "ci_high", "difference", ("band_low", "band_high")),
    Limits("epc", "value", "ci_low", "ci_high", joint=("band_low", "band_high")),
    Limits("dcf", "actual", "actual_ci_low", "actual_ci_high", NOT_NEGATIVE),
    Limits("dcf", "minimum", "minimum_ci_low", "minimum_ci_high", NOT_NEGATIVE),
    # Prediction limits of what the test set will show: it may fall outside.
    Limits("expected", "obtained", "band_low", "band_high", SHARE, encloses=False),
    Limits("reliability", "observed", "ci_low", "ci_high", SHARE),
    Limits("net_benefit", "net_benefit", "ci_low", "ci_high", REAL, ("band_low", "band_high")),
    Limits("net_benefit_differences", "difference", "ci_low", "ci_high", REAL, ("band_low", "band_high")),
    Limits("precision_bands", "precision", "ci_low", "ci_high", SHARE, ("band_low", "band_high")),
    Limits("calibration", "frequency", "ci_low", "ci_high", SHARE, ("band_low", "band_high")),
    Limits("risk_coverage", "value", "ci_low", "ci_high", SHARE, ("band_low", "band_high")),
    Limits("transfer", "value", "low", "high", REAL),
    Limits("standing", "behind", "behind_low", "behind_high", NOT_NEGATIVE),
    Limits("ranking", "value", "band_low", "band_high"),
    Limits("pairs", "behind", "behind_low", "behind_high", "difference"),
    Limits("winners", "value", "ci_low", "ci_high"),
    Limits("bands", "p_miss", "p_miss_low", "p_miss_high", SHARE),
    Limits("bands", "p_fa", "p_fa_low", "p_fa_high", SHARE),
    Limits("curve_differences", "difference", "band_low", "band_high", (-1.0, 1.0)),
    Limits("tests", "estimate", "low", "high", REAL),
    Limits("group_metrics", "value", "ci_low", "ci_high", joint=("joint_low", "joint_high")),
    Limits("group_metrics", "difference", "difference_low", "difference_high", "difference"),
    Limits("group_metrics", "ratio", "ratio_low", "ratio_high", NOT_NEGATIVE),
    # The largest of several estimates is biased upwards; its limits are of the largest true value.
    Limits("disparities", "value", "low", "high", REAL),
    Limits("disparity_comparisons", "difference", "low", "high", REAL),
    Limits("alerts", "value", "ci_low", "ci_high", REAL),
    Limits("classes", "value", "ci_low", "ci_high"),
    Limits("class_differences", "difference", "ci_low", "ci_high", "difference"),
    Limits("class_group_differences", "difference", "ci_low", "ci_high", (-1.0, 1.0)),
    Limits("confusion_matrix", "share", "ci_low", "ci_high", SHARE),
    Limits("abstention", "value", "ci_low", "ci_high", SHARE, where=lambda row: not _of_costs(row)),
    Limits("abstention", "value", "ci_low", "ci_high", REAL, where=_of_costs),
    Limits("abstention_comparisons", "difference", "ci_low", "ci_high", REAL),
    Limits("handover", "value", "ci_low", "ci_high", SHARE),
    Limits("attempts", "value", "ci_low", "ci_high", SHARE),
    Limits("attempt_differences", "difference", "ci_low", "ci_high", (-1.0, 1.0)),
    Limits("learning", "value", "ci_low", "ci_high", REAL),
    Limits("mean_curves", "p_miss", "ci_low", "ci_high", SHARE),
    Limits("passport", "estimate", "ci_low", "ci_high", REAL),
    Limits("passport", "coverage", "coverage_low", "coverage_high", SHARE),
    Limits("passport", "size", "size_low", "size_high", SHARE),
    Limits("passport", "family_size", "family_size_low", "family_size_high", SHARE),
    Limits("passport", "power", "power_low", "power_high", SHARE),
    Limits("worst", "value", "low", "high", SHARE),
    Limits("fits", "value", "ci_low", "ci_high", REAL),
    Limits("fit_curves", "p_miss", "p_miss_low", "p_miss_high", SHARE),
    Limits("gates", "estimate", "ci_low", "ci_high", REAL),
)

STATUSES = {
    "metrics": "value",
    "comparisons": "difference",
    "epc": "value",
    "areas": "area",
    "expected": "obtained",
    "net_benefit": "net_benefit",
    "net_benefit_differences": "difference",
    "precision_bands": "precision",
    "calibration": "frequency",
    "risk_coverage": "value",
    "transfer": "value",
    "winners": "value",
    "classes": "value",
    "bands": "p_miss",
    "curve_differences": "difference",
    "disparities": "value",
    "disparity_comparisons": "difference",
    "abstention": "value",
    "abstention_comparisons": "difference",
    "agreement": "kappa",
    "fold_estimates": "value",
    "worst": "value",
    "fits": "value",
    "fit_metrics": "value",
}
"""The number of each frame whose absence its column ``status`` explains."""

UNBOUNDED = {("group_metrics", "ratio_high"), ("disparities", "high"), ("tests", "low"), ("tests", "high"),
             ("gates", "ci_low"), ("gates", "ci_high")}  # fmt: skip
"""Limits that are null alone: unbounded, of the other side of a one-sided test, or of a gate's side whose tail has
too few replicates."""

P_COLUMNS = ("p_value", "p_adjusted", "p_exact", "p_mid", "p_percentile", "p_best", "p_best_joint", "p_after",
             "p_separated")  # fmt: skip
P_VALUES = {
    "comparisons": ("ci_low", "ci_high"),
    "abstention_comparisons": ("ci_low", "ci_high"),
    "gates": ("ci_low", "ci_high"),
}


def broken(folder: Path) -> list[str]:
    """Return every law that the report in a folder breaks."""
    frames = {path.stem: pl.read_parquet(path).to_dicts() for path in sorted(folder.glob("frames/*.parquet"))}
    found = [*_of_frames(frames)]
    if (folder / "report.json").is_file():
        report = json.loads((folder / "report.json").read_text())
        found += [*_of_page(report, frames)]
    return found


def broken_frames(frames: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return every law that frames break."""
    return [*_of_frames({name: frame.to_dicts() for name, frame in frames.items()})]


def broken_page(report: dict[str, Any], frames: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return every law that the page of a report (``report.json``) breaks beside its frames."""
    return [*_of_page(report, {name: frame.to_dicts() for name, frame in frames.items()})]


def _of_frames(frames: Frames) -> Iterator[str]:
    for law in (
        _finite,
        _limits,
        _joint_limits,
        _adjusted_limits,
        _widths,
        _statuses,
        _p_values,
        _counts_of_rows,
        _counts_of_groups,
        _shared_numbers,
        _net_benefits,
    ):
        yield from law(frames)


def _named(kind: str, frame: str, row: Row, *columns: str) -> str:
    """Return a broken law with the keys of its row, and the numbers that break it."""
    names = (*KEY, "baseline", "measure", "criterion", "alpha", "parameter", "inference", "quantity",
             "statistic", "test", "part", "kind", "ci_method", "p_method", "gate", "rule", "fit", "status")  # fmt: skip
    keys = ", ".join(f"{name}={row[name]}" for name in names if row.get(name) not in (None, ""))
    numbers = ", ".join(f"{name}={row.get(name)}" for name in columns)
    return f"{kind}: {keys}; {numbers}"


def _at_most(low: float, high: float) -> bool:
    return low <= high + NEAR * (1 + abs(high))


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == other or abs(one - other) <= NEAR * (1 + abs(other))


def _finite(frames: Frames) -> Iterator[str]:
    """No number is NaN or a negative zero, and only thresholds and likelihood ratios are infinite."""
    for name, rows in frames.items():
        for row in rows:
            for column, value in row.items():
                if isinstance(value, float) and (
                    math.isnan(value) or (math.isinf(value) and column not in MAY_BE_INFINITE)
                ):
                    yield _named(f"not finite, {name}.{column}", name, row, column)
                elif isinstance(value, float) and value == 0 and math.copysign(1, value) < 0:
                    yield _named(f"negative zero, {name}.{column}", name, row, column)


def _bounds(limits: Limits, row: Row) -> tuple[float, float]:
    if isinstance(limits.bounds, tuple):
        return limits.bounds
    low, high = read_measure(row["measure"]).bounds
    return (low, high) if limits.bounds == "measure" else (low - high, high - low)


def _limits(frames: Frames) -> Iterator[str]:
    """Limits are a pair, around their value, within the bounds of what they limit; none without a value."""
    for limits in LIMITS:
        name = limits.frame
        for row in frames.get(name, ()):
            if not limits.where(row):
                continue
            value, (least, most) = row[limits.value], _bounds(limits, row)
            if value is not None and not (_at_most(least, value) and _at_most(value, most)):
                yield _named(f"value outside its bounds, {name}.{limits.value}", name, row, limits.value)
            for low_name, high_name in filter(None, [(limits.low, limits.high), limits.joint]):
                low, high = row[low_name], row[high_name]
                columns = (limits.value, low_name, high_name)
                if low is None and high is None:
                    continue
                if value is None:
                    yield _named(f"limits without a value, {name}.{low_name}", name, row, *columns)
                if (low is None and (name, low_name) not in UNBOUNDED) or (
                    high is None and (name, high_name) not in UNBOUNDED
                ):
                    yield _named(f"one limit alone, {name}.{low_name}", name, row, *columns)
                    continue
                low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
                if not _at_most(low, high):
                    yield _named(f"limits in the wrong order, {name}.{low_name}", name, row, *columns)
                if not (
                    (_at_most(least, low) or math.isinf(low)) and (_at_most(high, most) or math.isinf(high))
                ):
                    yield _named(f"limits outside their bounds, {name}.{low_name}", name, row, *columns)
                inside = value is None or (_at_most(low, value) and _at_most(value, high))
                if limits.encloses and not inside:
                    yield _named(f"limits that do not enclose, {name}.{low_name}", name, row, *columns)


def _joint_limits(frames: Frames) -> Iterator[str]:
    """Limits that hold for many numbers at once are nowhere inside those of one number."""
    for limits in LIMITS:
        if limits.joint is None:
            continue
        for row in frames.get(limits.frame, ()):
            low, high, *joint = (row[column] for column in (limits.low, limits.high, *limits.joint))
            if None in (low, high, *joint):
                continue
            if not (_at_most(joint[0], low) and _at_most(high, joint[1])):
                kind = f"simultaneous limits inside pointwise ones, {limits.frame}.{limits.joint[0]}"
                yield _named(kind, limits.frame, row, limits.value, limits.low, limits.high, *limits.joint)


def _statuses(frames: Frames) -> Iterator[str]:
    """What is undefined has a status, and only that."""
    for name, column in STATUSES.items():
        for row in frames.get(name, ()):
            if row[column] is None and row["status"] is None:
                yield _named(f"no status without a value, {name}.{column}", name, row, column)
            if (
                row[column] is not None
                and row["status"] is not None
                and name not in ("transfer", "comparisons", "abstention_comparisons", "precision_bands")
            ):
                yield _named(f"a status with a value, {name}.{column}", name, row, column)


def _p_values(frames: Frames) -> Iterator[str]:
    """A p-value lies in [0, 1], an adjusted one is not below it, and limits exclude 0 where p says so."""
    for name, rows in frames.items():
        for row in rows:
            for column, value in row.items():
                if column in P_COLUMNS and value is not None and not -NEAR <= value <= 1 + NEAR:
                    yield _named(f"p outside [0, 1], {name}.{column}", name, row, column)
            p, adjusted = row.get("p_value"), row.get("p_adjusted")
            if p is not None and adjusted is not None and not _at_most(p, adjusted):
                yield _named(f"adjusted p below p, {name}.p_adjusted", name, row, "p_value", "p_adjusted")
    for name, (low_name, high_name) in P_VALUES.items():
        for row in frames.get(name, ()):
            # Limits of gates are at the level at which a gate of a family is tested.
            p = row["p_adjusted"] if name == "gates" else row["p_value"]
            low, high, level = row[low_name], row[high_name], row["level"]
            if None in (low, high, p, level) or "ci_p_disagree" in (row.get("flags") or ()):
                continue
            zero = 0.0 if name != "gates" or row["bound"] is None else row["bound"]
            excluded = low > zero + NEAR or high < zero - NEAR
            touches = min(abs(low - zero), abs(high - zero)) <= NEAR
            if excluded != (p <= 1 - level + NEAR) and not touches:
                yield _named(
                    f"limits and p disagree, {name}.p_value", name, row, low_name, high_name, "p_value"
                )


def _widths(frames: Frames) -> Iterator[str]:
    """Differences have limits with width, of models that decide alike too."""
    for name in ("comparisons", "gates"):
        for row in frames.get(name, ()):
            if row["ci_low"] is not None and row["ci_low"] == row["ci_high"]:
                yield _named(f"limits without width, {name}.ci_low", name, row, "ci_low", "ci_high")


def _adjusted_limits(frames: Frames) -> Iterator[str]:
    """Limits over a family exclude 0 only where the adjusted p does; by Bonferroni exactly where m p does.

    Only where the interval is dual to its p.
    """
    for row in frames.get("comparisons", ()):
        p, low, high, m = (row[name] for name in ("p_value", "band_low", "band_high", "family_size"))
        flags = row["flags"] or ()
        if None in (p, low, high, m, row["p_adjusted"]) or row["ci_method"] != row["p_method"]:
            continue
        error, excluded = 1 - row["level"] + NEAR, low > NEAR or high < -NEAR
        columns = "band_low", "band_high", "p_value", "p_adjusted", "family_size"
        if "ci_p_disagree" in flags or min(abs(low), abs(high)) <= NEAR:
            continue
        if excluded and not row["p_adjusted"] <= error:
            yield _named("adjusted limits exclude what adjusted p does not", "comparisons", row, *columns)
        if row["correction"] in ("holm", "bh") and excluded != (m * p <= error):
            yield _named("adjusted limits and single-step p disagree", "comparisons", row, *columns)


ERRORS = {"misses": "n_target", "false_alarms": "n_nontarget"}


def _counts_of_rows(frames: Frames) -> Iterator[str]:
    """Errors are at most as many as trials of their class, and no count is negative."""
    for name, rows in frames.items():
        for row in rows:
            for column, value in row.items():
                if isinstance(value, int) and not isinstance(value, bool) and value < 0 and column != "tier":
                    yield _named(f"a negative count, {name}.{column}", name, row, column)
            for errors, trials in ERRORS.items():
                if row.get(errors) is not None and row.get(trials) is not None and row[errors] > row[trials]:
                    yield _named(f"more errors than trials, {name}.{errors}", name, row, errors, trials)


def _counts_of_groups(frames: Frames) -> Iterator[str]:
    """Trials of all groups of one breakdown are at most those of the whole; errors at one threshold likewise.

    A row without a value in the column belongs to no group. A breakdown that describes one class alone, such
    as attacks, has all trials of the other in every group.
    """
    place = ("model", "run", "dataset", "split")
    shared = set()
    for of, whole, groups in _broken_down(frames.get("trials", ()), place):
        for count, errors in CLASSES.items():
            if len(groups) > 1 and all(group[count] == whole[count] for group in groups):
                shared.add((*of, errors))
            elif sum(group[count] for group in groups) > whole[count]:
                yield _named(f"groups count more than the whole, trials.{count}", "trials", whole, count)
    same = (*place, "measure", "criterion", "threshold_source", "threshold")
    for of, whole, groups in _broken_down(frames.get("metrics", ()), same):
        for count in CLASSES.values():
            values = [group[count] for group in groups]
            if (*of[:4], of[-1], count) in shared or whole[count] is None or None in values:
                continue
            if sum(values) > whole[count]:
                yield _named(f"groups count more than the whole, metrics.{count}", "metrics", whole, count)


CLASSES = {"n_target": "misses", "n_nontarget": "false_alarms"}


def _broken_down(
    rows: Iterable[Row], keys: Sequence[str]
) -> Iterator[tuple[tuple[Any, ...], Row, list[Row]]]:
    """Yield the place and columns of each breakdown by one column, the row of the whole, and its groups."""
    whole: dict[tuple[Any, ...], Row] = {}
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["run"] == "mean" or len(row["group_columns"]) > 1:
            continue
        if row["group"] == "":
            whole[_at(row, keys)] = row
        elif row["group_columns"]:
            parts.setdefault((*_at(row, keys), row["group_columns"][0]), []).append(row)
    for of, groups in parts.items():
        if of[:-1] in whole:
            yield of, whole[of[:-1]], groups


def _shared_numbers(frames: Frames) -> Iterator[str]:
    """A number that two frames share is the same in both."""
    metrics = _index(frames.get("metrics", ()), (*KEY, "measure", "criterion"), lambda row: row["threshold_source"] != "oracle")  # fmt: skip
    yield from _differences(frames, metrics)
    yield from _complements(metrics)
    yield from _curves_of_metrics(frames, metrics)
    for name in ("standing", "ranking"):
        for row in frames.get(name, ()):
            yield from _agree(
                name, "value", row, metrics.get(_at(row, (*KEY, "measure", "criterion"))), "value"
            )
    for row in frames.get("group_metrics", ()):
        other = metrics.get(_at(row, (*KEY, "measure", "criterion")))
        if (
            other is not None
            and _same(row["n_target"], other["n_target"])
            and row["n_nontarget"] == other["n_nontarget"]
        ):
            yield from _agree("group_metrics", "value", row, other, "value")
    yield from _gates(frames, metrics)
    yield from _of_abstention(frames)
    yield from _of_handover(frames)
    yield from _of_held(frames)
    yield from _of_learning(frames)
    for row in frames.get("worst", ()):
        if row["value"] is not None and row["effective"] is None and row["unit"] == "trial":
            yield from _agree("worst", "value", row, {"value": row["errors"] / row["n_described"]}, "value")


def _of_held(frames: Frames) -> Iterator[str]:
    """What a page holds: error rates at a criterion are those of the report, and joint counts add up to them."""
    held = frames.get("held_counts", ())
    place = ("model", "run", "dataset", "split", "group")
    values = _index(frames.get("metrics", ()), (*place, "measure", "criterion"))
    for row in held:
        rates = {"far": row["false_alarms"] / row["n_nontarget"], "frr": row["misses"] / row["n_target"]}
        for criterion, (measure, rate) in itertools.product(row["criteria"], rates.items()):
            other = values.get((*(row[name] for name in place), measure, criterion))
            yield from _agree("held_counts", measure, row | {measure: rate}, other, "value")
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in frames.get("held_pairs", ()):
        parts.setdefault((row["dataset"], row["group"]), []).append(row)
    for row in held:
        joint = parts.get((row["dataset"], row["group"]), ())
        for side in ("model", "baseline"):
            mine = [each for each in joint if each[side] == row["model"]]
            rejected = (e for e in mine if e["target"] and e[f"{side}_accepts"] <= row["place"])
            if mine and sum(each["trials"] for each in rejected) != row["misses"]:
                yield _named("joint counts apart from misses", "held_pairs", row, "place", "misses")


def _index(
    rows: Iterable[Row], keys: Sequence[str], where: Callable[[Row], bool] = lambda row: True
) -> dict[tuple[Any, ...], Row]:
    return {_at(row, keys): row for row in rows if where(row)}


def _at(row: Row, keys: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[key] for key in keys)


def _agree(name: str, column: str, row: Row, other: Row | None, its: str) -> Iterator[str]:
    if other is not None and not _same(row[column], other[its]):
        yield _named(
            f"another number than elsewhere, {name}.{column}",
            name,
            row | {"other": other[its]},
            column,
            "other",
        )


def _runs_of(frames: Frames) -> dict[str, str]:
    """Return which run of a model speaks for it: its mean where it has several."""
    runs: dict[str, set[str]] = {}
    for row in frames.get("metrics", ()):
        runs.setdefault(row["model"], set()).add(row["run"])
    return {model: "mean" if "mean" in of else min(of) for model, of in runs.items() if of}


def _differences(frames: Frames, metrics: Mapping[tuple[Any, ...], Row]) -> Iterator[str]:
    """A difference is that of the two values, and further tests and gates show the same one."""
    runs = _runs_of(frames)
    for row in frames.get("comparisons", ()):
        if row["parameter"] is not None or row["difference"] is None:
            continue
        if "undefined_left_out" in (row["flags"] or ()):  # the groups on which both models are defined
            continue
        values = [
            metrics.get((model, runs.get(model, "0"), row["dataset"], row["split"], row["group"], row["measure"], row["criterion"]))
            for model in (row["model"], row["baseline"])
        ]  # fmt: skip
        if all(value is not None and value["value"] is not None for value in values):
            difference = values[0]["value"] - values[1]["value"]
            if not abs(row["difference"] - difference) <= 1e-7 * (1 + abs(difference)):
                yield _named("a difference of other values, comparisons.difference", "comparisons",
                             row | {"values": difference}, "difference", "values")  # fmt: skip
    keys = ("dataset", "split", "group", "measure", "criterion", "model", "baseline", "inference")
    compared = _index(frames.get("comparisons", ()), keys, lambda row: row["parameter"] is None)
    for row in frames.get("tests", ()):
        if row["test"] in ("equivalence", "non_inferiority"):
            yield from _agree("tests", "estimate", row, compared.get(_at(row, keys)), "difference")


COMPLEMENTS = {"balanced_accuracy": ("hter", 1), "youden": ("hter", 2), "recall": ("frr", 1),
               "specificity": ("far", 1), "accuracy": ("error_rate", 1)}  # fmt: skip
"""Measures that are 1 less a multiple of another."""


def _complements(metrics: Mapping[tuple[Any, ...], Row]) -> Iterator[str]:
    """A measure that is 1 less another has its limits too, turned round."""
    for (*place, measure, criterion), row in metrics.items():
        name, times = COMPLEMENTS.get(measure, ("", 0))
        other = metrics.get((*place, name, criterion))
        if other is None or row["value"] is None or other["value"] is None:
            continue
        ends = {"value": "value", "ci_low": "ci_high", "ci_high": "ci_low"}
        turned = {c: None if other[its] is None else 1 - times * other[its] for c, its in ends.items()}
        for column in ends:
            yield from _agree("metrics", column, row, turned, column)


def _curves_of_metrics(frames: Frames, metrics: Mapping[tuple[Any, ...], Row]) -> Iterator[str]:
    """A point of a curve that the table of metrics has too is the same there, with the same limits."""
    epc = _index(frames.get("epc", ()), (*KEY, "criterion", "measure", "alpha"))
    for (model, run, dataset, split, group, criterion, measure, alpha), row in epc.items():
        # The half total error rate is least where errors of equal weight are.
        if criterion == "weighted_error" and alpha == 0.5:
            other = metrics.get((model, run, dataset, split, group, measure, "min_hter"))
            if other is not None and row["threshold"] == other["threshold"]:
                for column in ("value", "misses", "false_alarms"):
                    yield from _agree("epc", column, row, other, column)
                if row["inference"] == other["inference"]:
                    for column in ("ci_low", "ci_high"):
                        yield from _agree("epc", column, row, other, column)
    for row in frames.get("winners", ()):
        other = epc.get(_at(row, (*KEY, "criterion", "measure", "alpha")))
        yield from _agree("winners", "value", row, other, "value")
    roc = {}
    for row in frames.get("roc", ()):
        roc[(*_at(row, KEY), row["threshold"])] = row
    for row in metrics.values():
        other = roc.get((*_at(row, KEY), row["threshold"]))
        if other is not None and row["misses"] is not None and row["folds"] is None:
            for column in ERRORS:
                yield from _agree("metrics", column, row, other, column)


def _gates(frames: Frames, metrics: Mapping[tuple[Any, ...], Row]) -> Iterator[str]:
    """A gate decides by numbers that its frames show."""
    runs = _runs_of(frames)
    keys = ("dataset", "group", "measure", "criterion", "model", "baseline", "inference")
    compared = _index(frames.get("comparisons", ()), keys, lambda row: row["parameter"] is None)
    # Where measures are averaged over a column, gates of all trials are of the means.
    means = {row["group"] for row in frames.get("metrics", ()) if row["group"].startswith("mean(")}
    for row in frames.get("gates", ()):
        group = row["group"] or next(iter(means), "")
        place = (row["dataset"], group, row["measure"], row["criterion"])
        if row["looks"] is not None and row["looks"] > 1:
            continue  # always valid: of the trials of all looks
        if row["reference"] is None and row["against"] is None:
            other = metrics.get(
                (row["model"], runs.get(row["model"], "0"), row["dataset"], "test", *place[1:])
            )
            yield from _agree("gates", "estimate", row, other, "value")
        elif row["reference"] is None and row["e_pass"] is None:
            other = compared.get((*place, row["model"], row["against"], row["inference"]))
            yield from _agree("gates", "estimate", row, other, "difference")
            # A margin has limits of its own test, and gates of a family those at their share of the level.
            if row["bound"] == 0 and row["n_gates"] == 1 and other and row["level"] == other["level"]:
                for column in ("ci_low", "ci_high"):
                    yield from _agree("gates", column, row, other, column)
        if row["outcome"] in ("pass", "fail") and row["estimate"] is None:
            yield _named("a verdict without a number, gates.outcome", "gates", row, "outcome", "estimate")
        if row["outcome"] == "pass" and row["bound"] is not None and row["estimate"] is not None:
            right = (
                row["estimate"] <= row["bound"] if row["side"] == "below" else row["estimate"] >= row["bound"]
            )
            if not right:
                yield _named(
                    "a pass on the wrong side, gates.outcome", "gates", row, "estimate", "side", "bound"
                )


def _of_abstention(frames: Frames) -> Iterator[str]:
    values = _index(
        frames.get("abstention", ()),
        ("model", "run", "dataset", "split", "group", "quantity"),
        lambda row: row["rule"] != "no_review" and row["rule"] != "chow",
    )
    runs = {}
    for model, run, *_ in values:
        runs.setdefault(model, set()).add(run)
    for row in frames.get("abstention_comparisons", ()):
        for column, model in (("value", row["model"]), ("value_baseline", row["baseline"])):
            run = "mean" if "mean" in runs.get(model, ()) else min(runs.get(model, {"0"}))
            other = values.get((model, run, row["dataset"], row["split"], row["group"], row["quantity"]))
            yield from _agree("abstention_comparisons", column, row, other, "value")


def _of_learning(frames: Frames) -> Iterator[str]:
    """Corrected limits hold the naive ones, both methods have one mean, and it lies within its folds."""
    rows = frames.get("learning", ())
    key = ("dataset", "split", "group", "model", "baseline", "measure", "criterion")
    by_method = _index(rows, (*key, "method"))
    folds: dict[tuple[Any, ...], list[float]] = {}
    for row in frames.get("fold_estimates", ()):
        place = (row["dataset"], row["model"], row["measure"], row["criterion"])
        folds.setdefault(place, []).append(math.nan if row["value"] is None else row["value"])
    for row in rows:
        if row["method"] not in ("corrected_t", "new_trainings"):
            continue
        other = "naive_t" if row["method"] == "corrected_t" else "these_trainings"
        narrow = by_method.get((*(row[name] for name in key), other))
        yield from _agree("learning", "value", row, narrow, "value")
        limited = row["ci_low"] is not None and narrow is not None and other == "naive_t"
        if limited and not row["ci_low"] <= narrow["ci_low"] <= narrow["ci_high"] <= row["ci_high"]:
            yield _named("corrected limits inside naive ones", "learning", row, "ci_low", "ci_high")
        values = folds.get((row["dataset"], row["model"], row["measure"], row["criterion"]))
        alone = values if row["value"] is not None and row["baseline"] is None else None
        if alone and not min(alone) - 1e-9 <= row["value"] <= max(alone) + 1e-9:
            yield _named("a mean outside its folds", "learning", row, "value")


def _of_handover(frames: Frames) -> Iterator[str]:
    """A threshold that is handed over, and its rates, are those of the report."""
    measures = {"far": "far", "frr": "frr", "alert_rate": "acceptance_rate", "precision": "precision"}
    place = ("model", "run", "dataset", "split", "group", "criterion")
    values = _index(frames.get("metrics", ()), (*place, "measure"))
    for row in frames.get("handover", ()):
        other = values.get((*(row[name] for name in place), measures[row["rate"]]))
        yield from _agree("handover", "value", row, other, "value")
        yield from _agree("handover", "threshold", row, other, "threshold")


def _net_benefits(frames: Frames) -> Iterator[str]:
    """No net benefit is above the share of targets, or below that of accepting every non-target.

    The share, which may be weighted or declared, is that of accepting all. Limits are within what any share of
    targets allows: it is estimated, and they say so.
    """
    for row in frames.get("net_benefit", ()):
        p, treat_all = row["probability"], row["treat_all"]
        if p is None or not 0 < p < 1 or treat_all is None or row["run"] == "mean":
            continue
        ratio = (1 - p) / p
        prevalence = 1 / (1 + (1 - treat_all) * ratio) if row["standardised"] else treat_all * (1 - p) + p
        if not prevalence > 0:
            continue
        most = 1.0 if row["standardised"] else prevalence
        least = -(1 - prevalence) * p / (1 - p) / (prevalence if row["standardised"] else 1)
        for column in ("net_benefit", "ci_low", "ci_high", "band_low", "band_high"):
            value = row[column]
            if column != "net_benefit":
                least, most = -math.inf if row["standardised"] else -p / (1 - p), 1.0
            if value is not None and not (_at_most(least, value) and _at_most(value, most)):
                row = row | {"least": least, "most": most}
                yield _named(f"a net benefit that cannot be, net_benefit.{column}", "net_benefit", row, "probability", column, "least", "most")  # fmt: skip


def _of_page(report: dict[str, Any], frames: Frames) -> Iterator[str]:
    """The page draws what its frames hold, prints what it draws, and puts limits around values."""
    numbers = _numbers(row.values() for rows in frames.values() for row in rows)
    # How far a model is behind the best is another estimand than its difference from the first in rank.
    behind = _numbers((row["behind_low"], row["behind_high"]) for row in frames.get("standing", ()))
    for place, table in _tables(report):
        for number, cells in enumerate(table["rows"]):
            for cell in cells:
                if cell.get("drawn"):
                    yield from _of_mark(f"{place} row {number}", cell["drawn"], numbers, behind)
                yield from _of_printed(f"{place} row {number}", cell)


def _numbers(rows: Iterable[Iterable[Any]]) -> set[float]:
    return {
        round(value, 9) for row in rows for value in row if isinstance(value, float) and math.isfinite(value)
    }


def _holds(numbers: set[float], drawn: float) -> bool:
    """Return whether a drawn number is one of these, as it is or in percent; a difference may be turned round."""
    ways = itertools.product((1, -1), (1, 100, 1000), (0, 1e-9, -1e-9))
    return any(round(sign * drawn / unit + near, 9) in numbers for sign, unit, near in ways)


def _tables(block: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(block, dict):
        place = f"{place}/{block.get('anchor') or block.get('name') or ''}" if "kind" in block else place
        if block.get("kind") == "table":
            yield place, block
        else:
            for value in block.values():
                yield from _tables(value, place)
    elif isinstance(block, list):
        for value in block:
            yield from _tables(value, place)


def _of_mark(place: str, drawn: dict[str, Any], numbers: set[float], behind: set[float]) -> Iterator[str]:
    value, low, high = drawn["value"], drawn["low"], drawn["high"]
    outer = drawn.get("outer_low"), drawn.get("outer_high")
    if None not in (value, low, high) and not (_at_most(low, value) and _at_most(value, high)):
        yield f"page, a mark outside its line: {place}; {drawn}"
    joint = None not in (low, high, *outer) and not all(_holds(behind, end) for end in outer)
    if joint and not (_at_most(outer[0], low) and _at_most(high, outer[1])):
        yield f"page, adjusted limits inside unadjusted ones: {place}; {drawn}"
    for end in (value, low, high, *outer):
        if end is not None and not _holds(numbers, end):
            yield f"page, a number that no frame holds: {place}; {end} of {drawn}"


def _of_printed(place: str, cell: dict[str, Any]) -> Iterator[str]:
    printed = re.fullmatch(r"[\[(]?([−\d.,]+), ([−\d.,]+)[\])]?", cell.get("beneath") or "")
    if printed and re.fullmatch(r"[−\d.,]+", cell["text"]):
        texts = (printed[1], cell["text"], printed[2])
        low, value, high = (float(text.replace("−", "-").replace(",", "")) for text in texts)
        if not low <= value <= high:
            yield f"page, a printed number outside its limits: {place}; {cell['text']} {cell['beneath']}"
