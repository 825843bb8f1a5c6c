"""One sample of decision values as in Figure 1 of Brodersen, Ong, Stephan and Buhmann (ICPR 2010).

The law is that of the paper's example: scores of targets are normal about +1, those of non-targets about -1,
both with standard deviation 2; 40 targets among 100 trials, on *dev* and on *test*. The second model is an
increasing function of the first, exp(score / 2): the same order of the same trials, another shape.
"""

from __future__ import annotations

import numpy as np
import polars as pl

N_TARGET, N_NONTARGET = 40, 60
MEAN, SPREAD = 1.0, 2.0
SEED = 2010


def trials() -> pl.DataFrame:
    """Return one row a model and trial: model, split, trial, label, score, rounded to six decimals."""
    rng = np.random.default_rng(SEED)
    return pl.concat(_part(split, rng) for split in ("dev", "test"))


def _part(split: str, rng: np.random.Generator) -> pl.DataFrame:
    """Draw the targets of one part, then its non-targets."""
    label = np.repeat([1, 0], [N_TARGET, N_NONTARGET])
    score = np.where(label == 1, MEAN, -MEAN) + SPREAD * rng.standard_normal(len(label))
    shapes = {"values": score, "exponentials": np.exp(score / 2)}
    return pl.concat(
        pl.DataFrame(
            {
                "model": [model] * len(label),
                "split": [split] * len(label),
                "trial": [f"{split} {number:03d}" for number in range(1, len(label) + 1)],
                "label": label,
                "score": np.round(values, 6),
            }
        )
        for model, values in shapes.items()
    )
