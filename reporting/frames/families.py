"""The families of comparisons: p-values adjusted together, over all datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.engine.study import Study
from reporting.frames.comparisons import REPLICATES
from reporting.significance.paired import adjust
from reporting.stats.multiplicity import simultaneous, step_down

Row = dict[str, Any]


def with_adjusted(rows: list[Row], study: Study) -> list[Row]:
    """Adjust the p-values of the family over all datasets; the rest stays descriptive, unadjusted.

    With the correction ``none`` no adjusted p stands in the frame. ``maxt`` also gives limits that hold for
    the whole family at once.
    """
    order = ("dataset", "group", "measure", "criterion", "model", "baseline")
    rows = sorted(rows, key=lambda row: [row[name] or "" for name in order])
    members = [row for row in rows if row["family"] != "descriptive" and row["status"] != "no_trial_key"]
    correction = study.inference.correction
    if correction == "maxt":
        _adjust_jointly(members, study.inference.level)
    else:
        # A comparison that cannot be tested keeps its place in the family: it must not ease the others.
        p_values = [1.0 if row["p_value"] is None else row["p_value"] for row in members]
        for row, p in zip(members, adjust(p_values, correction), strict=True):
            tested = row["p_value"] is not None and correction != "none"
            row["p_adjusted"] = p if tested else None
    for row in members:
        row |= {"correction": correction, "family_size": len(members)}
    return [{name: value for name, value in row.items() if name != REPLICATES} for row in rows]


def _adjust_jointly(members: list[Row], level: float) -> None:
    """Westfall and Young's step-down max-T, and the intervals of its single step (methods 10)."""
    tested = [row for row in members if row.get(REPLICATES) is not None]
    if not tested:
        return
    estimates = np.array([row["difference"] for row in tested])
    replicates = np.column_stack([row[REPLICATES] for row in tested])
    together = simultaneous(estimates, replicates, level)
    for at, (row, p) in enumerate(zip(tested, step_down(estimates, replicates), strict=True)):
        # The member's own p may come from another method: an adjusted p is never below it.
        row["p_adjusted"] = None if np.isnan(p) else max(float(p), row["p_value"])
        if together is not None:
            row |= {"band_low": float(together.low[at]), "band_high": float(together.high[at])}
