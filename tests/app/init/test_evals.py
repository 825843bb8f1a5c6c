"""Evaluation logs and tables of solved items are recognised, and the config that is written passes the check."""

from __future__ import annotations

from pathlib import Path

import eval_logs
import polars as pl
import pytest

from reporting.app.config.document import read_document
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.errors import ReportingError

ITEMS = {
    model: {str(number): float((number * step) % 3 > 0) for number in range(10)}
    for model, step in (("a", 1), ("b", 2), ("c", 4))
}
ALL_TARGETS = "10 trials (10 targets"


def lm_eval(folder: Path, *tasks: str, filters=("none",), metric="acc") -> str:
    scores = {(model, task): items for model, items in ITEMS.items() for task in tasks}
    eval_logs.lm_eval(folder / "logs", scores, metric, filters)
    return "logs"


def started(folder: Path, monkeypatch, *shown: str):
    """What was said, what the config holds, and what the check finds."""
    monkeypatch.chdir(folder)
    config = folder / "report.yaml"
    said = write_starter(list(shown), config)
    faults: list = []
    document = read_document(config, faults).plain()
    assert not faults
    return said, document, check_report(config)


def test_samples_of_the_harness(tmp_path, monkeypatch):
    said, document, found = started(tmp_path, monkeypatch, lm_eval(tmp_path, "arc"))
    assert document["trials"] == {"source": "logs", "layout": "lm_eval"}
    assert document["primary"] == {"measure": "recall", "criterion": "fixed(threshold=0.5)"}
    assert document["report"]["vocabulary"] == "evals"
    assert "3 files: layout lm_eval, 10 items, 1 task, 3 models" in said
    assert "\n? " not in said
    assert ALL_TARGETS in found


def test_tasks_are_offered_as_clusters_and_for_breakdowns(tmp_path, monkeypatch):
    started(tmp_path, monkeypatch, lm_eval(tmp_path, "arc", "law"))
    text = (tmp_path / "report.yaml").read_text()
    assert "# by: [task]" in text
    assert "cluster: task" in text


def test_a_metric_among_several_is_a_question(tmp_path, monkeypatch):
    logs = lm_eval(tmp_path, "gsm8k", filters=("strict-match", "flexible-extract"), metric="exact_match")
    said, document, found = started(tmp_path, monkeypatch, logs)
    assert document["trials"]["metric"] == "exact_match,strict-match"
    assert "? trials.metric: which metric counts?" in said
    assert ALL_TARGETS in found


def test_tasks_of_other_metrics_get_one_each(tmp_path, monkeypatch):
    for task, metrics in (("arc", ("acc",)), ("gsm8k", ("exact_match", "acc"))):
        for metric in metrics:
            eval_logs.lm_eval(tmp_path / metric, {("a", task): ITEMS["a"]}, metric)
    both = [str(path.parent) for path in sorted(tmp_path.glob("*/a/samples_arc*"))]
    eval_logs.lm_eval(tmp_path / "acc", {("a", "gsm8k"): ITEMS["a"]}, "exact_match", ("strict", "loose"))
    _, document, _ = started(tmp_path, monkeypatch, *both)
    assert document["trials"]["metric"] == {"arc": "acc,none", "gsm8k": "exact_match,strict"}


@pytest.mark.parametrize("suffix", ["json", "eval"])
def test_logs_of_inspect_with_epochs(tmp_path, monkeypatch, suffix):
    for model, items in ITEMS.items():
        log = eval_logs.inspect_log(model, "t", [items, items])
        write = eval_logs.write_eval if suffix == "eval" else eval_logs.write_json
        write(tmp_path / "logs" / f"{model}.{suffix}", log)
    said, document, found = started(tmp_path, monkeypatch, "logs")
    assert document["trials"] == {"source": "logs", "layout": "inspect", "runs": "seed"}
    assert "2 attempts at each item" in said
    assert ALL_TARGETS in found


def test_graded_scores_ask_from_which_one_on_an_item_is_solved(tmp_path, monkeypatch):
    graded = {item: {"a": number % 4}["a"] for number, item in enumerate(ITEMS["a"])}
    eval_logs.write_json(tmp_path / "logs" / "a.json", eval_logs.inspect_log("a", "t", [graded]))
    said, document, found = started(tmp_path, monkeypatch, "logs")
    assert document["primary"]["criterion"] == "fixed(threshold=1.5)"
    assert "? primary.criterion: scores go from 0 to 3" in said
    assert ALL_TARGETS in found


def test_items_without_a_score_are_a_question(tmp_path, monkeypatch):
    eval_logs.write_json(
        tmp_path / "logs" / "a.json", eval_logs.inspect_log("a", "t", [ITEMS["a"] | {"0": None}])
    )
    said, document, found = started(tmp_path, monkeypatch, "logs")
    assert document["trials"]["missing"] == "reject"
    assert "? trials.missing: 1 item has no score" in said
    assert ALL_TARGETS in found


