"""Tables of trials drawn at random, of any size, written in a stream: correlated models of growing strength.

Half the trials are dev, half are targets. The same numbers always give the same rows, and a model's rows do
not depend on how many models there are.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

CHUNK = 1_000_000
"""Rows made at once: about 100 MB."""

SCHEMA = pl.Schema(
    {"model": pl.String, "split": pl.String, "trial": pl.String, "label": pl.Boolean, "score": pl.Float64}
)


@dataclass(frozen=True)
class Shape:
    """How many models, rows of each, and the step that scores are rounded to; 0 leaves them as drawn."""

    models: int
    trials: int
    grid: float = 0.0

    @property
    def rows(self) -> int:
        """Rows of all models."""
        return self.models * self.trials


def write_table(folder: Path, shape: Shape, files: str) -> float:
    """Write the table under ``trials``, one file or one a model; return the seconds it took."""
    start = time.perf_counter()
    target = folder / "trials"
    target.mkdir(exist_ok=True)
    for old in target.glob("*.parquet"):
        old.unlink()
    models = range(shape.models)
    parts = [("trials", models)] if files == "one" else [(f"m{k:02d}", range(k, k + 1)) for k in models]
    for name, of in parts:
        write_file(target / f"{name}.parquet", shape, of)
    return time.perf_counter() - start


def write_file(path: Path, shape: Shape, models: Iterable[int]) -> None:
    """Stream some models into one Parquet file."""

    def source(*pushed_down: object) -> Iterator[pl.DataFrame]:
        return (chunk for model in models for chunk in chunks(shape, model))

    register_io_source(source, schema=SCHEMA).sink_parquet(path, row_group_size=250_000)


def chunks(shape: Shape, model: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of one model; what models share comes from the chunk's own stream, the rest from theirs."""
    for number, first in enumerate(range(0, shape.trials, CHUNK)):
        n = min(CHUNK, shape.trials - first)
        common, own = np.random.default_rng([number]), np.random.default_rng([number, 1 + model])
        shared, label = common.normal(size=n), common.random(n) < 0.5
        score = 0.7 * shared + 0.7 * own.normal(size=n) + label * (2 + 0.05 * model)
        if shape.grid:
            score = np.round(score / shape.grid) * shape.grid
        index = pl.int_range(first, first + n, eager=True)
        yield pl.DataFrame(
            {
                "model": pl.repeat(f"m{model:02d}", n, eager=True),
                "split": pl.Series(np.where(np.arange(first, first + n) < shape.trials // 2, "dev", "test")),
                "trial": pl.select("t" + index.cast(pl.String).str.zfill(9)).to_series(),
                "label": label,
                "score": score,
            },
            schema=SCHEMA,
        )
