"""Statements that a person pastes: their results are a source, in every dialect the same counts."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import get_args

import duckdb
import polars as pl
import pytest
import sqlglot
from counting import COLUMNS, content, counted_here, counted_there
from sqlfluff.core import FluffConfig, Linter

from reporting.app.cli import main
from reporting.app.config.read import read_plan
from reporting.app.run.counts import statements
from reporting.errors import ConfigError, DataError
from reporting.inputs.spec import Dialect

MODELS = "models: {A: {}, B: {higher_is: nontarget}}\n"
KEYED = "columns: {cluster: speaker, trial: trial}"


def config(folder: Path, trials: str, rest: str = MODELS) -> Path:
    path = folder / "counted.yaml"
    path.write_text(f"trials: {{{trials}}}\n{rest}")
    return path


def results(folder: Path, rows: pl.DataFrame, script: str, dialect: str, kind: str = "csv") -> list[Path]:
    """Run every statement of a script in DuckDB, and keep its result in the file that the script names."""
    files = []
    with duckdb.connect() as db:
        db.execute("CREATE TABLE scores AS SELECT * FROM rows")
        db.execute("CREATE MACRO convert_to(word, encoding) AS encode(word)")
        for name, text in re.findall(r"-- .* result as (\w+)\.csv .*\n((?:.|\n)*?);\n", script + "\n"):
            (tree,) = sqlglot.parse(text, read=dialect)
            assert isinstance(tree, sqlglot.exp.Query)
            files.append(folder / f"{name}.{kind}")
            db.execute(f"COPY ({tree.sql(dialect='duckdb')}) TO '{files[-1]}'")
    return files


def read_back(folder: Path, files: list[Path], further: str = f"coarse: 20, {COLUMNS}"):
    named = ", ".join(f"'{file.name}'" for file in files)
    plan = read_plan(config(folder, f"layout: counts, source: [{named}], {further}"))
    return counted_there(plan, folder / "work")


@pytest.mark.parametrize("dialect", get_args(Dialect))
@pytest.mark.parametrize("paired", [True, False])
def test_results_of_every_dialect_are_what_is_counted_here(tmp_path, trials, dialect, paired):
    """The statements of each dialect, turned back into DuckDB's and run there."""
    path = config(
        tmp_path,
        f"source: '{dialect.replace('postgres', 'postgresql')}:///', table: scores, coarse: 20, {KEYED}",
    )
    script = statements(path, dialect, paired=paired)
    there = read_back(tmp_path, results(tmp_path, trials, script, dialect))
    here = counted_here(tmp_path / "here", trials, f"coarse: 20, {COLUMNS}", MODELS, paired=paired)
    assert content(there) == content(here)


@pytest.mark.parametrize("dialect", get_args(Dialect))
@pytest.mark.parametrize("paired", ["blocks", True])
def test_results_of_every_dialect_have_the_same_blocks(tmp_path, trials, dialect, paired):
    rows = trials.drop("speaker").with_columns(trial=pl.format("{} 'é日", "trial"))
    scheme = dialect.replace("postgres", "postgresql")
    path = config(tmp_path, f"source: '{scheme}:///', table: scores, coarse: 20, columns: {{trial: trial}}")
    there = read_back(
        tmp_path, results(tmp_path, rows, statements(path, dialect, paired=paired), dialect), "coarse: 20"
    )
    assert there.about.blocks
    assert content(there) == content(
        counted_here(tmp_path / "here", rows, "coarse: 20", MODELS, paired=paired)
    )


GRAMMARS = {"bigquery": "bigquery", "snowflake": "snowflake", "spark": "sparksql"}
EVERY_DAY = {("bigquery", True), ("snowflake", False), ("spark", "blocks")}


@pytest.mark.parametrize(
    ("dialect", "paired"),
    [
        pytest.param(*each, marks=() if each in EVERY_DAY else pytest.mark.long)
        for each in itertools.product(GRAMMARS, (True, False, "blocks"))
    ],
)
def test_statements_are_sentences_of_another_parser(tmp_path, dialect, paired):
    """SQLFluff has grammars of its own; it refuses a table in double quotes in BigQuery."""
    table = f"source: '{dialect}:///', table: lab.scores, coarse: 20, missing: drop, {KEYED}"
    if paired == "blocks":
        table = table.replace("cluster: speaker, ", "")
    script = statements(config(tmp_path, table), dialect, paired=paired)
    parsed = Linter(config=FluffConfig(overrides={"dialect": GRAMMARS[dialect]})).parse_string(script)
    assert [str(each) for each in parsed.violations] == []
    named = re.findall(r"FROM (.lab.\..scores.)", script)
    assert named == ['"lab"."scores"' if dialect == "snowflake" else "`lab`.`scores`"] * 3


