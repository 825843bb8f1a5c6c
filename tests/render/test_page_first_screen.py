"""The first screen of a report on two datasets: one line each, cautions of both said once, numbers as in the table."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from reporting.app.run.report import make_report

LONG = "a model with quite a long name, second edition"
SIZES = (("large", "dev", 200), ("large", "test", 200), ("small", "dev", 8), ("small", "test", 200))
CONFIG = """
trials: {source: trials.parquet}
baseline: base
models: {base: {name: "BASE"}, good: {}}
measures: [hter]
criteria: [min_hter]
curves: []
epc: none
significance: {replicates: 99}
report: {formats: [json]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two datasets, of which only ``small`` has a dev of few targets; ``good`` is much better."""
    where, rng = tmp_path_factory.mktemp("two"), np.random.default_rng(1)
    parts = []
    for dataset, split, n in SIZES:
        label = np.repeat([1, 0], n)
        for model, shift in (("base", 0.5), ("good", 3.0)):
            score = np.round(rng.normal(size=2 * n) + shift * label, 1)
            keys = {"model": model, "dataset": dataset, "split": split}
            scored = pl.DataFrame({"trial": range(2 * n), "label": label, "score": score})
            parts.append(scored.with_columns(**{name: pl.lit(value) for name, value in keys.items()}))
    pl.concat(parts).write_parquet(where / "trials.parquet")
    (where / "report.yaml").write_text(CONFIG.replace("BASE", LONG))
    return make_report(where / "report.yaml")


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        head, *body = csv.reader(lines)
    # The two intervals share a head: the second is that of the difference.
    named = [f"{title} 2" if title in head[:i] else title for i, title in enumerate(head)]
    return [dict(zip(named, row, strict=True)) for row in body]


def summary(report: dict[str, Any]) -> dict[str, Any]:
    return next(section for section in report["sections"] if section["anchor"] == "summary")


def test_the_line_of_a_dataset_says_what_its_table_says(report: dict[str, Any], folder: Path) -> None:
    assert [label for label, _ in report["by_dataset"]] == ["large", "small"]
    for (_, line), name in zip(report["by_dataset"], ("summary_large", "summary_small"), strict=True):
        first, second = rows(folder, name)
        assert (first["model"], second["model"]) == ("good", LONG)
        value, interval, difference, limits, verdict = (first[key] for key in list(first)[1:6])
        assert float(value) < float(second[list(first)[1]])
        # None of 99 exchanges differs as much: 1 / 100, twice that for two datasets.
        assert verdict.startswith("better, p = .020")
        assert f"{value}%" in line
        assert interval.strip("[]").replace(", ", " to ") in line
        assert difference
        assert limits
        assert "good is better than" in line


def test_where_the_baseline_leads_its_line_says_so(folder: Path, tmp_path: Path) -> None:
    found = make_report(folder.parent / "report.yaml", tmp_path / "out", ("baseline=good",))
    lines = json.loads((found / "report.json").read_text())["by_dataset"]
    for _, line in lines:
        assert f"{LONG} is worse than the baseline good" in line


def test_a_long_name_of_the_reference_stands_in_its_row_alone(report: dict[str, Any]) -> None:
    table = tables(report)[0]
    assert "difference from the baseline (points)" in {each["group"] for each in table["columns"]}
    assert [row[0]["text"] for row in table["rows"] if "baseline" in [cell["text"] for cell in row]] == [LONG]


def test_a_note_says_when_a_verdict_is_better_or_worse(report: dict[str, Any]) -> None:
    notes = tables(report)[0]["notes"]
    assert any(re.match(r"Better or worse if p ≤ \.05", note) for note in notes)


def tables(report: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [part for part in summary(report)["blocks"] if part["kind"] == "section"]
    return [block for part in parts for block in part["blocks"] if block["kind"] == "table"]


def test_cautions_of_all_datasets_come_once_those_of_one_name_it(report: dict[str, Any]) -> None:
    blocks = summary(report)["blocks"]
    assert not [
        b for part in blocks if part["kind"] == "section" for b in part["blocks"] if b["kind"] == "caution"
    ]
    cautions = [block for block in blocks if block["kind"] == "caution"]
    assert len({(each["title"], each["text"]) for each in cautions}) == len(cautions)
    (shared,) = (each for each in cautions if each["text"].startswith("Trials were treated as independent"))
    assert shared["title"] == "Independence assumed."
    (own,) = (each for each in cautions if each["text"].startswith("The development set has fewer than 10"))
    assert own["title"].endswith(" (small).")
    grave = [each["grave"] for each in cautions]
    assert grave == sorted(grave, reverse=True)


def test_a_matrix_has_the_values_of_every_dataset_and_its_verdict(
    report: dict[str, Any], folder: Path
) -> None:
    assert report["headline"] == f"good is better than the baseline {LONG} on both datasets."
    matrix, *_ = summary(report)["blocks"]
    assert [column["title"] for column in matrix["columns"]] == [
        "model",
        "",
        "HTER, large",
        "",
        "HTER, small",
    ]
    large, small = (column["axis"] for column in matrix["columns"] if column["kind"] == "drawn")
    assert large == small
    for place, name in ((2, "summary_large"), (4, "summary_small")):
        for row in rows(folder, name):
            (cells,) = (cells for cells in matrix["rows"] if cells[0]["text"] == row["model"])
            value, interval = (row[key] for key in list(row)[1:3])
            assert cells[place - 1]["drawn"]["value"] == pytest.approx(float(value), abs=0.06)
            assert float(cells[place]["text"]) == pytest.approx(float(value), abs=0.06)
            assert interval.startswith("[")
            assert (cells[place]["mark"], cells[place]["tone"]) == (
                ("✓", "good") if row["model"] == "good" else ("", "")
            )
    folded = [part for part in summary(report)["blocks"] if part["kind"] == "section"]
    assert [part["folded"] for part in folded] == [True, True]
