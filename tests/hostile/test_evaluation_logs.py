"""Logs of evaluations that anybody may have written: with faults in their bytes, and with names that attack."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import eval_logs
import polars as pl
import pytest
from command import reporting

from tests.hostile.broken_files import faulty
from tests.hostile.ending import faults_of, faults_of_report
from tests.hostile.texts import PAYLOADS

QUESTION = (
    "primary: {measure: recall, criterion: fixed(threshold=0.5)}\ncriteria: [fixed(threshold=0.5)]\n"
    "measures: [recall]\ncurves: []\nepc: none\nsignificance: {replicates: 99}\n"
)
ITEMS = {str(number): float(number % 3 > 0) for number in range(12)}
WRITTEN_BY_INSPECT = Path(__file__).parents[1] / "inputs" / "layouts" / "inspect_logs"


def write_logs(folder: Path, layout: str) -> None:
    """Write the logs of two models in a layout."""
    for model in ("alpha", "beta"):
        if layout == "lm_eval":
            eval_logs.lm_eval(folder, {(model, "t"): ITEMS})
        elif layout == "resolved":
            eval_logs.write_json(folder / f"{model}.json", eval_logs.swe_bench(ITEMS))
        elif layout == "inspect":
            eval_logs.write_json(folder / f"{model}.json", eval_logs.inspect_log(model, "t", [ITEMS]))
        elif layout == "archives":
            eval_logs.write_eval(folder / f"{model}.eval", eval_logs.inspect_log(model, "t", [ITEMS]))
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(WRITTEN_BY_INSPECT / f"{model}.eval", folder)


LAYOUTS = {
    "lm_eval": "lm_eval",
    "resolved": "resolved",
    "inspect": "inspect",
    "archives": "inspect",
    "zstandard": "inspect, metric: match",
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_faults_in_the_bytes_of_a_log_are_one_line_each(tmp_path, kind):
    write_logs(tmp_path / "logs", kind)
    (tmp_path / "report.yaml").write_text(f"trials: {{source: logs, layout: {LAYOUTS[kind]}}}\n{QUESTION}")
    ended = reporting("check", "report.yaml", cwd=tmp_path)
    assert (ended.returncode, list(faults_of(ended))) == (0, [])
    files = [
        path for path in sorted((tmp_path / "logs").rglob("*")) if path.name.startswith(("a", "b", "samples"))
    ]
    path = next(path for path in files if path.is_file())
    whole, refused = path.read_bytes(), 0
    for seed in range(20):
        path.write_bytes(faulty(whole, "ndjson", random.Random(seed)))
        for command in (("check", "report.yaml"), ("init", "logs", "-o", f"made-{seed}.yaml")):
            ended = reporting(*command, cwd=tmp_path)
            assert list(faults_of(ended)) == [], (command, seed)
            refused += ended.returncode == 2
    assert refused > 10


def test_names_in_logs_are_text_everywhere(tmp_path):
    names = [PAYLOADS[name] for name in ("script", "tex file", "formula", "markdown")]
    for model in names[:2]:
        epochs = [{f"{name} {number}": float(number % 2) for name in names for number in range(4)}]
        log = eval_logs.inspect_log(model, PAYLOADS["image"], epochs, scorer=PAYLOADS["attribute"])
        for sample in log["samples"]:
            sample["metadata"]["source"] = PAYLOADS["drawing"] + sample["id"][-1]
        eval_logs.write_json(tmp_path / "logs" / f"{names.index(model)}.json", log)
    (tmp_path / "report.yaml").write_text(
        "trials: {source: logs, layout: inspect, columns: {cluster: metadata.source}}\nby: [task]\n"
        "across: {columns: metadata.source, measures: [recall]}\n"
        f"report: {{vocabulary: evals, formats: [html, latex, markdown, markdown-full, json]}}\n{QUESTION}"
    )
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert (ended.returncode, list(faults_of(ended))) == (0, [])
    assert list(faults_of_report(tmp_path / "out")) == []
    metrics = pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet")
    assert set(metrics["model"]) == set(names[:2])
