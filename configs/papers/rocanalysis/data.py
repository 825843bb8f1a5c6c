"""The synthetic example of the README of ROCAnalysis.jl: calibrated likelihood ratios of two normal classes.

Scores of targets follow N(2, 2^2), those of non-targets N(-2, 2^2), 1 000 and 100 000 of them, as in the
README. With variance twice the mean such scores are their own log likelihood ratios, so every figure has
a theoretical value beside it. The second model has the same scores times two, as in the notebook that
comes with the README: the same order, twice too sure. The README has one set, here called test. Beside it
stands a second draw of the same law and sizes, called dev: no threshold of the walk-through is chosen on it;
it only says what calibrating the second model makes of it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

MEAN = 2.0
SPREAD = 2.0
SIZES = {"test": (1_000, 100_000), "dev": (1_000, 100_000)}
"""Targets and non-targets by split."""
SEED = 2016
FACTORS = {"calibrated": 1.0, "doubled": 2.0}
"""What the scores are multiplied by, by model."""


def trials() -> pl.DataFrame:
    """Return one row a model, split and trial: model, split, trial, label, score.

    Scores are drawn in the README's order, targets first, and rounded to six decimals before they are
    multiplied, so that both models tie in the same places.
    """
    one = pl.concat(_drawn(split, stream) for stream, split in enumerate(SIZES))
    return pl.concat(
        one.select(pl.lit(model).alias("model"), pl.exclude("score"), pl.col("score") * factor)
        for model, factor in FACTORS.items()
    )


def _drawn(split: str, stream: int) -> pl.DataFrame:
    rng = np.random.default_rng([SEED, stream])
    targets, nontargets = SIZES[split]
    target = MEAN + SPREAD * rng.standard_normal(targets)
    nontarget = -MEAN + SPREAD * rng.standard_normal(nontargets)
    return pl.DataFrame(
        {
            "split": [split] * (targets + nontargets),
            "trial": [f"target {k:04d}" for k in range(1, targets + 1)]
            + [f"nontarget {k:06d}" for k in range(1, nontargets + 1)],
            "label": ["target"] * targets + ["nontarget"] * nontargets,
            "score": np.round(np.concatenate((target, nontarget)), 6),
        }
    )
