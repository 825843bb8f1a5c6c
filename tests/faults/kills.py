"""Runs that are ended at a moment of their own: what stands afterwards, and what the next run makes of it.

    PYTHONPATH=.:tests nice .venv/bin/python tests/faults/kills.py > tests/faults/kills.md

A moment is a touch of the file system (the n-th of the run: an open for writing, a sync, a rename, ...), or a
time drawn evenly from the length of a run. Runs are forked from one process that has imported the program,
which itself never computes: Polars' threads would not survive the fork. The code must not change meanwhile: it is part
of the cache's keys.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from faults.small import tree, written

import reporting.app.run.counts
import reporting.app.run.report
from reporting.app.cli import main
from reporting.base import publish

reporting.app.run.report.drawer = lambda: None  # type: ignore[assignment]  # no picture is asked for

TOUCHES = (
    "open",
    "os.mkdir",
    "os.rename",
    "os.link",
    "os.remove",
    "os.rmdir",
    "os.utime",
    "fsync",
    "exchange",
)
FIRST, SECOND = "first", "second"
REPORT = ("run", "-q", "{config}", "-o", "out", "--set", "run.cache=cache")
BUNDLE = ("counts", "-q", "{config}", "-o", "counts.parquet")
SETTINGS = {
    FIRST: ("significance.seed=1", "trials.coarse=24", "history.as_of=2026-01-01"),
    SECOND: ("significance.seed=2", "trials.coarse=20", "history.as_of=2026-01-02"),
}
"""What tells the second from the first: it has counts, draws and so entries of the cache of its own."""


def command(line: tuple[str, ...], which: str) -> list[str]:
    """Return the command that makes the first or the second of two results."""
    sets = [word for setting in SETTINGS[which] for word in ("--set", setting)]
    return ["reporting", *(word.format(config=f"{which}.yaml") for word in line), *sets]


@dataclass
class Ended:
    """How a run ended: its exit code (a signal's is negative), its stderr, its seconds, and its touches."""

    code: int
    stderr: str
    seconds: float
    touches: list[str]


class Touches:
    """Hears what a process does to the files of a folder, and ends it at the n-th touch."""

    def __init__(self, folder: Path, moment: int, number: int, log: Path) -> None:
        self.folder, self.moment, self.number = str(folder), moment, number
        self.log, self.seen = log.open("w", buffering=1), 0
        sync, exchange = os.fsync, publish.exchange_names

        def heard_sync(descriptor: int) -> None:
            self.touch("fsync", str(Path(f"/proc/self/fd/{descriptor}").readlink()))
            sync(descriptor)

        def heard_exchange(new: Path, target: Path) -> bool:
            self.touch("exchange", str(target))
            return exchange(new, target)

        os.fsync = heard_sync
        publish.publishing.__wrapped__.__defaults__ = (heard_exchange,)
        sys.addaudithook(self.hear)

    def hear(self, event: str, details: tuple[object, ...]) -> None:
        """Hear of an audit event."""
        if event not in TOUCHES or not details or isinstance(details[0], int):
            return
        if event == "open" and not (isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        path, inside = os.fsdecode(details[0]), details[-1]  # type: ignore[arg-type]
        if event in ("os.remove", "os.rmdir") and isinstance(inside, int) and inside >= 0:
            path = str(Path(f"/proc/self/fd/{inside}").readlink() / path)
        self.touch(event, path)

    def touch(self, event: str, path: str) -> None:
        """Count a touch of the folder; end the process where it is the one."""
        whole = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118
        if not whole.startswith(self.folder + os.sep):
            return
        self.seen += 1
        if self.moment == 0:
            self.log.write(f"{event} {whole[len(self.folder) + 1 :]}\n")
        if self.seen == self.moment:
            os.kill(os.getpid(), self.number)


def run(
    folder: Path, line: list[str], *, moment: int = -1, number: int = signal.SIGKILL, after: float = 0
) -> Ended:
    """Fork a run in a folder; it ends at a touch (0: lists them) or ``after`` seconds, if ever."""
    stderr, log = folder.with_suffix(".stderr"), folder.with_suffix(".touches")
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.chdir(folder)
            signal.signal(
                signal.SIGINT, signal.default_int_handler
            )  # who starts this in the background ignores it
            for at, path in ((1, os.devnull), (2, str(stderr))):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), at)
            Touches(folder, moment, number, log)
            sys.argv = line
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            sys.stderr.flush()
            os._exit(code)
    if after:
        time.sleep(after)
        os.kill(child, number)
    _, status = os.waitpid(child, 0)
    return Ended(
        os.waitstatus_to_exitcode(status),
        stderr.read_text(),
        time.monotonic() - began,
        log.read_text().splitlines(),
    )


