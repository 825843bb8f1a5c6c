"""A model, pair or run without a threshold that others have: null with the reason, in frames and on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from build import Built, build

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.contract import Frame
from reporting.document.frames.metrics import METRICS
from reporting.features.compose import compose
from reporting.features.fits.frame import FIT_METRICS
from reporting.features.groups.disparities import DISPARITIES, DISPARITY_COMPARISONS
from reporting.features.groups.group_metrics import GROUP_METRICS

SCALES = "models: {A: {scale: llr}}\ncriteria: [min_hter, bayes]\nmeasures: [far, frr, auc]\nepc: none\n"
"""B has no scale of likelihood ratios, so that no threshold is placed on it by costs alone."""
AT_BAYES = "primary: {measure: far, criterion: bayes}\n"
ALWAYS = {"min_hter", None}


def _rows(models: str = "AB", runs_of_a: int = 1) -> list[dict[str, Any]]:
    rows = []
    for split in ("dev", "test"):
        for i in range(40):
            target = i % 3 == 0
            trial = {"trial": f"{split}{i}", "split": split, "label": int(target), "day": f"d{i % 4}"}
            trial["sex"] = "fm"[i // 2 % 2]
            for at, model in enumerate(models):
                score = (i * (7 + 4 * at) % 11) / 2 - 3.0 + 2.5 * target
                for run in range(1, 1 + (runs_of_a if model == "A" else 1)):
                    rows.append(trial | {"model": model, "run": str(run), "score": score + run % 2})
    return rows


def _statuses(built: Built, frame: Frame[Any], **where: str) -> set[str | None]:
    rows = [row for row in built.rows(frame) if all(getattr(row, k) == v for k, v in where.items())]
    assert rows
    return {row.status for row in rows}


@pytest.mark.parametrize("baseline", ["", "baseline: A\n", "baseline: B\n"])
def test_a_macro_mean_says_that_one_model_has_no_threshold(tmp_path: Path, baseline: str) -> None:
    built = build(tmp_path, _rows(), SCALES + baseline + "averaged_over: day\n")
    mean = {"group": "mean(day)", "criterion": "bayes"}
    assert _statuses(built, METRICS, model="B", **mean) == {"not_calibrated_scale"}
    assert _statuses(built, METRICS, model="A", **mean) == {None}
    assert _statuses(built, COMPARISONS, **mean) == {"not_calibrated_scale"}
    assert _statuses(built, COMPARISONS, **(mean | {"criterion": "min_hter"})) == {None}
    compose(built.results)


def test_a_pair_of_which_one_has_no_threshold_is_a_row_outside_the_family(tmp_path: Path) -> None:
    alone = build(tmp_path / "alone", _rows(), SCALES.replace(", bayes", ""), "significance.family=all")
    built = build(tmp_path / "both", _rows(), SCALES, "significance.family=all")
    at_bayes = [row for row in built.rows(COMPARISONS) if row.criterion == "bayes"]
    assert [row.measure for row in at_bayes] == ["far", "frr", "hter"]
    for row in at_bayes:
        assert (row.difference, row.p_value, row.status) == (None, None, "not_calibrated_scale")
        assert row.family == "descriptive"
    adjusted = [row for row in built.rows(COMPARISONS) if row.criterion in ALWAYS]
    assert adjusted == alone.rows(COMPARISONS)


@pytest.mark.parametrize("models", ["AB", "ABC"])
@pytest.mark.parametrize("baseline", ["", "baseline: A\n", "baseline: B\n"])
def test_groups_of_a_model_without_a_threshold(tmp_path: Path, models: str, baseline: str) -> None:
    built = build(tmp_path, _rows(models), SCALES + AT_BAYES + baseline + "across: sex\n")
    for frame in (GROUP_METRICS, DISPARITIES):
        assert _statuses(built, frame, model="B") == {"not_calibrated_scale"}
    groups = [row for row in built.rows(GROUP_METRICS) if row.model == "B"]
    assert {row.group: (row.n_target, row.n_nontarget) for row in groups} == {
        row.group: (row.n_target, row.n_nontarget) for row in built.rows(GROUP_METRICS) if row.model == "A"
    }
    assert all(row.value is None and row.threshold_source is None for row in groups)
    pairs = {(row.model, row.baseline): row.status for row in built.rows(DISPARITY_COMPARISONS)}
    assert {status for pair, status in pairs.items() if "A" in pair} == {"not_calibrated_scale"}
    compose(built.results)


def test_fits_at_a_threshold_that_one_model_lacks(tmp_path: Path) -> None:
    built = build(tmp_path, _rows(), SCALES + "fits: [binormal]\n")
    assert _statuses(built, FIT_METRICS, model="B", criterion="bayes") == {"not_calibrated_scale"}
    section = next(each for each in compose(built.results).sections if each.title == "Smooth curves")
    (table,) = (block for block in section.blocks if getattr(block, "name", "") == "fit_points")
    assert len(table.rows) == 12  # three rates at two thresholds of two models
    assert any(cell.reason for row in table.rows for cell in row)


def test_fits_where_one_model_has_no_such_run(tmp_path: Path) -> None:
    config = "trials: {source: trials.parquet, columns: {run: run}}\nfits: [binormal]\nepc: none\n"
    built = build(tmp_path, _rows(runs_of_a=2), config)
    compose(built.results)


def test_the_mean_over_runs_says_that_there_is_no_threshold(tmp_path: Path) -> None:
    config = "trials: {source: trials.parquet, columns: {run: run}}\n" + SCALES
    built = build(tmp_path, _rows(runs_of_a=2), config)
    mean = [row for row in built.rows(METRICS) if (row.run, row.criterion) == ("mean", "bayes")]
    assert {(row.model, row.status) for row in mean} == {("A", None), ("B", "not_calibrated_scale")}
    assert {row.measure for row in mean} == {"far", "frr", "hter"}
    compose(built.results)
