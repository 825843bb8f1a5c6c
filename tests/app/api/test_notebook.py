"""The report object: what it shows, what it hands out, what it saves, and every way to ask for it."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import reporting
from reporting.errors import ConfigError, OutputError

FEW = {"significance": {"replicates": 99, "bands": "none"}, "curves": ["det"], "epc": "none"}
QUICK = {**FEW, "report": {"formats": ["json"]}}


def arrays():
    """Labels, two models' scores with ties, and splits."""
    rng = np.random.default_rng(3)
    y = np.tile([1, 0, 0], 60)
    scores = {name: (y + rng.normal(size=180) + shift).round(1) for name, shift in (("old", 0), ("new", 1))}
    return y, scores, np.where(np.arange(180) < 90, "dev", "test")


@pytest.fixture(scope="module")
def with_dev():
    y, scores, split = arrays()
    return reporting.make_report(y, scores, split=split, title="Two models", **FEW)


@pytest.fixture(scope="module")
def shown(with_dev):
    return with_dev._repr_html_()


def test_labels_and_scores_need_no_keyword():
    y, scores, _ = arrays()
    report = reporting.make_report(y, scores, **FEW)
    assert set(report.frames["metrics"]["split"]) == {"test"}
    expected = reporting.metrics(reporting.trial_table(y, scores), ["auc"], **FEW)
    auc = report.frames["metrics"].filter(measure="auc")
    assert_frame_equal(auc.select("model", "value"), expected.select("model", "value"))
    assert report.folder is None


def test_one_array_of_scores_is_one_model():
    y, scores, _ = arrays()
    report = reporting.make_report(y, scores["old"], **FEW)
    assert report.frames["trials"]["model"].unique().to_list() == ["A"]


def test_columns_of_trials_are_keywords(with_dev):
    assert set(with_dev.frames["metrics"]["split"]) == {"dev", "test"}
    y, scores, _ = arrays()
    clustered = reporting.make_report(y, scores, cluster=np.arange(180) // 6, **FEW)
    assert set(clustered.frames["comparisons"]["unit"]) == {"cluster"}


def test_a_table_needs_no_keyword(with_dev, tmp_path):
    y, scores, split = arrays()
    table = reporting.trial_table(y, scores, split=split)
    of_table = reporting.make_report(table, title="Two models", **FEW)
    table.write_parquet(tmp_path / "trials.parquet")
    of_path = reporting.make_report(tmp_path / "trials.parquet", title="Two models", **FEW)
    for name, frame in with_dev.frames.items():
        assert_frame_equal(frame, of_table.frames[name])
        assert_frame_equal(frame, of_path.frames[name])


def test_a_config_file_is_written_to_its_folder_as_before(tmp_path):
    y, scores, split = arrays()
    reporting.trial_table(y, scores, split=split).write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "study.yaml").write_text(
        "trials: {source: trials.parquet}\nreport: {formats: [json]}\nsignificance: {replicates: 99, bands: none}\n"
        "curves: []\nepc: none\n"
    )
    report = reporting.make_report(str(tmp_path / "study.yaml"))
    assert Path(report) == report.folder == tmp_path / "study-report"
    assert (report / "report.json").is_file()
    assert str(report) == repr(report)
    assert str(report).endswith(f"\nFolder: {tmp_path / 'study-report'}")
    assert report.title == "study"


def test_the_title_of_a_report_with_a_folder_is_its_name(tmp_path):
    y, scores, _ = arrays()
    report = reporting.make_report(y, scores, out=tmp_path / "Monday", **QUICK)
    assert report.title == "Monday"
    assert (report / "manifest.json").is_file()
    assert reporting.make_report(y, scores, **FEW).title == "Report"


def test_save_writes_what_a_run_writes(with_dev, tmp_path):
    y, scores, split = arrays()
    keys = {"title": "Two models", "report": {"formats": ["html", "json"]}, **FEW}
    run = reporting.make_report(
        trials=reporting.trial_table(y, scores, split=split), out=tmp_path / "run", **keys
    )
    report = reporting.make_report(y, scores, split=split, **keys)
    with pytest.raises(ConfigError, match="no folder yet"):
        Path(report)
    assert report.save(tmp_path / "saved") == report.folder == tmp_path / "saved"
    written = sorted(path.relative_to(run.folder) for path in run.folder.rglob("*") if path.is_file())
    assert Path("report.html") in written
    assert Path("timings.json") in written
    for name in written:
        if name.name != "timings.json":
            assert (report.folder / name).read_bytes() == (run.folder / name).read_bytes(), name
    assert written == sorted(
        path.relative_to(report.folder) for path in report.folder.rglob("*") if path.is_file()
    )


