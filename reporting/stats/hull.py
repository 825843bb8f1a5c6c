"""The lower-left convex hull of a staircase, by isotonic regression with exact integer merging."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from reporting.stats.staircase import IntArray


def hull_cuts(n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Return the cuts that are vertices of the hull of (FAR, FRR), ascending; both ends included.

    ``n_target`` and ``n_nontarget`` count trials at each distinct score (shape (H,), ascending).
    Vertices are the block ends of the isotonic regression of the share of targets (methods 4.1).
    With an empty class only the two ends remain.
    """
    # Cuts that can be vertices: a non-target just below, a target just above, and the two ends.
    inner = np.flatnonzero((n_nontarget[:-1] > 0) & (n_target[1:] > 0)) + 1
    last = [len(n_target)] if len(n_target) else []
    candidates = np.concatenate(([0], inner, last)).astype(np.int64)
    if candidates[-1] == 0:
        return candidates[:1]
    targets = np.add.reduceat(n_target, candidates[:-1])
    nontargets = np.add.reduceat(n_nontarget, candidates[:-1])
    size = targets + nontargets
    fit = isotonic_regression(targets / size, weights=size.astype(np.float64))
    vertices = _merge(candidates[fit.blocks], n_target, n_nontarget)
    return vertices.astype(np.int64)


def _merge(vertices: IntArray, n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Drop vertices between blocks whose shares of targets do not increase, compared as integers."""
    while len(vertices) > 2:
        targets = np.add.reduceat(n_target, vertices[:-1])
        size = targets + np.add.reduceat(n_nontarget, vertices[:-1])
        flat = targets[:-1] * size[1:] >= targets[1:] * size[:-1]
        if not flat.any():
            break
        # Neighbouring faults are mended one at a time: dropping both could skip a true vertex.
        drop = flat & ~np.concatenate(([False], flat[:-1]))
        vertices = vertices[np.concatenate(([True], ~drop, [True]))]
    return vertices


def truth_runs(n_target: IntArray, n_nontarget: IntArray) -> IntArray:
    """Return the run of every distinct score (shape (H,)), numbered from 0 in ascending order."""
    state = (n_target > 0) + 2 * (n_nontarget > 0)  # 1 targets only, 2 non-targets only, 3 both
    joins = (state[1:] == state[:-1]) & (state[1:] != 3)
    return np.concatenate(([0], np.cumsum(~joins)))[: len(n_target)].astype(np.int64)
