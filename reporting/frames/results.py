"""Everything a report is written from: the question, the frames, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from reporting.engine.study import Study
from reporting.frames.bundled import Origin
from reporting.frames.contract import Frame, R
from reporting.report.provenance import Provenance
from reporting.trials.spec import Pools

ALWAYS = ("trials", "metrics", "comparisons", "roc", "epc")
ON_REQUEST = (
    "dcf",
    "areas",
    "epc_steps",
    "expected",
    "pr",
    "cost",
    "histogram",
    "reliability",
    "decision",
    "transfer",
    "differences",
    "standing",
    "winners",
    "bands",
    "curve_differences",
    "tests",
    "fits",
    "fit_metrics",
    "fit_curves",
    "history",
    "since_last",
    "changes",
    "gates",
)


@dataclass(frozen=True, eq=False)
class Results:
    """The result frames of one run beside the question they answer.

    ``models`` are in the report's order; ``cluster`` is the table's name of the cluster column.
    ``roc`` holds corners only; every frame follows its contract in ``frames/schemas.py`` or
    ``frames/curve_schemas.py``. A frame that is None belongs to a curve that nobody asked for.
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
    dev_of: Mapping[str, str] = field(default_factory=dict)
    """For each dataset the one whose dev chooses its thresholds."""
    weighted: bool = False
    """Strata have weights: a rate is then not its errors over its trials."""
    cluster_b: str | None = None
    """The table's name of the second cluster column of pair trials."""
    pools: Pools = "one"
    """Whether both cluster columns name members of one population."""
    origin: Origin | None = None
    """Where scores that are not exact come from."""
    dcf: pl.DataFrame | None = None
    areas: pl.DataFrame | None = None
    epc_steps: pl.DataFrame | None = None
    expected: pl.DataFrame | None = None
    pr: pl.DataFrame | None = None
    cost: pl.DataFrame | None = None
    histogram: pl.DataFrame | None = None
    reliability: pl.DataFrame | None = None
    decision: pl.DataFrame | None = None
    transfer: pl.DataFrame | None = None
    differences: pl.DataFrame | None = None
    standing: pl.DataFrame | None = None
    winners: pl.DataFrame | None = None
    bands: pl.DataFrame | None = None
    curve_differences: pl.DataFrame | None = None
    tests: pl.DataFrame | None = None
    fits: pl.DataFrame | None = None
    fit_metrics: pl.DataFrame | None = None
    fit_curves: pl.DataFrame | None = None
    history: pl.DataFrame | None = None
    since_last: pl.DataFrame | None = None
    changes: pl.DataFrame | None = None
    gates: pl.DataFrame | None = None
    own: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """Frames that the caller hands in, for sections of his own."""

    def frame(self, contract: Frame[Any]) -> pl.DataFrame:
        """Return a frame; one that nobody asked for has no rows."""
        frame: pl.DataFrame | None = self.frames().get(contract.name)
        return contract.empty if frame is None else frame

    def rows(self, contract: Frame[R]) -> list[R]:
        """Return the rows of a frame as values; none where nobody asked for it."""
        return contract.rows(self.frame(contract))

    def frames(self) -> dict[str, pl.DataFrame]:
        """The frames by the name of their file; those that were not asked for are left out."""
        found = {name: getattr(self, name) for name in ALWAYS + ON_REQUEST}
        return {name: frame for name, frame in found.items() if frame is not None} | dict(self.own)