@dataclass(frozen=True)
class Stood:
    """What stood after a run was ended."""

    report: str
    history: str
    cache: str
    beside: int
    """Things beside the report, in the history, the cache or beside the counts that no reader looks at."""


class Scene:
    """The folder before a run, and what it must become."""

    def __init__(self, room: Path, line: tuple[str, ...]) -> None:
        self.room, self.line = room, line
        self.base = room / "base"
        self.base.mkdir()
        for which in (FIRST, SECOND):
            written(self.base, which)
        self.is_report = line[0] == "run"
        self.ended(self.base, FIRST)
        self.expected = {FIRST: tree(self.base)}
        after = self.copy("after")
        self.ended(after, SECOND)
        self.expected[SECOND] = tree(after)
        dry = run(self.copy("dry"), command(line, SECOND), moment=0)
        self.touches, self.seconds = dry.touches, dry.seconds

    def copy(self, name: str) -> Path:
        """Return a copy of the folder before the run."""
        folder = self.room / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.base, folder, symlinks=True)
        return folder

    def ended(self, folder: Path, which: str) -> None:
        """Run to the end."""
        done = run(folder, command(self.line, which))
        assert (done.code, done.stderr) == (0, ""), done

    def stood(self, folder: Path) -> Stood:
        """Look at what a reader finds; AssertionError where anything is half there."""
        seen = tree(folder)
        out = "out/" if self.is_report else "counts.parquet"
        report = {name: content for name, content in seen.items() if name.startswith(out)}
        which = [
            each
            for each in (FIRST, SECOND)
            if report
            == {name: content for name, content in self.expected[each].items() if name.startswith(out)}
        ]
        assert which or not report, f"neither report: {sorted(report)}"
        kept = {name for name in seen if re.match(r"store/runs/[^.]", name)}
        for name in kept:
            assert seen[name] == self.expected[SECOND][name], f"{name} is not what was kept"
        runs = {name.split("/")[2] for name in kept}
        for each in runs:
            whole = {name for name in self.expected[SECOND] if f"/{each}/" in name}
            assert whole == {name for name in kept if f"/{each}/" in name}, f"{each} is half there"
        expected = self.expected[FIRST] | self.expected[SECOND]
        entries = [name for name in seen if re.match(r"cache/[0-9a-f]{2}/", name)]
        assert all(seen[name] == expected[name] for name in entries), "an entry is damaged"
        return Stood(
            which[0] if which else "none",
            f"{len(runs)} runs" if len(runs) != 1 else "1 run",
            f"{len(entries)} entries",
            len({name.split("/", 3)[min(2, name.count("/"))] for name in seen if name not in expected}),
        )

    def next_run(self, folder: Path) -> None:
        """Make the report again; AssertionError where a byte is another, or anything is left beside."""
        self.ended(folder, SECOND)
        assert tree(folder) == self.expected[SECOND], set(tree(folder)) ^ set(self.expected[SECOND])
        assert len(list(folder.rglob(".*"))) == 0, [path.name for path in folder.rglob(".*")]


