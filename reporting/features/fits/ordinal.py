"""Categories of scores for rank fits: what a curve fitted to the order of the scores needs of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.codes import Status
from reporting.base.records import dataclass, replace
from reporting.core.stats.special import chdtrc, erfcx, log_ndtr, ndtri
from reporting.core.stats.staircase import truth_runs


class Categories(NamedTuple):
    """Targets and non-targets by category (J,), ascending, and the threshold above each: the last is H."""

    target: IntArray
    nontarget: IntArray
    cut: IntArray


def categories(n_target: Any, n_nontarget: Any, most: int = 50) -> Categories:
    """Merge ascending distinct scores (counts of shape (H,)) to at most ``most`` categories, none empty.

    Truth-state runs first, which costs a rank fit nothing. More than ``most`` of them are merged at equal
    steps of the mean of the two classes' ranks; a run larger than a step counts as one step, so that
    ``most`` remain. Metz, Herman, Shen 1998; methods 12.3 (where the pooled rank is taken: with few
    targets among many non-targets it leaves most targets in one category).
    """
    target, nontarget = np.asarray(n_target, dtype=np.int64), np.asarray(n_nontarget, dtype=np.int64)
    held = np.flatnonzero(target + nontarget > 0)
    if len(held) == 0:
        return Categories(held, held, held)
    first = _first(truth_runs(target[held], nontarget[held]))
    p, n = (np.add.reduceat(counts[held], first) for counts in (target, nontarget))
    if len(first) > most:
        merged = _first(_steps(p, n, most))
        first, p, n = first[merged], np.add.reduceat(p, merged), np.add.reduceat(n, merged)
    return Categories(p, n, np.concatenate((held[first[1:]], [len(target)])))


def _first(group: IntArray) -> IntArray:
    return np.flatnonzero(np.diff(group, prepend=-1))


def _steps(p: IntArray, n: IntArray, most: int) -> IntArray:
    """Number the step of the rank in which the middle of every run lies, from 0."""
    weight: FloatArray = p / max(int(p.sum()), 1) + n / max(int(n.sum()), 1)
    step = _step(weight, most)
    weight = np.minimum(weight, step)
    middle = (np.cumsum(weight) - weight / 2) / step
    return np.minimum(middle + ON_THE_EDGE, most - 1).astype(np.int64)


ON_THE_EDGE = 1e-9
"""Share of a step: a middle that rounding puts this little below the edge of a step lies on it."""


def _step(weight: FloatArray, most: int) -> float:
    """Return s with sum min(weight, s) = most s; there are more than ``most`` weights, all positive."""
    largest = -np.sort(-np.partition(weight, -most)[-most:])
    rest = weight.sum() - np.concatenate(([0.0], np.cumsum(largest[:-1])))
    step = rest / (most - np.arange(most))
    # With the k largest taken out, the rest shares what is left; the first k at which none exceeds its share.
    return float(step[np.argmax(largest <= step)])


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


def targets_scale(theta: FloatArray) -> FloatArray:
    """Return the thresholds as standard normal deviates of the targets, b c - a (R, J - 1)."""
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
    """Return l (R,); NaN where thresholds are out of order."""
    of_nontargets = np.where(n > 0, n * log_cells(theta[:, 2:]), 0.0).sum(axis=1)
    of_targets = np.where(p > 0, p * log_cells(targets_scale(theta)), 0.0).sum(axis=1)
    return np.asarray(of_nontargets + of_targets)


def newton(theta: FloatArray, p: FloatArray, n: FloatArray) -> Newton:
    """Return the Newton steps of every row: the tridiagonal block of the thresholds is eliminated first."""
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


MOST_CLIMBS = 300
MOST_HALVINGS = 50
CONVERGED = 1e-9
"""A step that promises less log-likelihood than this is the last: it squares the error."""
NEAR = 1.0
"""Before log b moves, a and the thresholds promise less log-likelihood than this."""
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


def climb(theta: FloatArray, p: FloatArray, n: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the theta of largest likelihood, and which rows arrived."""
    best, arrived = theta.copy(), np.zeros(len(p), dtype=bool)
    rows = np.arange(len(p))
    level = log_likelihood(theta, p, n)
    for _ in range(MOST_CLIMBS):
        if len(rows) == 0:
            break
        step, promised, last = _damped_step(newton(theta, p, n), LEAST_CURVATURE * (p + n).sum(axis=1))
        moved, risen = _moved(theta, p, n, level, step, promised)
        fine = np.isfinite(risen)
        best[rows[fine]] = moved[fine]
        arrived[rows] = last & fine
        on = fine & ~last
        rows, theta, level, p, n = rows[on], moved[on], risen[on], p[on], n[on]
    return best, arrived


