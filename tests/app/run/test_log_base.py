"""Scores that are named after another logarithm than their scale are named by the check and on the page."""

import json

import numpy as np
import polars as pl
import pytest
from command import reporting

from reporting.document.words.log_bases import named_base


def written(folder, scale, layout="long", column="log10LR"):
    rng = np.random.default_rng(6)
    label = rng.random(200) < 0.5
    score = rng.normal(size=200) + label
    table = {"trial": range(200), "label": label, column: score}
    where = f"columns: {{score: {column}}}"
    if layout == "wide":
        where = f"layout: wide, scores: {{System: {column}}}"
    elif layout == "left over":
        where = "layout: wide"
    else:
        table["model"] = ["System"] * 200
    key = column if layout == "left over" else "System"
    pl.DataFrame(table).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(
        f"trials: {{source: trials.parquet, {where}}}\nmodels: {{{key}: {{scale: {scale}}}}}\n"
        "thresholds: {policy: none}\nprimary: {measure: cllr}\nsignificance: {replicates: 99}\n"
        "epc: none\ncurves: []\nreport: {formats: [json]}\n"
    )
    return key


@pytest.mark.parametrize("layout", ["long", "wide", "left over"])
def test_the_check_names_a_column_of_another_base(tmp_path, layout):
    key = written(tmp_path, "llr", layout)
    ended = reporting("check", "report.yaml", cwd=tmp_path)
    assert ended.returncode == 0
    assert f"caution: The scores of {key} (column 'log10LR') are read as natural log" in ended.stderr
    assert "'scale: log10_llr'" in ended.stderr
    assert "[TR320]" in ended.stderr


@pytest.mark.parametrize(
    ("scale", "column", "named"),
    [
        ("log10_llr", "log10LR", False),
        ("score", "log10LR", False),
        ("llr", "lnLR", False),
        ("llr", "llr", False),
        ("log10_llr", "llr", False),
        ("log10_llr", "lnLR", True),
        ("llr", "llr10", True),
    ],
)
def test_only_contradictions_are_named(tmp_path, scale, column, named):
    written(tmp_path, scale, column=column)
    assert ("TR320" in reporting("check", "report.yaml", cwd=tmp_path).stderr) == named


def test_the_check_keeps_quiet_where_it_is_ignored(tmp_path):
    written(tmp_path, "llr")
    asked = ("--set", "ignore={TR320: an old name}")
    assert "TR320" not in reporting("check", "report.yaml", *asked, cwd=tmp_path).stderr


def test_the_page_has_it_among_its_cautions_and_the_run_names_it_once(tmp_path):
    written(tmp_path, "llr")
    ended = reporting("run", "report.yaml", "-o", "out", cwd=tmp_path)
    assert (ended.returncode, ended.stderr.count("TR320")) == (0, 1)
    sections = json.loads((tmp_path / "out" / "report.json").read_text())["sections"]
    blocks = [block for section in sections for block in section["blocks"] if block["kind"] == "caution"]
    assert [(block["title"], block["grave"]) for block in blocks if block["code"] == "TR320"] == [
        ("Base of the logarithm.", True)
    ]


@pytest.mark.parametrize(
    ("base", "names"),
    [
        ("log10_llr", "log10LR log10_lr llr10 LLR10 log_10_LR log-10 System_log10 LogLR_lr10"),
        ("llr", "lnLR ln_lr LN LLR_ln loge log_e_lr natural_llr logeLR"),
        (None, "llr score LLR100 log1000 alnum kiln natural_log10 naturalness vln catalog_e lnet LNorm"),
    ],
)
def test_bases_in_names(base, names):
    assert {name: named_base(name) for name in names.split()} == dict.fromkeys(names.split(), base)