def moment_of(touch: str) -> str:
    """Name what a touch does, without what only one run has."""
    event, _, path = touch.partition(" ")
    verb = {"open": "write", "fsync": "sync", "os.rename": "rename", "os.link": "link"}.get(
        event, event.removeprefix("os.")
    )
    places = (
        (r"\.out\.lock.*", "the lock of the run"),
        (r"\.(out|counts\.parquet)\.new-[^/]*", "what is to be the report"),
        (r"\.out\.new-[^/]*/.*", "a file of the new report"),
        (r"out|counts\.parquet", "the report's name"),
        (r"out/.*|\.out\..*", "a file of the last report"),
        (r"store/runs/\.lock.*", "the lock of the history"),
        (r"store/runs/\.new-[^/]*", "what is to be a run of the history"),
        (r"store/runs/\.new-.*", "a file of a run of the history"),
        (r"store.*", "the history"),
        (r"cache.*", "the cache"),
    )
    place = next(
        (words for pattern, words in places if re.fullmatch(pattern, path)), "the folder of the report"
    )
    return f"{verb}: {place}"


@dataclass(frozen=True)
class Kill:
    """One run that was ended, and what came of it."""

    how: str
    moment: str
    stood: Stood


def kills(scene: Scene, every: int, times: int, number: int, how: str, draw: random.Random) -> Iterator[Kill]:
    """End a run before every n-th touch, and at times drawn evenly; yield what stood."""
    chosen = range(1, len(scene.touches) + 1, every) if every else ()
    plans: list[tuple[str, dict[str, float]]] = [
        (moment_of(scene.touches[moment - 1]), {"moment": moment}) for moment in chosen
    ]
    plans += [("a time drawn evenly", {"after": draw.uniform(0.01, scene.seconds)}) for _ in range(times)]
    for moment, when in plans:
        folder = scene.copy("killed")
        ended = run(folder, command(scene.line, SECOND), number=number, **when)  # type: ignore[arg-type]
        stood = scene.stood(folder)
        if number != signal.SIGKILL and ended.code != 0:
            assert (ended.code, ended.stderr.count("\n"), ended.stderr[:18]) == (
                130,
                1,
                "error: interrupted",
            ), ended
        scene.next_run(folder)
        yield Kill(how, moment, stood)


def killed_twice(scene: Scene, every: int) -> Iterator[Kill]:
    """Kill a run at its swap, then the next one before every n-th touch: while it clears what the first left."""
    swap = 1 + max(
        at for at, touch in enumerate(scene.touches) if touch.split()[0] in ("exchange", "os.rename")
    )
    for second in range(1, 60, every):
        folder = scene.copy("killed")
        for moment in (swap, second):
            run(folder, command(scene.line, SECOND), moment=moment)
            stood = scene.stood(folder)
        scene.next_run(folder)
        yield Kill("killed again", "the next run, as it clears and begins", stood)


