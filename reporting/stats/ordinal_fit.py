"""The binormal curve TPR = Phi(a + b Phi^-1(FPR)) fitted to the order of the scores alone.

Maximum likelihood over a, b and the cuts of ordered categories (Dorfman, Alf 1969; Metz, Herman, Shen
1998; methods 12.3): no increasing map of the scores changes it. A finite fit exists where some non-targets
lie in a category strictly between those of targets, and some targets strictly between those of non-targets.
Otherwise a curve of horizontal and vertical pieces, the limit of b -> 0 or b -> infinity, fits exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, erfcx, ndtr, ndtri

from reporting.stats.ordinal_climb import climb, first_guess
from reporting.stats.ordinal_likelihood import (
    Newton,
    inverse_diagonal,
    log_cells,
    log_likelihood,
    newton,
)
from reporting.stats.staircase import BoolArray, FloatArray, IntArray

MOST_SE_LOG_B = 10.0
"""With a larger standard error of log b the data do not tell b: the likelihood is flat."""
LEAST_EXPECTED = 1.0
"""With fewer trials expected in a cell the chi-squared test is withheld: its size is no longer known."""
ROWS_AT_ONCE = 512
MOST_STEPS = 200
MOST_DOUBLINGS = 40


@dataclass(frozen=True, eq=False)
class OrdinalFits:
    """Fits of many tables: shapes (...), (..., J - 1) of cuts and their errors, (..., 2, 2) of covariance.

    ``covariance`` of (a, b) and ``cuts_se`` are of the observed information. ``status`` is None,
    ``degenerate`` or ``not_converged``; with one of these all numbers are NaN. Cuts below all trials or
    above them are infinite, without an error.
    """

    a: FloatArray
    b: FloatArray
    cuts: FloatArray
    covariance: FloatArray
    cuts_se: FloatArray
    loglik: FloatArray
    iterations: IntArray
    status: npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class OrdinalFit:
    """One fit, as in ``OrdinalFits``, and Pearson's test of it.

    ``chi_squared`` = sum (count - expected)^2 / expected over categories and classes, on ``df`` = J - 3.
    Both, and ``p_value``, are NaN where no degree of freedom is left, or where fewer than 1 trial is
    expected in a cell: so it is with most runs of continuous scores.
    """

    a: float
    b: float
    cuts: FloatArray
    covariance: FloatArray
    cuts_se: FloatArray
    loglik: float
    iterations: int
    status: str | None
    chi_squared: float = math.nan
    df: float = math.nan
    p_value: float = math.nan

    @property
    def auc(self) -> float:
        """Phi(a / sqrt(1 + b^2)), in [0, 1], higher is better; methods 12.1."""
        return float(ndtr(self.a / math.hypot(1, self.b)))

    @property
    def auc_se(self) -> float:
        """Standard error of ``auc`` by the delta method."""
        spread = 1 + self.b**2
        density = math.exp(-(self.a**2) / spread / 2) / math.sqrt(2 * math.pi * spread)
        slope = density * np.array([1.0, -self.a * self.b / spread])
        return math.sqrt(float((slope[:, None] * self.covariance * slope).sum()))


def fit_ordinal(p: Any, n: Any) -> OrdinalFit:
    """Fit a and b to targets p and non-targets n of ascending categories (J,) by maximum likelihood.

    ``degenerate``: no finite fit exists (an empty class, separated classes, fewer than 3 categories and
    more, see above), or the likelihood is flat in b.
    """
    p, n = np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64)
    fits = fit_ordinals(p, n)
    fit = OrdinalFit(
        a=float(fits.a),
        b=float(fits.b),
        cuts=fits.cuts,
        covariance=fits.covariance,
        cuts_se=fits.cuts_se,
        loglik=float(fits.loglik),
        iterations=int(fits.iterations),
        status=fits.status.item(),
    )
    return _tested(fit, p, n)


def fit_ordinals(p: Any, n: Any, errors: bool = True) -> OrdinalFits:
    """Fit each table of targets and non-targets per category (..., J) for itself.

    Without ``errors`` the cuts, their errors and the covariance are left NaN, which is faster.
    """
    p, n = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64))
    shape, size = p.shape[:-1], p.shape[-1]
    p, n = p.reshape(math.prod(shape), size), n.reshape(math.prod(shape), size)
    fits = _no_fits(len(p), max(size - 1, 0))
    rows = np.flatnonzero(_between(p, n) & _between(n, p))
    with np.errstate(all="ignore"):
        for first in range(0, len(rows), ROWS_AT_ONCE):
            at = rows[first : first + ROWS_AT_ONCE]
            _fit_rows(fits, at, p[at], n[at], errors)
    return OrdinalFits(*(array.reshape(shape + array.shape[1:]) for array in vars(fits).values()))


def _no_fits(rows: int, cuts: int) -> OrdinalFits:
    def undefined(*shape: int) -> FloatArray:
        return np.full((rows, *shape), np.nan)

    return OrdinalFits(
        a=undefined(),
        b=undefined(),
        cuts=undefined(cuts),
        covariance=undefined(2, 2),
        cuts_se=undefined(cuts),
        loglik=undefined(),
        iterations=np.zeros(rows, dtype=np.int64),
        status=np.full(rows, "degenerate", dtype=object),
    )


def _between(outer: FloatArray, inner: FloatArray) -> BoolArray:
    """Tell whether a category strictly between two that hold ``outer`` holds ``inner``; (R, J) to (R,)."""
    up_to = np.cumsum(outer, axis=1)
    inside = (up_to > outer) & (up_to < outer.sum(axis=1, keepdims=True))
    return np.asarray((inside & (inner > 0)).any(axis=1))


def _fit_rows(fits: OrdinalFits, rows: IntArray, p: FloatArray, n: FloatArray, errors: bool) -> None:
    """Fit the tables of ``rows`` and write what is found into ``fits``."""
    empty = p + n == 0
    order = np.argsort(empty, axis=1, kind="stable")
    p, n = np.take_along_axis(p, order, axis=1), np.take_along_axis(n, order, axis=1)
    theta, steps, arrived = climb(first_guess(p, n, (~empty).sum(axis=1)), p, n)
    last = newton(theta, p, n)
    told = (last.curvature * MOST_SE_LOG_B**2 > 1) & (last.information > 0)
    fits.iterations[rows] = steps
    fits.status[rows[~arrived]] = "not_converged"
    ok = arrived & told
    fits.status[rows[ok]] = None
    rows, theta = rows[ok], theta[ok]
    b = np.exp(theta[:, 1])
    fits.a[rows], fits.b[rows] = theta[:, 0], b
    fits.loglik[rows] = log_likelihood(theta, p[ok], n[ok])
    if not errors:
        return
    # Above k categories that hold trials lies cut k of those alone, 0 and the last at infinity.
    at = np.cumsum(~empty, axis=1)[ok, :-1]
    end = np.full((len(rows), 1), np.inf)
    cuts = np.concatenate((-end, theta[:, 2:], end), axis=1)
    spread = np.concatenate((end, _cut_errors(last)[ok], end), axis=1)
    fits.cuts[rows] = np.take_along_axis(cuts, at, axis=1)
    fits.cuts_se[rows] = np.take_along_axis(np.where(np.isinf(cuts), np.nan, spread), at, axis=1)
    fits.covariance[rows] = _covariance(last)[ok] * _outer(np.column_stack((np.ones(len(b)), b)))


def _covariance(last: Newton) -> FloatArray:
    """Of a and log b: the tangent of a carries the error of log b."""
    along = np.column_stack((last.tangent[:, 0], np.ones(len(last.slope))))
    covariance = _outer(along) / last.curvature[:, None, None]
    covariance[:, 0, 0] += 1 / last.information
    return covariance


def _outer(x: FloatArray) -> FloatArray:
    return x[:, :, None] * x[:, None, :]


def _cut_errors(last: Newton) -> FloatArray:
    variance = inverse_diagonal(*last.band) + last.cuts_by_a**2 / last.information[:, None]
    return np.asarray(np.sqrt(variance + last.tangent[:, 1:] ** 2 / last.curvature[:, None]))


def cell_chances(fit: OrdinalFit) -> tuple[FloatArray, FloatArray]:
    """Fitted probabilities of the categories (J,), of targets and of non-targets."""
    with np.errstate(all="ignore"):
        of_targets, of_nontargets = np.exp(log_cells(np.stack((fit.b * fit.cuts - fit.a, fit.cuts))))
    # Between infinite cuts, as around a category without trials, there is nothing.
    return np.nan_to_num(of_targets), np.nan_to_num(of_nontargets)


def _tested(fit: OrdinalFit, p: FloatArray, n: FloatArray) -> OrdinalFit:
    """Add the test of fit, unless it is withheld."""
    df = int((p + n > 0).sum()) - 3
    if fit.status is not None or df < 1:
        return fit
    held = p + n > 0
    of_targets, of_nontargets = cell_chances(fit)
    expected = np.concatenate((p.sum() * of_targets[held], n.sum() * of_nontargets[held]))
    if expected.min() < LEAST_EXPECTED:
        return fit
    chi_squared = float(((np.concatenate((p[held], n[held])) - expected) ** 2 / expected).sum())
    return replace(fit, chi_squared=chi_squared, df=df, p_value=float(chdtrc(df, chi_squared)))


def draw_ordinals(
    fit: OrdinalFit, n_target: int, n_nontarget: int, rng: np.random.Generator, draws: int
) -> tuple[FloatArray, FloatArray]:
    """Return a and b (M,) of fits to tables drawn from a fit, NaN where one of them has none.

    Parametric bootstrap: in each class a multinomial of the fitted probabilities of the categories.
    """
    if fit.status is not None:
        return np.full(draws, np.nan), np.full(draws, np.nan)
    of_targets, of_nontargets = cell_chances(fit)
    p = rng.multinomial(n_target, of_targets / of_targets.sum(), size=draws)
    n = rng.multinomial(n_nontarget, of_nontargets / of_nontargets.sum(), size=draws)
    drawn = fit_ordinals(p, n, errors=False)
    return drawn.a, drawn.b


def latent_cut(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, a: Any, b: Any) -> FloatArray:
    """Latent cut c at which errors counted at a threshold are likeliest on a fitted curve.

    argmax of FP log Phi(-c) + TN log Phi(c) + TP log Phi(a - b c) + FN log Phi(b c - a), which is concave;
    FPR = Phi(-c) and TPR = Phi(a - b c) there. -inf where all are accepted, +inf where all are rejected,
    NaN without trials or without a curve. Shapes broadcast.
    """
    arrays = (np.asarray(x, dtype=np.float64) for x in (misses, false_alarms, n_target, n_nontarget, a, b))
    fn, fp, n1, n0, a, b = np.broadcast_arrays(*arrays)
    tp, tn = n1 - fn, n0 - fp
    with np.errstate(all="ignore"):
        ends = ndtri(tn / n0), (ndtri(fn / n1) + a) / b
        c = _summit((fp, tn, tp, fn, a, b), np.fmin(*ends), np.fmax(*ends))
    c = np.where(tn + fn == 0, -np.inf, np.where(tp + fp == 0, np.inf, c))
    return np.asarray(np.where((n0 + n1 > 0) & np.isfinite(a) & (b > 0) & (b < np.inf), c, np.nan))


def _summit(parts: tuple[FloatArray, ...], low: FloatArray, high: FloatArray) -> FloatArray:
    """Find where the slope is 0: between the two ends at which each class alone would have it 0."""
    near = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
    far = np.where(np.isfinite(high), high, near)
    low, high = np.where(np.isfinite(low), low, far), far
    for k in range(MOST_DOUBLINGS):
        low = np.where(_slope(low, *parts)[0] < 0, low - 2.0**k, low)
        high = np.where(_slope(high, *parts)[0] > 0, high + 2.0**k, high)
    c = (low + high) / 2
    for _ in range(MOST_STEPS):
        slope, curvature = _slope(c, *parts)
        low, high = np.where(slope >= 0, c, low), np.where(slope <= 0, c, high)
        new = c + slope / curvature
        new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
        if not (np.abs(new - c) > 1e-15 * np.abs(c)).any():
            break
        c = new
    return c


def _slope(
    c: FloatArray,
    fp: FloatArray,
    tn: FloatArray,
    tp: FloatArray,
    fn: FloatArray,
    a: FloatArray,
    b: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """First derivative, and minus the second, of the log-likelihood of four counts by the cut."""
    u = b * c - a
    (over, d_over), (under, d_under), (u_over, du_over), (u_under, du_under) = map(_mills, (c, -c, u, -u))
    slope = tn * under - fp * over + b * (fn * u_under - tp * u_over)
    return slope, tn * d_under + fp * d_over + b * b * (fn * du_under + tp * du_over)


def _mills(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """phi(x) / Phi(-x) and its derivative."""
    ratio = np.sqrt(2 / np.pi) / erfcx(x / np.sqrt(2))
    return ratio, ratio * (ratio - x)
