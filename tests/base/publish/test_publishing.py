"""Publishing: whole or not at all, ours or untouched, and healed after a kill at any moment."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reporting.base.publish import claim, exchange_names, heal, publishing, replacing
from reporting.errors import OutputError

ROOT = Path(__file__).resolve().parents[3]
FILES = [f"frames/{number}.txt" for number in range(3)]


def no_exchange(new: Path, target: Path) -> bool:
    """What a system without an atomic exchange answers."""
    return False


EXCHANGES = pytest.mark.parametrize("exchange", [exchange_names, no_exchange])


def write_report(folder: Path, text: str) -> None:
    (folder / "frames").mkdir()
    for name in FILES:
        (folder / name).write_text(text)
    (folder / "manifest.json").write_text('{"program": "reporting"}')


def read_report(folder: Path) -> str:
    """Return the one text all files of a report hold; fails on a mixture or a missing file."""
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()) == [
        *FILES,
        "manifest.json",
    ]
    texts = {(folder / name).read_text() for name in FILES}
    assert len(texts) == 1
    return texts.pop()


def publish(target: Path, text: str, run_id: str = "r1") -> None:
    with publishing(target, run_id) as new:
        write_report(new, text)


@EXCHANGES
def test_first_and_second_report(tmp_path: Path, exchange) -> None:
    target = tmp_path / "deep" / "er" / "report"
    for text in ("one", "two"):
        with publishing(target, "r1", exchange) as new:
            assert new.parent == target.parent
            assert new.name == ".report.new-r1"
            write_report(new, text)
        assert read_report(target) == text
        assert os.listdir(target.parent) == ["report"]


def test_the_system_exchanges_two_folders(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux offers renameat2")
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    before = one.stat().st_ino, two.stat().st_ino
    assert exchange_names(one, two)
    assert (two.stat().st_ino, one.stat().st_ino) == before
    assert not exchange_names(one, tmp_path / "three")


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.mkdir()
    publish(target, "one")
    assert read_report(target) == "one"


@EXCHANGES
@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_last_report(tmp_path: Path, exchange, fault) -> None:
    target = tmp_path / "report"
    publish(target, "good")
    with pytest.raises(fault), publishing(target, "r2", exchange) as new:
        (new / "half.txt").write_text("half")
        raise fault
    assert read_report(target) == "good"
    assert os.listdir(tmp_path) == ["report"]


def test_a_failure_between_the_renames_puts_the_last_report_back(tmp_path: Path) -> None:
    def lose_the_new_one(new: Path, target: Path) -> bool:
        shutil.rmtree(new)
        return False

    target = tmp_path / "report"
    publish(target, "good")
    with pytest.raises(OutputError, match="cannot be written"):  # noqa: SIM117
        with publishing(target, "r2", lose_the_new_one) as new:
            write_report(new, "lost")
    assert read_report(target) == "good"
    assert os.listdir(tmp_path) == ["report"]


@pytest.mark.parametrize("manifest", [None, "{}", "[1]", "no json", '{"program": "another"}', "\udcff"])
def test_a_folder_of_others_is_refused(tmp_path: Path, manifest: str | None) -> None:
    target = tmp_path / "thesis"
    target.mkdir()
    (target / "chapter.txt").write_text("precious")
    if manifest is not None:
        (target / "manifest.json").write_bytes(manifest.encode(errors="surrogateescape"))
    with pytest.raises(OutputError, match="thesis is not empty and is not a report folder"):
        publish(target, "one")
    assert (target / "chapter.txt").read_text() == "precious"
    assert os.listdir(tmp_path) == ["thesis"]


def test_a_folder_that_others_fill_meanwhile_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "thesis"
    with pytest.raises(OutputError, match="is not empty"), publishing(target, "r1") as new:
        write_report(new, "one")
        target.mkdir()
        (target / "chapter.txt").write_text("precious")
    assert (target / "chapter.txt").read_text() == "precious"
    assert os.listdir(tmp_path) == ["thesis"]


def test_a_file_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text("a file")
    with pytest.raises(OutputError, match="report is a file"):
        publish(target, "one")
    with pytest.raises(OutputError, match="cannot be written: .*File exists"):
        publish(target / "below", "one")
    assert target.read_text() == "a file"


def test_no_permission_is_told(forbidden: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written: .*Permission denied"):
        publish(forbidden / "report", "one")


@pytest.fixture
def forbidden() -> Iterator[Path]:
    """A folder in which this process may not write; root steps down to nobody for the while."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        yield folder
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


def test_a_name_too_long_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="too long"):
        publish(tmp_path / ("x" * 250), "one")


def test_hostile_names(tmp_path: Path) -> None:
    for name in ("[a]*?", "a b\n'\"", "ä€", ".new-x", "-o"):
        (tmp_path / f".{name}.new-dead").mkdir()
        publish(tmp_path / name, "one")
        publish(tmp_path / name, "two")
        assert read_report(tmp_path / name) == "two"
    assert len(os.listdir(tmp_path)) == 5


