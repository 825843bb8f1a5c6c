"""A rate of one kind of error is no headline where thresholds trade it for the other, unless it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import reporting
from reporting.app.run.check import check_report
from reporting.core.criteria.catalogue import CRITERIA, read_criterion
from reporting.core.engine.study import Primary
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.document.words.one_kind import BY_ACCEPTING, BY_REJECTING, paid_by

QUICK: dict[str, Any] = {"curves": [], "epc": "none", "significance": {"replicates": 99}}


@pytest.fixture(scope="module")
def trials() -> pl.DataFrame:
    draw = np.random.default_rng(4)
    label = np.tile([1, 0, 0], 40)
    parts = [
        {"model": model, "split": split, "trial": np.arange(120), "label": label,
         "score": draw.normal(size=120) + ease * label}
        for split in ("dev", "test") for model, ease in (("A", 2), ("B", 1.5))
    ]  # fmt: skip
    return pl.concat([pl.DataFrame(part) for part in parts])


def primary_of(trials: pl.DataFrame, **keys: Any) -> tuple[str, str, set[str]]:
    """Return the primary measure and criterion of a report, and the codes of its cautions."""
    results = reporting.make_report(trials, **QUICK, **keys)
    study = results._computed.results.study.primary
    return str(study.measure), str(study.criterion), {caution.code for caution in results.cautions}


FAR_5 = "target_far(far=0.05)"


@pytest.mark.parametrize(
    ("measures", "criteria", "measure"),
    [
        (["frr", "far", "hter", "auc"], [], "hter"),
        (["precision", "auc"], [], "auc"),
        (["frr", "hter"], ["target_frr(frr=0.05)"], "hter"),
        (["far", "f1"], [FAR_5], "f1"),
        (["frr", "hter"], [FAR_5], "frr"),
        (["precision", "hter"], [FAR_5], "precision"),
        (["far", "hter"], ["target_frr(frr=0.05)"], "far"),
        (["recall", "f1"], ["fixed(threshold=0.5)"], "recall"),
        (["hter", "frr"], [], "hter"),
    ],
)
def test_a_rate_is_the_headline_where_the_other_is_held(
    trials: pl.DataFrame, measures: list[str], criteria: list[str], measure: str
) -> None:
    found, criterion, codes = primary_of(trials, measures=measures, criteria=criteria or ["min_hter"])
    assert found == measure
    assert "TR336" not in codes
    assert measure == "auc" or criterion == (criteria or ["min_hter"])[0]


@pytest.mark.parametrize(
    "keys",
    [{"measures": ["frr", "far"]}, {"primary": "frr"}, {"primary": {"measure": "frr", "criterion": "eer"}}],
)
def test_one_that_is_asked_for_stays_with_a_caution(trials: pl.DataFrame, keys: dict[str, Any]) -> None:
    found, _, codes = primary_of(trials, **keys)
    assert found == "frr"
    assert "TR336" in codes


def test_compare_adjusts_the_p_values_of_the_same_question(trials: pl.DataFrame) -> None:
    for measures in (None, ["frr", "far", "hter"]):
        rows = reporting.compare(trials, measures=measures, significance={"replicates": 99})
        assert set(rows.filter(family="primary")["measure"]) == {"hter"}


def test_check_warns_and_a_config_is_obeyed(trials: pl.DataFrame, tmp_path: Path) -> None:
    trials.write_parquet(tmp_path / "t.parquet")
    for measure, criterion, warns in (
        ("frr", "min_hter", True),
        ("frr", FAR_5, False),
        ("hter", "eer", False),
    ):
        config = tmp_path / "c.yaml"
        config.write_text(
            f"trials: {{source: t.parquet}}\nprimary: {{measure: {measure}, criterion: '{criterion}'}}\n"
        )
        lines: list[str] = []
        check_report(config, tell=lines.append)
        assert any("FRR is the primary measure" in line and "FAR" in line for line in lines) == warns
        if warns:
            config.write_text(config.read_text() + "ignore: {TR336: known}\n")
            lines.clear()
            check_report(config, tell=lines.append)
            assert not any("primary measure" in line for line in lines)


def test_targets_alone_have_no_other_rate(trials: pl.DataFrame) -> None:
    targets = trials.filter((pl.col("label") == 1) | (pl.col("split") == "dev"))
    for of, cautioned in ((trials, True), (targets, False)):
        assert ("TR336" in primary_of(of, measures=["frr"], primary="frr")[2]) == cautioned


@pytest.mark.parametrize("key", [*BY_ACCEPTING, *BY_REJECTING])
def test_accepting_or_rejecting_more_buys_such_measures(key: str) -> None:
    """Of 100 targets and 100 non-targets: one that accepts, or rejects, nearly all beats 5 errors of each kind."""
    measure, extreme = MEASURES[key], (0, 99) if key in BY_ACCEPTING else (99, 0)
    values = [
        float(np.squeeze(measure.formula(np.array([m]), np.array([f]), 100, 100, **measure.arguments)))
        for m, f in (extreme, (5, 5))
    ]
    bought, fair = (measure.loss(value) for value in values)
    assert bought < fair or (key == "lr_positive" and np.isnan(bought))


def test_no_other_measure_at_a_threshold_is_bought_so() -> None:
    for key, measure in MEASURES.items():
        if measure.over != "threshold" or key in (*BY_ACCEPTING, *BY_REJECTING) or measure.mixed:
            continue
        for extreme in ((0, 99), (99, 0)):
            values = [
                float(
                    np.squeeze(measure.formula(np.array([m]), np.array([f]), 100, 100, **measure.arguments))
                )
                for m, f in (extreme, (5, 5))
            ]
            bought, fair = (measure.loss(value) for value in values)
            assert not bought < fair, key


def test_every_criterion_says_which_rate_it_holds() -> None:
    far = {key for key, each in CRITERIA.items() if not paid_by(Primary(MEASURES["frr"], each))}
    frr = {key for key, each in CRITERIA.items() if not paid_by(Primary(MEASURES["far"], each))}
    assert far == {
        "target_far",
        "guarantee",
        "guarantee_precision",
        "worst_far",
        "fixed",
        "target",
    }  # of precision
    assert frr == {"target_frr", "guarantee_frr", "fixed"}
    weighted = read_measure("weighted_error(alpha=1)")
    assert paid_by(Primary(weighted, read_criterion("min_hter"))) == "frr"
    assert paid_by(Primary(read_measure("weighted_error(alpha=0.9)"), read_criterion("min_hter"))) == ""
    recall_held = read_criterion("target(measure=recall,value=0.9)")
    assert paid_by(Primary(MEASURES["precision"], recall_held)) == ""
    assert paid_by(Primary(MEASURES["recall"], recall_held)) == "far"
