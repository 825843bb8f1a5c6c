"""What the rows of `table.py` read, in two sizes. Each function writes its files once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import epc_against_bob
import polars as pl
import scale
import speed_pieces as speed
import stages
from drawn import Shape, write_file, write_table

from reporting.app.example.catalogue import write_example
from reporting.core.resampling.settings import Inference


@dataclass(frozen=True)
class Size:
    """Models and trials of the table on disk; trials and models in memory; replicates; dev trials of the EPC.

    ``growth`` is the trials a model of the smaller table and how many times more the larger one has; ``many``
    is the models and trials of a table with a file a model.
    """

    models: int
    trials: int
    arrays: int
    in_memory: int
    replicates: int
    epc: int
    growth: tuple[int, int]
    many: tuple[int, int]


SIZES = {
    "small": Size(4, 200_000, 50_000, 3, 100, 50_000, growth=(500_000, 10), many=(10, 100_000)),
    "full": Size(10, 1_000_000, 100_000, 10, 1000, 500_000, growth=(1_000_000, 100), many=(100, 10_000_000)),
}
TRIALS = "trials.parquet"
DEFAULT_REPLICATES = Inference().replicates


def configs(folder: Path, name: str) -> tuple[Path, Path]:
    """The config of a table of that name, and of ten rows."""
    return folder / f"{name}.yaml", folder / f"{name}_ten.yaml"


@cache
def vote(folder: Path, size: Size) -> None:
    """Write the example ``vote``."""
    write_example("vote", folder / "vote")


@cache
def hundred(folder: Path, size: Size) -> None:
    """Write a table of 100 rows, and its config."""
    rows = [
        {"model": model, "split": split, "trial": i, "label": i % 2, "score": (i * 7919 % 23) / 10 + i % 2}
        for model in "ab"
        for split in ("dev", "test")
        for i in range(25)
    ]
    pl.DataFrame(rows).write_csv(folder / "hundred.csv")
    (folder / "hundred.yaml").write_text("trials: {source: hundred.csv}\n")


@cache
def trials(folder: Path, size: Size) -> None:
    """Write one file whose texts are categories, and configs of few and of all replicates."""
    drawn = folder / "drawn.parquet"
    write_file(drawn, Shape(size.models, size.trials), range(size.models))
    categories = pl.scan_parquet(drawn).with_columns(pl.col("model", "split").cast(pl.Categorical))
    categories.sink_parquet(folder / TRIALS)
    drawn.unlink()
    for replicates in {size.replicates, DEFAULT_REPLICATES}:
        _configs(folder, str(replicates), TRIALS, size.models, replicates)


@cache
def growing(folder: Path, size: Size) -> None:
    """Write two models of few and of many trials."""
    fewer, times = size.growth
    for name, n in (("fewer", fewer), ("more", fewer * times)):
        write_file(folder / f"{name}.parquet", Shape(2, n), range(2))
        _configs(folder, name, f"{name}.parquet", 2, size.replicates)


@cache
def many(folder: Path, size: Size) -> None:
    """Write a file a model."""
    models, n = size.many
    write_table(folder, Shape(models, n), "many")
    _configs(folder, "many", "trials/*.parquet", models, size.replicates)


@cache
def arrays(folder: Path, size: Size) -> None:
    """Write labels and scores."""
    speed.write_arrays(folder, size.arrays, size.in_memory)


@cache
def epc(folder: Path, size: Size) -> None:
    """Write the sets of the EPC."""
    epc_against_bob.write_scores(folder / "epc.npz", size.epc)


def nothing(folder: Path, size: Size) -> None:
    """The pieces draw for themselves."""


def _configs(folder: Path, name: str, source: str, models: int, replicates: int) -> None:
    whole, ten = configs(folder, name)
    stages.write_config(whole, source, models, replicates)
    stages.write_config(ten, scale.ten_rows(folder), 2, replicates)