def two_writers(scene: Scene, runs: int) -> int:
    """Let two processes make reports of other days in one place, and read it meanwhile; return the looks."""
    folder = scene.copy("two")
    writers = []
    for writer in range(2):
        child = os.fork()
        if child == 0:
            for number in range(runs // 2):
                day = f"history.as_of=2025-{12 - number // 25 % 12:02}-{1 + number % 25 + writer:02}"
                line = [*command(scene.line, (FIRST, SECOND)[writer])[:-1], day]
                ended = run(folder, line)
                if (ended.code, ended.stderr) != (0, ""):
                    print(ended, file=sys.stderr)
                    os._exit(1)
            os._exit(0)
        writers.append(child)
    looks, left = 0, set(writers)
    while left:
        looks += is_whole(folder / "out")
        for child in list(left):
            ended_child, status = os.waitpid(child, os.WNOHANG)
            if ended_child:
                assert status == 0, "a writer failed"
                left.remove(child)
        time.sleep(0.02)
    assert is_whole(folder / "out")
    assert not list(folder.rglob(".*")), [path.name for path in folder.rglob(".*")]
    return looks


def is_whole(out: Path) -> bool:
    """Compare the files of a report with its manifest; False where it was replaced while it was read."""
    place = os.open(out, os.O_RDONLY)
    try:
        inside = Path(f"/proc/self/fd/{place}")
        manifest = json.loads((inside / "manifest.json").read_bytes())
        digests = {
            name: hashlib.sha256((inside / name).read_bytes()).hexdigest() for name in manifest["outputs"]
        }
    except FileNotFoundError:
        return False
    finally:
        os.close(place)
    assert digests == manifest["outputs"], "a mixture of two reports"
    return True


def table(every: list[Kill]) -> str:
    """Return the rows of the table: what stood, by how and when runs ended."""
    groups: dict[tuple[str, str], list[Stood]] = defaultdict(list)
    for kill in every:
        groups[kill.how, kill.moment].append(kill.stood)
    lines = [
        "| ended | before | runs | report | history | cache | left beside | next run |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (how, moment), stood in groups.items():
        entries = [int(each.cache.split()[0]) for each in stood]
        cells = [
            how,
            moment,
            str(len(stood)),
            counted(each.report for each in stood),
            counted(each.history for each in stood),
            f"{min(entries)}-{max(entries)} whole",
            str(max(each.beside for each in stood)),
            "same bytes",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def counted(words: Iterator[str]) -> str:
    """Count words: ``first (3), second (2)``."""
    found = Counter(words)
    return ", ".join(f"{word} ({n})" if len(found) > 1 else word for word, n in sorted(found.items()))


HEAD = """\
# Runs that were ended, and what stood afterwards

Made by `tests/faults/kills.py`; nothing here is edited by hand. A first report stands, with its history and cache; the
run that makes the second is ended; then the second is made again. Checked each time: the report is the first or the
second, byte for byte, and every file of its folder; the history holds whole runs; each entry of the cache has the
bytes it should have; the next run exits 0 without a word, gives the bytes of a run that nobody ended, and clears
what was left. After SIGINT and SIGTERM: exit 130 and one line on stderr.
"""


def campaign(every: int, times: int, writers: int, tell: Callable[[str], object]) -> str:
    """Return the page of a campaign."""
    done: list[Kill] = []
    with tempfile.TemporaryDirectory(prefix="kills-") as room:
        began, draw = time.process_time(), random.Random(19)
        for line in (REPORT, BUNDLE):
            (inside := Path(room, line[0])).mkdir()
            scene = Scene(inside, line)
            tell(f"{line[0]}: {len(scene.touches)} touches, {scene.seconds:.1f} s")
            what = "run" if line is REPORT else "counts"
            for number, share in ((signal.SIGKILL, 1), (signal.SIGINT, 8), (signal.SIGTERM, 8)):
                how = f"{what}, {number.name}"
                done += kills(scene, every * share, times // share, number, how, draw)
                tell(f"{how}: {len(done)} in all")
            if line is REPORT:
                done += killed_twice(scene, 4 * every)
                looks = two_writers(scene, writers)
                tell(f"two writers: {looks} looks")
        seconds = time.process_time() - began + sum(os.times()[2:4])
    sigkills = sum(kill.how.endswith("SIGKILL") or kill.how == "killed again" for kill in done)
    return (
        f"{HEAD}\n{len(done)} runs ended, {sigkills} of them by SIGKILL; {seconds:.0f} s of CPU.\n\n{table(done)}\n\n"
        f"Two writers made {writers} reports of other days at the same place, history and cache: all exit 0. A reader"
        f" looked {looks} times meanwhile and found each time one whole report, whose files have the digests of its"
        " manifest.\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="end a run before every n-th touch")
    parser.add_argument("--times", type=int, default=40, help="end so many runs at times drawn evenly")
    parser.add_argument("--writers", type=int, default=200, help="reports that two writers make at once")
    asked = parser.parse_args()
    print(
        campaign(asked.every, asked.times, asked.writers, lambda text: print(text, file=sys.stderr)), end=""
    )
