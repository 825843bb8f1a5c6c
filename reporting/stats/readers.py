"""Several readers of the same cases: the spread of their mean, over cases and over readers (multi-reader)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reporting.stats.staircase import FloatArray


class ReaderSpread(NamedTuple):
    """A standard error over cases and readers, with its degrees of freedom."""

    se: float
    df: float


def reader_spread(both: FloatArray, cases: FloatArray, readers: int) -> ReaderSpread:
    """Return the spread of a mean over R readers, from replicates that draw readers too, and that keep them.

    Both have shape (M,). V = V_cases + V_readers R / (R - 1), V_readers what drawing readers adds to the
    variance, at least 0: a bootstrap of R readers lacks that factor. df = V^2 / (V_readers'^2 / (R - 1)), as
    Satterthwaite has it: R - 1 where readers are all of it. NaN with fewer than two readers.
    """
    if readers < 2 or len(both) < 2:
        return ReaderSpread(math.nan, math.nan)
    of_cases = float(np.var(cases, ddof=1))
    of_readers = max(float(np.var(both, ddof=1)) - of_cases, 0.0) * readers / (readers - 1)
    total = of_cases + of_readers
    df = total**2 / (of_readers**2 / (readers - 1)) if of_readers > 0 else math.inf
    return ReaderSpread(math.sqrt(total), df)
