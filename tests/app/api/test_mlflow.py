"""A report in a real store of MLflow, in files: what is logged, to which run, and what a hostile name becomes."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import reporting
from reporting.errors import ConfigError

QUICK = {
    "significance": {"replicates": 99, "bands": "none"}, "curves": [], "epc": "none", "measures": ["hter", "auc"],
    "criteria": ["min_hter"], "report": {"formats": ["json", "markdown"]},
}  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """MLflow with a store of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        mlflow = pytest.importorskip("mlflow")
        mlflow.set_tracking_uri(tmp_path_factory.mktemp("store").as_uri())
        mlflow.set_experiment("reports")
        yield mlflow


def made(names=("old", "new"), **keys):
    rng = np.random.default_rng(2)
    y = np.tile([1, 0, 0], 40)
    scores = {name: (y + rng.normal(size=120)).round(1) for name in names}
    return reporting.make_report(
        y, scores, split=np.where(np.arange(120) < 60, "dev", "test"), **QUICK | keys
    )


def test_a_report_is_a_run_of_its_own(store):
    report = made(title="Monday")
    run = store.get_run(report.log_mlflow())
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "Monday"
    metrics = report.frames["metrics"].filter(split="test")
    for model in ("old", "new"):
        rows = metrics.filter(model=model)
        assert run.data.metrics[f"{model}/auc"] == rows.filter(measure="auc")["value"][0]
        chosen = rows.filter(measure="hter", criterion="min_hter")["value"][0]
        assert run.data.metrics[f"{model}/hter/min_hter"] == chosen
    assert len(run.data.metrics) == 4
    assert run.data.tags["verdict"] == report.verdict
    kept = {each.path for each in store.MlflowClient().list_artifacts(run.info.run_id, "report")}
    assert kept >= {"report/report.json", "report/report.md", "report/manifest.json", "report/frames"}
    assert report.folder is None


def test_an_active_run_takes_the_report(store, tmp_path):
    report = made()
    report.save(tmp_path / "out")
    with store.start_run() as run:
        store.log_param("depth", 3)
        assert report.log_mlflow() == run.info.run_id
        assert store.active_run().info.run_id == run.info.run_id
    logged = store.get_run(run.info.run_id)
    assert logged.data.params == {"depth": "3"}
    assert "new/auc" in logged.data.metrics
    local = store.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="report/report.json")
    with open(local, "rb") as file:  # noqa: PTH123 - a path of MLflow's
        assert file.read() == (tmp_path / "out" / "report.json").read_bytes()


def test_hostile_names_become_names_of_metrics(store):
    names = ("../../etc", "a<b>", "a{b}", "x" * 600, "../..", "%s\n")
    run = store.get_run(made(names, baseline="a<b>").log_mlflow())
    keys = sorted(run.data.metrics)
    assert len(keys) == 2 * len(names)
    assert all(re.fullmatch(r"[\w. -]+(/[\w. -]+)*", key, re.ASCII) and len(key) <= 250 for key in keys)
    assert not [key for key in keys if ".." in key.split("/")]
    assert {"a_b_/auc", "a_b_/auc-2"} <= set(keys)


def test_without_the_library_the_extra_is_named(monkeypatch):
    report = made()
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(
        ConfigError, match=r"mlflow is not installed; run pip install 'trial-reporting\[mlflow\]'"
    ):
        report.log_mlflow()