def test_save_replaces_a_report_and_nothing_else(tmp_path):
    y, scores, _ = arrays()
    report = reporting.make_report(y, scores, **QUICK)
    report.save(tmp_path / "out")
    report.save(tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError):
        report.save(tmp_path / "mine")
    assert report.folder == tmp_path / "out"


def test_frames_are_those_of_the_folder(tmp_path):
    y, scores, split = arrays()
    report = reporting.make_report(y, scores, split=split, out=tmp_path / "out", **QUICK)
    files = {path.stem: pl.read_parquet(path) for path in (tmp_path / "out" / "frames").iterdir()}
    assert set(files) == set(report.frames)
    for name, frame in files.items():
        assert_frame_equal(report.frames[name], frame)
    with pytest.raises(TypeError):
        report.frames["metrics"] = None


def test_a_report_that_is_kept_in_a_history_needs_a_folder(tmp_path):
    y, scores, _ = arrays()
    with pytest.raises(ConfigError, match="history .reporting.make_report.: .*name it in out"):
        reporting.make_report(y, scores, history={"store": str(tmp_path / "runs")}, **QUICK)
    assert not (tmp_path / "runs").exists()


def test_it_prints_its_answer_in_plain_text(with_dev):
    lines = repr(with_dev).splitlines()
    assert lines[0] == "Report: Two models"
    assert with_dev.verdict in lines
    assert lines[-1] == "Not saved: save(folder) writes it."
    assert "metrics" in next(line for line in lines if line.startswith("Frames: "))
    assert str(with_dev) == repr(with_dev)
    assert "<" not in repr(with_dev)


def test_a_notebook_shows_answer_summary_and_one_picture(shown, tmp_path):
    y, scores, split = arrays()
    saved = reporting.make_report(y, scores, split=split, title="Two models", out=tmp_path / "out", **QUICK)
    page = json.loads((saved / "report.json").read_text())
    text = html.unescape(re.sub(r"<[^<>]*>", "", shown)).replace("\u00a0", " ")
    sentences = [page["headline"], *page["answer"]]
    assert len(sentences) > 2
    for sentence in sentences:
        assert sentence.replace("\u00a0", " ") in text
    assert shown.count("<table>") == 1
    assert len(re.findall(r'<svg[^>]* class="marks"', shown)) == 1
    assert "DET curves" in shown


def test_the_fragment_loads_and_runs_nothing(shown):
    for what in (
        "<script",
        "<link",
        "<style",
        "<img",
        "<iframe",
        " style=",
        " href=",
        " src=",
        "@import",
        "url(http",
    ):
        assert what not in shown, what
    addresses = set(re.findall(r"https?://[^\"'<> ]+", shown))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_pictures_of_one_notebook_share_no_identifier(shown):
    y, scores, split = arrays()
    other = reporting.make_report(1 - y, scores, split=split, **FEW)._repr_html_()
    ids = [set(re.findall(r' id="([^"]+)"', page)) for page in (shown, other)]
    assert all(ids)
    assert not ids[0] & ids[1]
    for page, own in zip((shown, other), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", page)) <= own


def test_the_same_report_shows_the_same_bytes(shown):
    y, scores, split = arrays()
    assert reporting.make_report(y, scores, split=split, title="Two models", **FEW)._repr_html_() == shown


def test_pandas_tables_need_no_pyarrow(with_dev, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name, frame in with_dev.frames.items():
        table = with_dev.to_pandas(name)
        assert isinstance(table, pd.DataFrame)
        assert list(table.columns) == frame.columns
        assert len(table) == len(frame)
        for column in frame:
            if column.dtype == pl.List:
                continue
            taken = [
                None if value is pd.NA or value != value else value for value in table[column.name].tolist()
            ]
            assert taken == column.to_list(), (name, column.name)


def test_types_of_pandas_columns():
    frame = pl.DataFrame(
        {
            "n": [1, None],
            "whole": [1, 2],
            "x": [0.5, None],
            "truth": [True, None],
            "text": ["a", None],
            "flags": [["b"], []],
        }
    )
    table = reporting.to_pandas(frame)
    assert {name: str(kind) for name, kind in table.dtypes.items()} == {
        "n": "Int64", "whole": "int64", "x": "float64", "truth": "boolean", "text": "object", "flags": "object"
    }  # fmt: skip
    assert np.isnan(table["x"][1])


def test_an_unknown_frame_is_named_with_a_guess(with_dev):
    with pytest.raises(ConfigError, match="there is no frame 'metric'; did you mean 'metrics'?"):
        with_dev.to_pandas("metric")
