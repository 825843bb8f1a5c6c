"""Everything a report is written from: the question, the frames, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from reporting.base.provenance import Provenance
from reporting.base.records import dataclass, field, replace
from reporting.base.remembering import Remembering
from reporting.core.engine.study import Study
from reporting.document.frames.contract import Frame, R
from reporting.inputs.bundle import Origin
from reporting.inputs.spec import Pools


@dataclass(frozen=True, eq=False)
class Results(Remembering):
    """The result frames of one run with the question they answer.

    ``models`` are in the report's order; ``cluster`` is the table's name of the cluster column. ``frames``
    holds, by the name of the file, the frames that every report has, those that the config asks for,
    and those that the caller hands in for sections of his own.
    """

    study: Study
    models: tuple[str, ...]
    cluster: str | None
    provenance: Provenance
    frames: Mapping[str, pl.DataFrame]
    dev_of: Mapping[str, str] = field(default_factory=dict)
    """For each dataset the one whose dev chooses its thresholds."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """The weight of every stratum; empty: all trials weigh the same."""
    row_weights: bool = False
    """Whether each row has a weight of its own, as whole numbers in proportion."""
    missing: Literal["error", "drop", "reject", "shared"] = "error"
    """What becomes of trials without a score."""
    dates: tuple[str, str] | None = None
    """Which dates are development and which test, as the config has them; None: sets have names."""
    stratum: str = "stratum"
    """The table's name of the column of strata."""
    sampled: str | None = None
    """The table's name of the column of sampling strata; None where trials are not in several."""
    cluster_b: str | None = None
    """The table's name of the second cluster column of pair trials; None where each trial has one cluster."""
    pools: Pools = "one"
    """Whether both cluster columns name members of one population."""
    origin: Origin | None = None
    """Where scores that are not exact come from."""
    cased: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By column, two of its names that differ in letter case alone."""
    score_columns: Mapping[str, str] = field(default_factory=dict)
    """By model, the table's name of the column with its scores."""
    _remembered: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def weighted(self) -> bool:
        """Whether strata have weights: a rate is then not its errors over its trials."""
        return bool(self.weights)

    @property
    def has_design(self) -> bool:
        """Whether trials have weights or were sampled in strata: none is then worth as much as any other."""
        return self.weighted or self.sampled is not None

    def frame(self, contract: Frame[Any]) -> pl.DataFrame:
        """Return a frame; one that the config does not ask for has no rows."""
        return self.frames.get(contract.name, contract.empty)

    def rows(self, contract: Frame[R]) -> list[R]:
        """Return the rows of a frame as values; none where the config does not ask for it."""
        return contract.rows(self.frame(contract))

    def with_frames(self, frames: Mapping[Frame[Any], pl.DataFrame]) -> Results:
        """Return the results with some frames added or put in the place of others."""
        named = {contract.name: frame for contract, frame in frames.items()}
        return replace(self, frames={**self.frames, **named})
