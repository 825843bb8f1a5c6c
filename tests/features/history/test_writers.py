"""Many writers, and writers that are killed: nothing is lost, nothing is half there."""

import os
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from weeks import facts, frames_of

from reporting.base.provenance import InputFile
from reporting.features.history.folder import MANIFEST, Folder
from reporting.features.history.store import Store, open_store

HERE = Path(__file__).parent


class Memory:
    """A place that hands out what it was given."""

    where = "memory"

    def __init__(self):
        self.kept = {}

    def names(self):
        return sorted(self.kept)

    def read(self, run, file):
        return self.kept[run].get(file)

    def publish(self, run, files):
        self.kept[run] = dict(files)
        return True


@pytest.fixture(scope="module")
def runs():
    """150 runs, ready to be kept."""
    memory, frames = Memory(), frames_of(0, n=40)
    for number in range(150):
        source = InputFile("t", f"{number:064x}", number)
        Store(memory).record(facts(number % 40, inputs=(source,)), frames)
    return list(memory.kept.items())


def started(store, path):
    return subprocess.Popen(
        [sys.executable, str(HERE / "writer.py"), str(store), str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[2])},
    )


def check_whole(store):
    """Read every frame of every run: each holds what its manifest says."""
    opened = open_store(store)
    for run in opened.runs():
        assert all(run.frame(name) is not None for name in run.files)
    assert opened.cautions == ()
    return [run.name for run in opened.runs()]


def test_two_processes_keep_two_hundred_runs_at_once_and_lose_none(runs, tmp_path):
    store = tmp_path / "store"
    for name, part in (("one", runs[:100]), ("two", runs[50:])):
        (tmp_path / name).write_bytes(pickle.dumps(part))
    writers = [started(store, tmp_path / name) for name in ("one", "two")]
    kept = [line for writer in writers for line in writer.communicate()[0].split()]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert sorted(kept) == sorted(name for name, _ in runs)  # those of both are kept once
    assert check_whole(store) == sorted(kept)
    assert [path.name for path in (store / "runs").iterdir() if path.name.startswith(".")] == []


def test_a_writer_killed_at_any_moment_leaves_whole_runs_and_what_the_next_one_clears(runs, tmp_path):
    store, path, chance = tmp_path / "store", tmp_path / "all", random.Random(7)
    path.write_bytes(pickle.dumps(runs))
    for _ in range(20):
        writer = started(store, path)
        writer.stdout.readline()  # it is at work
        time.sleep(chance.random() * 0.01)
        writer.kill()
        writer.communicate()
        check_whole(store)
    assert started(store, path).wait() == 0
    assert check_whole(store) == sorted(name for name, _ in runs)
    assert not [each for each in (store / "runs").iterdir() if each.name.startswith(".")]


def test_what_a_living_writer_writes_is_left_alone(runs, tmp_path):
    (name, files), (other, more) = runs[:2]
    first, second = Folder(tmp_path), Folder(tmp_path)
    first.runs.mkdir()
    token, lock = first._locked()
    new = first._filled(token, files)
    assert second.publish(other, more)
    assert second.names() == [other]  # nobody sees what is not finished
    assert sorted(path.name for path in new.iterdir()) == sorted(files)
    os.close(lock)  # as if it had been killed
    assert not second.publish(other, more)
    assert not new.exists()
    assert second.read(name, MANIFEST) is None
