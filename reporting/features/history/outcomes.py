"""The trials that two runs share, with the decisions of both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, RankArray
from reporting.base.records import dataclass
from reporting.core.counts.ranks import Ranks
from reporting.features.decided_trials import ACCEPTED, salted_digests
from reporting.features.history.store import Facts
from reporting.inputs.spec import Pools

LEAST_SHARED = 0.8
"""Runs are paired where at least this share of the larger trial set is shared, with the same labels."""


@dataclass(frozen=True, eq=False)
class Remembered:
    """One run's facts and frames, from a store or from memory."""

    facts: Facts
    frames: Mapping[str, pl.DataFrame]


@dataclass(frozen=True, eq=False)
class SharedTrials:
    """The trials of one dataset in two runs; ``rows`` holds those they share with the same label.

    Its columns are those of ``outcomes``; decisions of the earlier run end in ``_then``.
    """

    dataset: str
    rows: pl.DataFrame
    n_now: int
    n_then: int
    n_relabelled: int
    pools: Pools = "one"

    @property
    def n_shared(self) -> int:
        """Trials in both runs, whatever their labels."""
        return len(self.rows) + self.n_relabelled

    @property
    def share(self) -> float:
        """Trials that can be paired, as a share of the larger set."""
        most = max(self.n_now, self.n_then)
        return len(self.rows) / most if most else 0.0

    @property
    def pairs(self) -> bool:
        """Whether enough trials are shared for a paired difference."""
        return self.share >= LEAST_SHARED

    def decided(self, model: str) -> tuple[BoolArray, BoolArray] | None:
        """Return which trials a model accepts now and then; None where either is not known of all."""
        names = f"{ACCEPTED}{model}", f"{ACCEPTED}{model}_then"
        if any(name not in self.rows.columns or self.rows[name].null_count() for name in names):
            return None
        now, then = (self.rows[name].to_numpy() for name in names)
        return now, then

    @cached_property
    def ranks(self) -> Ranks:
        """The shared trials with their clusters as units, in the order of their digests."""
        first, second = self._codes("cluster"), self._codes("cluster_b")
        if second is not None and self.pools == "one":
            keys = pl.concat([self.rows["cluster"], self.rows["cluster_b"]])
            codes = _dense(keys)
            first, second = codes[: len(self.rows)], codes[len(self.rows) :]
        return Ranks(
            label=self.rows["label"].to_numpy(),
            unit_a=first,
            rank={},
            paired=True,
            unit_b=second,
            pools=self.pools,
        )

    def _codes(self, column: str) -> RankArray | None:
        keys = self.rows[column]
        return None if len(keys) == 0 or keys.null_count() else _dense(keys)


def shared_trials(
    now: pl.DataFrame, then: pl.DataFrame, pools: Pools = "one", salt: str = ""
) -> list[SharedTrials]:
    """Return what two runs share (frames ``outcomes``), dataset by dataset of both, by name.

    ``salt`` is what the earlier run was kept with; the shared trials are in the order of today's digests.
    """
    names = sorted(set(now["dataset"]) & set(then["dataset"]), key=str.encode)
    return [_shared(name, now.filter(dataset=name), then.filter(dataset=name), pools, salt) for name in names]


def _shared(dataset: str, now: pl.DataFrame, then: pl.DataFrame, pools: Pools, salt: str) -> SharedTrials:
    decided = [name for name in then.columns if name.startswith(ACCEPTED)]
    then = then.unique("trial", maintain_order=True)  # earlier versions kept each once a mix of non-targets
    earlier = then.select(
        pl.col("trial").alias("kept"), *(pl.col(name).alias(f"{name}_then") for name in ["label", *decided])
    )
    kept = now.with_columns(kept=salted_digests(now["trial"], salt) if salt else now["trial"])
    both = kept.join(earlier, on="kept", how="inner").drop("kept").sort("trial")
    same = both["label"] == both["label_then"]
    return SharedTrials(dataset, both.filter(same), len(now), len(then), int((~same).sum()), pools)


def _dense(keys: pl.Series) -> RankArray:
    return np.asarray(keys.rank("dense").to_numpy() - 1, dtype=np.uint32)
