"""A Delta or Iceberg table gives the frames of its rows in force; the manifest names the snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from asking import fault_of, fetch, frames_of, plan_of

from reporting.app.config.read import read_plan


@pytest.fixture(scope="module")
def expected(tmp_path_factory, trials) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("local")
    trials.write_parquet(folder / "trials.parquet")
    return frames_of(plan_of(folder, "trials.parquet"))


def delta(folder: Path, rows: pl.DataFrame) -> str:
    """Write a table in two steps after rows that are replaced; return its folder."""
    pytest.importorskip("deltalake", reason="deltalake is missing")
    place = folder / "lake" / "scores of 2026"
    place.parent.mkdir(parents=True)
    rows.with_columns(score=pl.lit(9.0)).write_delta(place)
    rows.head(20).write_delta(place, mode="overwrite")
    rows.tail(12).write_delta(place, mode="append")
    return "lake/scores of 2026"


def iceberg(folder: Path, rows: pl.DataFrame) -> str:
    """The same as an Iceberg table of a catalogue in a file."""
    catalogs = pytest.importorskip("pyiceberg.catalog.sql", reason="pyiceberg is missing")
    place = folder / "lake"
    place.mkdir(parents=True)
    catalog = catalogs.SqlCatalog("lab", uri=f"sqlite:///{folder}/lab.db", warehouse=f"file://{place}")
    catalog.create_namespace("lab")
    table: Any = catalog.create_table("lab.scores", schema=rows.to_arrow().schema)
    table.append(rows.with_columns(score=pl.lit(9.0)).to_arrow())
    table.overwrite(rows.head(20).to_arrow())
    table.append(rows.tail(12).to_arrow())
    return "lake/lab/scores"


@pytest.mark.parametrize(("write", "word"), [(delta, "Delta, version 2"), (iceberg, "Iceberg, snapshot ")])
def test_the_rows_in_force_give_the_frames_of_a_file(tmp_path, trials, expected, write, word):
    source = write(tmp_path, trials)
    plan = plan_of(tmp_path, source)
    assert frames_of(plan) == expected
    (work := tmp_path / "work").mkdir()
    (read,) = fetch(plan, work)
    assert read.name.startswith(f"{source} ({word}")
    assert str(tmp_path) not in read.name


@pytest.mark.parametrize("write", [delta, iceberg])
def test_the_digest_changes_with_the_rows_alone(tmp_path, trials, write):
    source = write(tmp_path, trials)
    plan = plan_of(tmp_path, source)
    one, again = (fetch(plan, tmp_path / name) for name in ("a", "b"))
    assert one == again
    if write is delta:
        trials.head(1).with_columns(trial=pl.lit("more")).write_delta(tmp_path / source, mode="append")
        (more,) = fetch(plan, tmp_path / "c")
        assert more.sha256 != one[0].sha256
        assert more.name.endswith("(Delta, version 3)")


def test_a_table_that_lost_a_file_is_one_message(tmp_path, trials):
    source = delta(tmp_path, trials)
    for file in (tmp_path / source).glob("*.parquet"):
        file.unlink()
    assert fault_of(tmp_path, source).startswith(f"{source}: the table cannot be read: ")


def test_a_broken_log_is_one_message(tmp_path, trials):
    source = delta(tmp_path, trials)
    for file in (tmp_path / source / "_delta_log").glob("*.json"):
        file.write_text("{")
    assert fault_of(tmp_path, source).startswith(f"{source}: the table cannot be read: ")
    source = iceberg(tmp_path / "ice", trials)
    for file in (tmp_path / "ice" / source / "metadata").glob("*.json"):
        file.write_text("{")
    assert fault_of(tmp_path / "ice", source).startswith(f"{source}: the table cannot be read: ")


def test_the_config_says_where_a_table_is_from_its_own_folder(tmp_path, trials):
    source = delta(tmp_path, trials)
    path = tmp_path / "whole.yaml"
    path.write_text(f"trials: {{source: '{tmp_path / source}'}}\n")
    (remote,) = read_plan(path).trials.sources
    assert remote.url == f"delta:///{source}"
