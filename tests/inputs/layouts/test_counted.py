"""Rows that stand for several equal trials give what those trials give."""

from __future__ import annotations

import polars as pl
import pytest
from from_config import frames_from
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import counted, faults_of
from snapshot import snapshot

from reporting.inputs.layouts import tables as counted_rows
from reporting.inputs.scan import Scan
from reporting.inputs.spec import InMemory, TrialSpec

ROWS = {
    "model": ["a"] * 6 + ["b"] * 6,
    "split": ["dev", "dev", "dev", "test", "test", "test"] * 2,
    "label": [1, 0, 0, 1, 1, 0] * 2,
    "score": [2.0, 1, 2, 1, 3, 1, 3.0, 2, 1, 2, 1, 1],
}
COUNTS = [3, 2, 1, 0, 4, 2, 3, 1, 2, 3, 1, 2]


def table(counts=COUNTS, name="count", **others):
    return pl.DataFrame(ROWS | others | {name: counts})


def written_out(counts=COUNTS):
    return pl.DataFrame(ROWS)[[row for row, n in enumerate(counts) for _ in range(n)]]


@pytest.mark.parametrize("config", ["", "curves: [roc, pr, ape]\nmeasures: [cllr, auc, f1]\n"])
def test_frames_are_those_of_the_rows_written_out(tmp_path, config):
    plain = frames_from(tmp_path / "plain", written_out(), config)
    short = frames_from(tmp_path / "short", table(), config)
    assert plain.keys() == short.keys()
    assert all(plain[name].equals(short[name], null_equal=True) for name in plain)
    assert short["trials"].select(pl.col("rows_read").sum()).item() == sum(COUNTS)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 5), min_size=12, max_size=12), st.permutations(range(12)))
def test_any_count_repeats_its_row(counts, order):
    short = Scan(TrialSpec((InMemory(table(counts)[list(order)]),))).rows() if any(counts) else None
    plain = Scan(TrialSpec((InMemory(written_out(counts)),))).rows()
    if short is not None:
        names = plain.collect_schema().names()
        assert short.select(names).sort(names).collect().equals(plain.sort(names).collect())


@pytest.mark.parametrize("kind", [pl.Int64, pl.UInt8, pl.Float32, pl.String])
def test_a_count_may_be_of_any_type_and_have_a_name_of_its_own(kind):
    frame = table(name="n").with_columns(pl.col("n").cast(kind))
    assert counted(TrialSpec((InMemory(frame),), columns={"count": "n"}))[0].tally["rows_read"].sum() == 24


def test_counts_go_with_wide_tables_too():
    wide = {name: column[:6] for name, column in ROWS.items() if name in ("split", "label")}
    wide |= {"a": ROWS["score"][:6], "b": ROWS["score"][6:], "count": [1, 2, 3, 4, 5, 6]}
    _, counts = counted(TrialSpec((InMemory(pl.DataFrame(wide)),), layout="wide"))
    test = [cuts for key, cuts in counts.cuts.items() if key.split == "test"]
    assert [cuts.totals for cuts in test] == [(9, 6), (9, 6)]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"counts": [*COUNTS[:9], -1, 2, 2]}, "column 'count' (the count): 1 of 12 rows are not whole numbers of at least 0;"
         " first '-1' at row 10 of the table in memory"),
        ({"counts": ["1.5", "x", "", None, "inf", *map(str, COUNTS[5:])]}, "column 'count' (the count): 5 of 12 rows are not"
         " whole numbers of at least 0; first '1.5' at row 1 of the table in memory, 'x' at row 2 of the table in"
         " memory, '' at row 3 of the table in memory"),
        ({"trial": list("abcdef") * 2}, "column 'count' (the count): rows with a trial key (column 'trial') are one"
         " trial each; name the count's column otherwise, or write count: none in trials.columns"),
        ({"cluster": list("abcdef") * 2}, "column 'cluster' (the cluster) needs a trial key too: without one, rows of"
         " different models cannot be put in one order; rows that represent several trials have none: write cluster: none"
         " in trials.columns, or give each trial a row"),
        ({"score": [*ROWS["score"][:11], None]}, "column 'score' (the score): 2 of 24 rows missing or NaN"
         " (trials.missing: drop or reject allows them); first row 12 of the table in memory"),
        ({"counts": [0] * 12}, "the table in memory: the trial table has no rows"),
    ],
)  # fmt: skip
def test_each_fault_has_a_message(changes, fault):
    assert faults_of(TrialSpec((InMemory(table(**changes)),))) == [fault]


def test_more_trials_than_can_be_written_out(monkeypatch):
    monkeypatch.setattr(counted_rows, "MOST_TRIALS", 23)
    snapshot(
        "layouts/counted_more_trials_than_can_be_written_out",
        "\n".join(faults_of(TrialSpec((InMemory(table()),)))),
    )


def test_a_column_of_that_name_may_be_another_thing(tmp_path):
    frame = table(["not a number"] * 12).with_columns(n=pl.lit(1))
    assert counted(TrialSpec((InMemory(frame),), columns={"count": "n"}))[0].tally["rows_read"].sum() == 12
