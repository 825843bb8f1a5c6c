"""Row rules look at one large file after the other, and a model's rows come from the files that hold it."""

from __future__ import annotations

import polars as pl
import pytest
from small_tables import GOOD

from reporting.inputs import scan as scanning
from reporting.inputs.spec import TrialSpec
from reporting.inputs.table import read_trials

ROWS = pl.DataFrame(GOOD)


@pytest.fixture
def plans(monkeypatch):
    """The plans of all queries that run, with every file taken for a large one."""
    monkeypatch.setattr(scanning, "AT_ONCE", 1)
    run = pl.LazyFrame.collect
    seen: list[str] = []

    def collect(query, *given, **named):
        seen.append(query.explain())
        return run(query, *given, **named)

    monkeypatch.setattr(pl.LazyFrame, "collect", collect)
    return seen


def files_of(folder, **changes):
    """A file a model, whose name says nothing of it."""
    paths = []
    for number, model in enumerate("ab"):
        path = folder / f"file{number}.csv"
        ROWS.filter(model=model).with_columns(**changes.get(model, {})).write_csv(path)
        paths.append(path)
    return tuple(paths)


def read_in(plan):
    return [name for name in ("file0", "file1") if name in plan]


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_no_query_reads_two_files(tmp_path, plans, missing):
    table = read_trials(TrialSpec(files_of(tmp_path), missing=missing, attributes=("gender",)))
    table.tally_by(("gender",))
    assert {name for plan in plans for name in read_in(plan)} == {"file0", "file1"}
    assert all(len(read_in(plan)) < 2 for plan in plans)


def test_rows_of_a_model_come_from_the_files_that_hold_it(tmp_path, plans):
    table = read_trials(TrialSpec(files_of(tmp_path)))
    assert [read_in(table.rows_of(model).explain()) for model in "ab"] == [["file0"], ["file1"]]


def test_a_file_by_itself_counts_as_all_together(tmp_path, monkeypatch):
    spec = TrialSpec(files_of(tmp_path), attributes=("gender",))
    together = read_trials(spec)
    monkeypatch.setattr(scanning, "AT_ONCE", 1)
    apart = read_trials(spec)
    assert apart.tally.equals(together.tally)
    assert apart.tally_by(("gender",)).equals(together.tally_by(("gender",)))
    assert apart.rows.collect().equals(together.rows.collect())


def test_a_trial_that_one_file_lacks_is_dropped_of_all(tmp_path, plans):
    first = pl.col("trial") == ROWS["trial"][0]
    lacking = pl.when(first).then(None).otherwise(pl.col("score")).alias("score")
    table = read_trials(TrialSpec(files_of(tmp_path, b={"score": lacking}), missing="drop"))
    dropped = ROWS.filter(model="b").filter(first).select("split", "trial").unique()
    for model in "ab":
        rows = table.rows_of(model).collect()
        assert rows.join(dropped, on=["split", "trial"], how="semi").is_empty()
        assert len(rows) == len(ROWS.filter(model=model)) - len(dropped)
    before = len(plans)
    table.rows_of("a").collect()
    assert all(len(read_in(plan)) < 2 for plan in plans[before:])


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
def test_a_reader_may_leave_out_groups_of_rows_whatever_models_are_stored_as(tmp_path, kind):
    """The predicate on the model stands in the scan of the file, before categories become text."""
    path = tmp_path / "trials.parquet"
    ROWS.with_columns(pl.col("model").cast(kind)).write_parquet(path)
    table = read_trials(TrialSpec((path,)))
    of_scan = table.rows_of("b").explain().partition("SELECTION: ")[2]
    assert 'col("model") == "b"' in of_scan.partition("\n")[0]
    expected = table.rows.filter(model="b").collect()
    assert table.rows_of("b").collect().equals(expected)
