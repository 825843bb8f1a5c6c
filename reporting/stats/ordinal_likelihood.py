"""The likelihood of a binormal curve on ordered categories, its slopes, and Newton steps; batched.

Row by row: targets and non-targets per category (R, J), and theta (R, J + 1) of a, log b and the J - 1
cuts c. Non-targets are N(0, 1) on the latent scale and targets N(a / b, 1 / b^2), so that with c_0 = -inf
and c_J = inf

    l = sum n_j log[Phi(c_j) - Phi(c_(j-1))] + sum p_j log[Phi(b c_j - a) - Phi(b c_(j-1) - a)].

A row with fewer categories than J ends in empty ones, with cuts of +inf that stay. Methods 12.3.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from reporting.stats.staircase import FloatArray

LOG_ROOT = math.log(2 * math.pi) / 2


class Newton(NamedTuple):
    """Newton steps, the one of (a, c) at a fixed b apart from that of log b.

    ``inner`` (R, J) is the step of a and c, ``tangent`` (R, J) how their best values move with log b;
    ``slope`` and ``curvature`` are the first and minus the second derivative by log b of l maximised
    over a and c, ``information`` that of a over c. ``promised`` is the increase by the inner step.
    """

    inner: FloatArray
    tangent: FloatArray
    promised: FloatArray
    slope: FloatArray
    curvature: FloatArray
    information: FloatArray
    band: tuple[FloatArray, FloatArray]
    cuts_by_a: FloatArray


def targets_scale(theta: FloatArray) -> FloatArray:
    """Return the cuts as standard normal deviates of the targets, b c - a (R, J - 1)."""
    return np.asarray(np.exp(theta[:, 1:2]) * theta[:, 2:] - theta[:, :1])


def log_cells(z: FloatArray) -> FloatArray:
    """log[Phi(z_j) - Phi(z_(j-1))] between ascending z (R, J - 1), precise in both tails; (R, J)."""
    end = np.zeros((len(z), 1))
    below = np.concatenate((end - np.inf, log_ndtr(z), end), axis=1)
    above = np.concatenate((end, log_ndtr(-z), end - np.inf), axis=1)
    upper = np.concatenate((end.astype(bool), z > 0), axis=1)
    larger = np.where(upper, above[:, :-1], below[:, 1:])
    smaller = np.where(upper, above[:, 1:], below[:, :-1])
    return np.asarray(larger + np.log(-np.expm1(smaller - larger)))


def log_likelihood(theta: FloatArray, p: FloatArray, n: FloatArray) -> FloatArray:
    """Return l (R,); NaN where cuts are out of order."""
    of_nontargets = np.where(n > 0, n * log_cells(theta[:, 2:]), 0.0).sum(axis=1)
    of_targets = np.where(p > 0, p * log_cells(targets_scale(theta)), 0.0).sum(axis=1)
    return np.asarray(of_nontargets + of_targets)


def newton(theta: FloatArray, p: FloatArray, n: FloatArray) -> Newton:
    """Return the Newton steps of every row: the tridiagonal block of the cuts is eliminated first."""
    cuts, b = theta[:, 2:], np.exp(theta[:, 1:2])
    slope_n, diagonal_n, off_n = _slopes(cuts, n)
    slope_p, diagonal_p, off_p = _slopes(targets_scale(theta), p)
    fixed = np.isinf(cuts)
    band = np.where(fixed, 1.0, diagonal_n + b * b * diagonal_p), off_n + b * b * off_p
    # With u = b c - a: du/da = -1 and du/dlog b = b c; dl/dc = b slope_p depends on log b through b too.
    bc = b * np.where(fixed, 0.0, cuts)
    by_a, by_b = (_times(diagonal_p, off_p, x) for x in (np.where(fixed, 0.0, -1.0), bc))
    slope_c, slope_b = slope_n + b * slope_p, (bc * slope_p).sum(axis=1)
    border_a, border_b = b * by_a, b * (by_b - slope_p)
    solved = tridiagonal(*band, np.stack((border_a, border_b, slope_c)))
    cuts_by_a, cuts_by_b, cuts_alone = solved
    aa = -by_a.sum(axis=1) - (border_a * cuts_by_a).sum(axis=1)
    ab = -by_b.sum(axis=1) - (border_a * cuts_by_b).sum(axis=1)
    bb = (bc * by_b).sum(axis=1) - slope_b - (border_b * cuts_by_b).sum(axis=1)
    rest_a = -slope_p.sum(axis=1) - (border_a * cuts_alone).sum(axis=1)
    rest_b = slope_b - (border_b * cuts_alone).sum(axis=1)
    inner_a, tangent_a = rest_a / aa, -ab / aa
    inner_c = cuts_alone - cuts_by_a * inner_a[:, None]
    tangent_c = -cuts_by_b - cuts_by_a * tangent_a[:, None]
    return Newton(
        inner=np.column_stack((inner_a, inner_c)),
        tangent=np.column_stack((tangent_a, tangent_c)),
        promised=((slope_c * cuts_alone).sum(axis=1) + rest_a * inner_a) / 2,
        slope=rest_b + tangent_a * rest_a,
        curvature=bb + tangent_a * ab,
        information=aa,
        band=band,
        cuts_by_a=cuts_by_a,
    )


def _slopes(z: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """First derivatives by z of sum count log(cell), and minus the second: diagonal, off the diagonal."""
    cell, density = log_cells(z), -z * z / 2 - LOG_ROOT
    under = np.where(count[:, :-1] > 0, np.exp(density - cell[:, :-1]), 0.0)
    over = np.where(count[:, 1:] > 0, np.exp(density - cell[:, 1:]), 0.0)
    slope = count[:, :-1] * under - count[:, 1:] * over
    diagonal = np.where(np.isinf(z), 0.0, z) * slope + count[:, :-1] * under**2 + count[:, 1:] * over**2
    return slope, diagonal, -count[:, 1:-1] * over[:, :-1] * under[:, 1:]


def _times(diagonal: FloatArray, off: FloatArray, x: FloatArray) -> FloatArray:
    """Return the tridiagonal matrix times x, both row by row."""
    product = diagonal * x
    product[:, :-1] += off * x[:, 1:]
    product[:, 1:] += off * x[:, :-1]
    return product


def tridiagonal(diagonal: FloatArray, off: FloatArray, right: FloatArray) -> FloatArray:
    """Solve symmetric positive tridiagonal systems (R, M), (R, M - 1) for right sides (K, R, M)."""
    size = diagonal.shape[1]
    pivot, lower = diagonal.T.copy(), off.T
    x = np.moveaxis(right, 2, 0).copy()
    for j in range(1, size):
        factor = lower[j - 1] / pivot[j - 1]
        pivot[j] -= factor * lower[j - 1]
        x[j] -= factor * x[j - 1]
    x[-1] /= pivot[-1]
    for j in range(size - 2, -1, -1):
        x[j] = (x[j] - lower[j] * x[j + 1]) / pivot[j]
    return np.ascontiguousarray(np.moveaxis(x, 0, 2))


def inverse_diagonal(diagonal: FloatArray, off: FloatArray) -> FloatArray:
    """Return the diagonal of the inverse of symmetric positive tridiagonal matrices (R, M)."""
    forth, back = diagonal.copy(), diagonal.copy()
    for j in range(1, diagonal.shape[1]):
        forth[:, j] -= off[:, j - 1] ** 2 / forth[:, j - 1]
        back[:, -j - 1] -= off[:, -j] ** 2 / back[:, -j]
    return np.asarray(1 / (forth + back - diagonal))
