"""A report in MLflow: its numbers as metrics, its answer as a tag, its files as artifacts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.results import Results
from reporting.errors import ConfigError

LONGEST_NAME, LONGEST_TAG = 250, 5000
"""What every store of MLflow takes."""
FOLDER = "report"
"""The folder of the artifacts."""


def log_report(results: Results, folder: Path, verdict: str, title: str) -> str:
    """Log a report to the active run of MLflow, or to one of its own, and return the id of the run."""
    try:
        import mlflow
    except ModuleNotFoundError:
        raise ConfigError(
            "report.log_mlflow: mlflow is not installed; run pip install 'trial-reporting[mlflow]'"
        ) from None
    active = mlflow.active_run()
    if active is None:
        with mlflow.start_run(run_name=title) as own:
            return _log(mlflow, own.info.run_id, results, folder, verdict)
    return _log(mlflow, active.info.run_id, results, folder, verdict)


def _log(mlflow: Any, run_id: str, results: Results, folder: Path, verdict: str) -> str:
    numbers: dict[str, float] = {}
    for name, value in named_values(results):
        numbers[_free(name, numbers)] = value
    mlflow.log_metrics(numbers, run_id=run_id)
    client = mlflow.MlflowClient()
    client.set_tag(run_id, "verdict", verdict[:LONGEST_TAG])
    client.set_tag(run_id, "signature.seed", str(results.provenance.seed))
    client.log_artifacts(run_id, str(folder), FOLDER)
    return run_id


def named_values(results: Results) -> Iterator[tuple[str, float]]:
    """Yield the measures on the test set: ``model/measure/criterion``, with dataset and run of several."""
    rows = [row for row in results.rows(METRICS) if row.split == "test" and row.group == ""]
    several = {part: len({getattr(row, part) for row in rows}) > 1 for part in ("dataset", "run")}
    for row in rows:
        if row.value is not None and math.isfinite(row.value) and row.threshold_source != "oracle":
            # In the letters that MLflow takes; a slash would begin a folder.
            safe = (re.sub(r"[^\w. -]+", "_", part, flags=re.ASCII) for part in _parts(row, several))
            yield "/".join(part.strip(". ") or "_" for part in safe), row.value


def _parts(row: MetricRow, several: dict[str, bool]) -> Iterator[str]:
    yield row.model
    yield from (getattr(row, part) for part, wanted in several.items() if wanted)
    yield row.measure
    if row.criterion is not None:
        yield row.criterion


def _free(name: str, taken: dict[str, float]) -> str:
    short, number = name[:LONGEST_NAME], 2
    while short in taken:
        short, number = f"{name[: LONGEST_NAME - 5]}-{number}", number + 1
    return short
