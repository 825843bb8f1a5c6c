"""Truth-state runs: neighbouring scores that hold one class only, and the same one, merged.

Lossless for AUC, EER, minDCF and every criterion whose optimum is a hull vertex, also under
resampling weights; not for EER at a discrete cut, nor for what needs the scores themselves.
"""

from __future__ import annotations

import numpy as np

from reporting.stats.staircase import IntArray


def truth_runs(n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Return the run of every distinct score (shape (H,)), numbered from 0 in ascending order."""
    state = (n_target > 0) + 2 * (n_nontarget > 0)  # 1 targets only, 2 non-targets only, 3 both
    joins = (state[1:] == state[:-1]) & (state[1:] != 3)
    return np.concatenate(([0], np.cumsum(~joins)))[: len(n_target)].astype(np.int64)
