"""The weekly report as one call, for Airflow, Prefect, Dagster or whatever else starts a Python function.

    weekly_report("/srv/weekly/weekly.yaml")

    Airflow     task(retries=2, max_active_tis_per_dag=1)(weekly_report)(CONFIG)
    Prefect     task(retries=2, retry_delay_seconds=600)(weekly_report)(CONFIG)
    Dagster     op(retry_policy=RetryPolicy(max_retries=2))(lambda: weekly_report(CONFIG))

Retries and times are the orchestrator's. A report appears whole or not at all, so a retry is always safe; bad
configs and data raise reporting's ConfigError and DataError, which no retry mends. Workers that may not start
processes of their own, such as Celery's, pass overrides=["run.executor=thread"].
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import reporting


def weekly_report(config: str, out: str | None = None, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Make the report, and return its folder, the outcome of every gate, and whether all of them passed.

    The answer is plain text and lists, for an orchestrator to hand on. A failed gate raises nothing here:
    what it means is the next task's business.
    """
    report = reporting.make_report(config, out, overrides)
    manifest = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    gates = manifest["gates"]
    return {
        "report": os.fspath(report),
        "as_of": manifest["as_of"],
        "gates": gates,
        "passed": all(gate["counts_as"] == "pass" for gate in gates),
    }


if __name__ == "__main__":
    import sys

    print(json.dumps(weekly_report(*sys.argv[1:3]), indent=2))
