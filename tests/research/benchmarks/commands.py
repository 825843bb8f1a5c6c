"""Whole commands as pieces: the seconds from the shell's line to the prompt, start-up and all."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import stages

IMPORTS = ("-c", "import polars, scipy.stats, altair")


def imports(folder: Path) -> float:
    """The libraries that every report needs, imported by a program that does nothing else."""
    return _seconds(folder, *IMPORTS)


def example(folder: Path) -> float:
    """The report of the example ``vote``: 283 trials, three models, every default."""
    return _seconds(folder, "-m", "reporting", *RUN_EXAMPLE)


RUN_EXAMPLE = ("run", "-q", "vote/report.yaml", "-o", "vote-report")


def check(folder: Path) -> float:
    """A config and its table of 100 rows, checked."""
    return _seconds(folder, "-m", "reporting", "check", "hundred.yaml")


def init(folder: Path) -> float:
    """A first config for the same table."""
    (folder / "first.yaml").unlink(missing_ok=True)
    return _seconds(folder, "-m", "reporting", "init", "hundred.csv", "-o", "first.yaml")


def beyond_ten_rows(config: Path, ten: Path) -> float:
    """A whole run without what the same command takes on ten rows."""
    return stages.whole_seconds(config) - stages.whole_seconds(ten)


def in_proportion(config: Path, ten: Path, times: int) -> float:
    """The seconds of so many times the rows, did every row take as long as here."""
    return times * beyond_ten_rows(config, ten)


def floor_of_files(folder: Path) -> float:
    """Read and sort, one file after the other."""
    return sum(stages.floor(path) for path in sorted(folder.glob("*.parquet")))


def _seconds(folder: Path, *words: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start