def test_a_neighbours_leftovers_stay(tmp_path: Path) -> None:
    neighbours = [".report.new-x.new-dead", ".report2.new-dead", "report.new-dead", ".report.newer"]
    for name in neighbours:
        (tmp_path / name).mkdir()
    heal(tmp_path / "report")
    assert sorted(os.listdir(tmp_path)) == sorted(neighbours)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "disk" / "report", tmp_path / "report"
    publish(real, "one")
    link.symlink_to(real)
    publish(link, "two")
    assert link.is_symlink()
    assert read_report(real) == "two"


def test_a_run_id_is_plain(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="run id"):
        publish(tmp_path / "report", "one", run_id="../escape")


def test_healing_where_nothing_is(tmp_path: Path) -> None:
    heal(tmp_path / "no" / "folder" / "report")
    assert os.listdir(tmp_path) == []


def test_two_living_runs(tmp_path: Path) -> None:
    target = tmp_path / "report"
    with publishing(target, "slow") as slow:
        with publishing(target, "fast", no_exchange) as fast:
            write_report(fast, "fast")
            heal(target)
        with pytest.raises(OutputError, match="'slow' is writing it now"):
            publish(target, "same", run_id="slow")
        heal(target)
        write_report(slow, "slow")
        assert read_report(target) == "fast"
    assert read_report(target) == "slow"
    assert os.listdir(tmp_path) == ["report"]


RUN = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from reporting.base.publish import exchange_names, publishing

target, moment = Path(sys.argv[2]), int(sys.argv[4])
exchange = exchange_names if sys.argv[3] == "exchange" else lambda new, target: False
seen = 0

def die(event, arguments):
    global seen
    if event in ("open", "os.listdir", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir"):
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die)
with publishing(target, "killed", exchange) as new:
    (new / "frames").mkdir()
    for number in range(3):
        (new / f"frames/{number}.txt").write_text("second")
    (new / "manifest.json").write_text('{"program": "reporting"}')
"""


@pytest.mark.parametrize("way", ["exchange", "renames"])
@pytest.mark.parametrize("first", ["first", None])
def test_a_kill_before_any_step_is_healed(tmp_path: Path, way: str, first: str | None) -> None:
    """The child dies before its first, second, ... touch of the file system, until it survives."""
    outcomes, gone = set(), 0
    for moment in range(1, 200):
        target = tmp_path / str(moment) / "report"
        target.parent.mkdir()
        if first:
            publish(target, first, run_id="before")
        ended = run_and_kill(target, way, moment)
        if target.exists():  # even before healing, what stands there is whole
            assert read_report(target) in {first, "second"}
        gone += not target.exists()
        heal(target)
        assert os.listdir(target.parent) == (["report"] if target.exists() else [])
        assert target.exists() or first is None
        outcomes.add(read_report(target) if target.exists() else None)
        publish(target, "third", run_id="after")
        assert read_report(target) == "third"
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert ended == 0
    assert moment > 10
    assert outcomes == {first, "second"}
    if first:  # it is gone only between the two renames
        assert (gone > 0) == (way == "renames")


def run_and_kill(target: Path, way: str, moment: int) -> int:
    command = [sys.executable, "-I", "-S", "-c", RUN, str(ROOT), str(target), way, str(moment)]
    return subprocess.run(command, check=False, timeout=30).returncode


def test_a_killed_run_holds_nobody_up_and_a_living_one_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "report"
    waiting = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path; from reporting.base.publish import publishing\n"
        "with publishing(Path(sys.argv[2]), 'other') as new: print('in', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", waiting, str(ROOT), str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"in\n"
        heal(target)
        assert sorted(os.listdir(tmp_path)) == [".report.lock-other", ".report.new-other"]
        child.kill()
        child.wait()
    publish(target, "mine")
    assert os.listdir(tmp_path) == ["report"]


def test_a_lock_whose_file_its_last_holder_removed_is_claimed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock_file, removed, flock = tmp_path / "lock", tmp_path / "removed", fcntl.flock

    def lock_after_removal(descriptor: int, how: int) -> None:
        flock(descriptor, how)
        if not removed.exists():
            lock_file.rename(removed)

    monkeypatch.setattr("reporting.base.publish.fcntl.flock", lock_after_removal)
    lock = claim(lock_file)
    assert lock is not None
    assert os.path.samestat(os.fstat(lock), lock_file.stat())
    os.close(lock)


def test_a_file_clears_what_a_killed_writer_left_and_leaves_a_living_one_alone(tmp_path: Path) -> None:
    (tmp_path / ".counts.new-12-ab").write_text("half")
    with replacing(tmp_path / "counts") as living:
        living.write_text("living")
        with replacing(tmp_path / "counts") as new:
            new.write_text("whole")
        assert living.read_text() == "living"
        assert not (tmp_path / ".counts.new-12-ab").exists()
        assert (tmp_path / "counts").read_text() == "whole"
    assert (os.listdir(tmp_path), (tmp_path / "counts").read_text()) == (["counts"], "living")
