"""Spark with two workers counts what is counted here, also where an executor is killed while it counts."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from counting import COLUMNS, content, counted_here, counted_there, plan_there

from reporting.errors import DataError

pytestmark = pytest.mark.long
TABLE = "table: scores, coarse: 20, columns: {cluster: speaker}"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """The session of a local cluster: a master and two workers, each a process of its own."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is missing")
    builder = sql.SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    session = builder.config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def many(tmp_path: Path, trials: pl.DataFrame) -> pl.DataFrame:
    """The small table forty times, each with trials of its own."""
    return pl.concat([trials.with_columns(trial=pl.format("{}-{}", pl.lit(n), "trial")) for n in range(40)])


@pytest.mark.parametrize("paired", [True, False])
def test_spark_counts_what_is_counted_here(tmp_path, spark, many, paired):
    registered(spark, tmp_path, many)
    further = f"{TABLE}, paired: {str(paired).lower()}"
    there = counted_there(plan_there(tmp_path, "spark:///", further), tmp_path / "work")
    here = counted_here(tmp_path / "here", many, f"coarse: 20, {COLUMNS}", paired=paired)
    assert content(there) == content(here)


def test_spark_deals_trials_into_the_same_blocks(tmp_path, spark, many):
    keys = many.with_columns(trial=pl.format("{}'é\"日\n", "trial")).drop("speaker")
    registered(spark, tmp_path, keys)
    plan = plan_there(tmp_path, "spark:///", "table: scores, coarse: 20, paired: blocks")
    there = counted_there(plan, tmp_path / "work")
    assert content(there) == content(counted_here(tmp_path / "here", keys, "coarse: 20", paired="blocks"))


def registered(spark: Any, folder: Path, rows: pl.DataFrame) -> None:
    rows.write_parquet(folder / "scores.parquet")
    spark.read.parquet(str(folder / "scores.parquet")).repartition(8).createOrReplaceTempView("scores")


def executors() -> list[int]:
    found = subprocess.run(
        ["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def test_a_killed_executor_changes_nothing(tmp_path, spark, many):
    registered(spark, tmp_path, many)
    # Every row waits, so that the kill falls into a statement that counts.
    slow = "SELECT *, reflect('java.lang.Thread', 'sleep', 5L) AS waited FROM scores"
    killed: list[int] = []

    def kill() -> None:
        time.sleep(8)
        killed.append(executors()[0])
        os.kill(killed[0], signal.SIGKILL)

    before = executors()
    thread = threading.Thread(target=kill)
    thread.start()
    there = counted_there(
        plan_there(tmp_path, "spark:///", TABLE.replace("table: scores", f'query: "{slow}"')),
        tmp_path / "work",
    )
    thread.join()
    assert killed[0] in before
    assert not Path(f"/proc/{killed[0]}").exists()
    here = counted_here(tmp_path / "here", many, f"coarse: 20, {COLUMNS}", paired=True)
    assert content(there) == content(here)


def test_a_table_that_grows_while_it_is_counted_is_refused(tmp_path, spark, many, monkeypatch):
    from reporting.inputs.remote.spark import Spark

    registered(spark, tmp_path, many)
    rows, asked = Spark.rows, []

    def growing(engine: Spark, statement: str) -> pl.DataFrame:
        answer = rows(engine, statement)
        asked.append(statement)
        if len(asked) == 1:
            more = many.with_columns(trial=pl.format("more-{}", "trial"))
            registered(spark, tmp_path, pl.concat([many, more]))
        return answer

    monkeypatch.setattr(Spark, "rows", growing)
    with pytest.raises(DataError, match="changed while it was counted"):
        counted_there(plan_there(tmp_path, "spark:///", TABLE), tmp_path / "work")


def test_a_table_that_spark_does_not_know(tmp_path, spark):
    with pytest.raises(DataError, match="spark:///.*scoers"):
        counted_there(plan_there(tmp_path, "spark:///", TABLE.replace("scores", "scoers")), tmp_path / "work")
