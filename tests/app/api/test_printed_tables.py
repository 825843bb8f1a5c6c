"""Tables of a report as objects of great_tables: the texts of the report's own files, and systems by measures."""

from __future__ import annotations

import csv
import html
import re
import sys
import warnings

import numpy as np
import polars as pl
import pytest

import reporting
from reporting.errors import ConfigError

QUICK = {"significance": {"replicates": 99, "bands": "none"}, "curves": [], "epc": "none"}


def made(**keys):
    rng = np.random.default_rng(5)
    y = np.tile([1, 0, 0], 40)
    scores = {name: (y + rng.normal(size=120)).round(1) for name in ("old", "new", "newer")}
    return reporting.make_report(y, scores, **QUICK | keys)


@pytest.fixture(scope="module")
def report():
    return made(
        split=np.where(np.arange(120) < 60, "dev", "test"), measures=["hter", "far", "frr", "auc", "eer_rocch"],
        report={"formats": ["json"], "tables": [{"name": "main", "columns": ["auc", "hter"]}]},
    )  # fmt: skip


def cells(table):
    """The texts of its body, row by row."""
    body = table.as_raw_html().partition("<tbody")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    return [
        [html.unescape(text) for text in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)]
        for row in rows
    ]


def heads(table):
    return [
        html.unescape(text)
        for text in re.findall(r'<th class="gt_col_heading[^>]*>(.*?)</th>', table.as_raw_html(), re.DOTALL)
    ]


@pytest.mark.parametrize("name", ["summary", "main"])
def test_cells_are_those_of_the_report_s_own_file(report, name, tmp_path):
    pytest.importorskip("great_tables")
    file = report.save(tmp_path / "out") / "tables" / f"{name}.csv"
    with file.open(newline="") as lines:
        own = list(csv.reader(lines))[1:]
    texts = [" ".join(filter(None, row)).split() for row in own]
    assert [" ".join(row).split() for row in cells(report.table(name))] == texts
    assert len(texts) == 3


def test_a_table_for_a_paper_has_a_row_a_model_and_a_column_a_measure(report):
    pytest.importorskip("great_tables")
    table = report.table("paper")
    named = [head.split(" (")[0] for head in heads(table)]
    measures = {"HTER": "hter", "FAR": "far", "FRR": "frr", "AUC": "auc", "EER": "eer_rocch"}
    assert named == ["model", *(each for name in measures for each in (name, "95% CI"))]
    rows = {row[0]: row[1:] for row in cells(table)}
    metrics = report.frames["metrics"].filter(split="test")
    for model, texts in rows.items():
        for at, measure in enumerate(measures.values()):
            of = metrics.filter(
                (pl.col("criterion") == "min_hter").fill_null(True), model=model, measure=measure
            )
            printed = [*map(float, re.findall(r"[\d.]+", " ".join(texts[2 * at : 2 * at + 2])))]
            expected = [
                of[name][0] * (1 if measure == "auc" else 100) for name in ("value", "ci_low", "ci_high")
            ]
            assert printed == pytest.approx(expected, abs=0.0006 if measure == "auc" else 0.06)
    assert set(rows) == {"old", "new", "newer"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert r"\begin{tabular*}" in table.as_latex()


def test_without_dev_a_table_for_a_paper_has_what_needs_no_threshold():
    pytest.importorskip("great_tables")
    assert [head.split(" (")[0] for head in heads(made().table("paper"))][:3] == ["model", "EER", "95% CI"]


def test_what_is_bold_in_the_report_is_bold():
    pytest.importorskip("great_tables")
    y = np.tile([1, 0, 0], 40)
    scores = {"good": y * 3 + np.arange(120) % 7, "bad": np.arange(120) % 7}
    shown = reporting.make_report(y, scores, **QUICK).table("summary").as_raw_html()
    assert len(re.findall(r'<td style="font-weight: bold;"', shown)) == 1


def test_an_unknown_table_is_named_with_a_guess(report):
    with pytest.raises(
        ConfigError, match=r"there is no table 'sumary'; did you mean 'summary'\? \(available: .*paper"
    ):
        report.table("sumary")


def test_without_the_library_the_extra_is_named(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(
        ConfigError, match=r"great_tables is not installed; run pip install 'trial-reporting\[tables\]'"
    ):
        report.table("summary")
