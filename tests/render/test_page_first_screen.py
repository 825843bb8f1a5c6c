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

from reporting.run.report import make_report

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


def said(blocks: list[dict[str, Any]]) -> dict[str, bool]:
    return {block["text"]: block["grave"] for block in blocks if block["kind"] == "caution"}


def test_the_line_of_a_dataset_says_what_its_table_says(report: dict[str, Any], folder: Path) -> None:
    assert [label for label, _ in report["by_dataset"]] == ["large", "small"]
    for (_, line), name in zip(report["by_dataset"], ("summary", "summary_2"), strict=True):
        first, second = rows(folder, name)
        assert (first["model"], second["model"]) == ("good", LONG)
        keys = list(first)
        value, interval, difference, beside, p, adjusted, shown = (first[key] for key in keys[1:])
        assert float(value) < float(second[keys[1]])
        assert line.startswith(
            f"good, lowest HTER {value}\u202f% {interval}; difference to {LONG} {difference} points {beside}, "
        )
        assert adjusted == p == "< .001"
        assert shown == "lower"
        assert line.endswith(", adjusted p < .001, shown to be lower.")


def test_where_the_baseline_leads_its_line_tells_of_the_next(folder: Path, tmp_path: Path) -> None:
    found = make_report(folder.parent / "report.yaml", tmp_path / "out", ("baseline=good",))
    lines = json.loads((found / "report.json").read_text())["by_dataset"]
    for _, line in lines:
        assert re.match(
            rf"good, lowest HTER .*; difference to {LONG} \N{{MINUS SIGN}}.*, shown to be lower\.$", line
        )


def test_a_long_name_of_the_reference_stands_in_a_note(report: dict[str, Any]) -> None:
    table = summary(report)["blocks"][0]["blocks"][0]
    titles = [column["title"] for column in table["columns"]]
    assert "difference to the reference" in titles
    assert f"The reference is {LONG}." in table["notes"]


def test_a_dagger_marks_what_is_shown_and_a_note_explains_it(report: dict[str, Any]) -> None:
    table = summary(report)["blocks"][0]["blocks"][0]
    place = [column["title"] for column in table["columns"]].index("difference to the reference")
    assert [row[place]["mark"] for row in table["rows"]] == ["†", ""]
    (note,) = (note for note in table["notes"] if note.startswith("†"))
    assert re.fullmatch(
        r"† Shown to differ: p at most \.050, adjusted by Holm over \d+ comparisons?; .+\.", note
    )


def test_cautions_of_all_datasets_are_said_once_and_grave_ones_come_first(report: dict[str, Any]) -> None:
    both = summary(report)["blocks"]
    large, small = (said(part["blocks"]) for part in both[:2])
    shared = said(both[2:])
    assert any(text.startswith("Trials treated as independent: no cluster") for text in shared)
    assert not set(shared) & (set(large) | set(small))
    coarse = "Dev has fewer than 10 trials of a class for all models: the chosen thresholds are coarse."
    assert small[coarse]
    assert coarse not in large
    assert list(small.values()) == sorted(small.values(), reverse=True)
