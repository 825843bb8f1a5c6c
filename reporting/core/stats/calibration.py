"""Likelihood ratios from scores: declared scales, and maps fitted to counts of the two classes.

A map is a frozen value with ``apply``, from scores of any shape to natural-log likelihood ratios. Fitted
on one set it may be applied to any other. Scores that share a likelihood ratio, or swap their order,
after a map are put in order again by ``regroup``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.stats.solvers import root
from reporting.core.stats.special import expit, logit
from reporting.core.stats.staircase import hull_cuts, threshold_of


def to_llr(score: Any, scale: str, prevalence: float | None) -> FloatArray | None:
    """Return scores of a declared scale as natural-log likelihood ratios; None where they are none.

    ``llr`` is itself, ``log10_llr`` times ln 10; ``logit`` and ``probability`` are posterior, and need
    the share of targets they were stated for: LLR = logit(p) - logit(prevalence). None for plain
    scores, for a posterior without a declared share, and for probabilities outside [0, 1].
    """
    score = np.asarray(score, dtype=np.float64)
    if scale == "llr":
        return np.asarray(score)
    if scale == "log10_llr":
        with np.errstate(over="ignore"):  # beyond the largest number evidence is infinite
            return np.asarray(score * math.log(10))
    if scale == "score" or prevalence is None:
        return None
    if scale == "logit":
        return np.asarray(score - prior_log_odds(prevalence))
    return np.asarray(logit(score) - prior_log_odds(prevalence)) if _probabilities(score) else None


def to_probability(score: Any, scale: str, prevalence: float | None) -> FloatArray | None:
    """Return scores of a declared scale as probabilities of the target; None where they are none.

    ``probability`` is itself, ``logit`` its expit; likelihood ratios need the declared share of
    targets: expit(LLR + logit(prevalence)). None for plain scores, for likelihood ratios without a
    declared share, and for probabilities outside [0, 1].
    """
    score = np.asarray(score, dtype=np.float64)
    if scale == "probability":
        return np.asarray(score) if _probabilities(score) else None
    odds = to_log_odds(score, scale, prevalence)
    return None if odds is None else np.asarray(expit(odds))


def to_log_odds(score: Any, scale: str, prevalence: float | None) -> FloatArray | None:
    """Return the logit of ``to_probability``: finite also where a probability rounds to 1, from 37 on."""
    score = np.asarray(score, dtype=np.float64)
    if scale == "logit":
        return np.asarray(score)
    if scale == "probability":
        return np.asarray(logit(score)) if _probabilities(score) else None
    llr = to_llr(score, scale, None)
    return None if llr is None or prevalence is None else np.asarray(llr + prior_log_odds(prevalence))


def prior_log_odds(prevalence: float) -> float:
    """Return logit(prevalence), to the last bit as the Bayes threshold of equal costs has it.

    A probability of 1/2 then lies at the threshold where targets are as frequent as stated, and is accepted.
    """
    return -math.log((1 - prevalence) / prevalence)


def _probabilities(score: FloatArray) -> bool:
    return bool(((score >= 0) & (score <= 1)).all())


@dataclass(frozen=True)
class AffineMap:
    """LLR = slope * score + offset. A negative slope is legal: scores below chance."""

    slope: float
    offset: float

    def apply(self, score: Any) -> FloatArray:
        """Return natural-log likelihood ratios; infinite scores stay infinite unless the slope is 0."""
        score = np.asarray(score, dtype=np.float64)
        if self.slope == 0:
            return np.full(score.shape, self.offset)
        with np.errstate(over="ignore"):
            return np.asarray(self.slope * score + self.offset)


def fit_affine(score: Any, n_target: Any, n_nontarget: Any, prior: float = 0.5) -> AffineMap | None:
    """Fit LLR = slope * score + offset by logistic regression in which each class weighs its prior.

    Minimises ECE(prior) of the result over all affine maps (prior 1/2: Cllr). Takes distinct scores
    with the trials of each class at each (shape (H,)). None where ``fit_logistic`` has no fit.
    Brümmer, du Preez 2006.
    """
    n_target, n_nontarget = np.asarray(n_target), np.asarray(n_nontarget)
    n1, n0 = n_target.sum(), n_nontarget.sum()
    if n1 == 0 or n0 == 0:
        return None
    weights = prior * n_target / n1, (1 - prior) * n_nontarget / n0
    fit = fit_logistic(np.asarray(score, dtype=np.float64), *weights)
    return None if fit is None else AffineMap(fit.slope, fit.intercept - float(logit(prior)))


@dataclass(frozen=True, eq=False)
class StepMap:
    """LLR of B blocks of scores (shape (B,), ascending), parted by B - 1 thresholds."""

    threshold: FloatArray
    llr: FloatArray

    def apply(self, score: Any) -> FloatArray:
        """Return the likelihood ratio of the block of each score; one at a threshold is above it."""
        return np.asarray(self.llr[np.searchsorted(self.threshold, score, side="right")])


def fit_pav(score: Any, n_target: Any, n_nontarget: Any) -> StepMap | None:
    """Fit the non-decreasing map with the least Cllr, its ends tempered so that no LLR is infinite.

    Takes ascending distinct scores with the trials of each class at each (shape (H,)). Blocks part at
    the midpoint between neighbouring scores (methods 1.4). None with an empty class. Methods 4.2.
    """
    score, n_target, n_nontarget = np.asarray(score), np.asarray(n_target), np.asarray(n_nontarget)
    if not n_target.any() or not n_nontarget.any():
        return None
    held = n_target + n_nontarget > 0
    blocks = pav(n_target[held], n_nontarget[held], laplace=True)
    kept = np.flatnonzero(blocks.n_target + blocks.n_nontarget)
    return StepMap(threshold_of(score[held], blocks.start[kept[1:]]), blocks.llr[kept])


@dataclass(frozen=True, eq=False)
class Blocks:
    """PAV blocks in ascending order (all of shape (B,)).

    ``start`` is the first cell of a block; ``llr`` is log(P_b / N1) - log(M_b / N0).
    """

    start: IntArray
    n_target: IntArray
    n_nontarget: IntArray
    llr: FloatArray


def pav(n_target: IntArray, n_nontarget: IntArray, laplace: bool = False) -> Blocks:
    """Pool cells (shape (H,), ascending scores, none empty) until the share of targets increases.

    LLRs strictly increase, +-inf at pure ends. ``laplace`` adds a target and a non-target below and
    above all cells before pooling, so that every LLR is finite, and takes them away again; a block at
    either end may then hold no trial. Both classes must be there. Methods 4.1, 4.2.
    """
    n1, n0 = int(n_target.sum()), int(n_nontarget.sum())
    if laplace:
        # The target lies below the non-target at either end, so that the two always pool.
        n_target = np.concatenate(([1, 0], n_target, [1, 0]))
        n_nontarget = np.concatenate(([0, 1], n_nontarget, [0, 1]))
    start = hull_cuts(n_target, n_nontarget)[:-1]
    targets, nontargets = np.add.reduceat(n_target, start), np.add.reduceat(n_nontarget, start)
    with np.errstate(divide="ignore"):
        llr = np.log(targets / n1) - np.log(nontargets / n0)
    if laplace:
        start = np.maximum(start - 2, 0)
        for counts in (targets, nontargets):
            counts[0] -= 1
            counts[-1] -= 1
    return Blocks(start, targets, nontargets, llr)


def regroup(score: Any, n_target: Any, n_nontarget: Any) -> tuple[FloatArray, Any, Any]:
    """Put scores (shape (H,)) in ascending order and merge equal ones, with their counts (..., H)."""
    score = np.asarray(score, dtype=np.float64)
    counts = [np.asarray(n_target), np.asarray(n_nontarget)]
    if not (score[1:] >= score[:-1]).all():
        order = np.argsort(score, kind="stable")
        score, counts = score[order], [held[..., order] for held in counts]
    if not (score[1:] > score[:-1]).all():
        first = np.flatnonzero(np.concatenate(([True], score[1:] > score[:-1])))
        score, counts = score[first], [np.add.reduceat(held, first, axis=-1) for held in counts]
    return score, counts[0], counts[1]


MOST_STEPS = 100
CONVERGED = 1e-16
"""A Newton step that promises less than this share of the total weight is the last: it squares the error."""


@dataclass(frozen=True)
class Logistic:
    """P(target | x) = expit(slope x + intercept)."""

    slope: float
    intercept: float


def fit_logistic(x: FloatArray, target: FloatArray, nontarget: FloatArray) -> Logistic | None:
    """Fit slope and intercept by maximum likelihood; ``target`` and ``nontarget`` weigh the classes at x.

    All of shape (H,), in any order. A target at x = +inf and a non-target at -inf have likelihood 1 at every
    slope above 0: the maximum is that of the others, if it rises. None where no finite fit is best: an empty
    class, a target at -inf or a non-target at +inf, which have likelihood 0, or a threshold that separates
    the classes (ties at it included).
    """
    inside = _finite(x, target, nontarget)
    if inside is None:
        return None
    x, target, nontarget = x[inside.held], target[inside.held], nontarget[inside.held]
    targets, nontargets = x[target > 0], x[nontarget > 0]
    if not (len(targets) and len(nontargets)):
        return None
    if targets.min() >= nontargets.max() or nontargets.min() >= targets.max():
        return None
    low, high = float(x.min()), float(x.max())
    centre, half = high / 2 + low / 2, high / 2 - low / 2
    if half == 0:
        return None
    total = (target + nontarget).sum()
    fit = _Newton((x - centre) / half, target / total, nontarget / total).run()
    if fit is None:
        return None
    slope = fit.slope / half
    intercept = fit.intercept - slope * centre
    if not (math.isfinite(slope) and math.isfinite(intercept)) or (inside.certain and slope <= 0):
        return None
    return Logistic(slope, intercept)


class _Finite(NamedTuple):
    held: BoolArray
    """Which x are finite and have weight (shape (H,))."""
    certain: bool
    """Whether an infinite x has weight, of the class that it favours."""


def _finite(x: FloatArray, target: FloatArray, nontarget: FloatArray) -> _Finite | None:
    """Return which trials decide a fit; None where an outcome has probability 0."""
    if target[x == -np.inf].any() or nontarget[x == np.inf].any():
        return None
    weighs, finite = target + nontarget > 0, np.isfinite(x)
    return _Finite(weighs & finite, bool((weighs & ~finite).any()))


class _Newton:
    """Damped Newton steps on the mean loss, for z within [-1, 1] and weights that sum to 1."""

    def __init__(self, z: FloatArray, target: FloatArray, nontarget: FloatArray) -> None:
        self.z, self.target, self.nontarget = z, target, nontarget
        self.weight = target + nontarget

    def run(self) -> Logistic | None:
        """Return the minimum of the loss; None where the steps do not arrive."""
        fit = Logistic(0.0, float(np.log(self.target.sum()) - np.log(self.nontarget.sum())))
        for _ in range(MOST_STEPS):
            step, promised = self._step(fit)
            if not math.isfinite(promised):
                return None
            fit = self._damped(fit, step, promised)
            if promised < CONVERGED:
                return fit
        return None

    def _step(self, fit: Logistic) -> tuple[Logistic, float]:
        """Return the Newton step and the decrease of the loss that it promises."""
        at = fit.slope * self.z + fit.intercept
        tail = np.exp(-np.abs(at))
        near, far = 1 / (1 + tail), tail / (1 + tail)
        pull = np.where(
            at > 0, self.target * far - self.nontarget * near, self.target * near - self.nontarget * far
        )
        curvature = self.weight * near * far
        total = curvature.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            # About the mean of z under the curvature, slope and intercept do not trade off.
            middle = (curvature * self.z).sum() / total
            away = self.z - middle
            level, tilt = pull.sum(), (pull * away).sum()
            rise, turn = level / total, tilt / (curvature * away * away).sum()
        return Logistic(float(turn), float(rise - turn * middle)), float(level * rise + tilt * turn)

    def _damped(self, fit: Logistic, step: Logistic, promised: float) -> Logistic:
        """Take the step, halved until the loss falls; a tiny one as it is, for the loss is only so exact."""
        share = 1.0
        if promised > 1e-10:
            loss = self._loss(fit)
            while share > 1e-12 and self._loss(_moved(fit, step, share)) > loss - 1e-4 * share * promised:
                share /= 2
        return _moved(fit, step, share)

    def _loss(self, fit: Logistic) -> float:
        at = fit.slope * self.z + fit.intercept
        softplus = np.maximum(at, 0) + np.log1p(np.exp(-np.abs(at)))
        return float((self.weight * softplus - self.target * at).sum())


def _moved(fit: Logistic, step: Logistic, share: float) -> Logistic:
    return Logistic(fit.slope + share * step.slope, fit.intercept + share * step.intercept)


def fit_intercept(x: FloatArray, target: FloatArray, nontarget: FloatArray) -> float | None:
    """Fit the intercept alone, the slope held at 1: sum over trials of expit(x + a) = weight of targets.

    A target at x = +inf and a non-target at -inf have likelihood 1 and change nothing. None with an empty
    class, of the others too, and with a target at -inf or a non-target at +inf.
    """
    inside = _finite(x, target, nontarget)
    if inside is None:
        return None
    held = inside.held
    x, weight = x[held], (target + nontarget)[held]
    total, targets = float(weight.sum()), float(target[held].sum())
    if not 0 < targets < total:
        return None
    aim = float(logit(targets / total))

    def excess(intercept: float) -> float:
        return float((weight * expit(x + intercept)).sum()) / total - targets / total

    # Were all x equal, aim - x would solve it: the solution lies between those of the extremes.
    return root(excess, aim - x.max() - 1, aim - x.min() + 1, 1e-13)
