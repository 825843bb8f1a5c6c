"""One builder for tests: rows and keys of the config to table, counts, parts, frames and results.

``build(tmp_path, rows, "baseline: a", "significance.replicates=199")`` writes both, as a user has them, and
gives the steps of a report one by one, each made when it is asked for:

    built.plan, built.study, built.table, built.counts       what is asked, and what is counted
    built.parts, built.judged(0), built.judged(0).drawn      a dataset or group, its models, its replicates
    built.frames["metrics"], built.rows(METRICS)             result frames, and their typed rows
    built.results                                            what sections and charts are written from

``rows`` are dicts or a data frame; ``trials_of("t1 a dev 1 0.5", ...)`` reads them from lines of text. Without
an override there are 99 replicates and 5 alphas.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from reporting.app.config.plan import Plan, study_of_models
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import open_table
from reporting.app.run.origin import origin_of
from reporting.app.run.report import build_results
from reporting.base.execution import Executor, SerialExecutor
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore
from reporting.core.counts.count import Counts, count_trials
from reporting.core.engine.parts import Part, parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.study import Study
from reporting.document.frames.contract import Frame
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.results import Results
from reporting.features.compute import compute_frames
from reporting.inputs.table import TrialTable

FAST = ("significance.replicates=99", "epc.alphas=5")
Rows = Sequence[dict[str, Any]] | pl.DataFrame


@dataclass(frozen=True, eq=False)
class Built:
    """A report of a small table, step by step."""

    plan: Plan
    pool: Executor
    shelf: ArrayStore = IN_MEMORY

    @cached_property
    def study(self) -> Study:
        """What is asked of the models of the table."""
        return study_of_models(self.plan.study, len(self.table.models))

    @cached_property
    def table(self) -> TrialTable:
        """The trial table, opened and checked."""
        return open_table(self.plan)

    @cached_property
    def counts(self) -> Counts:
        """The counts of the table."""
        return count_trials(self.table, self.pool, self.shelf)

    @cached_property
    def parts(self) -> list[Part]:
        """Every dataset, and its groups."""
        return list(parts(self.counts, self.study))

    def judged(self, at: int = 0, pool: Executor | None = None) -> JudgedPart:
        """Return a part with its replicates, as the makers of frames take it."""
        pool = pool or self.pool
        return JudgedPart(self.parts[at], self.study, pool, ThresholdBootstrap(self.study, pool))

    def only(self, *frames: Frame[Any]) -> dict[str, pl.DataFrame]:
        """Return some frames alone."""
        return compute_frames(self.table, self.counts, self.study, self.pool, only=frames)

    @cached_property
    def frames(self) -> dict[str, pl.DataFrame]:
        """All frames by name."""
        return compute_frames(self.table, self.counts, self.study, self.pool)

    def rows(self, frame: Frame[Any]) -> list[Any]:
        """Return the typed rows of a frame."""
        return self.results.rows(frame)

    @cached_property
    def results(self) -> Results:
        """The frames beside the question and the place they come from."""
        plan = replace(self.plan, study=self.study)
        return build_results(plan, self.table, self.frames, origin_of(self.table, self.counts))


def build(
    folder: Path,
    rows: Rows,
    config: str = "",
    *overrides: str,
    pool: Executor | None = None,
    shelf: ArrayStore = IN_MEMORY,
) -> Built:
    """Write a table and a config that reads it into a folder, and return the report of them."""
    folder.mkdir(exist_ok=True)
    table = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)
    table.write_parquet(folder / "trials.parquet")
    text = textwrap.dedent(config)
    trials = "" if "trials:" in text else "trials: {source: trials.parquet}\n"
    (folder / "report.yaml").write_text(trials + text)
    fast = FAST[:1] if "epc: none" in text else FAST
    return built_from(folder / "report.yaml", *fast, *overrides, pool=pool, shelf=shelf)


def built_from(
    config: Path, *overrides: str, pool: Executor | None = None, shelf: ArrayStore = IN_MEMORY
) -> Built:
    """Return the report of a config that is there already."""
    return Built(read_plan(config, overrides), pool or SerialExecutor(), shelf)


def trials_of(*lines: str) -> list[dict[str, Any]]:
    """Return rows from lines ``trial model split label score``, the label 1 or 0."""
    rows = []
    for line in lines:
        trial, model, split, label, score = line.split()
        row = {"trial": trial, "model": model, "split": split, "label": label == "1"}
        rows.append(row | {"score": float(score)})
    return rows
