"""What each trial came to in a run: digests of keys and decisions, so that later runs are paired with it.

No key stands in it in clear, and no score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from reporting.stats.staircase import BoolArray

DIGEST_BYTES = 16
ACCEPTED = "accepted:"
"""Begins the names of the columns of decisions; the key of the model follows."""
KEYS = pl.Schema(
    {
        "dataset": pl.String(),
        "trial": pl.Binary(),
        "label": pl.Boolean(),
        "cluster": pl.Binary(),
        "cluster_b": pl.Binary(),
    }
)


def decisions_of(
    dataset: str,
    trials: Sequence[str],
    label: BoolArray,
    accepted: Mapping[str, BoolArray],
    clusters: Sequence[str] | None = None,
    clusters_b: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return one row a test trial of a dataset, sorted by the digests of the keys.

    ``accepted`` says by model whether its dev threshold of the primary criterion accepts each trial. All
    are in one order, which does not matter.
    """
    columns = {
        "dataset": pl.Series([dataset] * len(trials), dtype=pl.String),
        "trial": _digests(trials),
        "label": pl.Series(label, dtype=pl.Boolean),
        "cluster": _digests_or_none(clusters, len(trials)),
        "cluster_b": _digests_or_none(clusters_b, len(trials)),
    }
    decided = {
        f"{ACCEPTED}{model}": pl.Series(accepted[model], dtype=pl.Boolean) for model in sorted(accepted)
    }
    return pl.DataFrame(columns | decided).sort("trial")


def outcomes_of(datasets: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Put the decisions of all datasets together; a model that has none on a dataset is null there."""
    found = list(datasets)
    whole = pl.concat(found, how="diagonal") if found else pl.DataFrame(schema=KEYS)
    decided = sorted(name for name in whole.columns if name.startswith(ACCEPTED))
    return whole.select(*KEYS, *decided).sort("dataset", "trial")


def _digests_or_none(keys: Sequence[str] | None, n: int) -> pl.Series:
    return pl.Series([None] * n, dtype=pl.Binary) if keys is None else _digests(keys)


def _digests(keys: Sequence[str]) -> pl.Series:
    """The first 16 bytes of the sha256 of each key's UTF-8; one digest for each distinct key."""
    known = {key: hashlib.sha256(key.encode()).digest()[:DIGEST_BYTES] for key in dict.fromkeys(keys)}
    return pl.Series([known[key] for key in keys], dtype=pl.Binary)
