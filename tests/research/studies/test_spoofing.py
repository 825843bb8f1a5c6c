"""Costs of three kinds of trials, in few runs: the study reads what a report prints, and its intervals cover."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from tests.build import build
from tests.research.studies.models import runs, table_of
from tests.research.studies.spoofing import ADCF, STUDY, WORLDS, judged, shares

RUNS = 40
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)
CONFIG = """
trials:
  source: trials.parquet
  values: {target: target, nontarget: nontarget, spoof: spoof}%s
measures: [adcf, minadcf]
primary: {measure: adcf, criterion: min_adcf}
criteria: [min_adcf]
epc: none
curves: []
"""


@pytest.mark.parametrize("name", ["30 targets, 60 zero-effort, 30 spoofs", "40 speakers, spoofs by others"])
def test_the_study_reads_what_a_report_prints(tmp_path: Path, name: str) -> None:
    ((rng, study),) = runs(STUDY, 5, 3, 4)
    drawn = judged(rng, WORLDS[name], study)
    assert drawn.dev is not None
    rows = table_of(drawn.test, drawn.dev)
    inference = f"significance.seed={study.inference.seed}", "significance.replicates=199"
    config = CONFIG % ("\n  columns: {cluster: unit}" if WORLDS[name].speakers else "")
    frames = build(tmp_path, rows, config, *inference).only(METRICS, COMPARISONS)
    printed = frames["metrics"].filter(split="test", group="", model="a")
    for measure, criterion in (("adcf", "min_adcf"), ("minadcf", None)):
        row = printed.filter(pl.col("measure") == measure, pl.col("criterion").eq_missing(criterion))
        assert row.select("ci_low", "ci_high").row(0) == drawn.intervals()[measure, criterion]
    row = frames["comparisons"].filter(measure="adcf", group="", inference="procedure")
    compared = drawn.pair.turned(drawn.difference(ADCF, "min_adcf", "procedure").tested())
    assert row.select("ci_low", "ci_high", "p_value").row(0) == (
        compared.low,
        compared.high,
        compared.p_value,
    )


@pytest.mark.parametrize("name", ["30 targets, 60 zero-effort, 30 spoofs", "40 speakers who do all"])
def test_intervals_hold_the_truth_and_equal_models_seldom_differ(name: str) -> None:
    found = shares(name, RUNS)
    assert {key: share for key, share in found.items() if key != "test" and share < LEAST} == {}
    assert found["test"] <= 1 - LEAST
