"""The folder of a cache: only ours is used or cleared, writers share it, and what a kill left goes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reporting.base.cache.cache import Cache
from reporting.base.cache.place import MARKER, clear, held, open_folder, path_of
from reporting.errors import OutputError
from tests.base.cache.filling import fill

HERE = Path(__file__).parents[3]
A, B = "a" * 64, "b" * 64


def left(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".new-")]


def test_only_what_is_new_is_made(tmp_path):
    first = Cache(tmp_path / "c")
    assert fill(first, 1, 2) == [1, 2]
    again = Cache(tmp_path / "c")
    assert fill(again, 2, 3, 1) == [3]
    assert (first.found, first.made, again.found, again.made) == (0, 2, 2, 1)
    assert fill(Cache(), 1, 2) == [1, 2]
    assert fill(Cache(tmp_path / "c")) == []


def test_a_damaged_entry_is_told_and_made_again(tmp_path):
    told = []
    fill(Cache(tmp_path / "c", told.append), 1)
    (entry,) = tmp_path.glob("c/*/*.arrays")
    entry.write_bytes(entry.read_bytes()[:-1])
    assert fill(Cache(tmp_path / "c", told.append), 1) == [1]
    assert told == [f"run.cache: {entry} does not hold what was written there; it is made again"]
    assert fill(Cache(tmp_path / "c", told.append), 1) == []


def test_a_folder_that_fails_costs_time_alone_and_is_told_once(tmp_path):
    told = []
    cache = Cache(tmp_path / "c", told.append)
    for byte in range(256):
        (tmp_path / "c" / f"{byte:02x}").touch()
    assert fill(cache, 1, 2) == [1, 2]
    (line,) = told
    assert line.endswith("(Not a directory); the run continues without it")
    assert left(tmp_path / "c") == []


@pytest.mark.parametrize("use", [open_folder, held, clear])
def test_a_folder_of_others_is_refused(tmp_path, use):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / f"{A}.arrays").write_text("mine")
    with pytest.raises(OutputError, match=f"is not a cache folder \\({MARKER} is missing\\)"):
        use(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ab", "notes.txt"]


def test_what_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file cannot be used"):
        open_folder(tmp_path / "file")
    for use in (held, clear):
        with pytest.raises(OutputError, match="no such folder"):
            use(tmp_path / "none")


def test_clear_takes_what_is_ours_and_nothing_else(tmp_path):
    folder, outside = tmp_path / "c", tmp_path / "outside"
    fill(Cache(folder), *range(20))
    before = held(folder)
    assert before.entries == 20
    assert before.size == sum(path.stat().st_size for path in folder.glob("*/*.arrays"))
    fill(Cache(outside), 1)
    entry = next(outside.glob("*/*.arrays"))
    (folder / "notes.txt").write_text("mine")
    sub = next(path for path in folder.iterdir() if path.is_dir())
    (sub / "notes.txt").write_text("mine")
    link = next(f for n in range(256) if not (f := folder / f"{n:02x}").exists())
    link.symlink_to(entry.parent)
    assert clear(folder) == before
    assert entry.exists()
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert names >= {"notes.txt", f"{sub.name}/notes.txt", link.name, MARKER}
    assert str(held(folder)) == "0 entries, 0.0 MB"
    assert fill(Cache(folder), 1) == [1]


WRITING = """
import sys, time
from pathlib import Path
from reporting.base.cache.place import path_of, write_whole
def pieces():
    yield b"half"
    print("writing", flush=True)
    time.sleep(60)
folder = Path(sys.argv[1])
write_whole(folder, path_of(folder, "a" * 64), pieces())
"""


def test_what_a_killed_run_left_goes_and_what_a_living_one_writes_stays(tmp_path):
    open_folder(tmp_path / "c")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITING, tmp_path / "c"], cwd=HERE, stdout=subprocess.PIPE
    )
    assert writer.stdout.readline() == b"writing\n"
    open_folder(tmp_path / "c")
    clear(tmp_path / "c")
    assert len(left(tmp_path / "c")) == 1
    writer.kill()
    writer.communicate()
    assert len(left(tmp_path / "c")) == 1
    assert not path_of(tmp_path / "c", A).exists()
    open_folder(tmp_path / "c")
    assert left(tmp_path / "c") == []


SHARING = """
import sys
import numpy as np
from pathlib import Path
from reporting.base.cache.cache import Cache
for times in range(5):
    cache = Cache(Path(sys.argv[1]), print)
    for item in range(40):
        found = cache.fill("x", [item], lambda i: i, lambda lacking: {i: {"x": np.full(5000, i)} for i in lacking})
        assert (found[item]["x"] == item).all()
        if item % 7 == times:
            next(Path(sys.argv[1]).glob(f"{item:x}*/*.arrays"), Path("none")).unlink(missing_ok=True)
"""


def test_processes_share_a_folder(tmp_path):
    runs = [
        subprocess.Popen([sys.executable, "-c", SHARING, tmp_path / "c"], cwd=HERE, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [(run.communicate()[0], run.returncode) for run in runs] == [(b"", 0)] * 3
    assert left(tmp_path / "c") == []