def _damped_step(at: Newton, least: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
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
    theta: FloatArray, p: FloatArray, n: FloatArray, level: FloatArray, step: FloatArray, promised: FloatArray
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
    """Move the thresholds linearly on the scale of the non-targets or of the targets, the likelier."""
    straight = theta + step
    b = np.exp(theta[:, 1:2])
    turn = b * (theta[:, 2:] * step[:, 1:2] + step[:, 2:]) - step[:, :1]
    bent = straight.copy()
    bent[:, 2:] = (targets_scale(theta) + turn + straight[:, :1]) / np.exp(straight[:, 1:2])
    level, bent_level = (np.nan_to_num(log_likelihood(at, p, n), nan=-np.inf) for at in (straight, bent))
    better = bent_level > level
    return np.where(better[:, None], bent, straight), np.where(better, bent_level, level)


MOST_SE_LOG_B = 10.0
"""With a larger standard error of log b the data do not determine b: the likelihood is flat."""
LEAST_EXPECTED = 1.0
"""With fewer trials expected in a cell the chi-squared test is withheld: its size is no longer known."""
ROWS_AT_ONCE = 512
MOST_STEPS = 200
MOST_DOUBLINGS = 40


@dataclass(frozen=True, eq=False)
class OrdinalFits:
    """Fits of many tables: shapes (...), (..., J - 1) of ``cuts``, (..., 2, 2) of covariance.

    ``covariance`` of (a, b) is of the observed information. ``status`` is None, ``degenerate`` or
    ``not_converged``; with one of these all numbers are NaN. Thresholds below all trials or above them are
    infinite.
    """

    a: FloatArray
    b: FloatArray
    cuts: FloatArray
    covariance: FloatArray
    loglik: FloatArray
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
    loglik: float
    status: Status | None
    chi_squared: float = math.nan
    df: float = math.nan
    p_value: float = math.nan


def fit_ordinal(p: Any, n: Any) -> OrdinalFit:
    """Fit a and b to targets p and non-targets n of ascending categories (J,) by maximum likelihood.

    ``degenerate``: no finite fit exists (an empty class, separated classes, fewer than 3 categories and
    more, see above), or the likelihood is flat in b.
    """
    p, n = np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64)
    fits = fit_ordinals(p, n)
    fit = OrdinalFit(**{name: each if each.ndim else each.item() for name, each in vars(fits).items()})
    return _tested(fit, p, n)


def fit_ordinals(p: Any, n: Any, errors: bool = True) -> OrdinalFits:
    """Fit each table of targets and non-targets per category (..., J) separately.

    Without ``errors`` the thresholds and the covariance are left NaN, which is faster.
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
        loglik=undefined(),
        status=np.full(rows, "degenerate", dtype=object),
    )


def _between(outer: FloatArray, inner: FloatArray) -> BoolArray:
    """Return whether a category strictly between two that hold ``outer`` holds ``inner``; (R, J) to (R,)."""
    up_to = np.cumsum(outer, axis=1)
    inside = (up_to > outer) & (up_to < outer.sum(axis=1, keepdims=True))
    return np.asarray((inside & (inner > 0)).any(axis=1))


def _fit_rows(fits: OrdinalFits, rows: IntArray, p: FloatArray, n: FloatArray, errors: bool) -> None:
    empty = p + n == 0
    order = np.argsort(empty, axis=1, kind="stable")
    p, n = np.take_along_axis(p, order, axis=1), np.take_along_axis(n, order, axis=1)
    theta, arrived = climb(first_guess(p, n, (~empty).sum(axis=1)), p, n)
    last = newton(theta, p, n)
    determined = (last.curvature * MOST_SE_LOG_B**2 > 1) & (last.information > 0)
    fits.status[rows[~arrived]] = "not_converged"
    ok = arrived & determined
    fits.status[rows[ok]] = None
    rows, theta = rows[ok], theta[ok]
    b = np.exp(theta[:, 1])
    fits.a[rows], fits.b[rows] = theta[:, 0], b
    fits.loglik[rows] = log_likelihood(theta, p[ok], n[ok])
    if not errors:
        return
    # Above k categories that hold trials lies threshold k of those alone, 0 and the last at infinity.
    at = np.cumsum(~empty, axis=1)[ok, :-1]
    end = np.full((len(rows), 1), np.inf)
    cuts = np.concatenate((-end, theta[:, 2:], end), axis=1)
    fits.cuts[rows] = np.take_along_axis(cuts, at, axis=1)
    fits.covariance[rows] = _covariance(last)[ok] * _outer(np.column_stack((np.ones(len(b)), b)))


def _covariance(last: Newton) -> FloatArray:
    """Of a and log b: the tangent of a carries the error of log b."""
    along = np.column_stack((last.tangent[:, 0], np.ones(len(last.slope))))
    covariance = _outer(along) / last.curvature[:, None, None]
    covariance[:, 0, 0] += 1 / last.information
    return covariance


def _outer(x: FloatArray) -> FloatArray:
    return x[:, :, None] * x[:, None, :]


def cell_chances(fit: OrdinalFit) -> tuple[FloatArray, FloatArray]:
    """Fitted probabilities of the categories (J,), of targets and of non-targets."""
    with np.errstate(all="ignore"):
        of_targets, of_nontargets = np.exp(log_cells(np.stack((fit.b * fit.cuts - fit.a, fit.cuts))))
    # Between infinite thresholds, as around a category without trials, there is nothing.
    return np.nan_to_num(of_targets), np.nan_to_num(of_nontargets)


def _tested(fit: OrdinalFit, p: FloatArray, n: FloatArray) -> OrdinalFit:
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
    """Latent threshold c at which errors counted at a threshold are likeliest on a fitted curve.

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
    """First derivative, and minus the second, of the log-likelihood of four counts by the threshold."""
    u = b * c - a
    (over, d_over), (under, d_under), (u_over, du_over), (u_under, du_under) = map(_mills, (c, -c, u, -u))
    slope = tn * under - fp * over + b * (fn * u_under - tp * u_over)
    return slope, tn * d_under + fp * d_over + b * b * (fn * du_under + tp * du_over)


def _mills(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """phi(x) / Phi(-x) and its derivative."""
    ratio = np.sqrt(2 / np.pi) / erfcx(x / np.sqrt(2))
    return ratio, ratio * (ratio - x)
