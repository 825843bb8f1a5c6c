"""All or any of k attempts, from how many of n attempts solved an item."""

from __future__ import annotations

import math

import numpy as np

from reporting.base.arrays import FloatArray, IntArray


def all_of(solved: IntArray, n: int, k: int) -> FloatArray:
    """Return C(c, k) / C(n, k) for c = ``solved`` of n attempts at each item (shape (N,)), k <= n; in [0, 1].

    The share of sets of k attempts that all solve the item. Its mean over items, pass^k, is unbiased for the
    chance that k new attempts all solve an item. Yao, Shinn, Razavi, Narasimhan 2024, arXiv:2406.12045.
    """
    of_count = np.array([math.comb(c, k) / math.comb(n, k) for c in range(n + 1)])
    return np.asarray(of_count[solved])


def any_of(solved: IntArray, n: int, k: int) -> FloatArray:
    """Return 1 - C(n - c, k) / C(n, k): the share of sets of k attempts of which one or more solve the item.

    Its mean over items is pass@k. Chen and others 2021, arXiv:2107.03374, eq. 1.
    """
    return 1 - all_of(n - solved, n, k)
