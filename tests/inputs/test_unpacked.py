"""A packed file holds no more text than is allowed: a few kilobytes could fill any memory."""

import gzip
import io
import re
import subprocess
import sys

import polars as pl
import pytest

from reporting.errors import DataError
from reporting.inputs import unpacked
from reporting.inputs.spec import File

HEAD = b"model,split,trial,label,score\n"


def packed(path, text):
    """A file that holds the text, packed as its name shows."""
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text))
    else:
        rows = pl.DataFrame({"line": text.decode().splitlines()})
        held = io.BytesIO()
        rows.write_csv(held, include_header=False, compression="zstd")
        path.write_bytes(held.getvalue())
    return File(path)


@pytest.mark.parametrize("end", [".gz", ".zst"])
def test_a_file_over_the_limit_is_named_with_the_key_that_raises_it(tmp_path, end):
    file = packed(tmp_path / f"rows.csv{end}", HEAD + b"m,test,t,0,0.50\n" * 2**17)
    assert file.path.stat().st_size < 20_000
    expected = f"rows.csv{end}: it holds more than 1 MB of text once it is unpacked"
    with pytest.raises(DataError, match=re.escape(expected) + ".*trials.unpacked_limit"):
        unpacked.check_unpacked([file], 1)
    unpacked.check_unpacked([file], 3)


def test_the_limit_is_the_last_size_that_is_allowed(tmp_path):
    exact = packed(tmp_path / "exact.csv.gz", b"x" * (2**20 - 1) + b"\n")
    more = packed(tmp_path / "more.csv.gz", b"x" * 2**20 + b"\n")
    unpacked.check_unpacked([exact], 1)
    with pytest.raises(DataError, match=r"more.csv.gz"):
        unpacked.check_unpacked([more], 1)


def test_small_files_are_not_unpacked_for_it(tmp_path, monkeypatch):
    file = packed(tmp_path / "rows.csv.gz", HEAD)
    monkeypatch.setattr(unpacked, "_unpacks_beyond", None)
    unpacked.check_unpacked([file], 1)


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"x" * 900_000)[:-9]])
def test_a_damaged_file_is_left_to_its_reader(tmp_path, content):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(content.ljust(2_000, b"\0") if content else content)
    unpacked.check_unpacked([File(path), File(tmp_path / "gone.csv.gz")], 1)


def test_a_run_is_refused_before_anything_is_read(tmp_path):
    packed(tmp_path / "rows.csv.gz", HEAD + b"m,test,t,0,0.50\n" * 2**17)
    config = tmp_path / "r.yaml"
    config.write_text("trials: {source: rows.csv.gz, unpacked_limit: 1}\n")
    ended = subprocess.run(
        [sys.executable, "-m", "reporting", "check", config], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("error:") == 1
    assert "rows.csv.gz: it holds more than 1 MB of text" in ended.stderr
