"""A cache keeps to its limit: what was not used for longest goes, whoever writes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from snapshot import snapshot

from reporting.base.cache.cache import SHARE, Cache
from reporting.base.cache.place import held, trim
from tests.base.cache.filling import fill

HERE = Path(__file__).parents[3]
ENTRY = 8 * 1024 + 64
LIMIT = 32 * ENTRY


def age(folder):
    """Make every entry older by an hour, those made first by most."""
    for entry in folder.glob("*/*.arrays"):
        then = entry.stat().st_mtime_ns - 3600 * 10**9
        os.utime(entry, ns=(then, then))


def test_what_was_not_used_for_longest_goes(tmp_path):
    folder, heard = tmp_path / "c", []
    for item in range(15):
        assert fill(Cache(folder), item) == [item]
        age(folder)
    assert fill(Cache(folder), 0, 1) == []
    for item in range(15, 40):
        age(folder)
        fill(Cache(folder, heard.append, LIMIT), item)
    Cache(folder, heard.append, LIMIT)
    assert held(folder).size <= LIMIT
    assert fill(Cache(folder), 0, 1, 39) == []
    assert fill(Cache(folder), 2) == [2]
    snapshot("cache/limit_what_was_not_used_for_longest_goes", heard[0])


def test_one_run_says_it_once_and_keeps_to_the_limit_as_it_writes(tmp_path):
    heard = []
    cache = Cache(tmp_path / "c", heard.append, LIMIT)
    for item in range(100):
        assert fill(cache, item) == [item]
        assert held(tmp_path / "c").size <= LIMIT
    assert len(heard) == 1
    assert held(tmp_path / "c").entries > 10


def test_a_result_that_would_take_most_of_the_limit_is_not_kept(tmp_path):
    heard = []
    cache = Cache(tmp_path / "c", heard.append, SHARE * 7000)
    assert fill(cache, 1, 2) == [1, 2]
    assert fill(cache, 1, 2) == [1, 2]
    snapshot("cache/limit_a_result_that_would_take_most_of_the_limit_is_not_kept", "\n".join(heard))
    assert held(tmp_path / "c").entries == 0


def test_an_entry_that_another_run_took_away_is_gone_for_both(tmp_path, monkeypatch):
    fill(Cache(tmp_path), *range(10))
    unlink = Path.unlink

    def slower(path, **named):
        unlink(path)
        unlink(path, **named)

    monkeypatch.setattr(Path, "unlink", slower)
    assert trim(tmp_path, 0).entries == 10
    assert held(tmp_path).entries == 0


def test_a_worker_gets_a_copy_that_writes_to_the_same_folder(tmp_path):
    ours = Cache(tmp_path, print, LIMIT)
    theirs = pickle.loads(pickle.dumps(ours))
    assert fill(theirs, 1) == [1]
    assert fill(ours, 1) == []
    assert not pickle.loads(pickle.dumps(Cache())).remembers


WRITING = """
import sys
import numpy as np
from pathlib import Path
from reporting.base.cache.cache import Cache
from reporting.base.cache.place import _last_used
folder, first, limit = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
cache = Cache(folder, lambda line: None, limit)
for item in range(first, first + 200):
    for each in (item, item // 2):
        found = cache.fill("x", [each], lambda i: i, lambda lacking: {i: {"x": np.full(970, i)} for i in lacking})
        assert (found[each]["x"] == each).all()
    seen = list(_last_used(folder))
    # What is still there was there at once; the sum of all may count one entry gone and one that took its place.
    print(sum(size for _, path, size in seen if path.exists()), flush=True)
"""


def start(folder, first):
    words = [sys.executable, "-c", WRITING, folder, str(first), str(LIMIT)]
    return subprocess.Popen(words, cwd=HERE, stdout=subprocess.PIPE, text=True)


def test_two_processes_keep_to_the_limit_together(tmp_path):
    runs = [start(tmp_path / "c", first) for first in (0, 50)]
    done = [(run.communicate()[0].split(), run.returncode) for run in runs]
    assert [code for _, code in done] == [0, 0]
    assert all(len(sizes) == 200 for sizes, _ in done)
    assert max(int(size) for sizes, _ in done for size in sizes) <= LIMIT
    assert held(tmp_path / "c").entries > 0


def test_a_killed_writer_leaves_a_cache_that_keeps_to_the_limit(tmp_path):
    run = start(tmp_path / "c", 0)
    for _ in range(30):
        run.stdout.readline()
    run.kill()
    run.communicate()
    cache = Cache(tmp_path / "c", limit=LIMIT)
    assert not [path for path in (tmp_path / "c").iterdir() if path.name.startswith(".new-")]
    fill(cache, *range(40))
    assert held(tmp_path / "c").size <= LIMIT


@pytest.mark.parametrize("used", [True, False])
def test_reading_counts_as_use(tmp_path, used):
    fill(Cache(tmp_path), 1)
    age(tmp_path)
    fill(Cache(tmp_path), 2)
    age(tmp_path)  # or both would be used within one tick of the clock
    if used:
        fill(Cache(tmp_path), 1)
    one = held(tmp_path).size // 2
    trim(tmp_path, one)
    assert fill(Cache(tmp_path), 1) == ([] if used else [1])
