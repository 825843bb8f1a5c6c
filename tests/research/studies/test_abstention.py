"""What abstention reports, in few runs: the study reads what a report prints, intervals cover, tests keep to .05."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from reporting.features.abstention.frame import ABSTENTION, abstention_rows
from tests.build import build
from tests.research.studies.abstention import (
    LEVELS,
    SETTINGS,
    Setting,
    covered,
    development,
    rejected,
    reports,
)
from tests.research.studies.models import runs, table_of

RUNS = 40
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)
CONFIG = """
trials: {source: trials.parquet%s}
primary: {measure: hter, criterion: 'fixed(threshold=%r)'}
criteria: ['fixed(threshold=%r)']
curves: []
epc: none
abstention: {cost: {false_negative: 2, review: 0.2}, capacity: 0.2}
"""


@pytest.mark.parametrize("setting", [SETTINGS[1], SETTINGS[6]], ids=lambda setting: setting.name)
def test_the_study_reads_what_a_report_prints(tmp_path: Path, setting: Setting) -> None:
    (judged,) = reports(setting, 1)
    settings = judged.study.inference
    ((rng, _),) = runs(judged.study, settings.seed // 1_000_000, 0, 1)
    rows = table_of(setting.draw(rng), development(setting, settings.seed // 1_000_000))
    config = CONFIG % (", columns: {cluster: unit}" if setting.clusters else "", *2 * (setting.threshold,))
    inference = f"significance.seed={settings.seed}", f"significance.replicates={settings.replicates}"
    printed = ABSTENTION.rows(build(tmp_path, rows, config, *inference).only(ABSTENTION)["abstention"])
    limits = {(row.rule, row.quantity): (row.ci_low, row.ci_high) for row in printed}
    assert limits == {(row.rule, row.quantity): (row.ci_low, row.ci_high) for row in abstention_rows(judged)}


@pytest.mark.parametrize("setting", [SETTINGS[5], SETTINGS[6]], ids=lambda setting: setting.name)
def test_intervals_and_bands_hold_the_truth(setting: Setting) -> None:
    found = covered(setting, RUNS)
    assert {name: share for name, share in found.items() if share < LEAST} == {}


def test_models_of_equal_worth_seldom_differ() -> None:
    found = rejected(LEVELS[0], RUNS)
    assert {name: share for name, share in found.items() if share > 1 - LEAST} == {}
