"""Rates at a threshold and their limits, and the difference of two models, from counts alone.

The script of the page has the same formulas (``templates/html/recompute.js``), equal to 1e-9.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.measures.threshold import FAR, FRR, WEIGHTED_ERROR
from reporting.core.resampling.margins import Score, tested_at_zero
from reporting.core.stats import paired
from reporting.core.stats.crossed_units import dyadic_se, over_pools, two_way_sum
from reporting.core.stats.effective_size import EffectiveRate, square_and_add
from reporting.core.stats.special import ndtr, stdtr


@dataclass(frozen=True)
class ModelCounts:
    """The counts of a model at a threshold, and what its FAR and FRR are worth where trials depend."""

    misses: int
    false_alarms: int
    n_target: int
    n_nontarget: int
    dependent: tuple[EffectiveRate, EffectiveRate] | None = None
    """FAR and FRR as effective rates; None where trials are independent and weigh the same."""
    correlation: float = 0.0
    """That of FAR and FRR by cluster."""

    @property
    def far(self) -> EffectiveRate:
        """FAR with the number of trials that it is worth."""
        return self.dependent[0] if self.dependent else _share(self.false_alarms, self.n_nontarget)

    @property
    def frr(self) -> EffectiveRate:
        """FRR with the number of trials that it is worth."""
        return self.dependent[1] if self.dependent else _share(self.misses, self.n_target)


@dataclass(frozen=True)
class Setting:
    """What a reader sets; ``prevalence`` None: that of the trials."""

    prevalence: float | None = None
    c_miss: float = 1.0
    c_fa: float = 1.0
    level: float = 0.95


class Limited(NamedTuple):
    """A number with its limits; NaN where there are none, or it is undefined."""

    value: float
    low: float = math.nan
    high: float = math.nan


UNDEFINED = Limited(math.nan)
NOTHING = 1e-24
"""Variances up to this are rounding."""


def share_of_targets(at: ModelCounts, setting: Setting) -> float:
    """Return the prevalence of a setting."""
    own = at.n_target / (at.n_target + at.n_nontarget) if at.n_target + at.n_nontarget else math.nan
    return own if setting.prevalence is None else setting.prevalence


def alpha_of(prevalence: float, setting: Setting) -> float:
    """Return the weight of FAR: c_fa (1 - p) / (c_fa (1 - p) + c_miss p)."""
    alarms, misses = setting.c_fa * (1 - prevalence), setting.c_miss * prevalence
    return alarms / (alarms + misses)


def rates(at: ModelCounts, setting: Setting) -> dict[str, Limited]:
    """Return FAR, FRR, precision, NPV and the weighted error of a model, with limits.

    FAR and FRR have those of Wilson, and of Clopper and Pearson at 0 and 1; the weighted error has these
    squared and added. Precision and NPV are shares of trials where the prevalence is that of independent
    ones, else follow from both rates (``at_prevalence``).
    """
    far, frr, level = at.far, at.frr, setting.level
    p, n1, n0 = share_of_targets(at, setting), at.n_target, at.n_nontarget
    limited = {"far": _limited(far, level), "frr": _limited(frr, level)}
    hits, right = n1 - at.misses, n0 - at.false_alarms
    if setting.prevalence is None and at.dependent is None:
        limited["precision"] = _limited(_share(hits, hits + at.false_alarms), level)
        limited["npv"] = _limited(_share(right, right + at.misses), level)
    else:
        limited["precision"] = at_prevalence(far, _right(frr), p, -at.correlation, level)
        limited["npv"] = at_prevalence(frr, _right(far), 1 - p, -at.correlation, level)
    limited["weighted_error"] = _weighted(at, alpha_of(p, setting), level)
    return limited


def at_prevalence(
    wrong: EffectiveRate, right: EffectiveRate, share: float, correlation: float, level: float
) -> Limited:
    """Return the share of right decisions among those of one kind: 1 / (1 + R (1 - p) / p).

    R is wrong / right. Of acceptances R = FAR / TPR, and the value is precision; of rejections R = FRR / TNR
    and p the share of non-targets, and it is NPV. R has limits by those of both rates (MOVER-R), at distances
    d: its lower one L solves L (a + sqrt(a^2 - b c)) = b with a = R1 R2 - r d1 d2, b = R1^2 - d1^2 and
    c = R2^2 - d2^2, for the lower limit of ``wrong`` and the upper one of ``right``; the upper one likewise.
    Prevalence is taken as exact. Donner, Zou 2012, doi:10.1177/0962280210383082; Newcombe 2016,
    doi:10.1177/0962280213502144.
    """
    p1, p2 = wrong.rate, right.rate
    if not (math.isfinite(p1) and math.isfinite(p2) and share * p2 + (1 - share) * p1 > 0):
        return UNDEFINED
    value = share * p2 / (share * p2 + (1 - share) * p1)
    if not (wrong.size > 0 and right.size > 0):
        return Limited(value)
    (l1, u1), (l2, u2) = wrong.limits(level), right.limits(level)
    a = p1 * p2 - correlation * (p1 - l1) * (u2 - p2)
    b, c = p1 * p1 - (p1 - l1) ** 2, p2 * p2 - (u2 - p2) ** 2
    below = a + math.sqrt(max(0.0, a * a - b * c))
    lowest = b / below if b > 0 and below > 0 else 0.0
    a = p1 * p2 - correlation * (u1 - p1) * (p2 - l2)
    b, c = p1 * p1 - (u1 - p1) ** 2, p2 * p2 - (p2 - l2) ** 2
    highest = (a + math.sqrt(max(0.0, a * a - b * c))) / c if c > 0 else math.inf
    odds = (1 - share) / share
    return Limited(value, 1 / (1 + odds * highest), 1 / (1 + odds * lowest))


class PairDifference(NamedTuple):
    """The difference of two models in one number, its limits, and the exact mid-p of no difference."""

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class SingleClusters:
    """G clusters, one of each trial: trials of two clusters are independent."""

    number: int

    def together(self, sums: FloatArray) -> float:
        """Sum the products of all two trials of one cluster, from sums by cluster (shape (G,))."""
        return float((sums**2).sum())

    def lacking(self, sizes: FloatArray) -> float:
        """Return the share of a variance that ``together`` has on average, as ``ClusterSizes.lacking``."""
        share = sizes / sizes.sum()
        return 1 - 2 * float((share**3).sum()) / float((share**2).sum()) + float((share**2).sum())

    def variance(self, moved: FloatArray) -> tuple[float, float | None]:
        """Return the variance of what clusters move, and its df where they follow from it."""
        return self.together(moved), None


@dataclass(frozen=True, eq=False)
class ClusterPairs:
    """G pairs of clusters, one of each trial: of one population, or of two pools that are ``crossed``.

    ``first`` and ``second`` are the numbers of their clusters, ``weight`` that of their trials, in which both
    classes weigh the same (shape (G,) each). Methods 8.8.
    """

    first: IntArray
    second: IntArray
    crossed: bool
    weight: FloatArray

    @property
    def number(self) -> int:
        """G."""
        return len(self.first)

    def together(self, sums: FloatArray) -> float:
        """Sum the products of all two trials that share a cluster, from sums by pair (shape (G,))."""
        if self.crossed:
            return two_way_sum(sums, self.first, self.second)
        return dyadic_se(sums, self.first, self.second) ** 2

    def lacking(self, sizes: FloatArray) -> float:
        """Return the share of a variance that resamples have; 1 where ``variance`` corrects it."""
        g = min(len(np.unique(end[sizes > 0])) for end in (self.first, self.second))
        return 1.0 if self.crossed else (g - 1) / g

    def variance(self, moved: FloatArray) -> tuple[float, float | None]:
        """Return the variance of what pairs move, and its df where they follow from it.

        Of one population that of the report's resamples, which draw every cluster w times and its pair with
        another w w' times: with T what a cluster's trials move and T_st those of two, sum (T - mean T)^2 +
        sum T_st^2.
        """
        if self.crossed:
            of = over_pools(moved, self.first, self.second, self.weight)
            return float(of.variance), float(of.df)
        mixed = self.first != self.second
        by_cluster = np.bincount(self.first, moved, n := int(max(self.first.max(), self.second.max())) + 1)
        by_cluster += np.bincount(self.second, mixed * moved, n)
        low, high = (side(self.first, self.second)[mixed] for side in (np.minimum, np.maximum))
        both = np.bincount(np.unique(low * n + high, return_inverse=True)[1], moved[mixed])
        return float(((by_cluster - by_cluster.mean()) ** 2).sum() + (both**2).sum()), None


@dataclass(frozen=True, eq=False)
class DependentClass:
    """How two models decide the trials of one class, where these are in clusters or weigh differently.

    ``difference`` is that of the error rates; ``moved`` (shape (G,)) what each of ``clusters`` moves it,
    corrected for their number, None where trials are independent; ``variance`` then the sum of squares of
    what each trial moves it; ``step`` how far one more disagreement does; ``df`` those of a rate.
    """

    difference: float
    clusters: SingleClusters | ClusterPairs
    moved: FloatArray | None
    variance: float
    step: float
    df: float | None

    @classmethod
    def of(
        cls,
        sign: IntArray,
        weight: FloatArray,
        squares: FloatArray,
        cluster: IntArray,
        clusters: SingleClusters | ClusterPairs,
        df: float | None,
    ) -> DependentClass | None:
        """Sum up trials, or groups of trials of one cluster with the same decisions (shape (N,) each).

        ``sign`` is 1 where the first model alone errs, -1 where the second does; without clusters ``df`` is
        None. None of no trials. The step is that of ``CountedTrials.moved_by_one``.
        """
        total, apart = float(weight.sum()), sign != 0
        if not total:
            return None
        value, alone = float((weight * sign).sum()) / total, float(squares[apart].sum())
        moved, own, together = None, alone, float(squares.sum())
        variance = float((squares * (sign - value) ** 2).sum()) / total**2
        if df is not None:
            surplus, all_trials = (
                np.asarray(np.bincount(cluster, of, clusters.number), dtype=np.float64)
                for of in (weight * sign, weight)
            )
            own, together = clusters.together(surplus), clusters.together(all_trials)
            moved = (surplus - value * all_trials) / total / math.sqrt(clusters.lacking(all_trials))
        m = together / total
        by_one = (max(own, alone) + m * m) / (float(weight[apart].sum()) + m)
        return cls(value, clusters, moved, variance, by_one / total, df)


Compared = paired.Discordant | tuple[DependentClass | None, DependentClass | None]
"""Independent trials that weigh the same; or others, non-targets first."""


def compared(observed: Compared, alpha: float, level: float) -> dict[str, PairDifference]:
    """Return first minus second in FAR, FRR and the weighted error, on trials that both decide.

    Limits are score limits, as release gates have them (``resampling/margins.py``). Of independent trials
    they agree with the exact mid-p about 0; of others with Student's t, as the report has it, the variance
    that of sums over clusters; of pairs of clusters limits are those of Student's t alone. Nothing is there
    where a class that counts is empty.
    """
    of: dict[str, tuple[float, float]] = {
        FAR.key: (1.0, 0.0),
        FRR.key: (0.0, 1.0),
        WEIGHTED_ERROR.key: (alpha, 1 - alpha),
    }
    judge: Any = _compared if isinstance(observed, paired.Discordant) else _dependent
    every = {key: judge(observed, weights, level) for key, weights in of.items()}
    return {key: difference for key, difference in every.items() if difference is not None}


def _dependent(
    classes: tuple[DependentClass | None, DependentClass | None], weights: tuple[float, float], level: float
) -> PairDifference | None:
    counted = [(w, each) for w, each in zip(weights, classes, strict=True) if w and each is not None]
    if len(counted) < sum(w != 0 for w in weights):
        return None
    value = sum(w * each.difference for w, each in counted)
    variance = sum(w * w * each.variance for w, each in counted)
    by_class = [w * each.moved for w, each in counted if each.moved is not None]
    df = min((each.df for _, each in counted if each.df is not None), default=None)
    if by_class:
        variance, own = counted[0][1].clusters.variance(np.sum(by_class, axis=0))
        df = df if own is None else own
    if not variance > NOTHING:
        variance = 0.0
        if value:  # all clusters differ alike: how far others would is not known
            return None
    # In pairs one more disagreement would move all trials of two clusters: limits are those of the report.
    in_pairs = variance > 0 and isinstance(counted[0][1].clusters, ClusterPairs)
    step = 0.0 if in_pairs else max(w * each.step for w, each in counted)
    p = 1.0
    if variance:
        t = -abs(value) / math.sqrt(variance)
        p = 2 * float(ndtr(t) if df is None else stdtr(df, t))
    score = tested_at_zero(Score(value, variance, step, df), p)
    tail = (1 - level) / 2
    return PairDifference(value, score.lower(tail), score.upper(tail), p)


def _compared(
    observed: paired.Discordant, weights: tuple[float, float], level: float
) -> PairDifference | None:
    sizes = [
        (w, int(n)) for w, n in zip(weights, (observed.n_nontarget, observed.n_target), strict=True) if w
    ]
    if not all(n for _, n in sizes):
        return None
    value = float(paired.difference(observed, *weights))
    score = Score(value, float(paired.null_variance(observed, *weights)), max(w / n for w, n in sizes))
    p, tail = paired.exact_p(observed, *weights, mid=True), (1 - level) / 2
    score = tested_at_zero(score, p)
    return PairDifference(value, score.lower(tail), score.upper(tail), p)


def _weighted(at: ModelCounts, alpha: float, level: float) -> Limited:
    r = at.correlation
    terms = [
        (alpha, at.far._replace(moved=np.array([1.0, 0.0]))),
        (1 - alpha, at.frr._replace(moved=np.array([r, math.sqrt(1 - r * r)]))),
    ]
    value = sum(weight * rate.rate for weight, rate in terms if weight)
    if not all(rate.size > 0 for weight, rate in terms if weight):
        return Limited(value)
    return Limited(value, *square_and_add(terms, level))


def _limited(rate: EffectiveRate, level: float) -> Limited:
    return Limited(rate.rate, *(rate.limits(level) if rate.size > 0 else ()))


def _share(part: int, whole: int) -> EffectiveRate:
    return EffectiveRate(part / whole if whole else math.nan, whole)


def _right(rate: EffectiveRate) -> EffectiveRate:
    return rate._replace(rate=1 - rate.rate)
