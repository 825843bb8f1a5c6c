"""Pieces of work, each run in a process of its own: its seconds, its peak memory, and what it found."""

from __future__ import annotations

import multiprocessing
import os
import platform
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reporting.base.progress import machine

Piece = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function that times itself, and its arguments. It returns seconds, or seconds and a value."""


@dataclass(frozen=True)
class Timed:
    """Wall time in seconds, peak memory in MB, and a value that both sides should agree on."""

    seconds: float
    peak_mb: float
    value: float | None = None


def once(piece: Piece) -> Timed:
    """Run a piece in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_timed, (piece,))


def _timed(piece: Piece) -> Timed:
    work, arguments = piece
    found = work(*arguments)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds, value = found if isinstance(found, tuple) else (found, None)
    return Timed(seconds, peak / 1024, value)


def in_turns(pieces: Mapping[str, Piece], repeats: int) -> dict[str, Timed]:
    """Run every piece once, then every piece again: medians, so that a slow minute hits all of them."""
    runs: dict[str, list[Timed]] = {name: [] for name in pieces}
    for _ in range(repeats):
        for name, piece in pieces.items():
            runs[name].append(once(piece))
    return {name: median(done) for name, done in runs.items()}


def median(runs: list[Timed]) -> Timed:
    """Medians of seconds and memory; the value of the first run."""
    seconds, peak = ([getattr(run, part) for run in runs] for part in ("seconds", "peak_mb"))
    return Timed(statistics.median(seconds), statistics.median(peak), runs[0].value)


def command(words: list[str]) -> Timed:
    """Run a command and watch the memory of it and all its descendants, added up, ten times a second.

    The peak is at least what the system reports of the largest of them.
    """
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    most, ended = [0.0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            most.append(_held(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return Timed(seconds, max(max(most), usage.ru_maxrss / 1024))


def _held(root: int) -> float:
    """Resident megabytes of a process and its descendants; shared pages count once for each."""
    parent, pages = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            pages[int(folder.name)] = int((folder / "statm").read_text().split()[1])
        except OSError:  # it has ended
            continue
    family, new = set(), {root}
    while new:
        family |= new
        new = {pid for pid, of in parent.items() if of in family} - family
    return sum(pages.get(pid, 0) for pid in family) * resource.getpagesize() / 2**20


PACKAGES = ("trial-reporting", "numpy", "polars", "scipy", "scikit-learn", "confidenceinterval")


def description() -> str:
    """The machine and the versions of what runs on it, in one line."""
    facts = machine()
    found = [f"{name} {_version(name)}" for name in PACKAGES if _version(name)]
    return (
        f"{facts['cores_allowed']} cores ({_processor()}), {facts['memory_mb'] / 1024:.0f} GiB of memory,"
        f" {platform.system()} {platform.machine()}, Python {facts['python']}; {', '.join(found)}"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or sys.platform
