"""Families of differences with ties and without spread, exact variances, and errors that come together."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reporting.core.stats import multiplicity
from reporting.core.stats.intervals import ZERO

LEVELS = st.sampled_from([0.5, 0.6, 0.8, 0.9])


SCALES = st.sampled_from([1.0, 0.1, 1 / 3])  # tenths and thirds: ties that floats miss


@st.composite
def families(draw):
    """Integer estimates (J,) and replicates (M, J), with ties and columns without spread; a scale."""
    m, j = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    estimate = draw(arrays(np.int64, j, elements=st.integers(-3, 3)))
    replicates = draw(arrays(np.int64, (m, j), elements=st.integers(-3, 3)))
    replicates[:, draw(arrays(np.bool_, j, elements=st.sampled_from([False, False, False, True])))] = 1
    return estimate, replicates, draw(SCALES)


def variance(column):
    """Exact, ddof 1."""
    values = [Fraction(int(x)) for x in column]
    mean = sum(values) / len(values)
    return sum((x - mean) ** 2 for x in values) / (len(values) - 1)


def single_step(estimate, replicates):
    """Adjust two-sided p-values for the family: (1 + #{max over l of T*_l >= T_j}) / (M + 1), shape (J,).

    ``estimate`` holds the differences D, shape (J,). Never below the p-value of the member by itself
    (``intervals.basic_p``). 1 where D and SE are 0: identical models; NaN without spread otherwise, or where
    undefined. Dual to ``simultaneous``. Westfall, Young 1993; methods 10.
    """
    se = multiplicity.standard_errors(estimate, replicates)
    farthest = np.sort(multiplicity.largest_distances(estimate, replicates, se))
    size = np.where(np.abs(estimate) < ZERO, 0.0, np.abs(estimate))
    t = np.divide(size, se, out=np.full(len(se), np.nan), where=se > 0)
    beyond = len(farthest) - np.searchsorted(farthest, t * (1 - multiplicity.SLACK))
    without_spread = np.where((se == 0) & (size == 0), 1.0, np.nan)
    return np.where(se > 0, (1 + beyond) / (len(farthest) + 1), without_spread)


def trials_of(models, rng, n, m):
    """Error rates of models on n trials of varying difficulty, and replicates: errors come together."""
    difficulty = rng.beta(0.3, 0.9, size=(n, 1))
    wrong = rng.random((n, len(models))) < difficulty ** np.array(models)
    return wrong.mean(axis=0), rng.multinomial(n, np.full(n, 1 / n), size=m) @ wrong / n