def test_results_may_be_parquet_and_lack_keys(tmp_path, trials):
    """Without a trial key two statements are enough."""
    rows = trials.drop("trial", "speaker")
    script = statements(config(tmp_path, "source: 'duckdb:///', table: scores, coarse: 30", ""), "duckdb")
    assert script.count("save the result") == 2
    files = results(tmp_path, rows, script, "duckdb", "parquet")
    there = read_back(tmp_path, files, "coarse: 30")
    assert there.rows["n"].sum() == 32
    assert there.names == ("survey.parquet, cells.parquet",)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (pl.when(pl.col("trial") == "002").then(pl.lit("x")).otherwise(pl.col("label").cast(str)).alias("label"), "unknown values: 'x'"),
        (pl.when(pl.col("trial") == "002").then(None).otherwise("score").alias("score"), "4 of 32 rows missing or NaN"),
        (pl.when(pl.col("trial") == "002").then(None).otherwise("speaker").alias("speaker"), "column 'speaker' (the cluster): 4 of 32 rows empty"),
        (pl.col("trial").replace("003", "002"), "2 keys occur more than once for a model"),
    ],
    ids=["label", "score", "speaker", "duplicates"],
)  # fmt: skip
def test_results_of_broken_rows_are_refused(tmp_path, trials, broken, told):
    script = statements(
        config(tmp_path, f"source: 'duckdb:///', table: scores, coarse: 20, {KEYED}"), "duckdb"
    )
    files = results(tmp_path, trials.with_columns(broken), script, "duckdb")
    with pytest.raises(DataError) as caught:
        read_back(tmp_path, files)
    assert told in str(caught.value)


def test_results_of_other_rows_are_refused(tmp_path, trials):
    script = statements(
        config(tmp_path, f"source: 'duckdb:///', table: scores, coarse: 20, {KEYED}"), "duckdb"
    )
    survey, agreement, cells = results(tmp_path, trials, script, "duckdb")
    (tmp_path / "other").mkdir()
    *_, others = results(tmp_path / "other", trials.head(31), script, "duckdb")
    with pytest.raises(DataError, match="changed while it was counted"):
        read_back(tmp_path, [survey, agreement, others.rename(tmp_path / "others.csv")])
    with pytest.raises(DataError, match="expected the results survey and cells"):
        read_back(tmp_path, [agreement, cells])
    with pytest.raises(ConfigError, match="name the bits with which the statements were printed"):
        read_back(tmp_path, [survey, agreement, cells], COLUMNS)


@pytest.mark.parametrize(
    ("trials", "rest", "told"),
    [
        ("source: 'duckdb:///', table: scores", MODELS, "trials.coarse: counts hold no exact scores"),
        (f"source: 'duckdb:///', table: scores, coarse: 20, {KEYED}", "", "models: list every model of the table"),
        ("source: here.csv, coarse: 20", "", "trials.source: statements need one database"),
    ],
)  # fmt: skip
def test_what_no_statement_can_count_is_refused(tmp_path, trials, rest, told):
    (tmp_path / "here.csv").write_text("a\n")
    with pytest.raises(ConfigError) as caught:
        statements(config(tmp_path, trials, rest), "bigquery")
    assert told in str(caught.value)


def test_the_command_prints_statements_or_names_the_file(tmp_path, monkeypatch, capsys):
    path = config(tmp_path, f"source: 'snowflake://account/lab', table: lab.scores, coarse: 20, {KEYED}")
    for argv, status in ((["--sql", "snowflake"], 0), ([], 2)):
        monkeypatch.setattr(sys, "argv", ["reporting", "counts", str(path), *argv])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code in (status, None if status == 0 else status)
    printed = capsys.readouterr()
    assert printed.out.count("-- ") == 3
    assert '"lab"."scores"' in printed.out
    assert "name the file to write with -o" in printed.err
