"""The share of planted faults that the tests notice, room by room.

    nice python tests/research/mutation/score.py FOLDER [--rooms stats ...] [--only NUMBER] [--page FILE]

In FOLDER it works on a copy of the checkout. The tests run there once, line by line; then each fault of a random
sample (SAMPLE a room, SEED) is written into its module, and the tests that run its lines are run until one fails:
those of the room first, the fast ones first. Libraries are imported once: a fault is judged by a fork of that process.
A fault that was killed in FOLDER before is not judged again, a survivor is.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from mutants import Mutant, planted, sites
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[3]
SEED = 20261123
SAMPLE = {"stats": 100, "significance": 50, "counts": 35, "criteria": 30, "gates": 45, "escaping": 45}
"""How many faults are planted in a room, by the folder of its tests."""

PROGRAM = {
    "stats": "core/stats", "significance": "core/resampling", "counts": "core/counts", "criteria": "core/criteria",
    "gates": "features/gates",
}  # fmt: skip
"""The folder of the program that a room is."""

ESCAPING = (
    "base/legible.py", "errors.py", "document/sandbox.py", "render/environment.py", "render/explained.py",
    "app/run/junit.py", "render/markdown.py", "render/tex.py",
)  # fmt: skip
"""Where names and texts that anybody may have written are made safe; Typst takes them as data."""

FOLDERS = ("core", "features", "hostile", "inputs/bundles", "app/handbook", "app/cli")
FOLDERS_OF_TEXTS = ("render", "document", "base/contents")
FILES = ("base/cache/test_counts.py", "app/config/test_report_keys.py")
"""Folders of tests that are followed; and those of texts, of which files with a SLOW word are not."""
SLOW = ("browser", "first_screen")

HANDBOOK = "tests/app/handbook/"
SURVIVED = "survived"
FIRST, THEN, PATIENCE = 6.0, 14.0, 10
"""Seconds of tests, as they took when followed line by line: of the first choice, and of what follows
it. Twice as many seconds of a processor, and 20, kill; so does waiting for PATIENCE times as long."""

TREE = ("reporting", "tests", "templates", "configs", "pyproject.toml", "Makefile", "README.md", "CHANGELOG.md",
        "MEASURES.md", "FRAMES.md", "LICENSE", "constraints.txt", ".ci")  # fmt: skip
HEAVY = ("numpy", "scipy.stats", "scipy.optimize", "scipy.special", "scipy.interpolate", "polars", "hypothesis",
         "statsmodels.api", "sklearn.metrics", "jinja2", "pydantic", "altair", "rich.console")  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What became of a planted fault."""

    room: str
    path: str
    line: int
    change: str
    result: str
    tests: int
    seconds: float


def main() -> None:
    """Judge the sample, print each survivor, and write the page."""
    asked = _asked()
    work = Work(asked.folder.resolve())
    outcomes = list(work.outcomes(asked.rooms, asked.only))
    print(table(outcomes))
    if asked.page:
        asked.page.write_text(page(outcomes))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rooms", nargs="+", choices=SAMPLE, default=list(SAMPLE))
    parser.add_argument("--only", type=int, help="so many faults of each room: the first of its sample")
    parser.add_argument("--page", type=Path)
    return parser.parse_args()


class Work:
    """A copy of the checkout in which faults are planted, and what is known of its tests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tree = folder, folder / "tree"
        self._copy()
        os.chdir(self.tree)
        os.environ |= {
            "PYTHONPATH": f"{self.tree}:{self.tree}/tests/research/mutation",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        sys.dont_write_bytecode = True
        self.tests: dict[str, Any] = self._lines()
        sys.path.insert(0, str(self.tree))
        for name in HEAVY:
            __import__(name)

    def outcomes(self, rooms: list[str], only: int | None) -> Iterator[Outcome]:
        """Yield what became of every fault of the rooms' samples."""
        known = self._known()
        with (self.folder / "outcomes.jsonl").open("a") as kept:
            for room in rooms:
                for path, mutant in sample(room, only or SAMPLE[room]):
                    outcome = known.get((path, mutant.first, mutant.change))
                    if outcome is None:
                        outcome = self._judged(room, path, mutant)
                        kept.write(json.dumps(asdict(outcome)) + "\n")
                        kept.flush()
                    if outcome.result == SURVIVED:
                        print(f"{path}:{outcome.line}: {outcome.change} ({outcome.tests} tests)", flush=True)
                    yield outcome

    def _copy(self) -> None:
        for name in TREE:
            source, target = ROOT / name, self.tree / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "node_modules")
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignored)
            else:
                shutil.copy(source, target)
        shared = self.folder / "shared"
        if not shared.exists() and (ROOT.parent / "shared").is_dir():
            shared.symlink_to(ROOT.parent / "shared")

    def _lines(self) -> dict[str, Any]:
        """Return seconds and lines of every test, followed once in this folder."""
        file = self.folder / "lines.json"
        if not file.exists():
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "-p",
                "lines",
                "--lines",
            ]
            subprocess.run([*command, str(file), *_followed()], check=False)
        tests: dict[str, Any] = json.loads(file.read_text())
        return tests

    def _known(self) -> Mapping[tuple[str, int, str], Outcome]:
        file = self.folder / "outcomes.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        known = [Outcome(**json.loads(line)) for line in lines]
        return {(each.path, each.line, each.change): each for each in known if each.result != SURVIVED}

    def _judged(self, room: str, path: str, mutant: Mutant) -> Outcome:
        began, file = time.monotonic(), self.tree / "reporting" / path
        tests = self._touching(room, path, mutant)
        plain = file.read_text()
        file.write_text(mutant.source)
        try:
            result, run = SURVIVED, 0
            for chosen in _in_turns(tests, self.tests):
                run += len(chosen)
                result = _run(chosen, round(20 + 2 * sum(self.tests[test]["seconds"] for test in chosen)))
                if result != SURVIVED:
                    break
        finally:
            file.write_text(plain)
        return Outcome(
            room, path, mutant.first, mutant.change, result, run, round(time.monotonic() - began, 1)
        )

    def _touching(self, room: str, path: str, mutant: Mutant) -> list[str]:
        """Return the tests that run the mutant's lines, the room's first and the fast ones, then others.

        Others run the module: what is remembered from an earlier test was not seen to run again.
        """
        first = (f"tests/{Path(path).parent.name if room == 'escaping' else room}/", HANDBOOK)
        lines = set(range(mutant.first, mutant.last + 1))

        def key(test: str) -> tuple[bool, bool, float, str]:
            elsewhere = mutant.in_function and not lines & set(self.tests[test]["lines"].get(path, ()))
            return elsewhere, not test.startswith(first), self.tests[test]["seconds"], test

        # A line outside functions runs when the module is imported; its values and words are met anywhere.
        everywhere = ("none",) if mutant.in_function else first
        return sorted(
            (t for t, each in self.tests.items() if path in each["lines"] or t.startswith(everywhere)),
            key=key,
        )


