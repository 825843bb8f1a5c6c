"""Files of every format that are not what they seem: a right reading, or one message; in little time and memory."""

from __future__ import annotations

import gzip
import io
import pickle
import random
import resource
import time
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command import reporting
from inputs.formats.opened import opened

from reporting.app.init.look import sample_of
from reporting.errors import DataError
from reporting.inputs.spec import File
from tests.hostile.broken_files import EXPORTS, write_broken_export
from tests.hostile.ending import faults_of

N = 60
FRAME = pl.DataFrame(
    {
        "trial": [f"u{at}" for at in range(N)],
        "label": [at % 3 // 2 for at in range(N)],
        "score": [(at * 7 % 11) / 7 for at in range(N)],
    }
)
CSV = FRAME.write_csv().encode()
SECONDS = 20
"""Of the processor; most cases take a tenth of one, what they are about would take hours."""
ENDS = ("csv", "tsv", "txt", "json", "jsonl", "parquet", "arrow", "npy", "npz", "mat", "xlsx", "xls", "ods", "dta", "sav",
        "por", "xpt", "sas7bdat", "rds", "rda", "zip")  # fmt: skip


def zipped(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in members.items():
            archive.writestr(name, held)
    return content.getvalue()


def parquet(frame: pl.DataFrame = FRAME) -> bytes:
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def workbook(frame: pl.DataFrame = FRAME) -> bytes:
    pytest.importorskip("openpyxl")
    content = io.BytesIO()
    frame.to_pandas().to_excel(content, index=False)
    return content.getvalue()


def refused(folder: Path, name: str, content: bytes) -> str:
    """Return the one message by which ``init`` refuses a file."""
    (folder / name).write_bytes(content)
    begun = time.process_time()
    ended = reporting("init", name, "-o", "report.yaml", cwd=folder)
    assert time.process_time() - begun < SECONDS
    assert list(faults_of(ended)) == []
    assert ended.returncode == 2, ended.stdout
    (line,) = ended.stderr.splitlines()
    assert not (folder / "report.yaml").exists()
    return line.removeprefix("error: ").rpartition(" [TR")[0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", lambda: zipped(**{"b.zip": zipped(**{"t.csv": CSV})}), "it holds no table ('b.zip')"),
        ("a.xlsx", lambda: zipped(**{"word/document.xml": b"<x/>"}), "it is a ZIP archive and no workbook (it holds 'word/document.xml')"),
        ("a.ods", lambda: zipped(**{"t.csv": CSV}), "no workbook (it holds 't.csv'); name it .zip where a table is in it"),
        ("a.xlsx", lambda: zipped(**{"xl/worksheets/sheet1.xml": b" " * 70_000_000}), "more than 1,000 times as large"),
        ("a.zip", lambda: zipped(**{"t.csv": b"trial,label,score\n" + b" " * 70_000_000}), "more than 1,000 times as large"),
        ("a.csv", workbook, "its name shows csv, but it holds a ZIP archive or a workbook"),
        ("a.csv", parquet, "its name shows csv, but it holds Parquet; rename it so that it ends in .parquet"),
        ("a.parquet", lambda: CSV, "it is not Parquet"),
        ("a.xls", lambda: b"<html><table><tr><td>1</td></tr></table></html>", "it holds a page of HTML; export it as CSV"),
        *((f"a.{end}", lambda: CSV, "but it holds text; rename it so that it ends in .csv") for end in
          ("xlsx", "xls", "ods", "npy", "npz", "mat", "sav", "dta", "sas7bdat", "rds", "rda", "zip")),
        ("a.json", lambda: CSV, "it is not JSON (line 1"),
        ("a.jsonl", lambda: CSV, "line 1 is not JSON"),
        ("a.pkl", lambda: pickle.dumps([1]), "it holds pickled objects, which may run code; export it as CSV"),
        ("a.npy", lambda: pickle.dumps([1]), "but it holds pickled objects, which may run code; export it as CSV"),
        ("a.h5", lambda: b"\x89HDF\r\n\x1a\n" + bytes(500), "it holds HDF5; export it as CSV"),
        ("a.mat", lambda: b"\x89HDF\r\n\x1a\n" + bytes(500), "its name shows matlab, but it holds HDF5; export it as CSV"),
        ("a.mat", lambda: b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\0\2IM" + bytes(400), "it is of version 7.3, which is HDF5; save it with"),
        ("a.json", lambda: b"[" * 5_000_000, "nested too deeply"),
        ("a.jsonl", lambda: b"[" * 5_000_000, "nested too deeply"),
    ],
)  # fmt: skip
def test_what_a_file_is_not(tmp_path, name, content, message):
    line = refused(tmp_path, name, content())
    assert line.startswith(f"{name}: ")
    assert message in line


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 5_000, b"x" * 5_000_000, b"," * 50_000, CSV[:-9] + b"\0\xff\xfe" + CSV[-9:]],
    ids=["nothing", "zeros", "one line", "commas", "damaged"],
)  # fmt: skip
def test_what_is_none_of_any_format(tmp_path, end, content):
    name = f"a.{end}"
    assert name in refused(tmp_path, name, content)


