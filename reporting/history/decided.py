"""The decisions of a run, from its trial table and its parts: what later runs are paired with."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from reporting.criteria.criterion import Criterion
from reporting.engine.operations import JudgedModel
from reporting.engine.parts import Part
from reporting.history.outcomes import decisions_of, outcomes_of
from reporting.stats.staircase import BoolArray
from reporting.trials.order import read_model
from reporting.trials.table import TrialTable


def outcomes_from(table: TrialTable, wholes: Iterable[Part], criterion: Criterion) -> pl.DataFrame | None:
    """Return the frame ``outcomes`` of all datasets, at the thresholds of the primary criterion.

    Models of a single run alone: the mean over runs decides no trial. None where trials have no keys of
    their own: none are declared, or rows are counts.
    """
    if not table.has_trial or table.spec.layout == "counts":
        return None
    keys = _keys(table)
    found = []
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
        found.append(decisions_of(part.dataset, rows["trial"].to_list(), part.ranks.label, accepted, *sides))
    return outcomes_of(found)


def _keys(table: TrialTable) -> dict[str, pl.DataFrame]:
    """Keys and clusters of the test trials by dataset, in canonical order: that of their keys."""
    columns = ["trial", *(name for name in ("cluster", "cluster_b") if name in table.shared)]
    found: dict[str, pl.DataFrame] = {}
    for (_, trials), rows in read_model(table, table.models[0]).items():
        if trials.split == "test" and trials.dataset not in found:
            found[trials.dataset] = rows.select(columns).sort("trial")
    return found


def accepted_by(model: JudgedModel, criterion: Criterion) -> BoolArray | None:
    """Return which test trials a model accepts; None where the criterion chooses no threshold for it."""
    operation = model.single.get(criterion)
    if operation is None:
        return None
    binned = model.binned(operation.name)
    accepted: BoolArray = binned.bins.of_trial > binned.index[0]
    return accepted
