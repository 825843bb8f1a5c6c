"""The section on fitted curves and their lines in the pictures, against the frames of the same report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from reporting.app.run.report import make_report
from reporting.document.words.phrases import reason

CONFIG = """
trials: {source: trials.parquet}
models: {straight: {name: "Straight <b>"}, bent: {}, apart: {}}
measures: [far, hter, auc, eer_rocch, ap_step, "pauc(far_max=0.2)"]
curves: [roc, det, pr, f1]
epc: none
fits: [binormal_ordinal, binormal, "alpha_binormal(transform=box_cox)"]
significance: {replicates: 99}
report: {formats: [html, latex, json]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models: normal scores, their exponentials (which no normal fits), and separated classes."""
    place, rng, n = tmp_path_factory.mktemp("fits"), np.random.default_rng(6), 600
    label = np.arange(n) % 3 == 0
    score = np.round(rng.normal(size=n) * np.where(label, 1.5, 1) + 2 * label, 2)
    columns = {"straight": score, "bent": np.exp(2.5 * score), "apart": np.where(label, 9 + score**2, 1.0)}
    pl.concat(
        pl.DataFrame(
            {
                "model": [model] * n,
                "split": np.where(np.arange(n) < n // 2, "dev", "test"),
                "trial": [str(i) for i in range(n)],
                "label": label,
                "score": values,
            }
        )
        for model, values in columns.items()
    ).write_parquet(place / "trials.parquet")
    (place / "report.yaml").write_text(CONFIG)
    make_report(place / "report.yaml")
    return place / "report"


@pytest.fixture(scope="module")
def section(folder: Path) -> dict[str, Any]:
    report = json.loads((folder / "report.json").read_text())
    return next(one for one in report["sections"] if one["anchor"] == "fits")


def block(section: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in section["blocks"] if one.get("name") == name)


def rows_of(table: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the cells by title of the head, by group of rows and model."""
    titles, starts, here = [column["title"] for column in table["columns"]], dict(table["row_groups"]), ""
    found = {}
    for place, row in enumerate(table["rows"]):
        here = starts.get(place, here)
        found[here, row[0]["text"]] = dict(zip(titles, row, strict=True))
    return found


def test_the_table_says_what_the_frame_says(folder: Path, section: dict[str, Any]) -> None:
    frame = pl.read_parquet(folder / "frames" / "fits.parquet")
    table = block(section, "fits")
    assert [title for _, title in table["row_groups"]] == [
        "Trials (no curve fitted)",
        "binormal on ranks",
        "binormal",
        "α-binormal (Box-Cox)",
    ]
    one = frame.filter(model="straight", split="test", fit="binormal")
    value = dict(one.select("parameter", "value").iter_rows())
    cells = rows_of(table)["binormal", "Straight <b>"]
    shown = [cells[title]["order"] for title in ("a", "b", "AUC", "EER")]
    assert shown == [value["a"], value["b"], value["auc"], value["eer"]]
    assert cells["AUC"]["beneath"].startswith("[")
    assert value["auc"] == pytest.approx(norm.cdf(value["a"] / np.hypot(1, value["b"])))
    trials = pl.read_parquet(folder / "frames" / "metrics.parquet").filter(
        model="straight", split="test", measure="auc"
    )
    counted = rows_of(table)["Trials (no curve fitted)", "Straight <b>"]["AUC"]
    assert counted["order"] == trials["value"].item()


def test_areas_stand_with_their_share_of_targets(section: dict[str, Any]) -> None:
    table = block(section, "fit_areas")
    assert [column["title"] for column in table["columns"]][1:3] == ["share of targets", "AP"]
    shares = {
        fit: cells["share of targets"]["text"]
        for (fit, _), cells in rows_of(table).items()
        if cells["share of targets"]["text"] not in ("", "—")
    }
    assert shares == {"binormal on ranks": "33.3", "binormal": "50.0", "α-binormal (Box-Cox)": "33.3"}


def test_what_does_not_fit_is_said(section: dict[str, Any]) -> None:
    notes = " ".join(block(section, "fits")["notes"])
    assert "binormal does not fit bent: the area under its curve lies outside" in notes
    assert f"binormal on ranks: no curve for apart, {reason('degenerate')}." in notes
    assert "no curve for Straight <b>, the Box-Cox transform needs positive" in notes
    assert "binormal on ranks: by the order of the scores alone" in notes
    assert "a hook" in notes


def test_fits_by_ranks_agree_under_a_bend_and_others_do_not(folder: Path) -> None:
    frame = pl.read_parquet(folder / "frames" / "fits.parquet").filter(split="test", parameter="a")
    value = {(m, f): v for m, f, v in frame.select("model", "fit", "value").iter_rows()}
    assert value["straight", "binormal_ordinal"] == value["bent", "binormal_ordinal"]
    assert abs(value["straight", "binormal"] - value["bent", "binormal"]) > 0.2


@pytest.mark.parametrize("name", ["roc", "det", "pr", "f1"])
def test_the_first_fit_is_drawn_over_the_trials(folder: Path, name: str) -> None:
    report = json.loads((folder / "report.json").read_text())
    curves = next(one for one in report["sections"] if one["anchor"] == "curves")
    figure = block(curves, name)
    smooth = {series["label"]: series for series in figure["series"] if series["kind"] == "smooth"}
    assert set(smooth) == {"Straight <b>", "bent"}
    assert "Thin dark lines: fitted curves (binormal on ranks)." in figure["caption"]
    if name == "roc":
        rows = pl.read_parquet(folder / "frames" / "fits.parquet").filter(
            model="bent", split="test", fit="binormal_ordinal"
        )
        value = dict(rows.select("parameter", "value").iter_rows())
        x, y = np.array(smooth["bent"]["x"]) / 100, np.array(smooth["bent"]["y"]) / 100
        inside = (x > 1e-4) & (x < 1 - 1e-4)
        fitted = norm.cdf(value["a"] + value["b"] * norm.ppf(x[inside]))
        np.testing.assert_allclose(y[inside], fitted, atol=1e-3)


def test_every_fit_of_a_model_is_drawn_with_its_band(section: dict[str, Any]) -> None:
    figures = [one for one in section["blocks"] if one.get("series")]
    assert len(figures) == 2
    kinds = {(series["label"], series["kind"]) for series in figures[0]["series"]}
    assert {("trials", "line"), ("binormal", "line"), ("binormal on ranks", "line")} <= kinds
    assert ("binormal on ranks", "band") in kinds


def test_thresholds_are_read_off_every_curve(folder: Path, section: dict[str, Any]) -> None:
    table = block(section, "fit_points")
    cells = rows_of(table)["FAR (%) at thresholds set on the development set (minimum HTER)", "bent"]
    frame = pl.read_parquet(folder / "frames" / "fit_metrics.parquet").filter(model="bent", measure="far")
    value = dict(frame.filter(criterion="min_hter").select("fit", "value").iter_rows())
    shown = [cells[title]["order"] for title in ("binormal on ranks", "binormal")]
    assert shown == [value["binormal_ordinal"], value["binormal"]]


def test_a_report_without_any_curve_is_made(tmp_path: Path) -> None:
    pl.DataFrame(
        {
            "model": ["A"] * 8,
            "split": ["dev"] * 4 + ["test"] * 4,
            "trial": list("12345678"),
            "label": [0, 1] * 4,
            "score": [1.0] * 8,
        }
    ).write_parquet(tmp_path / "trials.parquet")
    config = "trials: {source: trials.parquet}\nfits: [binormal]\nsignificance: {replicates: 99}\n"
    (tmp_path / "report.yaml").write_text(config + "report: {formats: [json]}\n")
    out = make_report(tmp_path / "report.yaml")
    assert set(pl.read_parquet(out / "frames" / "fits.parquet")["status"]) == {"degenerate"}
