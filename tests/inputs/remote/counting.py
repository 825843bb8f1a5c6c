"""The same trials counted here and where they are: bundles to compare, or the faults of either."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from reporting import __version__
from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import open_table
from reporting.app.run.tabulate import Naming, bundle_of
from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.inputs.bundle import Bundle, Form
from reporting.inputs.spec import Paired

COLUMNS = "columns: {cluster: speaker}"


def plan_there(folder: Path, source: str, further: str, rest: str = "") -> Plan:
    """Return the plan of a config whose trials are counted at their source."""
    return _plan(folder, f"source: '{source}', count: there, {further}", rest)


def counted_there(plan: Plan, work: Path) -> Bundle:
    """Return the bundle that an engine counts, once its trials have passed every check."""
    work.mkdir(exist_ok=True)
    table = open_table(plan, work)
    count_trials(table, SerialExecutor())
    assert table.bundle is not None
    return table.bundle


def counted_here(folder: Path, rows: pl.DataFrame, further: str, rest: str = "", *, paired: Paired) -> Bundle:
    """Return the bundle of the same rows in a file."""
    folder.mkdir(exist_ok=True)
    rows.write_parquet(folder / "here.parquet")
    plan = _plan(folder, f"source: here.parquet, {further}", rest)
    table = open_table(plan, None)
    counts = count_trials(table, SerialExecutor())
    form: Form = "patterns" if paired is True else "cuts"
    return bundle_of(table, counts, form, Naming("names"), __version__, blocks=paired == "blocks")


def _plan(folder: Path, trials: str, rest: str) -> Plan:
    path = folder / "report.yaml"
    path.write_text(f"trials: {{{trials}}}\n{rest}")
    return read_plan(path)


def content(bundle: Bundle) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Return all that a bundle holds."""
    return asdict(bundle.about), bundle.rows.rows()
