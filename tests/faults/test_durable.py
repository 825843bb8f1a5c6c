"""What is written is on the disk before it gets its name: the order of writes, syncs and renames."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import reporting
from faults.small import repeated, written

from reporting.base import publish
from reporting.base.publish import publishing, replacing

Step = tuple[str, Path]
"""``sync`` of a file or folder, ``write`` of a file, ``move`` to a name, ``remove`` of one."""


class Recorder:
    """Keeps the steps below a folder while it listens: nobody can take an audit hook off again."""

    def __init__(self) -> None:
        self.below: Path | None = None
        self.steps: list[Step] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, details: tuple[object, ...]) -> None:
        if self.below is None or not details:
            return
        if event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR):
            self._add("write", details[0])
        elif event in ("os.rename", "os.link"):
            self._add("move", details[1])
        elif event in ("os.remove", "os.rmdir"):
            self._add("remove", details[0])

    def _add(self, what: str, path: object) -> None:
        if isinstance(path, str | Path) and self.below is not None and Path(path).is_relative_to(self.below):
            self.steps.append((what, Path(path)))

    @contextmanager
    def listening(self, below: Path) -> Iterator[list[Step]]:
        """Keep the steps below a folder meanwhile."""
        self.below, self.steps = below, []
        try:
            yield self.steps
        finally:
            self.below = None


RECORDER = Recorder()


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """The recorder; it hears of syncs and of exchanged names too."""
    sync, exchange = os.fsync, publish.exchange_names

    def heard(descriptor: int) -> None:
        RECORDER._add("sync", Path(f"/proc/self/fd/{descriptor}").readlink())
        sync(descriptor)

    def exchanged(new: Path, target: Path) -> bool:
        RECORDER._add("move", target)
        return exchange(new, target)

    monkeypatch.setattr(os, "fsync", heard)
    monkeypatch.setattr(publishing.__wrapped__, "__defaults__", (exchanged,))
    return RECORDER


def check(steps: list[Step], name: Path, whole: Callable[[Path], bool]) -> None:
    """Fail unless all that ``whole`` selects is synced before the move to a name, and then its folder."""
    at = max(number for number, step in enumerate(steps) if step == ("move", name))
    before, after = steps[:at], steps[at + 1 :]
    files = {path for what, path in before if what == "write" and whole(path)}
    assert files
    for path in files:
        of_path = [what for what, each in before if each == path]
        assert of_path[-1] == "sync", f"{path} is not on the disk"
        folders = [f for f in path.parents if whole(f)]
        assert all(("sync", folder) in before for folder in folders), f"the folders of {path} are not"
    assert after[0] == ("sync", name.parent), "the name is not on the disk before anything else happens"


def test_a_report_is_on_the_disk_before_it_takes_the_place_of_the_last(
    tmp_path: Path, recorder: Recorder
) -> None:
    config, out = written(tmp_path), tmp_path / "out"
    for day, told in (("2026-01-01", ""), ("2026-01-02", repeated("2026-01-01"))):
        with recorder.listening(tmp_path) as steps:
            ended = reporting("run", "-q", config, "-o", out, "--set", f"history.as_of={day}")
        assert ended.returncode == 0, ended.stderr
        assert re.fullmatch(told, ended.stderr)
        check(steps, out, lambda path: ".out.new-" in str(path))
        (name,) = {path for what, path in steps if what == "move" and "store" in path.parts}
        check(steps, name, lambda path: "/.new-" in str(path))
        assert steps.index(("move", name)) < max(steps.index(step) for step in steps if step == ("move", out))


def test_the_last_report_goes_when_the_new_name_is_on_the_disk(tmp_path: Path, recorder: Recorder) -> None:
    out = tmp_path / "out"
    for text in ("one", "two"):
        with recorder.listening(tmp_path) as steps, publishing(out, "r1") as new:
            (new / "manifest.json").write_text(f'{{"program": "reporting", "text": "{text}"}}')
    removed = next(number for number, (what, _) in enumerate(steps) if what == "remove")
    assert steps.index(("sync", tmp_path)) < removed


@pytest.mark.parametrize("over", [True, False])
def test_a_file_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, recorder: Recorder, over: bool
) -> None:
    with recorder.listening(tmp_path) as steps, replacing(tmp_path / "counts.parquet", over=over) as new:
        new.write_bytes(b"counts")
    check(steps, tmp_path / "counts.parquet", lambda path: ".new-" in path.name)


def test_new_folders_around_a_report_are_on_the_disk(tmp_path: Path, recorder: Recorder) -> None:
    with recorder.listening(tmp_path) as steps, publishing(tmp_path / "a" / "b" / "out", "r1") as new:
        (new / "manifest.json").write_text('{"program": "reporting"}')
    assert {("sync", tmp_path), ("sync", tmp_path / "a"), ("sync", tmp_path / "a" / "b")} <= set(steps)
