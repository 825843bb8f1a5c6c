"""From tables of ordered categories to the maximum of their likelihood: first guesses, damped Newton steps.

At a fixed b the likelihood is concave in a and the cuts. So these are brought near their best first, and a
step of log b takes them along its tangent: with extreme b, steps of all at once stray from that ridge.
Rows are padded as in ``stats/ordinal_likelihood.py`` and do not know each other.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from reporting.stats.ordinal_likelihood import Newton, log_likelihood, newton, targets_scale
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

MOST_STEPS = 300
MOST_HALVINGS = 50
CONVERGED = 1e-9
"""A step that promises less log-likelihood than this is the last: it squares the error."""
NEAR = 1.0
"""Before log b moves, a and the cuts promise less log-likelihood than this."""
LEAST_CURVATURE = 1e-4
"""Of log b, as a share of the trials: no step of it takes less."""
FURTHEST = 1.0
"""A step changes log b by this much at most."""
ROUNDING = 1e-13
"""Share of the log-likelihood that is lost in its sum."""


def first_guess(p: FloatArray, n: FloatArray, held: IntArray) -> FloatArray:
    """Return theta (R, J + 1) of tables whose first ``held`` categories hold trials, J >= 2.

    A line through the probits of the cumulative shares, every category given a part of one more trial of
    each class: its slope is the ratio of their spreads, points weighted by both densities. Of 3 categories
    (all of them with both classes, if a fit exists) none is given more: the line through 2 points is the fit.
    """
    share = (p + n) / (p + n).sum(axis=1, keepdims=True) * (held != 3)[:, None]
    there = np.arange(p.shape[1] - 1) < held[:, None] - 1
    smooth = (k + share for k in (n, p))
    shares = (np.cumsum(k, axis=1)[:, :-1] / k.sum(axis=1, keepdims=True) for k in smooth)
    x, y = (np.where(there, ndtri(to), 0.0) for to in shares)
    weight = np.where(there, np.exp(-(x * x + y * y) / 2), 0.0)
    weight /= weight.sum(axis=1, keepdims=True)
    mean_x, mean_y = ((weight * z).sum(axis=1, keepdims=True) for z in (x, y))
    spread_x, spread_y = (
        (weight * (z - mean) ** 2).sum(axis=1, keepdims=True) for z, mean in ((x, mean_x), (y, mean_y))
    )
    b = np.sqrt(spread_y / spread_x)
    a = b * mean_x - mean_y
    n0, n1 = n.sum(axis=1, keepdims=True), p.sum(axis=1, keepdims=True)
    cuts = (n0 * x + n1 * b * (y + a)) / (n0 + n1 * b * b)
    return np.concatenate((a, np.log(b), np.where(there, cuts, np.inf)), axis=1)


def climb(theta: FloatArray, p: FloatArray, n: FloatArray) -> tuple[FloatArray, IntArray, BoolArray]:
    """Return the theta of largest likelihood, the steps taken, and which rows arrived."""
    found, steps, arrived = theta.copy(), np.zeros(len(p), dtype=np.int64), np.zeros(len(p), dtype=bool)
    rows = np.arange(len(p))
    level = log_likelihood(theta, p, n)
    for _ in range(MOST_STEPS):
        if len(rows) == 0:
            break
        step, promised, last = _step(newton(theta, p, n), LEAST_CURVATURE * (p + n).sum(axis=1))
        moved, risen = _moved(theta, p, n, level, step, promised)
        fine = np.isfinite(risen)
        steps[rows] += 1
        found[rows[fine]] = moved[fine]
        arrived[rows] = last & fine
        on = fine & ~last
        rows, theta, level, p, n = rows[on], moved[on], risen[on], p[on], n[on]
    return found, steps, arrived


def _step(at: Newton, least: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the step of theta, the increase it promises, and whether it is the last."""
    # Where the likelihood is not concave in log b, a step upwards all the same.
    curvature = np.maximum(np.abs(at.curvature), np.where(at.curvature > 0, 0.0, least))
    ahead = at.slope / curvature
    further = at.slope * ahead / 2
    last = at.promised + further < CONVERGED
    ahead = np.where((at.promised > NEAR) & ~last, 0.0, np.clip(ahead, -FURTHEST, FURTHEST))
    others = at.inner + ahead[:, None] * at.tangent
    step = np.column_stack((others[:, 0], ahead, others[:, 1:]))
    return step, at.promised + np.where(ahead == 0, 0.0, ahead * at.slope / 2), last


def _moved(
    theta: FloatArray,
    p: FloatArray,
    n: FloatArray,
    level: FloatArray,
    step: FloatArray,
    promised: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Halve the step until the likelihood rises: theta and log-likelihood there, NaN if it never does."""
    moved, risen = theta.copy(), np.full(len(p), np.nan)
    rows, part = np.arange(len(p)), 1.0
    for _ in range(MOST_HALVINGS):
        there, height = _higher(theta[rows], part * step[rows], p[rows], n[rows])
        least = level[rows] + 1e-4 * part * promised[rows] - ROUNDING * np.abs(level[rows]) - CONVERGED
        up = height >= least
        moved[rows[up]], risen[rows[up]] = there[up], height[up]
        rows, part = rows[~up], part / 2
        if len(rows) == 0:
            break
    return moved, risen


def _higher(
    theta: FloatArray, step: FloatArray, p: FloatArray, n: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Move the cuts straight on the scale of the non-targets or of the targets, whichever is likelier."""
    straight = theta + step
    b = np.exp(theta[:, 1:2])
    turn = b * (theta[:, 2:] * step[:, 1:2] + step[:, 2:]) - step[:, :1]
    bent = straight.copy()
    bent[:, 2:] = (targets_scale(theta) + turn + straight[:, :1]) / np.exp(straight[:, 1:2])
    level, bent_level = (np.nan_to_num(log_likelihood(at, p, n), nan=-np.inf) for at in (straight, bent))
    better = bent_level > level
    return np.where(better[:, None], bent, straight), np.where(better, bent_level, level)