def test_reports_of_swe_bench_and_mappings(tmp_path, monkeypatch):
    for model, items in ITEMS.items():
        eval_logs.write_json(tmp_path / "logs" / f"{model}.json", eval_logs.swe_bench(items))
    _, document, found = started(tmp_path, monkeypatch, "logs")
    assert document["trials"] == {"source": "logs", "layout": "resolved"}
    assert ALL_TARGETS in found
    eval_logs.write_json(tmp_path / "all.json", ITEMS)
    (tmp_path / "report.yaml").unlink()
    assert ALL_TARGETS in started(tmp_path, monkeypatch, "all.json")[2]


def test_lists_without_a_denominator_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    eval_logs.write_json(tmp_path / "lists.json", {"a": ["x"], "b": []})
    with pytest.raises(ReportingError, match="not how many items there are; name a file with all items"):
        write_starter(["lists.json"], tmp_path / "report.yaml")


def test_a_matrix_of_items_and_systems(tmp_path, monkeypatch):
    table = pl.DataFrame({"item": [f"i{n}" for n in range(10)], "family": ["x", "y"] * 5})
    table.with_columns(pl.Series(m, list(map(int, items.values()))) for m, items in ITEMS.items()).write_csv(
        tmp_path / "m.csv"
    )
    _, document, found = started(tmp_path, monkeypatch, "m.csv")
    assert document["trials"] == {
        "source": "m.csv",
        "layout": "wide",
        "scores": ["a", "b", "c"],
        "columns": {"trial": "item", "label": "none"},
    }
    assert "# by: [family]" in (tmp_path / "report.yaml").read_text()
    assert ALL_TARGETS in found


def test_a_long_table_of_outcomes(tmp_path, monkeypatch):
    rows = [
        {"system": m, "item": item, "solved": int(score)}
        for m, items in ITEMS.items()
        for item, score in items.items()
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "l.csv")
    _, document, found = started(tmp_path, monkeypatch, "l.csv")
    assert document["trials"]["columns"] == {
        "model": "system",
        "score": "solved",
        "trial": "item",
        "label": "none",
    }
    assert ALL_TARGETS in found


@pytest.mark.parametrize("name", ["grade", "rubric_points"])
def test_a_table_of_grades_asks_for_their_mean(tmp_path, monkeypatch, name):
    rows = [
        {"model": model, "item": f"q{item}", "epoch": epoch, name: (item * 7 + epoch + len(model)) % 6}
        for model in ("base", "tuned_")
        for item in range(12)
        for epoch in range(2)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "g.csv")
    _, document, found = started(tmp_path, monkeypatch, "g.csv")
    assert document["trials"]["columns"] == {"trial": "item", "run": "epoch", "score": name, "label": "none"}
    assert document["primary"] == {"measure": "mean_score"}
    assert "12 trials (12 targets" in found


def test_scores_of_attempts_are_grades_where_nothing_could_be_a_label(tmp_path, monkeypatch):
    rows = [
        {
            "task": "essays",
            "model": model,
            "item": f"q{item}",
            "epoch": epoch,
            "score": (item + epoch) % 3 / 2,
        }
        for model in ("base", "tuned")
        for item in range(12)
        for epoch in range(2)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "g.csv")
    said, document, found = started(tmp_path, monkeypatch, "g.csv")
    assert document["trials"]["columns"] == {"trial": "item", "run": "epoch", "label": "none"}
    assert document["primary"] == {"measure": "mean_score"}
    assert "? trials.columns.label: does 'score' grade every item, so that none has a label?" in said
    assert "12 trials (12 targets" in found
    with_truth = pl.DataFrame(rows).with_columns(genuine=pl.col("item").str.ends_with("1"))
    with_truth.write_csv(tmp_path / "t.csv")
    (tmp_path / "report.yaml").unlink()
    assert started(tmp_path, monkeypatch, "t.csv")[1]["trials"]["columns"]["label"] == "genuine"


def test_a_table_with_labels_stays_one(tmp_path, monkeypatch):
    """A judge whose verdicts have a gold label is a classifier."""
    rows = {
        "item": [f"i{n}" for n in range(10)],
        "label": [1, 0] * 5,
        "judge_a": [0.9, 0.2, 0.8, 0.4, 0.7] * 2,
        "judge_b": [0, 1] * 5,
    }
    pl.DataFrame(rows).write_csv(tmp_path / "j.csv")
    _, document, _ = started(tmp_path, monkeypatch, "j.csv")
    assert "label" not in document["trials"].get("columns", {})
    assert document["primary"] == {"measure": "auc"}


def test_logs_of_two_layouts_are_not_one_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    eval_logs.write_json(tmp_path / "logs" / "a.json", eval_logs.swe_bench(ITEMS["a"]))
    eval_logs.write_json(tmp_path / "logs" / "b.json", eval_logs.inspect_log("b", "t", [ITEMS["b"]]))
    with pytest.raises(
        ReportingError, match=r"logs of different layouts .*a.json: resolved, .*b.json: inspect"
    ):
        write_starter(["logs"], tmp_path / "report.yaml")
