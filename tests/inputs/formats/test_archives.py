"""Archives of one table, and files whose bytes are not what their names say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import polars as pl
import pytest
from inputs.formats.opened import table

import reporting
from reporting.errors import DataError
from reporting.inputs.formats import copies

FRAME = pl.DataFrame({"model": ["A"] * 4, "label": [1, 0, 1, 0], "score": [0.5, 0.25, 1.0, 0.0]})
CSV = FRAME.write_csv().encode()
TEXTS = FRAME.cast(pl.String).to_dict(as_series=False)
NO_THRESHOLDS = {"thresholds": {"policy": "none"}}


def zipped(path, members, **how):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content, **how)
    return path


@pytest.mark.parametrize("member", ["t.csv", "deep/er/T.CSV", "../../t.csv", "/t.csv", "C:\\t.csv"])
def test_the_table_of_an_archive(tmp_path, member):
    path = zipped(tmp_path / "a.zip", {member: CSV, "README": b"x", "__MACOSX/._t.csv": b"y"})
    assert table(path) == TEXTS
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]


def test_a_table_of_any_format_in_an_archive(tmp_path):
    parquet = io.BytesIO()
    FRAME.write_parquet(parquet)
    assert table(zipped(tmp_path / "a.zip", {"t.parquet": parquet.getvalue()})) == FRAME.to_dict(
        as_series=False
    )
    assert table(zipped(tmp_path / "b.zip", {"t.txt": CSV.decode().encode("utf-16")})) == TEXTS
    assert table(zipped(tmp_path / "c.zip", {"t.csv.gz": gzip.compress(CSV)})) == TEXTS


@pytest.mark.parametrize(
    ("end", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
@pytest.mark.parametrize("name", ["t.csv", "t.txt"])
def test_packed_text(tmp_path, name, end, pack):
    (tmp_path / f"{name}.{end}").write_bytes(pack(CSV))
    assert table(tmp_path / f"{name}.{end}") == TEXTS
    read = reporting.read_trials(tmp_path / f"{name}.{end}", **NO_THRESHOLDS)
    assert sorted(read["score"]) == sorted(FRAME["score"])


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        (
            {"a.csv": CSV, "b.csv": CSV},
            "it holds the tables 'a.csv', 'b.csv'; name one, as in trials.reading: {sheet: a.csv}",
        ),
        ({"a.doc": CSV}, "it holds no table ('a.doc'); unpack it"),
        ({}, "it holds no table (nothing); unpack it"),
        ({"a.zip": CSV}, "it holds no table ('a.zip'); unpack it"),
    ],
)
def test_archives_of_another_number_of_tables(tmp_path, members, fault):
    with pytest.raises(DataError) as error:
        table(zipped(tmp_path / "x.zip", members))
    assert str(error.value).startswith(f"x.zip: {fault}")


@pytest.mark.parametrize("end", ["zip", "csv.bz2", "csv.xz"])
def test_bombs_are_refused_before_they_fill_a_disk(tmp_path, monkeypatch, end):
    head, rows = b"model,label,score\n", b"A,1,0\n" * 1_000_000
    path = tmp_path / f"x.{end}"
    if end == "zip":
        zipped(path, {"x.csv": head + 20 * rows})
    else:
        pack = (bz2 if "bz2" in end else lzma).compress
        path.write_bytes(pack(head) + 20 * pack(rows))
    written = []
    monkeypatch.setattr(copies, "place", lambda: written.append(tmp_path / "copy") or written[-1])
    (tmp_path / "copy").mkdir()
    with pytest.raises(
        DataError, match=r"it becomes more than 1,000 times as large|holds more than 1 MB of text"
    ):
        reporting.read_trials(path, trials={"unpacked_limit": 1} if end == "zip" else {}, **NO_THRESHOLDS)
    (copy,) = (tmp_path / "copy").iterdir()
    assert copy.stat().st_size <= copies.FREE + copies.MEGABYTE


def test_a_limit_that_is_raised_holds_everywhere(tmp_path, monkeypatch):
    path = zipped(tmp_path / "x.zip", {"x.csv": CSV + b"A,1,0\n" * 300_000})
    with pytest.raises(DataError, match=r"x.zip: it holds more than 1 MB .* raise trials.unpacked_limit"):
        reporting.read_trials(path, trials={"unpacked_limit": 1}, **NO_THRESHOLDS)
    assert len(reporting.read_trials(path, trials={"unpacked_limit": 2}, **NO_THRESHOLDS)) == 300_004


@pytest.mark.parametrize("cut", [3, -30, 40])
def test_damaged_archives(tmp_path, cut):
    for name, content in {"x.csv.xz": lzma.compress(CSV), "x.csv.bz2": bz2.compress(CSV)}.items():
        (tmp_path / name).write_bytes(content[:cut])
        with pytest.raises(DataError, match=f"{name}: cannot be unpacked: "):
            table(tmp_path / name)
    path = zipped(tmp_path / "x.zip", {"x.csv": CSV})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DataError, match="x.zip: "):
        table(path)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("t.csv", b"PAR1....PAR1", "its name shows csv, but it holds Parquet; rename it so that it ends in .parquet"),
        ("t.npy", CSV, "its name shows numpy, but it holds text; rename it so that it ends in .csv, .tsv or .txt"),
        ("t.zip", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "its name shows zip, but it holds a workbook of Excel before 2007; rename it so that it ends in .xls"),
        ("t.txt", b"%PDF-1.7", "its name shows text, but it holds a PDF document; export it as CSV"),
        ("t.json", b"\x93NUMPY", "its name shows json, but it holds a NumPy array; rename it so that it ends in .npy"),
    ],
)  # fmt: skip
def test_bytes_that_contradict_the_name(tmp_path, name, content, fault):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as error:
        table(tmp_path / name)
    assert str(error.value) == f"{name}: {fault}"
