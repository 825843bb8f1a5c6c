"""Data written by pyreadstat and pandas for Stata, SPSS and SAS are read value by value."""

from __future__ import annotations

import datetime as dt
import math

import pandas as pd
import pyreadstat
import pytest
from inputs.formats.opened import table

import reporting
from reporting.errors import DataError
from reporting.inputs.formats import whole

FRAME = pd.DataFrame(
    {
        "id": ["007", "b", "é", "d"],
        "died": [1, 0, 1, 0],
        "rating": [1.0, 2.0, 3.0, 5.0],
        "score": [0.1, 1e-30, math.pi, float("nan")],
        "day": [dt.date(2026, 1, day) for day in (1, 2, 3, 4)],
    }
)
LABELS = {"died": {0: "alive", 1: "dead"}, "rating": {1: "no", 2: "2", 3: "3", 5: "yes"}}
LABELLED = {
    "died": ["dead", "alive", "dead", "alive"],
    "rating": ["no", "2", "3", "yes"],
    "rating (code)": [1, 2, 3, 5],
}
PLAIN = {
    "id": ["007", "b", "é", "d"],
    "died": [1, 0, 1, 0],
    "rating": [1, 2, 3, 5],
    "score": [0.1, 1e-30, math.pi, None],
}


def write(path, labels=None, **how):
    write_it = {
        "dta": pyreadstat.write_dta,
        "sav": pyreadstat.write_sav,
        "zsav": pyreadstat.write_sav,
        "por": pyreadstat.write_por,
        "xpt": pyreadstat.write_xport,
    }
    end = path.suffix[1:]
    how |= {"variable_value_labels": labels} if labels else {}
    how |= {"compress": True} if end == "zsav" else {}
    frame = FRAME if end != "por" else FRAME.drop(columns="day")
    write_it[end](frame.astype({"died": float}), path, **how)
    return path


@pytest.mark.parametrize("end", ["dta", "sav", "zsav", "xpt"])
def test_values_of_variables(tmp_path, end):
    held = table(write(tmp_path / f"s.{end}"))
    days = held.pop("day")
    expected = PLAIN | ({"score": [0.1, pytest.approx(1e-30), math.pi, None]} if end == "xpt" else {})
    assert {name.lower(): values for name, values in held.items()} == expected
    assert [str(day)[:10] for day in days] == [f"2026-01-0{day}" for day in (1, 2, 3, 4)]


@pytest.mark.parametrize("end", ["dta", "sav"])
def test_labels_are_values_and_codes_of_more_than_two_are_kept(tmp_path, end):
    held = table(write(tmp_path / f"s.{end}", LABELS))
    assert {name: held[name] for name in LABELLED} == LABELLED
    # A code without a label: the codes stay.
    some = {"died": {1: "dead"}, "rating": {1: "no", 5: "yes"}}
    held = table(write(tmp_path / f"t.{end}", some))
    assert (held["died"], held["rating"]) == (PLAIN["died"], PLAIN["rating"])
    # Two codes of one label stay apart.
    held = table(write(tmp_path / f"u.{end}", {"died": {0: "x", 1: "x"}}))
    assert held["died"] == PLAIN["died"]


def test_what_spss_marks_as_missing_is_missing(tmp_path):
    write(tmp_path / "s.sav", missing_ranges={"rating": [{"lo": 5, "hi": 9}]})
    assert table(tmp_path / "s.sav")["rating"] == [1, 2, 3, None]


def test_what_pandas_writes_for_stata(tmp_path):
    frame = FRAME.assign(died=pd.Categorical(["dead", "alive", "dead", "alive"])).drop(
        columns=["day", "score"]
    )
    frame.to_stata(tmp_path / "s.dta", write_index=False, version=118)
    plain = {name: values for name, values in PLAIN.items() if name != "score"}
    assert table(tmp_path / "s.dta") == plain | {"died": LABELLED["died"]}
    trials = {"layout": "wide", "scores": ["rating"], "values": {"target": "dead", "nontarget": "alive"}}
    read = reporting.read_trials(
        tmp_path / "s.dta",
        trials=trials | {"columns": {"trial": "id", "label": "died"}},
        thresholds={"policy": "none"},
    )
    assert dict(read.select("trial", "score").iter_rows()) == dict(
        zip(PLAIN["id"], [1.0, 2.0, 3.0, 5.0], strict=True)
    )


@pytest.mark.parametrize("name", ["s.dta", "s.sav", "s.xpt", "s.sas7bdat", "s.por"])
@pytest.mark.parametrize("content", [b"nothing of the kind", b"\0" * 2_000, b"$FL2" + b"\xff" * 500])
def test_damaged_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name}: "):
        table(tmp_path / name)


@pytest.mark.parametrize("end", ["dta", "sav", "xpt"])
def test_files_that_are_cut_off_never_give_other_values(tmp_path, end):
    whole_file = write(tmp_path / f"s.{end}").read_bytes()
    rows = list(zip(*table(tmp_path / f"s.{end}").values(), strict=True))
    for size in range(0, len(whole_file), max(len(whole_file) // 60, 1)):
        (tmp_path / f"c.{end}").write_bytes(whole_file[:size])
        try:
            held = table(tmp_path / f"c.{end}")
        except DataError:
            continue
        assert list(zip(*held.values(), strict=True)) == rows[: len(next(iter(held.values()), []))]


def test_a_header_that_promises_more_than_is_read_whole(tmp_path, monkeypatch):
    write(tmp_path / "s.sav")
    monkeypatch.setattr(whole, "MOST", 0)
    with pytest.raises(DataError, match="a file of this kind is read whole, up to 0 MB"):
        table(tmp_path / "s.sav")
