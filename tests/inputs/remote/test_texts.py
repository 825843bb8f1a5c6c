"""What databases hold becomes the text that their CSV export prints, whatever the type."""

from __future__ import annotations

import csv
import math
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from asking import fetch, plan_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reporting.inputs.remote import fetch as fetching
from reporting.inputs.remote.fetch import fetched

TYPES = {
    "'007'::text": "007",
    "7::int": "7",
    "9223372036854775807::bigint": "9223372036854775807",
    "0.1::float8 + 0.2::float8": "0.30000000000000004",
    "1::float8": "1",
    "1e300::float8": "1e+300",
    "'-Infinity'::float8": "-Infinity",
    "0.1::real": "0.1",
    "1.10::numeric": "1.10",
    "true": "true",
    "false": "false",
    "'6d0b7c1e-6c1f-4f0a-9d0a-0123456789ab'::uuid": "6d0b7c1e-6c1f-4f0a-9d0a-0123456789ab",
    "timestamptz '2026-11-20 12:00:00+02'": "2026-11-20 10:00:00+00",
    "timestamp '2026-11-20 12:00:00.5'": "2026-11-20 12:00:00.5",
    "date '2026-11-20'": "2026-11-20",
    "'ab'::char(4)": "ab  ",
    "E'a,\"b\"\\r\\nü'": 'a,"b"\r\nü',
    "'t'::text": "t",
    "''::text": "",
    "NULL::text": None,
}


def rows_of(folder: Path, source: str, further: str) -> pl.DataFrame:
    files = fetched(plan_of(folder, source, further).trials, folder / "work").sources
    return pl.concat(pl.read_parquet(file.path) for file in files)


def test_every_type_of_postgresql(tmp_path, lab, monkeypatch):
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    monkeypatch.setenv("PGDATESTYLE", "German")
    listed = ", ".join(f"{value} AS c{number}" for number, value in enumerate(TYPES))
    lab.ask(f"CREATE VIEW scores_of_all AS SELECT {listed}", "GRANT SELECT ON scores_of_all TO reader")
    rows = rows_of(tmp_path, lab.url, ", table: scores_of_all")
    assert rows.rows() == [tuple(TYPES.values())]
    assert set(rows.dtypes) == {pl.String}


def test_sqlite_keeps_its_dynamic_types_as_text(tmp_path):
    values = [7, "007", 1.0, 0.1 + 0.2, 1e300, -math.inf, True, 2**62, 'a,"b"\r\n', "\r", "", None]
    with closing(sqlite3.connect(tmp_path / "lab.db")) as db, db:
        db.execute("CREATE TABLE mixed (n, v)")
        db.executemany("INSERT INTO mixed VALUES (?, ?)", enumerate(values))
    rows = rows_of(tmp_path, "sqlite:///lab.db", ", table: mixed")["v"].to_list()
    expected = [
        "7",
        "007",
        "1.0",
        "0.30000000000000004",
        "1e+300",
        "-inf",
        "1",
        str(2**62),
        'a,"b"\r\n',
        "\r",
        "",
        "",
    ]
    assert [row or "" for row in rows] == expected


TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('",\r\n;\t\\.'), max_size=6)


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(TEXT, TEXT), max_size=6), chunk=st.integers(1, 60))
@example(rows=[], chunk=1)
def test_every_text_comes_through_in_chunks_of_any_size(rows, chunk):
    lines = [_csv(row) for row in rows]
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "CHUNK", chunk)
        files = fetching.land(lines, ["a", "b"], Path(name), "x")
        found = pl.concat(pl.read_parquet(file.path) for file in files)
    assert [tuple(text or "" for text in row) for row in found.rows()] == rows
    assert len({file.origin for file in files}) == 1


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6), data=st.data())
def test_the_digest_knows_rows_and_how_often_but_not_their_order(rows, data):
    def digest(some, columns=("a", "b")):
        with TemporaryDirectory() as name:
            return fetching.land(map(_csv, some), columns, Path(name), "x")[0].origin.sha256

    assert digest(data.draw(st.permutations(rows))) == digest(rows)
    assert digest([*rows, rows[0]]) != digest(rows)
    assert digest(rows[1:]) != digest(rows)
    assert digest(rows, ("b", "a")) != digest(rows)


def _csv(row):
    written: list[str] = []
    line = type("Line", (), {"write": lambda self, text: written.append(text)})()
    csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(row)
    return "".join(written).encode()


def test_a_large_table_comes_in_parts_with_one_origin(tmp_path, lab, monkeypatch):
    monkeypatch.setattr(fetching, "CHUNK", 1000)
    plan = plan_of(tmp_path, lab.url, ", query: 'SELECT n AS trial FROM generate_series(1000, 1999) n'")
    files = fetched(plan.trials, tmp_path / "work").sources
    assert len(files) == 5
    assert pl.concat(pl.read_parquet(file.path) for file in files)["trial"].cast(int).sum() == 1499500
    assert [one.size for one in fetch(plan, tmp_path / "again")] == [len("trial\n") + 5000]


@pytest.mark.long
def test_memory_is_that_of_a_chunk(tmp_path, lab):
    program = (
        "import resource, sys; from pathlib import Path; from reporting.inputs.remote.address import as_configured;"
        "from reporting.inputs.remote.fetch import fetched; from reporting.inputs.spec import Remote, TrialSpec;"
        "fetched(TrialSpec((as_configured(Remote(sys.argv[1]), None, sys.argv[2], {}),)), Path(sys.argv[3]));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for millions in (1, 4):
        query = f"SELECT md5(n::text) AS trial, n AS score FROM generate_series(1, {millions}000000) n"
        asked = [sys.executable, "-c", program, lab.url, query, str(tmp_path / str(millions))]
        peaks.append(int(subprocess.run(asked, capture_output=True, check=True).stdout))
    assert peaks[1] < peaks[0] * 1.3
