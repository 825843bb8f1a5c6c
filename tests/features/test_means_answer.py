"""Means over the values of a column answer the first question: frames, page, gates and history say one number."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from build import Built, build

from reporting.app.run.report import make_report
from reporting.document.frames.comparisons import COMPARISONS, STANDING
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.ranking import RANKING
from reporting.document.words.decisions import answer
from reporting.document.words.view import views
from reporting.features.answer.verdict import in_words, verdict
from reporting.features.compose import compose
from reporting.features.groups.breakdowns import breakdowns

TOP = "averaged_over: day\nprimary: {measure: 'precision_at(k=2)'}\nmeasures: ['precision_at(k=2)', auc]\n"
TOP += "thresholds: {policy: none}\nepc: none\n"
DAYS = {"d0": (1, 1, 0, 0), "d1": (1, 0, 0, 0), "d2": (0, 0, 0, 0), "d3": (0, 1, 1, 0)}
"""The labels of each day, from the highest score of A down; d2 has no target. B turns every day round."""
MEAN_A = Fraction(2 + 1 + 0 + 1, 2 * len(DAYS))


def _rows(days: dict[str, tuple[int, ...]] = DAYS) -> list[dict[str, Any]]:
    rows = []
    for at, (day, labels) in enumerate(days.items()):
        for place, label in enumerate(labels):
            trial = {"trial": f"{day}{place}", "day": day, "label": label, "split": "test"}
            score = (
                100.0 * at - place
            )  # the last days have the highest scores: the pool asks another question
            rows.append(trial | {"model": "A", "score": score})
            rows.append(trial | {"model": "B", "score": 100.0 * at + place})
    return rows


def _mean(built: Built, model: str, measure: str = "precision_at(k=2)") -> Any:
    (row,) = (
        row
        for row in built.rows(METRICS)
        if (row.model, row.measure, row.group, row.split) == (model, measure, "mean(day)", "test")
    )
    return row


def test_a_day_without_targets_is_in_the_mean_of_a_precision_and_not_in_that_of_an_area(
    tmp_path: Path,
) -> None:
    built = build(tmp_path, _rows(), TOP + "by: [day]\n")
    row = _mean(built, "A")
    assert (row.value, row.n_units) == (float(MEAN_A), 4)
    assert "undefined_left_out" not in row.flags
    area = _mean(built, "A", "auc")
    assert area.n_units == 3
    assert "undefined_left_out" in area.flags
    on_the_day = [r for r in built.rows(METRICS) if r.group == "day=d2" and r.measure.startswith("precision")]
    assert [(r.value, r.status) for r in on_the_day] == [(0.0, None)] * 2


def test_the_mean_is_the_first_answer_everywhere(tmp_path: Path) -> None:
    built = build(tmp_path, _rows(), TOP)
    (view,) = views(built.results)
    row = _mean(built, "A")
    assert view.primary("A") == row
    assert view.ranked[0] == "A"
    text = verdict(built.results)
    assert "averaged over day" in text
    assert "50%" in text
    (compared,) = (r for r in view.headlines if r.measure == "precision_at(k=2)")
    first, second = _mean(built, compared.model), _mean(built, compared.baseline)
    assert compared.group == "mean(day)"
    assert compared.difference == pytest.approx(first.value - second.value)
    assert compared.family == "primary"
    summary = compose(built.results).sections[0]
    table = next(block for block in summary.blocks if getattr(block, "name", "") == "summary")
    assert "averaged over day" in table.caption
    assert breakdowns(built.results) is not None


def test_the_pool_is_beside_and_in_no_family(tmp_path: Path) -> None:
    built = build(tmp_path, _rows(), TOP, "significance.family=all")
    families = {(row.measure, row.group): row.family for row in built.rows(COMPARISONS)}
    assert families == {
        ("precision_at(k=2)", ""): "descriptive",
        ("precision_at(k=2)", "mean(day)"): "all",
        ("auc", ""): "all",
        ("auc", "mean(day)"): "descriptive",
    }


@pytest.mark.parametrize("correction", ["holm", "maxt", "none"])
def test_the_decision_rests_on_the_means(tmp_path: Path, correction: str) -> None:
    """B is better on the pool of all days, and worse on every day."""
    random = np.random.default_rng(1)
    days = {
        f"d{i:02}": tuple(int(p < 0.5 / (1 + k)) for k, p in enumerate(random.random(8))) for i in range(24)
    }
    rows = [row | ({"score": row["score"] * 0.0} if row["model"] == "B" else {}) for row in _rows(days)]
    built = build(tmp_path, rows, TOP, f"significance.correction={correction}")
    (view,) = views(built.results)
    outcome = answer(view)
    means = {model: _mean(built, model).value for model in "AB"}
    assert means["A"] > means["B"]
    assert outcome.decisions["A"].word == "best"
    assert outcome.decisions["B"].word == "ruled out"
    assert in_words(built.results).headline == "A is best."
    (row,) = (r for r in view.headlines if r.measure.startswith("precision"))
    assert row.p_adjusted is None if correction == "none" else row.p_adjusted >= row.p_value


def test_three_models_are_decided_by_the_pairs_of_means(tmp_path: Path) -> None:
    rows = _rows()
    rows += [row | {"model": "C", "score": -row["score"]} for row in rows if row["model"] == "A"]
    built = build(tmp_path, rows, TOP, "report.sections=[summary,ranking,rest]")
    (view,) = views(built.results)
    assert built.rows(STANDING)
    assert "ranking" not in built.frames or not built.rows(RANKING)
    assert set(answer(view).decisions) == {"A", "B", "C"}
    assert all(row.group == "mean(day)" for row in view.headlines if row.measure.startswith("precision"))
    compose(built.results)


def _report(folder: Path, rows: list[dict[str, Any]], more: str, *overrides: str) -> Path:
    folder.mkdir(exist_ok=True)
    pl.DataFrame(rows).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text("trials: {source: trials.parquet}\n" + TOP + more)
    fast = ("significance.replicates=99", "report.formats=[json]", "run.executor=serial", "curves=[]")
    return make_report(folder / "report.yaml", overrides=(*fast, *overrides))


def test_gates_judge_the_means(tmp_path: Path) -> None:
    gates = (
        "gates:\n- {measure: 'precision_at(k=2)', model: A, at_least: 0.1}\n"
        "- {measure: 'precision_at(k=2)', model: A, better: true, against: B}\n- {measure: auc, model: A, at_least: 0.1}\n"
    )
    folder = _report(tmp_path / "now", _rows(), gates)
    judged = pl.read_parquet(folder / "frames" / "gates.parquet").to_dicts()
    found = {(row["measure"], row["against"]): row for row in judged}
    value, area = found["precision_at(k=2)", None], found["auc", None]
    difference = found["precision_at(k=2)", "B"]
    metrics = pl.read_parquet(folder / "frames" / "metrics.parquet").filter(group="mean(day)")
    mean = {(row["model"], row["measure"]): row for row in metrics.to_dicts()}
    assert value["estimate"] == mean["A", "precision_at(k=2)"]["value"] == float(MEAN_A)
    assert area["estimate"] == pytest.approx(mean["A", "auc"]["value"])
    frame = pl.read_parquet(folder / "frames" / "comparisons.parquet").filter(
        group="mean(day)", measure="precision_at(k=2)"
    )
    (compared,) = frame.to_dicts()
    sign = 1 if compared["model"] == "A" else -1
    assert difference["estimate"] == pytest.approx(sign * compared["difference"])
    assert {row["unit"] for row in (value, difference, area)} == {"cluster"}
    page = json.loads((folder / "report.json").read_text())
    assert "averaged over day" in page["verdict"]


def test_history_follows_the_means(tmp_path: Path) -> None:
    history = "history: {store: store}\n"
    _report(tmp_path / "run", _rows(), history, "history.as_of=2026-01-01")
    later = _rows(DAYS | {"d4": (1, 1, 0, 0)})
    folder = _report(tmp_path / "run", later, history, "history.as_of=2026-02-01")
    since = pl.read_parquet(folder / "frames" / "since_last.parquet").filter(model="A")
    (row,) = since.to_dicts()
    assert (row["value"], row["value_then"]) == (float(Fraction(6, 10)), float(MEAN_A))
    assert row["difference"] == pytest.approx(0.1)
    assert row["pairing"] == "unpaired"
