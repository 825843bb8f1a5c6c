"""The frame ``gates`` as a contract, beside those of ``frames/schemas.py``.

``estimate`` is a value, or a difference model - against, ``bound`` stands on its scale, and a gate passes
where the number is shown to lie on its ``side`` of the bound. ``p_value`` and ``p_adjusted`` are two-sided;
``e_pass`` and ``e_fail`` the capital of always valid gates, which with ``looks`` and ``trials_used`` is all
that the next look takes over. ``needed`` counts units beyond the present ones.
"""

from __future__ import annotations

import polars as pl

from reporting.frames.schemas import INTEGER, NUMBER, TEXT, FrameContract

NAMED = {"number": INTEGER, "gate": TEXT, "model": TEXT, "dataset": TEXT, "group": TEXT}
"""``number`` is the place of the gate in the config, from 0."""

GATES = FrameContract(
    "gates",
    pl.Schema(
        NAMED
        | {
            "kind": TEXT,
            "against": TEXT,
            "reference": TEXT,
            "measure": TEXT,
            "criterion": TEXT,
            "inference": TEXT,
            "estimate": NUMBER,
            "ci_low": NUMBER,
            "ci_high": NUMBER,
            "level": NUMBER,
            "ci_method": TEXT,
            "side": TEXT,
            "bound": NUMBER,
            "p_value": NUMBER,
            "p_adjusted": NUMBER,
            "n_gates": INTEGER,
            "e_pass": NUMBER,
            "e_fail": NUMBER,
            "looks": INTEGER,
            "trials_used": INTEGER,
            "unit": TEXT,
            "n_units": INTEGER,
            "outcome": TEXT,
            "counts_as": TEXT,
            "needed": INTEGER,
            "needed_unit": TEXT,
            "reason": TEXT,
            "status": TEXT,
        }
    ),
    tuple(NAMED),
)
