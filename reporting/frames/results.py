"""Everything a report is written from: the question, the frames, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reporting.frames.study import Study
from reporting.report.provenance import Provenance


@dataclass(frozen=True, eq=False)
class Results:
    """The result frames of one run beside the question they answer.

    ``models`` are in the report's order; ``cluster`` is the table's name of the cluster column.
    ``roc`` holds corners only; every frame follows its contract in ``frames/schemas.py``.
    """

    study: Study
    models: tuple[str, ...]
    cluster: str | None
    trials: pl.DataFrame
    metrics: pl.DataFrame
    comparisons: pl.DataFrame
    roc: pl.DataFrame
    epc: pl.DataFrame
    provenance: Provenance

    def frames(self) -> dict[str, pl.DataFrame]:
        """The frames by the name of their file."""
        names = ("trials", "metrics", "comparisons", "roc", "epc")
        return {name: getattr(self, name) for name in names}
