"""The results of a paper's config on a table, without its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl

from reporting.app.config.read import read_plan
from reporting.app.run.inputs import open_table
from reporting.app.run.report import build_results
from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.document.frames.results import Results
from reporting.features.compute import compute_frames

PAPERS = Path(__file__).resolve().parent.parent / "configs" / "papers"


def shipped(paper: str) -> str:
    """Return the text of a paper's config."""
    return (PAPERS / paper / "report.yaml").read_text()


def results_of(
    folder: Path,
    config: str,
    table: pl.DataFrame,
    *overrides: str,
    own: Callable[[int], dict[str, pl.DataFrame]] = lambda seed: {},
) -> Results:
    """Compute what a config asks of a table; ``own`` makes frames of the paper's from the seed."""
    folder.mkdir(exist_ok=True)
    table.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(config)
    plan = read_plan(folder / "report.yaml", ("significance.replicates=99", *overrides))
    opened, pool = open_table(plan), SerialExecutor()
    frames = compute_frames(opened, count_trials(opened, pool), plan.study, pool)
    return build_results(replace(plan, frames=own(plan.study.inference.seed)), opened, frames)
