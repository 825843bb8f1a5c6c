"""What each trial came to in a run: digests of keys and decisions, so that later runs are paired with it.

It has no key in clear, and no score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from reporting.base.arrays import BoolArray
from reporting.core.counts.count import Counts
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part, mix_of, parts
from reporting.document.frames.results import Results
from reporting.inputs.order import read_model
from reporting.inputs.table import TrialTable

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
    """Return one row per test trial of a dataset, sorted by the digests of the keys.

    ``accepted``: by model, whether its dev threshold of the primary criterion accepts each trial. All
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
    frames = list(datasets)
    whole = pl.concat(frames, how="diagonal") if frames else pl.DataFrame(schema=KEYS)
    decided = sorted(name for name in whole.columns if name.startswith(ACCEPTED))
    return whole.select(*KEYS, *decided).sort("dataset", "trial")


def _digests_or_none(keys: Sequence[str] | None, n: int) -> pl.Series:
    return pl.Series([None] * n, dtype=pl.Binary) if keys is None else _digests(keys)


def _digests(keys: Sequence[str]) -> pl.Series:
    """The first 16 bytes of the sha256 of each key's UTF-8; one digest for each distinct key."""
    known = {key: hashlib.sha256(key.encode()).digest()[:DIGEST_BYTES] for key in dict.fromkeys(keys)}
    return pl.Series([known[key] for key in keys], dtype=pl.Binary)


def salted(outcomes: pl.DataFrame, salt: str) -> pl.DataFrame:
    """Return decisions as a store with this salt keeps them; without a salt unchanged.

    Who has two stores then cannot find the trials that both hold, nor look digests up in a list made before.
    """
    if not salt:
        return outcomes
    names = ("trial", "cluster", "cluster_b")
    kept = outcomes.with_columns(salted_digests(outcomes[name], salt) for name in names)
    return kept.sort("dataset", "trial")


def salted_digests(digests: pl.Series, salt: str) -> pl.Series:
    """The first 16 bytes of the sha256 of salt and digest; null stays null."""
    known = {
        digest: digest and hashlib.sha256(salt.encode() + digest).digest()[:DIGEST_BYTES]
        for digest in digests.unique()
    }
    return pl.Series(digests.name, [known[digest] for digest in digests], dtype=pl.Binary)


def outcomes_from(table: TrialTable, wholes: Iterable[Part], criterion: Criterion) -> pl.DataFrame | None:
    """Return the frame ``outcomes`` of all datasets, at the thresholds of the primary criterion.

    Models of a single run alone: the mean over runs decides no trial. None where trials have no keys of
    their own: none are declared, or rows are counts.
    """
    if not table.has_trial or table.spec.layout == "counts":
        return None
    keys = _keys(table)
    datasets = []
    for part in wholes:
        runs = [model.key.model for model in part.models]
        alone = [model for model in part.models if runs.count(model.key.model) == 1]
        accepted = {
            model.key.model: decision
            for model in alone
            if (decision := accepted_by(model, criterion)) is not None
        }
        rows = keys[part.dataset]
        sides = [rows[name].to_list() if name in rows.columns else None for name in ("cluster", "cluster_b")]
        datasets.append(
            decisions_of(part.dataset, rows["trial"].to_list(), part.ranks.label, accepted, *sides)
        )
    return outcomes_of(datasets)


def _keys(table: TrialTable) -> dict[str, pl.DataFrame]:
    """Keys and clusters of the test trials by dataset, in canonical order: that of their keys."""
    columns = ["trial", *(name for name in ("cluster", "cluster_b") if name in table.shared)]
    keys: dict[str, pl.DataFrame] = {}
    for (_, trials), rows in read_model(table, table.models[0]).items():
        if trials.split == "test" and trials.dataset not in keys:
            keys[trials.dataset] = rows.select(columns).sort("trial")
    return keys


def accepted_by(model: JudgedModel, criterion: Criterion) -> BoolArray | None:
    """Return which test trials a model accepts; None where the criterion chooses no threshold for it."""
    operation = model.single.get(criterion)
    return None if operation is None else model.binned(operation.name).accepted()


def decisions(table: TrialTable, counts: Counts, results: Results, salt: str = "") -> pl.DataFrame | None:
    """Return the frame ``outcomes``: thresholds are re-selected, by the primary criterion alone.

    None where nothing chooses a threshold.
    """
    primary = results.study.primary.criterion
    if primary.threshold is None and results.study.thresholds.policy == "none":
        return None
    alone = replace(results.study, criteria=(primary,), epc=None, by=(), operating_points=())
    wholes = (part for part in parts(counts, alone) if mix_of(part) is None)
    outcomes = outcomes_from(table, wholes, primary)
    return None if outcomes is None else salted(outcomes, salt)
