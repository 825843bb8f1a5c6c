"""A machine that runs out of room or files: one message, exit 3, and what stood there stays."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from command import reporting
from faults.small import repeated, tree, written

from reporting.app.cli.app import guarded
from reporting.app.terminal import voice_for
from reporting.app.terminal.log import Log
from reporting.base.execution.array_store import ArrayStore
from reporting.base.publish import publishing
from reporting.errors import EXHAUSTED, ExhaustedError, OutputError, unwritable

PAGES = ("--set", "report.formats=[json,markdown]")


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond ``size`` bytes, as ``ulimit -f`` does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may mount no disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill_up(disk: Path) -> None:
    """Leave no room but what makes folders."""
    with (disk / "ballast").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(2**12))


def test_a_full_disk_leaves_the_last_report(tmp_path: Path, disk: Path) -> None:
    config = written(tmp_path)
    assert reporting("run", "-q", config, "-o", disk / "out").returncode == 0
    fill_up(disk)
    before = tree(disk)
    ended = reporting("run", "-q", config, "-o", disk / "out", *PAGES)
    assert ended.returncode == 3
    assert (
        ended.stderr == f"error: {disk}/out cannot be written: [Errno 28] No space left on device [TR703]\n"
    )
    assert tree(disk) == before


def test_a_full_disk_under_the_history_leaves_report_and_history(tmp_path: Path, disk: Path) -> None:
    store = ["--set", f"history.store={disk}/store", "-o", tmp_path / "out"]
    config = written(tmp_path)
    assert reporting("run", "-q", config, *store).returncode == 0
    fill_up(disk)
    before = tree(disk), tree(tmp_path / "out")
    ended = reporting("run", "-q", config, *store, "--set", "history.as_of=2026-01-02")
    assert ended.returncode == 3
    assert re.fullmatch(
        repeated("2026-01-01")
        + r"error: the history '.*' cannot be written: \[Errno 28\] No space left on device \[TR703\]\n",
        ended.stderr,
    )
    assert (tree(disk), tree(tmp_path / "out")) == before


def test_a_full_disk_under_the_cache_ends_no_run(tmp_path: Path, disk: Path) -> None:
    config = written(tmp_path)
    (disk / "cache").mkdir()
    fill_up(disk)
    (disk / "ballast").open("rb+").truncate((disk / "ballast").stat().st_size - 8192)
    ended = reporting("run", config, "-o", tmp_path / "out", "--set", f"run.cache={disk}/cache")
    assert ended.returncode == 0
    assert ended.stderr.count("No space left on device); the run continues without it") == 1


def test_files_that_may_not_grow_leave_the_last_report(tmp_path: Path) -> None:
    config = written(tmp_path)
    assert reporting("run", "-q", config, "-o", tmp_path / "out").returncode == 0
    before = tree(tmp_path)
    with longest_file(2**14):
        ended = reporting("run", "-q", config, "-o", tmp_path / "out", *PAGES)
    assert (ended.returncode, ended.stderr) == (
        3,
        f"error: {tmp_path}/out cannot be written: [Errno 27] File too large [TR703]\n",
    )
    assert tree(tmp_path) == before


def test_arrays_that_do_not_fit_into_the_folder_of_the_run(tmp_path: Path) -> None:
    with longest_file(2**14), pytest.raises(ExhaustedError, match=r"^run.folder: .* File too large"):
        ArrayStore(tmp_path).keep(np.zeros(2**18))


@pytest.mark.parametrize("number", EXHAUSTED)
def test_the_last_report_stays_whatever_runs_out(tmp_path: Path, number: int) -> None:
    with pytest.raises(ExhaustedError) as raised, publishing(tmp_path / "out", "r1"):
        raise OSError(number, os.strerror(number))
    assert raised.value.faults == (
        f"{tmp_path}/out cannot be written: [Errno {number}] {os.strerror(number)}",
    )
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_another_config_would_avoid_is_no_want_of_room(tmp_path: Path) -> None:
    refused = unwritable(tmp_path, PermissionError(13, "Permission denied"))
    assert (type(refused), refused.status, ExhaustedError.status) == (OutputError, 2, 3)


def test_too_few_addresses_are_one_message(tmp_path: Path) -> None:
    """With 1 GB the libraries abort the process (status 134), whatever is caught."""
    config = written(tmp_path)
    before = tree(tmp_path)
    ended = subprocess.run(
        ["bash", "-c", f"ulimit -v 1048576; exec {sys.executable} -m reporting run -q {config}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (
        3,
        "error: this process may reserve 1,024 MB of addresses (ulimit -v); at least 2,048 MB are needed [TR703]\n",
    )
    assert tree(tmp_path) == before


class PanicError(BaseException):
    """What compiled libraries raise is no Exception."""


def test_a_panic_of_a_library_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    def panic() -> str:
        raise PanicError("Too many open files")

    with pytest.raises(SystemExit) as ended:
        guarded(panic, voice_for(Log.TEXT, sys.stderr))
    assert ended.value.code == 3
    assert capsys.readouterr().err == "error: internal error: PanicError: Too many open files [TR901]\n"


def test_a_full_standard_output_is_one_message(tmp_path: Path) -> None:
    ended = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m reporting schema > /dev/full"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (
        3,
        "error: the standard output cannot be written: [Errno 28] No space left on device [TR703]\n",
    )
