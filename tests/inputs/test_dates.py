"""Development and test set by the dates of trials."""

from __future__ import annotations

import datetime
import json

import polars as pl
import pytest
from command import reporting
from polars.testing import assert_frame_equal

import reporting as api
from reporting.inputs.dates import date_range

DAYS = [datetime.date(2026, 1, 1) + datetime.timedelta(days=at) for at in range(180)]
ROWS = pl.DataFrame(
    {
        "day": DAYS,
        "trial": [f"t{at:03}" for at in range(180)],
        "label": ["target" if at % 3 == 0 else "nontarget" for at in range(180)],
        "score": [(at * 37 % 101) / 101 + (at % 3 == 0) / 3 for at in range(180)],
        "model": ["a"] * 180,
    }
)
KEYS = {
    "primary": {"measure": "hter", "criterion": "min_hter"},
    "epc": "none",
    "curves": [],
    "significance": {"replicates": 99},
    "report": {"formats": ["json", "markdown-full"]},
}


def ended(folder, values, rows=ROWS, name="t.csv", command="check"):
    """Write trials with their days, and run a command on them."""
    rows.write_parquet(folder / name) if name.endswith("parquet") else rows.write_csv(folder / name)
    trials = {"source": name, "columns": {"split": "day"}, "values": values}
    (folder / "report.yaml").write_text(json.dumps({"trials": trials, **KEYS}))
    return reporting(command, "report.yaml", cwd=folder)


def counted(folder):
    frame = pl.read_parquet(folder / "report" / "frames" / "trials.parquet")
    return dict(frame.select("split", pl.col("n_target") + pl.col("n_nontarget")).iter_rows())


UNTIL_MARCH = 31 + 28 + 31
VALUES = {
    "a month, inclusive": ({"dev": "until 2026-03"}, UNTIL_MARCH, 180 - UNTIL_MARCH),
    "a day, inclusive": ({"dev": "until 2026-03-01", "test": "rest"}, 60, 120),
    "ranges": ({"dev": "from 2026-02 until 2026-03", "test": "from 2026-04 until 2026-05"}, 59, 61),
    "test before dev": ({"dev": "from 2026-04", "test": "until 2026-01"}, 90, 31),
}


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("case", VALUES)
def test_dates_make_the_sets(tmp_path, case, name):
    values, dev, test = VALUES[case]
    assert ended(tmp_path, values, name=name, command="run").returncode == 0
    assert counted(tmp_path) == {"dev": dev, "test": test}


def test_the_report_is_that_of_a_column_of_sets(tmp_path):
    of_dates = api.make_report(
        ROWS, trials={"columns": {"split": "day"}, "values": {"dev": "until 2026-03"}}, **KEYS
    )
    is_dev = pl.col("day") <= datetime.date(2026, 3, 31)
    sets = ROWS.with_columns(split=pl.when(is_dev).then(pl.lit("dev")).otherwise(pl.lit("test")))
    of_sets = api.make_report(sets, **KEYS)
    for name, frame in of_sets.frames.items():
        assert_frame_equal(of_dates.frames[name], frame)


@pytest.mark.parametrize(
    "written", ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y-%m-%dT12:30:00", "%Y-%m-%d 12:30:00+02:00", " %Y-%m-%d"]
)
def test_dates_as_they_are_written(tmp_path, written):
    rows = ROWS.with_columns(pl.col("day").dt.strftime(written))
    assert ended(tmp_path, {"dev": "until 2026-03"}, rows, command="run").returncode == 0
    assert counted(tmp_path) == {"dev": UNTIL_MARCH, "test": 180 - UNTIL_MARCH}


def test_the_methods_name_the_dates_and_the_config_is_kept(tmp_path):
    ended(tmp_path, {"dev": "until 2026-03"}, command="run")
    text = (tmp_path / "report" / "report-full.md").read_text()
    assert "The development set holds the dates until 2026-03, the test set all others." in text
    config = json.loads((tmp_path / "report" / "manifest.json").read_text())["config"]
    assert config["trials"]["values"]["dev"] == "until 2026-03"
    assert "unused" not in config["trials"]["values"]
    assert reporting("verify", "report", cwd=tmp_path).returncode == 0


BAD_ROWS = {
    "no date": (
        "soon",
        "1 of 180 rows hold unknown values: 'soon' (row 180 of t.csv). Write dates such as 2026-03",
    ),
    "no such month": ("2026-13-01", "unknown values: '2026-13-01' (row 180 of t.csv)"),
    "less exact": ("2026", "unknown values: '2026' (row 180 of t.csv). Write dates such as 2026-03"),
    "of another country": ("31.03.2026", "unknown values: '31.03.2026' (row 180 of t.csv)"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_a_bad_date_is_one_message(tmp_path, case):
    written, message = BAD_ROWS[case]
    rows = ROWS.with_columns(day=pl.Series([*map(str, DAYS[:-1]), written]))
    end = ended(tmp_path, {"dev": "until 2026-03"}, rows)
    assert end.returncode == 2
    assert message in end.stderr
    assert end.stderr.count("error: ") == 1


BAD_VALUES = {
    "no range": ({"dev": "until 2026-3"}, "expected 'until 2026-03' (a day, month or year, inclusive)"),
    "no such date": ({"dev": "until 2026-02-30"}, "there is no date '2026-02-30'"),
    "backwards": ({"dev": "from 2026-03 until 2026-02"}, "holds no day: it ends before it begins"),
    "shared days": ({"dev": "until 2026-03", "test": "from 2026-03"}, "have days in common"),
    "a name beside": ({"dev": "until 2026-03", "test": "eval"}, "expected test to be rest, or another range, found 'eval'"),
    "a name before": ({"dev": "tune", "test": "from 2026-03"}, "expected dev to be one too, found 'tune'"),
    "unused": ({"dev": "until 2026-03", "unused": "train"}, "other rows are left out"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_VALUES)
def test_a_bad_range_is_one_message(tmp_path, case):
    values, message = BAD_VALUES[case]
    end = ended(tmp_path, values)
    assert end.returncode == 2
    assert message in end.stderr


def test_dates_without_a_range_name_the_way(tmp_path):
    assert "These look like dates: write trials: {values: {dev: until 2026-03}}" in ended(tmp_path, {}).stderr


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("until 2026", "", "2026"),
        ("from 2026-04", "202604", ""),
        ("from 2025 until 2026-02-28", "2025", "20260228"),
    ],
)
def test_a_range_is_its_digits(text, first, last):
    assert (date_range(text).first, date_range(text).last) == (first, last)