class Written:
    """Writes a file as soon as it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.pkl"])
def test_pickled_objects_are_never_loaded(tmp_path, name):
    mark, content = tmp_path / "ran", io.BytesIO()
    held = np.array([Written(mark), 1], dtype=object)
    if name == "a.npz":
        np.savez(content, label=np.array([1, 0]), score=held)
    elif name == "a.npy":
        np.save(content, held, allow_pickle=True)
    else:
        content.write(pickle.dumps(Written(mark)))
    assert "run code" in refused(tmp_path, name, content.getvalue())
    assert not mark.exists()
    pickle.loads(content.getvalue() if name == "a.pkl" else pickle.dumps(held))
    assert mark.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", gzip.compress(CSV)),
        ("a.csv.gz", CSV),
        ("a.csv", CSV.replace(b"\n", b"\r\n") + b"\n\n"),
        *(("a.csv", CSV.decode().encode(encoding)) for encoding in ("utf-16-le", "utf-16-be")),
    ],
    ids=["packed", "not packed", "blank lines", "UTF-16 without a mark", "UTF-16 without a mark, turned"],
)
def test_what_is_read_all_the_same(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert opened(tmp_path / name).equals(FRAME.cast(pl.String))


def cells(*values: str | float, times: int = 1, rows: int = 1) -> str:
    """Write a row of OpenDocument: every cell so many times, in as many rows."""
    held = "".join(
        f'<table:table-cell table:number-columns-repeated="{times}" office:value-type="string"><text:p>{value}</text:p>'
        "</table:table-cell>" if value else f'<table:table-cell table:number-columns-repeated="{times}"/>'
        for value in values
    )  # fmt: skip
    return f'<table:table-row table:number-rows-repeated="{rows}">{held}</table:table-row>'


TRIALS = "".join(cells(*row) for row in (FRAME.columns, *FRAME.cast(pl.String).iter_rows()))


def open_document(rows: str) -> bytes:
    urn = "urn:oasis:names:tc:opendocument:xmlns:"
    spaces = "".join(f' xmlns:{each}="{urn}{each}:1.0"' for each in ("office", "table", "text"))
    held = f'<office:body><office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
    return zipped(
        mimetype=b"application/vnd.oasis.opendocument.spreadsheet",
        **{
            "META-INF/manifest.xml": b'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        },
        **{"content.xml": f"<office:document-content{spaces}>{held}</office:document-content>".encode()},
    )


@pytest.mark.parametrize(
    "below",
    ["", cells("", times=16_384, rows=1_048_515), cells("", rows=2**40)],
    ids=["nothing", "empty rows", "beyond all rows"],
)
def test_empty_cells_of_open_document_are_none(tmp_path, below):
    (tmp_path / "a.ods").write_bytes(open_document(TRIALS + below))
    assert opened(tmp_path / "a.ods").equals(FRAME.cast(pl.String))


@pytest.mark.parametrize(
    "below",
    [
        cells("1", times=90, rows=1_048_000),
        cells("", times=16_384, rows=1_048_000) + cells("x", times=60),
        cells("x", times=2**40),
        cells("x", rows=2**40),
    ],
    ids=["rows and columns", "far away", "columns", "rows"],
)
def test_repeated_cells_of_open_document_are_bounded(tmp_path, below):
    """Some hundred bytes; without a bound, up to 100 million cells are held, in 10 GB."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = refused(tmp_path, "a.ods", open_document(TRIALS + below))
    assert "more cells than are read; delete what is far from the table" in line
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 2**19  # KB


@pytest.mark.parametrize("n", [1_000, 10_000])
def test_very_many_columns(tmp_path, n):
    wide = pl.DataFrame({f"c{at}": [str(at), None, "1,5" if at == n - 1 else "1"] for at in range(n)})
    wide.write_csv(tmp_path / "a.csv", separator=";")
    begun = time.process_time()
    held = opened(tmp_path / "a.csv")
    assert time.process_time() - begun < SECONDS
    assert held.width == n
    assert held.row(1)[-1] == "1.5"
    assert held.height == 2  # the row of blanks is none


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.npy", "a.xlsx", "a.sav", "a.json"])
def test_five_gigabytes_of_nothing_are_known_by_their_beginning(tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        file.truncate(5 * 2**30)
    begun, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataError, match=name):
        opened(tmp_path / name)
    assert time.process_time() - begun < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 2**20  # KB


@pytest.mark.parametrize("kind", EXPORTS)
def test_whole_exports_are_read(tmp_path, kind):
    (tmp_path / f"t.{kind}").write_text(EXPORTS[kind])
    assert opened(tmp_path / f"t.{kind}").height


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_exports_with_faults_are_read_or_refused_with_a_message(tmp_path, start):
    for seed in range(start, start + 50):
        folder = tmp_path / str(seed)
        folder.mkdir()
        name = write_broken_export(random.Random(f"exports {seed}"), folder)
        messages = []
        try:
            sample_of(File(folder / name))
        except DataError as error:
            messages = list(error.faults)
        assert len(messages) < 2, seed
        assert all(name in text and "Error" not in text for text in messages), (seed, messages)
