"""Targets and inputs that are links, mount points, read-only, or change while they are read; odd clocks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Ended, reporting
from faults.small import repeated, tree, written

import reporting.app.run.inputs as run_inputs


def run(config: Path, out: Path, *more: object) -> Ended:
    """Make a report without a word."""
    return reporting("run", "-q", config, "-o", out, *more)


def mounted(folder: Path, *options: str) -> None:
    """Mount a small disk at a folder, or skip."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", *options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may mount no disk")


def test_a_mount_point_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    config, disk = written(tmp_path), tmp_path / "disk"
    mounted(disk)
    try:
        (tmp_path / "trials.csv").rename(tmp_path / "t.csv")
        (tmp_path / "t.csv").rename(tmp_path / "trials.csv")
        ended = run(config, disk)
        inside = run(config, disk / "out")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert (ended.returncode, ended.stderr) == (
        2,
        f"error: {disk} is a mount point, and a report replaces its folder; name a folder inside it with -o [TR701]\n",
    )
    assert inside.returncode == 0


def test_a_read_only_disk_is_one_message_and_keeps_its_report(tmp_path: Path) -> None:
    config, disk = written(tmp_path), tmp_path / "disk"
    mounted(disk)
    try:
        assert run(config, disk / "out").returncode == 0
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        before = tree(disk)
        ended = run(config, disk / "out")
        assert tree(disk) == before
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error: {disk}/out cannot be written: [Errno 30] Read-only file system")
    assert ended.stderr.count("\n") == 1


def test_links_to_config_trials_target_and_store_stay_links(tmp_path: Path) -> None:
    real, links = tmp_path / "real", tmp_path / "links"
    real.mkdir()
    links.mkdir()
    config = written(real)
    plain = run(config, real / "plain")
    shutil.rmtree(real / "store")
    for name in (config.name, "trials.csv"):
        (links / name).symlink_to(real / name)
    for name in ("out", "store"):
        (real / name).mkdir()
        (links / name).symlink_to(real / name)
    linked = run(links / config.name, links / "out")
    assert (plain.returncode, linked.returncode, linked.stderr) == (0, 0, "")
    assert all((links / name).is_symlink() for name in (config.name, "trials.csv", "out", "store"))
    assert tree(real / "out") == tree(real / "plain")
    assert sorted(path.name for path in real.iterdir()) == [
        "out",
        "plain",
        "small.yaml",
        "store",
        "trials.csv",
    ]


def test_a_link_into_nothing_and_a_ring_of_links_are_messages(tmp_path: Path) -> None:
    config = written(tmp_path)
    (tmp_path / "ring").symlink_to("ring")
    (tmp_path / "nothing").symlink_to("nowhere/deep")
    ring, made = run(config, tmp_path / "ring"), run(config, tmp_path / "nothing")
    assert (ring.returncode, ring.stderr.count("\n")) == (2, 1)
    assert (made.returncode, (tmp_path / "nowhere" / "deep" / "report.json").exists()) == (0, True)


def longer(trials: Path) -> None:
    """Add a row, as a program does that still writes."""
    with trials.open("a") as file:
        file.write("a,test,99,1,0.5\n")


def shorter(trials: Path) -> None:
    """Cut the file in the middle of a row."""
    os.truncate(trials, trials.stat().st_size // 2 - 3)


CHANGES: dict[str, Callable[[Path], object]] = {"grows": longer, "shrinks": shorter, "vanishes": Path.unlink}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("when", ["before counting", "after counting"])
def test_an_input_that_changes_meanwhile_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], when: str
) -> None:
    config, count_all = written(tmp_path), run_inputs.count_all
    assert run(config, tmp_path / "out").returncode == 0
    before = tree(tmp_path / "out"), tree(tmp_path / "store")

    def changed(*settings: object) -> object:
        if when == "before counting":
            change(tmp_path / "trials.csv")
        counted = count_all(*settings)  # type: ignore[arg-type]
        if when == "after counting":
            change(tmp_path / "trials.csv")
        return counted

    monkeypatch.setattr(run_inputs, "count_all", changed)
    ended = run(config, tmp_path / "out", "--set", "history.as_of=2026-01-05")
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "trials.csv" in ended.stderr
    assert (tree(tmp_path / "out"), tree(tmp_path / "store")) == before


def test_a_clock_that_goes_back_changes_no_earlier_report(tmp_path: Path) -> None:
    """The date is today's, or SOURCE_DATE_EPOCH's: a run of an earlier day knows nothing of a later one."""
    config = written(tmp_path)
    config.write_text(config.read_text().replace(", as_of: 2026-01-01", ""))
    days = {"monday": 1_767_600_000, "tuesday": 1_767_700_000, "monday again": 1_767_600_001}
    trees = {}
    for day, seconds in days.items():
        ended = reporting(
            "run", "-q", config, "-o", tmp_path / "out", env={"SOURCE_DATE_EPOCH": str(seconds)}
        )
        assert ended.returncode == 0, (day, ended.stderr)
        assert re.fullmatch(repeated("2026-01-05") if day == "tuesday" else "", ended.stderr), day
        trees[day] = tree(tmp_path / "out")
    assert trees["monday again"] == trees["monday"] != trees["tuesday"]
    assert len(list((tmp_path / "store" / "runs").iterdir())) == 2


@pytest.mark.parametrize("seconds", ["0", "4102444800", "99999999999999999999"])
def test_a_clock_far_off_is_a_date_or_a_message(tmp_path: Path, seconds: str) -> None:
    ended = reporting(
        "run", "-q", written(tmp_path), "-o", tmp_path / "out", env={"SOURCE_DATE_EPOCH": seconds}
    )
    assert ended.returncode in (0, 2)
    assert ended.returncode == 0 or "SOURCE_DATE_EPOCH is" in ended.stderr
