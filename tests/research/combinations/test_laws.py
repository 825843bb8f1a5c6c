"""The laws by hand: each finds the row that breaks it, and no other; then on every example and the gallery."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from docs.gallery.cards import CARDS
from reporting.features.frames import FRAMES
from tests.research.combinations.laws import LIMITS, STATUSES, broken, broken_frames, broken_page

Row = dict[str, Any]

AT = {"model": "a", "run": "0", "dataset": "all", "split": "test", "group": ""}
TESTED = {"dataset": "all", "split": "test", "group": "", "model": "a", "baseline": "b", "measure": "hter",
          "criterion": "min_hter", "inference": "procedure", "level": 0.95}  # fmt: skip
FAMILY = {"ci_method": "swap", "p_method": "swap", "correction": "holm", "family_size": 2}
RATE = {**AT, "measure": "far", "criterion": "min_hter", "threshold_source": "dev", "threshold": 0.5}


def frames(**rows: list[Row]) -> dict[str, pl.DataFrame]:
    """Return frames of these rows; what a row leaves out is null, or empty where there is no null."""
    made = {}
    for name, given in rows.items():
        contract = FRAMES[name].frame
        blank = {column.name: [] if column.is_list else None for column in contract.columns}
        made[name] = pl.DataFrame([blank | row for row in given], schema=contract.schema, orient="row")
    return made


def kinds(**rows: list[Row]) -> list[str]:
    return [each.partition(":")[0] for each in broken_frames(frames(**rows))]


GOOD = {
    "metrics": [
        {**RATE, "value": 0.1, "ci_low": 0.05, "ci_high": 0.2, "false_alarms": 2, "n_nontarget": 20},
        {**RATE, "measure": "npv", "value": None, "status": "no_targets"},
    ],
    "comparisons": [
        {**TESTED, "difference": -0.1, "ci_low": -0.2, "ci_high": -0.01, "band_low": -0.3, "band_high": 0.1,
         "p_value": 0.03, "p_adjusted": 0.06},
    ],
    "epc": [{**AT, "criterion": "weighted_error", "alpha": 0.5, "measure": "hter", "value": 0.1, "ci_low": 0.05,
             "ci_high": 0.2, "band_low": 0.01, "band_high": 0.3}],
}  # fmt: skip


def test_rows_that_keep_every_law_break_none() -> None:
    assert kinds(**GOOD) == []


BROKEN: list[tuple[str, str, Row]] = [
    ("not finite, metrics.value", "metrics", {**RATE, "value": math.nan}),
    ("negative zero, learning.value", "learning", {**TESTED, "method": "all", "value": -0.0}),
    ("not finite, metrics.ci_high", "metrics", {**RATE, "value": 0.1, "ci_low": 0.0, "ci_high": math.inf}),
    ("value outside its bounds, metrics.value", "metrics", {**RATE, "value": 1.2}),
    ("limits outside their bounds, metrics.ci_low", "metrics", {**RATE, "value": 0.1, "ci_low": -0.1, "ci_high": 0.2}),
    ("limits that do not enclose, metrics.ci_low", "metrics", {**RATE, "value": 0.1, "ci_low": 0.2, "ci_high": 0.3}),
    ("limits in the wrong order, fits.ci_low", "fits", {**AT, "fit": "binormal", "parameter": "a", "value": None, "status": "degenerate", "ci_low": 2.0, "ci_high": 1.0}),
    ("limits without a value, fits.ci_low", "fits", {**AT, "fit": "binormal", "parameter": "a", "value": None, "status": "degenerate", "ci_low": 1.0, "ci_high": 2.0}),
    ("one limit alone, metrics.ci_low", "metrics", {**RATE, "value": 0.1, "ci_low": 0.05}),
    ("simultaneous limits inside pointwise ones, epc.band_low", "epc", {**GOOD["epc"][0], "band_low": 0.06}),
    ("limits without width, comparisons.ci_low", "comparisons", {**TESTED, "difference": 0.0, "ci_low": 0.0, "ci_high": 0.0}),
    ("adjusted limits exclude what adjusted p does not", "comparisons",
     {**GOOD["comparisons"][0], **FAMILY, "band_high": -0.005}),
    ("adjusted limits and single-step p disagree", "comparisons",
     {**GOOD["comparisons"][0], **FAMILY, "p_value": 0.02, "p_adjusted": 0.04, "family_size": 2}),
    ("limits that do not enclose, epc.band_low", "epc", {**GOOD["epc"][0], "ci_low": None, "ci_high": None, "band_low": 0.15}),
    ("no status without a value, metrics.value", "metrics", {**RATE, "value": None}),
    ("a status with a value, metrics.value", "metrics", {**RATE, "value": 0.1, "status": "no_targets"}),
    ("p outside [0, 1], comparisons.p_value", "comparisons", {**GOOD["comparisons"][0], "p_value": -0.1, "p_adjusted": 0.0}),
    ("adjusted p below p, comparisons.p_adjusted", "comparisons", {**GOOD["comparisons"][0], "p_adjusted": 0.01}),
    ("limits and p disagree, comparisons.p_value", "comparisons", {**GOOD["comparisons"][0], "p_value": 0.06}),
    ("limits outside their bounds, comparisons.band_low", "comparisons", {**GOOD["comparisons"][0], "band_low": -1.1}),
    ("a negative count, metrics.false_alarms", "metrics", {**RATE, "value": 0.1, "false_alarms": -1}),
    ("more errors than trials, metrics.false_alarms", "metrics", {**RATE, "value": 0.1, "false_alarms": 3, "n_nontarget": 2}),
    ("a verdict without a number, gates.outcome", "gates", {"gate": "g", "model": "a", "dataset": "all", "group": "", "measure": "hter", "outcome": "pass", "status": "degenerate"}),
    ("a pass on the wrong side, gates.outcome", "gates", {"gate": "g", "model": "a", "dataset": "all", "group": "", "measure": "hter", "outcome": "pass", "estimate": 0.2, "side": "below", "bound": 0.1}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "frame", "row"), BROKEN, ids=[kind for kind, _, _ in BROKEN])
def test_a_row_that_breaks_a_law_is_found(kind: str, frame: str, row: Row) -> None:
    assert kind in kinds(**{frame: [row]})


def test_groups_that_count_more_than_the_whole_are_found() -> None:
    def counted(group: str, n_target: int, n_nontarget: int) -> Row:
        columns = ["sex"] if group else []
        return {**AT, "group": group, "group_columns": columns, "n_target": n_target, "n_nontarget": n_nontarget,
                "n_unlabelled": 0, "n_missing": 0, "n_infinite": 0}  # fmt: skip

    whole = counted("", 10, 20)
    assert kinds(trials=[whole, counted("sex=f", 4, 9), counted("sex=m", 6, 10)]) == []  # one row has no sex
    assert kinds(trials=[whole, counted("sex=f", 5, 9), counted("sex=m", 6, 10)]) == [
        "groups count more than the whole, trials.n_target"
    ]
    # Attacks describe the non-targets: every group has all targets.
    assert kinds(trials=[whole, counted("sex=f", 10, 9), counted("sex=m", 10, 10)]) == []


def test_a_measure_that_is_one_less_another_has_its_limits_turned_round() -> None:
    at = {**RATE, "measure": "hter", "value": 0.1, "ci_low": 0.05, "ci_high": 0.2}
    other = {**RATE, "measure": "balanced_accuracy", "value": 0.9, "ci_low": 0.8, "ci_high": 0.95}
    youden = {**RATE, "measure": "youden", "value": 0.8, "ci_low": 0.6, "ci_high": 0.9}
    assert kinds(metrics=[at, other, youden]) == []
    for row, column in ((other, "ci_low"), (youden, "ci_high")):
        wrong = [at, {**row, column: row[column] + 0.01}]
        assert kinds(metrics=wrong) == [f"another number than elsewhere, metrics.{column}"]


def test_a_number_that_two_frames_share_is_one() -> None:
    metrics = [{**AT, "measure": "hter", "criterion": "min_hter", "threshold": 1.0, "threshold_source": "dev",
                "value": value, "model": model} for model, value in (("a", 0.1), ("b", 0.2))]  # fmt: skip
    comparison = {**TESTED, "difference": -0.1}
    assert kinds(metrics=metrics, comparisons=[comparison]) == []
    assert kinds(metrics=metrics, comparisons=[{**comparison, "difference": -0.11}]) == [
        "a difference of other values, comparisons.difference"
    ]
    point = {
        **GOOD["epc"][0],
        "threshold": 1.0,
        "band_low": None,
        "band_high": None,
        "ci_low": None,
        "ci_high": None,
    }
    assert kinds(metrics=metrics, epc=[point]) == []
    assert kinds(metrics=metrics, epc=[{**point, "value": 0.12}]) == [
        "another number than elsewhere, epc.value"
    ]
    gate = {"gate": "g", "model": "a", "dataset": "all", "group": "", "measure": "hter", "criterion": "min_hter",
            "outcome": "undecided", "estimate": 0.15}  # fmt: skip
    assert kinds(metrics=metrics, gates=[gate]) == ["another number than elsewhere, gates.estimate"]


def test_no_net_benefit_is_above_the_share_of_targets() -> None:
    # Of two targets in ten, accepting all is worth .2 - .8 * 9.
    point = {**AT, "standardised": False, "probability": 0.9, "treat_all": -7.0, "net_benefit": 0.0}
    point |= {"ci_low": 0.0, "ci_high": 0.27}
    assert kinds(net_benefit=[point]) == []
    assert kinds(net_benefit=[{**point, "ci_high": 1.2}]) == [
        "a net benefit that cannot be, net_benefit.ci_high"
    ]
    assert kinds(net_benefit=[{**point, "net_benefit": 0.21}]) == [
        "a net benefit that cannot be, net_benefit.net_benefit"
    ]


def test_a_page_draws_and_prints_what_frames_hold() -> None:
    def page(text: str, beneath: str, **drawn: float) -> dict[str, Any]:
        line = {"value": 10.0, "low": 5.0, "high": 20.0, "outer_low": None, "outer_high": None} | drawn
        table = {
            "kind": "table",
            "name": "summary",
            "rows": [[{"text": text, "beneath": beneath, "drawn": line}]],
        }
        return {"sections": [{"kind": "section", "anchor": "summary", "blocks": [table]}]}

    held = frames(metrics=[{**RATE, "value": 0.1, "ci_low": 0.05, "ci_high": 0.2}])

    def found(*cell: str, **drawn: float) -> list[str]:
        return [each.partition(":")[0] for each in broken_page(page(*cell, **drawn), held)]

    assert found("10.0", "[5.0, 20.0]") == []
    assert found("10.0", "[5.0, 20.0]", value=11.0) == ["page, a number that no frame holds"]
    assert found("10.0", "[5.0, 20.0]", value=20.0, high=10.0) == ["page, a mark outside its line"]
    assert found("10.0", "[5.0, 20.0]", outer_low=5.0, outer_high=10.0) == [
        "page, adjusted limits inside unadjusted ones"
    ]
    assert found("4.9", "[5.0, 20.0]") == ["page, a printed number outside its limits"]


def test_limits_and_statuses_name_columns_of_frames() -> None:
    for limits in LIMITS:
        names = {column.name for column in FRAMES[limits.frame].frame.columns}
        assert {limits.value, limits.low, limits.high, *(limits.joint or ())} <= names
    for frame, column in STATUSES.items():
        assert {column, "status"} <= {each.name for each in FRAMES[frame].frame.columns}


def test_every_pair_of_limits_is_under_the_laws() -> None:
    held = {(limits.frame, name) for limits in LIMITS for name in (limits.low, *(limits.joint or ()))}
    for name, recipe in FRAMES.items():
        lows = [column.name for column in recipe.frame.columns if column.name.endswith("_low")]
        without = {"alpha_low", "threshold_low", "rank_low", "too_low"}
        if name not in ("history", "since_last", "changes"):
            assert {(name, low) for low in lows if low not in without} <= held, name


@pytest.mark.parametrize("name", ["vote", "vote_in_depth", "house_style"])
def test_examples_keep_every_law(example: Callable[[str], Path], name: str) -> None:
    assert broken(example(name).with_name("report")) == []


@pytest.mark.long
@pytest.mark.parametrize("key", CARDS)
def test_the_gallery_keeps_every_law(tmp_path: Path, key: str) -> None:
    assert broken(CARDS[key].make(tmp_path, key)) == []
