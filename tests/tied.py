"""Scores for tests: ties always occur, and infinities and neighbouring floats often do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from reporting.core.stats.staircase import Staircase, cumulate, group_ties, hull_cuts

COARSE = st.integers(-4, 4).map(lambda k: k / 2)
ODD = st.sampled_from(
    [
        -np.inf,
        np.inf,
        0.0,
        -0.0,
        1.0,
        float(np.nextafter(1, 2)),
        float(np.nextafter(1, 0)),
        5e-324,
        1e300,
        -1e300,
    ]
)


def score_lists(odd: bool = False, least: int = 1, most: int = 25) -> st.SearchStrategy[list[float]]:
    """Lists of tied scores; ``odd`` mixes in infinities and neighbouring floats."""
    return st.lists(COARSE | ODD if odd else COARSE, min_size=least, max_size=most)


def labelled(targets: list[float], nontargets: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels of two lists."""
    score = np.array([*targets, *nontargets], dtype=np.float64)
    return score, np.array([True] * len(targets) + [False] * len(nontargets))


def staircase_of(targets: list[float], nontargets: list[float]) -> tuple[np.ndarray, Staircase]:
    """Distinct scores and the staircase of two lists."""
    distinct, p, n, _ = group_ties(*labelled(targets, nontargets))
    return distinct, Staircase(*cumulate(p, n), hull_cuts(p, n))


def rates(staircase: Staircase) -> list[tuple[Fraction, Fraction]]:
    """(FAR, FRR) at every cut, exactly."""
    return [
        (Fraction(int(a), staircase.n_nontarget), Fraction(int(m), staircase.n_target))
        for m, a in zip(staircase.misses, staircase.false_alarms, strict=True)
    ]
