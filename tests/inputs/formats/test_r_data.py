"""Data frames that R saves are read value by value."""

from __future__ import annotations

import gzip
import shutil
import subprocess

import pytest
from inputs.formats.opened import opened, table

from reporting.errors import DataError

MADE = """
d <- data.frame(id = c('007', 'b', NA), y = factor(c('no', 'yes', NA)), s = c(.1, NA, -1e-300), i = c(1:2, NA),
                l = c(TRUE, FALSE, NA), day = as.Date(c('2026-01-01', NA, '2026-12-31')),
                t = as.POSIXct(c('2026-01-01 12:30:15', NA, NA), tz = 'UTC'))
"""
EXPECTED = {
    "id": ["007", "b", None],
    "y": ["no", "yes", None],
    "s": [0.1, None, -1e-300],
    "i": [1, 2, None],
    "l": [True, False, None],
    "day": ["2026-01-01", None, "2026-12-31"],
    "t": ["2026-01-01T12:30:15", None, None],
}


def r(folder, program):
    script = shutil.which("Rscript")
    if script is None:
        pytest.skip("R is missing")
    subprocess.run([script, "-e", MADE + program], cwd=folder, check=True, capture_output=True)


def values(path, **reading):
    return opened(path, **reading).fill_nan(None).to_dict(as_series=False)


def test_data_frames_however_they_are_packed(tmp_path):
    packings = ("TRUE", "FALSE", "'xz'", "'bzip2'")
    saves = [f"saveRDS(d, '{at}.rds', compress = {how})" for at, how in enumerate(packings)]
    r(tmp_path, ";".join([*saves, "save(d, file = 'd.RData')", "saveRDS(d, 'old.rds', version = 2)"]))
    for name in ("0.rds", "1.rds", "2.rds", "3.rds", "d.RData", "old.rds"):
        assert values(tmp_path / name) == EXPECTED


def test_one_frame_of_several_is_named_and_vectors_are_columns(tmp_path):
    r(
        tmp_path,
        "e <- data.frame(a = 1); x <- 5; save(d, e, x, file = 'de.rda'); save(d, x, file = 'd.rda');"
        "saveRDS(list(labels = c(1, 0), scores = c(.5, .25)), 'l.rds'); saveRDS(function(x) x, 'f.rds')",
    )
    with pytest.raises(DataError, match=r"it holds the data frames 'd', 'e'; name one, as in .*\{sheet: d\}"):
        table(tmp_path / "de.rda")
    assert values(tmp_path / "de.rda", sheet="e") == {"a": [1.0]}
    assert values(tmp_path / "d.rda") == EXPECTED
    assert table(tmp_path / "l.rds") == {"labels": [1.0, 0.0], "scores": [0.5, 0.25]}
    with pytest.raises(DataError, match="f.rds: cannot be read: "):
        table(tmp_path / "f.rds")


@pytest.mark.parametrize(
    "content", [b"nothing", b"RDX3\nX\n", b"X\n" + bytes(100), gzip.compress(b"X\n\0\0\0\3", mtime=0)]
)
@pytest.mark.parametrize("name", ["d.rds", "d.rda"])
def test_damaged_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name}: (cannot be read: |its name shows r, but it holds text)"):
        table(tmp_path / name)


def test_a_bomb(tmp_path):
    (tmp_path / "d.rds").write_bytes(gzip.compress(b"X\n" + bytes(150 * 2**20)))
    with pytest.raises(DataError, match="it becomes more than 1,000 times as large"):
        table(tmp_path / "d.rds")


def test_whole_numbers_are_written_as_r_prints_them(tmp_path):
    r(tmp_path, "saveRDS(data.frame(k = c(3, 15, NA), s = c(1, 2.5, 3)), 'k.rds')")
    assert opened(tmp_path / "k.rds").to_dict(as_series=False) == {"k": [3, 15, None], "s": [1.0, 2.5, 3.0]}
    assert opened(tmp_path / "k.rds")["k"].cast(str).to_list() == ["3", "15", None]
