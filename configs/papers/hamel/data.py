"""Ringnorm with equal classes and with a tenth of the non-targets: trials for a paper on ROC curves.

L. Hamel, "Model Assessment with ROC Curves" (2008), argues with 3700 targets and as many non-targets, or a
tenth of these. Its scores were never published. Those made here are of Breiman's ringnorm in 20 dimensions,
of the same sizes: targets N((a, ..., a), I) with a = 2 / sqrt(20), non-targets N(0, 4 I). Six scorers stand
for six kinds of curve, all exactly known (``stats/ringnorm.py``):

* ``five``, ``six``: log likelihood ratios of the first five and six coordinates: nearly the same scores, the
  latter a little better;
* ``others``: that of five other coordinates: as good as ``five``, and nothing to do with it;
* ``all``: that of all twenty: hardly any error;
* ``sum``: the sum of all coordinates: binormal with a = b = 2, weak and with a true concavity;
* ``square``: the square of the first coordinate: below chance, for it grows with the non-targets.

``dev`` is of the dataset ``equal``, which alone has one. The test of ``tenth`` is that of ``equal`` with 370
of its non-targets, drawn at random: a shift of the prior and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from configs.papers.hamel.ringnorm import llr
from reporting.base.arrays import FloatArray, IntArray

CASES = 3700
"""Cases a class and split."""

KEPT = 370
DIMENSIONS = 20
SHIFT = 2 / np.sqrt(DIMENSIONS)
SEED = 2008

SCORERS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "five": lambda x: llr(x[:, :5], SHIFT),
    "six": lambda x: llr(x[:, :6], SHIFT),
    "others": lambda x: llr(x[:, 10:15], SHIFT),
    "all": lambda x: llr(x, SHIFT),
    "sum": lambda x: np.asarray(x.sum(axis=1)),
    "square": lambda x: np.asarray(x[:, 0] ** 2),
}
"""What each model sees of a case, of shape (N, 20) to (N,)."""


def trials() -> pl.DataFrame:
    """Return one row a model and case: dataset, model, split, trial, label, score."""
    rng = np.random.default_rng(SEED)
    dev, test = _cases(rng), _cases(rng)
    kept = np.concatenate((np.arange(CASES), CASES + np.sort(rng.choice(CASES, KEPT, replace=False))))
    every = np.arange(2 * CASES)
    return pl.concat(
        [
            _scored("equal", "dev", dev, every),
            _scored("equal", "test", test, every),
            _scored("tenth", "test", test, kept),
        ]
    )


def _cases(rng: np.random.Generator) -> FloatArray:
    """Cases of one split, shape (2 CASES, 20), the targets first."""
    targets = rng.standard_normal((CASES, DIMENSIONS)) + SHIFT
    return np.concatenate((targets, 2 * rng.standard_normal((CASES, DIMENSIONS))))


def _scored(dataset: str, split: str, cases: FloatArray, kept: IntArray) -> pl.DataFrame:
    """Scores are rounded to six decimals, so that the last bits of a sum do not reach the file."""
    number = kept + 1
    return pl.concat(
        pl.DataFrame(
            {
                "dataset": dataset,
                "model": model,
                "split": split,
                "trial": [f"case {n:04d}" for n in number],
                "label": np.where(kept < CASES, "target", "nontarget"),
                "score": np.round(scorer(cases), 6)[kept],
            }
        )
        for model, scorer in SCORERS.items()
    )
