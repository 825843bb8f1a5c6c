"""Scores that seem to be turned round are named by the check and on the terminal."""

import json

import numpy as np
import polars as pl
import pytest
from command import reporting


def written(folder, sign, n=200):
    rng = np.random.default_rng(6)
    label = rng.random(n) < 0.5
    score = sign * (rng.normal(size=n) + label)
    table = {"model": ["a b"] * n, "trial": range(n), "label": label, "score": score}
    pl.DataFrame(table).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(
        "trials: {source: trials.parquet}\nthresholds: {policy: kfold}\nsignificance: {replicates: 99}\n"
        "epc: none\nreport: {formats: [json]}\n"
    )


@pytest.mark.parametrize(("sign", "turned"), [(-1, True), (1, False), (0, False)])
@pytest.mark.parametrize("words", [("check", "report.yaml"), ("run", "report.yaml", "-o", "out")])
def test_models_below_chance_are_named(tmp_path, sign, turned, words):
    written(tmp_path, sign)
    ended = reporting(*words, cwd=tmp_path)
    assert ended.returncode == 0
    said = "caution: model 'a b': targets have lower scores than non-targets (AUC 0."
    assert (said in ended.stderr) == turned
    assert ("'higher_is: nontarget'" in ended.stderr) == turned


def test_who_has_said_so_hears_nothing(tmp_path):
    written(tmp_path, -1)
    asked = ("--set", "models.a b.higher_is=nontarget")
    assert "caution" not in reporting("check", "report.yaml", *asked, cwd=tmp_path).stderr


def test_who_ignores_it_with_a_reason_hears_nothing_and_the_report_prints_the_reason(tmp_path):
    written(tmp_path, -1)
    ended = reporting(
        "run", "report.yaml", "-o", "out", "--set", "ignore={TR209: known since May}", cwd=tmp_path
    )
    assert (ended.returncode, "caution" in ended.stderr) == (0, False)
    text = (tmp_path / "out" / "report.json").read_text()
    area = pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet").filter(
        measure="auc", split="test"
    )
    assert area["value"].item() < 0.5
    cautions = [
        block
        for section in json.loads(text)["sections"]
        for block in section["blocks"]
        if block["kind"] == "caution"
    ]
    assert [(c["ignored"], c["grave"], c["title"]) for c in cautions if c["code"] == "TR209"] == [
        ("known since May", False, "Worse than chance.")
    ]
    assert {c["ignored"] for c in cautions if c["code"] != "TR209"} == {""}