def sample(room: str, size: int) -> Iterator[tuple[str, Mutant]]:
    """Return a random sample of the faults that can be planted in a room."""
    paths = (
        ESCAPING if room == "escaping" else sorted(f"{PROGRAM[room]}/{each.name}" for each in _modules(room))
    )
    texts = {path: (ROOT / "reporting" / path).read_text() for path in paths}
    every = [(path, site) for path, text in texts.items() for site in sites(text)]
    random.Random(f"{SEED} {room}").shuffle(every)
    different = ((path, mutant) for path, site in every if (mutant := planted(texts[path], site)))
    return itertools.islice(different, size)


def _modules(room: str) -> Iterator[Path]:
    return (ROOT / "reporting" / PROGRAM[room]).glob("*.py")


def _followed() -> Iterator[str]:
    yield from (f"tests/{folder}" for folder in FOLDERS)
    yield from (f"tests/{file}" for file in FILES)
    for folder in FOLDERS_OF_TEXTS:
        files = sorted((ROOT / "tests" / folder).glob("test_*.py"))
        yield from (f"tests/{folder}/{each.name}" for each in files if not any(s in each.name for s in SLOW))


def _in_turns(tests: list[str], known: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the tests of the first seconds, then those of the next; what takes too long for both is left out."""
    for most in (FIRST, THEN):
        chosen, spent = [], 0.0
        for test in tests:
            if not chosen or spent + known[test]["seconds"] <= most:
                spent += known[test]["seconds"]
                chosen.append(test)
        tests = [test for test in tests if test not in set(chosen)]
        if chosen:
            yield chosen


def _run(tests: list[str], seconds: int) -> str:
    """Run tests in a fork, up to the first that fails, for so many seconds of a processor; return what became."""
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]))
    ends = time.monotonic() + PATIENCE * seconds
    while time.monotonic() < ends:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
            return SURVIVED if status == 0 else "killed by time" if late else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "killed by time"


def table(outcomes: list[Outcome]) -> str:
    """Return the scores as a table of Markdown."""
    lines = [
        "| room | planted | killed | share | equivalent | share of the others |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for room in (*dict.fromkeys(each.room for each in outcomes), "all"):
        here = [each for each in outcomes if room in (each.room, "all")]
        killed = sum(each.result != SURVIVED for each in here)
        same = sum(each.result == SURVIVED and bool(reason(each)) for each in here)
        shares = killed / len(here), killed / max(len(here) - same, 1)
        lines.append(f"| {room} | {len(here)} | {killed} | {shares[0]:.1%} | {same} | {shares[1]:.1%} |")
    return "\n".join(lines)


def page(outcomes: list[Outcome]) -> str:
    """Return the table, and every survivor with the reason why it changes nothing that is promised."""
    survivors = [each for each in outcomes if each.result == SURVIVED]
    lines = [
        f"| `{each.path}` | `{each.change.replace('|', chr(92) + '|')}` | {reason(each) or 'no test notices it'} |"
        for each in survivors
    ]
    return PAGE.format(table=table(outcomes), survivors="\n".join(lines), seed=SEED)


def reason(survivor: Outcome) -> str:
    """Return why a survivor changes nothing that is promised, where that is known."""
    return _equivalent().get((survivor.path, survivor.line, survivor.change), "")


@functools.cache
def _equivalent() -> Mapping[tuple[str, int, str], str]:
    entries = YAML(typ="safe").load(Path(__file__).with_name("equivalent.yaml").read_text(encoding="utf-8"))
    return {(each["path"], each["line"], each["change"]): each["why"] for each in entries}


PAGE = """# Faults planted at random

What `tests/research/mutation/score.py` found: a small fault (`<` for `<=`, a number that is one more, a word with a
question mark, an argument left out) is written into a module, and the tests that run its lines are run. Where
one fails, the fault is killed. The sample is random (seed {seed}) over all places of a room where a fault can be planted;
*escaping* are the modules that make texts safe: names, templates, Markdown, TeX, JUnit's XML, messages.

{table}

*Equivalent*: faults that change no result and no promise, each with its reason below.

| module | fault that survived | why |
|---|---|---|
{survivors}
"""


if __name__ == "__main__":
    main()
