"""One part of a small table by way of its config, with its replicates: what row functions take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from build import build

from reporting.core.engine.parts import Part
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study


def rows_of(
    models: tuple[str, ...] = ("a", "b"),
    runs: tuple[str, ...] = ("0",),
    n: int = 120,
    step: float = 0.4,
    same: bool = False,
    keyed: bool = True,
) -> list[dict[str, Any]]:
    """Dev and test trials on which each model separates the classes better than the one before."""
    rng = np.random.default_rng(1)
    rows = []
    for split in ("dev", "test"):
        label, shared = rng.random(n) < 0.4, rng.normal(size=n)
        label[:2] = True, False
        for number, model in enumerate(models):
            for run in runs:
                own = 0.0 if same else rng.normal(size=n)
                score = np.round(shared + own + (1.5 + (0 if same else step * number)) * label, 1)
                for i in range(n):
                    row = {"model": model, "split": split, "label": bool(label[i]), "score": float(score[i])}
                    row |= {"gender": "fm"[i % 2], "speaker": f"{split}{i % 15}"}
                    row |= {"run": run} if len(runs) > 1 else {}
                    rows.append(row | ({"trial": f"{split}{i}"} if keyed else {}))
    return rows


def resampled(
    folder: Path, config: str, *overrides: str, at: int = 0, **table: Any
) -> tuple[Part, Resampling, Study]:
    """Return the part in place ``at`` of a report, with 99 replicates, and what is asked of it."""
    built = build(folder, rows_of(**table), config, *overrides)
    judged = built.judged(at)
    return judged.part, judged.drawn, built.study
