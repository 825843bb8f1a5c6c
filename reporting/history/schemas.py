"""The frames that a report has of earlier runs, as contracts."""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import FLAGS, INTEGER, KEY, NUMBER, TEXT, FrameContract

HISTORY = FrameContract(
    "history",
    pl.Schema(
        {"as_of": TEXT, "history_run": TEXT}
        | KEY
        | {
            "measure": TEXT,
            "criterion": TEXT,
            "value": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "level": NUMBER,
            "n_target": INTEGER,
            "n_nontarget": INTEGER,
            "status": TEXT,
        }
    ),
    ("as_of", "history_run", *KEY, "measure", "criterion"),
)
"""Every value of a model on test, run by run: at thresholds of the primary criterion, or over the sweep."""

SINCE_LAST = FrameContract(
    "since_last",
    pl.Schema(
        {
            "dataset": TEXT,
            "model": TEXT,
            "measure": TEXT,
            "criterion": TEXT,
            "as_of": TEXT,
            "history_run": TEXT,
            "value": NUMBER,
            "value_then": NUMBER,
            "difference": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "level": NUMBER,
            "ci_method": TEXT,
            "p_value": NUMBER,
            "p_method": TEXT,
            "p_adjusted": NUMBER,
            "correction": TEXT,
            "family_size": INTEGER,
            "pairing": TEXT,
            "n_shared": INTEGER,
            "n_trials": INTEGER,
            "n_trials_then": INTEGER,
            "unit": TEXT,
            "status": TEXT,
            "flags": FLAGS,
        }
    ),
    ("dataset", "model", "measure", "criterion"),
)
"""A model now less the same model then. ``pairing`` is paired or unpaired; of paired rows ``difference`` is
that on the ``n_shared`` trials alone which both runs have, with the same label."""

CHANGES = FrameContract(
    "changes",
    pl.Schema({"kind": TEXT, "name": TEXT, "then": TEXT, "now": TEXT, "count": INTEGER}),
    ("kind", "name"),
)
"""What differs between two runs: ``input``, ``config``, ``model``, ``trials.shared``, ``.new``, ``.gone`` and
``.relabelled``, and the ``run`` that stands for then; ``caution`` names runs that are passed over."""
