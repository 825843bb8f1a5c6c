"""Clusters as they come: intervals of the report, and others, over sizes and effects of clusters; small tables too.

    python -m tests.studies.grid draw FOLDER [--cells PATTERN] [--tables N] [--replicates M]
    python -m tests.studies.grid show FOLDER [--tables N]

``draw`` simulates tables and keeps, cell by cell, the report's intervals and what others are made of; ``show``
writes ``grid.md`` (with N tables of crossed pools). A cell that is kept is not drawn again.

The estimand is the measure of new trials of new clusters, of the same sizes: that of the distribution of all
their trials, of infinitely many clusters. What a cluster does has nothing to do with its size here, so that
sizes change the spread of an estimate and not its truth.

Before transformation every class is normal, N(-d/2, 1) and N(d/2, 1) within a cluster: a shift moves both
classes of a cluster alike, and quality is its own d. Scores are log likelihood ratios where clusters are alike.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import rankdata
from scipy.stats import t as student

from reporting.counts.cuts import count_cuts
from reporting.engine.study import ModelEntry, Study
from reporting.measures.catalogue import read_measure
from reporting.significance.effective import FEW, PLUS
from reporting.significance.settings import Inference
from reporting.stats.effective_size import VERY_FEW, EffectiveRate, correlation_beyond
from reporting.stats.intervals import within
from reporting.stats.own_cut import equal_error, least_cost
from reporting.stats.staircase import BoolArray, FloatArray, IntArray
from tests.studies.models import Drawn, Scored, study_of

LEVEL, D_PRIME = 0.95, 2.0
NEAR, RARE = 0.0, math.log(9)
"""Thresholds: where both errors cost the same, and Bayes' one of targets that are a tenth."""
MEASURES = ("far", "hter", "dcf(p_target=0.1)", "f1", "eer", "mindcf(p_target=0.1)", "auc", "ap", "cllr")
MINDCF, DCF, AP, EER = "mindcf(p_target=0.1)", "dcf(p_target=0.1)", "ap_step", "eer_rocch"
ASKED = (
    *(("far", NEAR), ("hter", NEAR), ("f1", NEAR), ("far", RARE), (DCF, RARE)),
    *((name, None) for name in (EER, MINDCF, "auc", AP, "cllr")),
)
"""Measures with their thresholds."""
NONTARGETS, TARGETS = 20, 10
"""Of a cluster, on average."""

CLUSTERS, SIZES, EFFECTS = (
    (6, 10, 20, 50),
    ("equal", "zipf", "half"),
    ("shift", "quality .5", "quality 1", "both"),
)


def sizes_of(pattern: str, clusters: int, mean: int) -> IntArray:
    """Trials of one class in every cluster (shape (G,)), ``mean`` of them on average, each at least 1.

    ``zipf``: the k-th has 1 / k of what the first has; ``half``: the first has as many as all others together.
    """
    share = np.ones(clusters)
    if pattern == "zipf":
        share = 1 / np.arange(1, clusters + 1)
    elif pattern == "half":
        share[0] = clusters - 1
    return np.maximum(1, np.round(clusters * mean * share / share.sum())).astype(np.int64)


def kish(sizes: Any) -> float:
    """How many clusters of one size clusters are worth: (sum n)^2 / sum n^2 (Kish 1965)."""
    n = np.asarray(sizes, dtype=np.float64)
    return float(n.sum() ** 2 / (n**2).sum())


class Effect(NamedTuple):
    """What clusters differ in: the share of the variance that a shift has, and the spread of d'."""

    shift: float
    quality: float


EFFECT = {
    "shift": Effect(0.3, 0.0),
    "quality .5": Effect(0.0, 0.5),
    "quality 1": Effect(0.0, 1.0),
    "both": Effect(0.3, 0.5),
}


@dataclass(frozen=True)
class Clustered:
    """One cell of the grid whose trials come in clusters."""

    clusters: int
    sizes: str
    effect: str
    nontargets: int = NONTARGETS
    targets: int = TARGETS

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.clusters} {self.sizes}, {self.effect}"

    @property
    def of_class(self) -> tuple[IntArray, IntArray]:
        """Non-targets and targets of every cluster."""
        n0, n1 = (sizes_of(self.sizes, self.clusters, mean) for mean in (self.nontargets, self.targets))
        return n0, n1

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table."""
        n0, n1 = self.of_class
        unit = np.concatenate([np.repeat(np.arange(self.clusters), n) for n in (n0, n1)])
        label = np.arange(len(unit)) >= n0.sum()
        shift, quality = EFFECT[self.effect]
        moved, better = rng.standard_normal((2, self.clusters))[:, unit]
        noise = math.sqrt(shift) * moved + math.sqrt(1 - shift) * rng.standard_normal(len(unit))
        raw = (label - 0.5) * (D_PRIME + quality * better) + noise
        return Scored(label, D_PRIME * raw[None], unit.astype(np.uint32))

    def beyond(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Non-targets and targets above scores, as shares of the population."""
        spread = math.sqrt(1 + EFFECT[self.effect].quality ** 2 / 4)
        return tuple(ndtr((centre - score / D_PRIME) / spread) for centre in (-D_PRIME / 2, D_PRIME / 2))  # type: ignore[return-value]

    @property
    def share(self) -> float:
        """The share of targets."""
        n0, n1 = self.of_class
        return float(n1.sum() / (n0.sum() + n1.sum()))


@dataclass(frozen=True)
class Independent:
    """One cell of the grid of independent trials: normal ones, grades from 1 to 5, or Student's t."""

    nontargets: int
    targets: int
    kind: str = "normal"

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.targets}/{self.nontargets} {self.kind}"

    @property
    def edges(self) -> FloatArray:
        """The raw scores between grades."""
        return np.array([-1.5, -0.5, 0.5, 1.5])

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table."""
        label = np.arange(self.nontargets + self.targets) >= self.nontargets
        noise = rng.standard_t(3, len(label)) if self.kind == "t3" else rng.standard_normal(len(label))
        raw = (label - 0.5) * D_PRIME + noise
        if self.kind == "grades":
            raw = np.searchsorted(self.edges, raw) - 2.0
        return Scored(label, D_PRIME * raw[None])

    def beyond(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Non-targets and targets above scores, as shares of the population."""
        raw = score / D_PRIME
        if self.kind == "grades":
            grade = np.ceil(raw - 1e-9)
            raw = np.where(grade > 2, np.inf, np.where(grade <= -2, -np.inf, grade - 0.5))
        beyond: Callable[..., Any] = student(3).sf if self.kind == "t3" else lambda x: ndtr(-x)
        return beyond(raw + D_PRIME / 2), beyond(raw - D_PRIME / 2)

    @property
    def share(self) -> float:
        """The share of targets."""
        return self.targets / (self.nontargets + self.targets)


Cell = Clustered | Independent
GRID: tuple[Clustered, ...] = tuple(
    Clustered(g, sizes, effect) for g in CLUSTERS for sizes in SIZES for effect in EFFECTS
)
ALONE = (
    Independent(15, 15),
    Independent(4000, 40),
    Independent(60, 60, "grades"),
    Independent(15, 15, "grades"),
    Independent(15, 15, "t3"),
    Independent(60, 60, "t3"),
)

WIDE, FINE = 400.0, 100_001
MOST_ALONE = 200
"""Of more trials none is left out."""


@cache
def truths(cell: Cell) -> dict[tuple[str, float | None], float]:
    """Every measure of the population, by numbers on a fine grid of scores."""
    edges = np.sinh(np.linspace(-math.asinh(WIDE), math.asinh(WIDE), FINE))
    above = cell.beyond(edges)
    far, tpr = (np.concatenate([[1.0], of, [0.0]]) for of in above)
    frr, share, middle = 1 - tpr, cell.share, np.concatenate([[-WIDE], (edges[1:] + edges[:-1]) / 2, [WIDE]])
    in0, in1 = -np.diff(far), -np.diff(tpr)
    found: dict[tuple[str, float | None], float] = {}
    for at in (NEAR, RARE):
        x, y = (float(of[0]) for of in cell.beyond(np.array([at])))
        found |= {("far", at): x, ("hter", at): (x + 1 - y) / 2, (DCF, at): (0.1 * (1 - y) + 0.9 * x) / 0.1}
        found["f1", at] = 2 * share * y / (share * y + (1 - share) * x + share)
    found[MINDCF, None] = float((0.1 * frr + 0.9 * far).min() / 0.1)
    found[EER, None] = _equal_error(far, frr)
    found["auc", None] = float((in1 * (1 - far[:-1] + in0 / 2)).sum())
    precision = share * tpr / np.maximum(share * tpr + (1 - share) * far, 1e-300)
    found[AP, None] = float((in1 * precision[:-1]).sum())
    costs = (in1 * np.logaddexp(0, -middle)).sum() + (in0 * np.logaddexp(0, middle)).sum()
    found["cllr", None] = float(costs / 2 / math.log(2))
    return found


def _equal_error(far: FloatArray, frr: FloatArray) -> float:
    """Where the lower hull of the population meets FAR = FRR: the highest least weighted error."""
    low, high = 0.0, 1.0
    for _ in range(60):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        if (one * frr + (1 - one) * far).min() < (two * frr + (1 - two) * far).min():
            low = one
        else:
            high = two
    return float((low * frr + (1 - low) * far).min())


@cache
def study(replicates: int) -> Study:
    """What is asked of every table."""
    named = tuple(f"fixed(threshold={at!r})" for at in (NEAR, RARE))
    asked = study_of(MEASURES, named, Inference(replicates=replicates, level=LEVEL))
    return replace(asked, models=(ModelEntry("a", "a", scale="llr"),), curves=())


def without_one(table: Scored) -> dict[tuple[str, float | None], FloatArray]:
    """Every measure without one cluster, or trial (shape (G,)), the last of all of them (shape (G + 1,))."""
    score, label = table.score[0], table.label
    unit = np.arange(len(label)) if table.unit is None else table.unit.astype(np.int64)
    distinct, rank = np.unique(score, return_inverse=True)
    g, h = int(unit.max()) + 1, len(distinct)
    if table.unit is None and g > MOST_ALONE:
        unit, g = np.zeros_like(unit), 1

    def counts(members: BoolArray) -> IntArray:
        of_unit = np.bincount(unit[members] * h + rank[members], minlength=g * h).reshape(g, h)
        whole = of_unit.sum(axis=0)
        return np.concatenate([whole - of_unit, whole[None]])

    n1, n0 = counts(label), counts(~label)
    start = np.zeros((g + 1, 1), dtype=np.int64)
    misses = np.concatenate([start, np.cumsum(n1, axis=1)], axis=1)
    alarms = np.concatenate([start, np.cumsum(n0, axis=1)], axis=1)
    alarms = alarms[:, -1:] - alarms
    found: dict[tuple[str, float | None], FloatArray] = {}
    for name, at in ASKED:
        measure = read_measure(name)
        if at is not None:
            cut = int(np.searchsorted(distinct, at))
            errors = misses[:, cut], alarms[:, cut], misses[:, -1], alarms[:, 0]
            found[name, at] = np.asarray(measure.formula(*errors, **measure.arguments), dtype=np.float64)
        elif name == "cllr":
            with np.errstate(divide="ignore", invalid="ignore"):
                of1 = (n1 * np.logaddexp(0, -distinct)).sum(axis=1) / misses[:, -1]
                of0 = (n0 * np.logaddexp(0, distinct)).sum(axis=1) / alarms[:, 0]
            found[name, at] = (of1 + of0) / 2 / math.log(2)
        else:
            found[name, at] = np.asarray(
                measure.formula(misses, alarms, **measure.arguments), dtype=np.float64
            )
    return found


def drawn(cell: Cell, tables: int, replicates: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Yield of every table and measure the value, the report's limits, the values without one, and replicates' spread."""
    asked = study(replicates)
    for run in range(tables):
        rng = np.random.default_rng([seed, run, *map(ord, cell.name)])
        table = cell.draw(rng)
        made = Drawn(table, replace(asked, inference=replace(asked.inference, seed=seed * 1_000_000 + run)))
        limits, again = made.intervals(), without_one(table)
        (model,), sweeps = made.models, made.resampling.sweeps
        record: dict[str, Any] = {}
        for name, at in ASKED:
            criterion = next((str(c) for c in model.single if at is not None and _threshold(c) == at), None)
            low, high = limits[name, criterion]
            if at is None:
                spread = np.std(sweeps[model.id][read_measure(name)], ddof=1)
            else:
                operation = next(o for c, o in model.single.items() if _threshold(c) == at)
                spread = np.std(made.resampling.at(model, operation).values(read_measure(name))[:, 0], ddof=1)
            record[key(name, at)] = (float(low), float(high), float(spread), again[name, at])
        yield record


def _threshold(criterion: Any) -> float:
    return float(criterion.arguments["threshold"])


def key(name: str, at: float | None) -> str:
    """The name of a measure, with its threshold."""
    return name if at is None else f"{name} @ {'near' if at == NEAR else 'rare'}"


class JointRate(NamedTuple):
    """The error rate of one class of clustered trials, as it enters a sum."""

    rate: float
    limits: tuple[float, float]
    moved: FloatArray
    """What each cluster moves the rate (shape (G,)), times the root of ``factor``: the squares sum to its variance."""
    errors: float


@dataclass(frozen=True)
class OneClass:
    """The trials of one class: the cluster of each, and normal scores that are the higher the nearer to an error."""

    unit: IntArray
    score: FloatArray
    clusters: int

    @property
    def sizes(self) -> FloatArray:
        """The trials of every cluster."""
        return np.bincount(self.unit, minlength=self.clusters).astype(np.float64)

    def joint(self, error: FloatArray) -> JointRate:
        """Return a rate with Wilson's limits in effective trials, by clusters and t.

        v = f sum_g ((k_g - n_g p) / N)^2, f their ``factor``. Of few errors the design effect is
        also read off the scores, and limits are those of Korn and Graubard, as in ``CountedTrials.rate``.
        """
        n, k = self.sizes, np.bincount(self.unit, error, self.clusters)
        whole = n.sum()
        rate = float(k.sum() / whole)
        moved = math.sqrt(factor(n)) * (k - n * rate) / whole
        binomial, errors = rate * (1 - rate) / whole, min(rate, 1 - rate) * whole
        effect = max(1.0, float((moved**2).sum()) / binomial) if binomial > 0 else 1.0
        partners = float((n**2).sum()) / whole - 1
        more = partners * correlation_beyond((rate * whole + PLUS) / (whole + 2 * PLUS), self._alike(n))
        effect += max(0.0, more + 1 - effect) * min(1.0, FEW / max(errors, 1.0))
        worth = EffectiveRate(rate, whole / effect, freedom(n), errors <= VERY_FEW)  # type: ignore[arg-type]
        return JointRate(rate, worth.limits(LEVEL), moved, errors)

    def _alike(self, n: FloatArray) -> float:
        """The correlation of the scores within clusters."""
        place = np.argsort(np.argsort(self.score))
        off = ndtri((place + 0.5) / len(place))
        alone, whole = float((off**2).sum()), n.sum()
        together = float((np.bincount(self.unit, off, self.clusters) ** 2).sum()) * factor(n)
        return (together - alone) / ((n**2).sum() / whole - 1) / alone


def add(
    weights: tuple[float, float], rates: tuple[JointRate, JointRate], wider: float = 1.0
) -> tuple[float, float]:
    """Return the limits of w_far FAR + w_frr FRR, squared and added with their correlation by cluster.

    V -+ sqrt(d0^2 + d1^2 + 2 r d0 d1), d the distance of the weighted limit of each and r the correlation of
    what both lose with each cluster; r >= 0 where a class has very few errors, which show none. Zou, Donner
    2008 with correlation: Zou 2008. ``wider`` multiplies distances.
    """
    value = sum(w * each.rate for w, each in zip(weights, rates, strict=True))
    first, second = (each.moved for each in rates)
    size = math.sqrt(float((first**2).sum() * (second**2).sum()))
    r = float((first * second).sum()) / size if size > 0 else 0.0
    if min(each.errors for each in rates) <= VERY_FEW:
        r = max(r, 0.0)
    low, high = (
        [w * abs(each.rate - each.limits[of]) for w, each in zip(weights, rates, strict=True)]
        for of in (0, 1)
    )
    reach = [wider * math.sqrt(max(0.0, x * x + y * y + 2 * r * x * y)) for x, y in (low, high)]
    return max(0.0, value - reach[0]), value + reach[1]


def factor(sizes: Any) -> float:
    """What a sum of squares over clusters lacks, by their shares w: 1 / (1 - 2 sum w^3 / sum w^2 + sum w^2).

    Exact where all trials of a cluster do the same; G / (G - 1) of G equal ones.
    """
    w = np.asarray(sizes, dtype=np.float64) / np.sum(sizes)
    square = float((w**2).sum())
    return 1 / (1 - 2 * float((w**3).sum()) / square + square)


def freedom(sizes: Any) -> float:
    """Degrees of freedom: clusters less one, or effective clusters where these are fewer; at least 1."""
    return max(1.0, min(float(np.count_nonzero(sizes)) - 1, kish(sizes)))


BOUNDS = {EER: (0.0, 0.5), "cllr": (0.0, math.inf)}


def by_spread(name: str, value: float, se: float, df: float) -> tuple[float, float]:
    """Return limits of a measure by a standard error and t, on a scale without bounds; NaN at a bound."""
    bounds = BOUNDS.get(name, (0.0, 1.0))
    return (
        within(value, se, bounds, LEVEL, df) if bounds[0] < value < bounds[1] and se > 0 else (math.nan,) * 2
    )  # type: ignore[return-value]


def after(
    table: Scored, without: dict[str, FloatArray], spread: dict[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the limits that are proposed for every measure of one clustered table.

    Sizes are those of the class with fewer effective clusters. F1, AP and Cllr have the spread of replicates, the AUC
    that of its influences, and what is read at the best cut that of the rates there, or of replicates, which
    choose it again, where it is larger.
    """
    assert table.unit is not None
    score, label, unit = table.score[0], table.label, table.unit.astype(np.int64)
    g = int(unit.max()) + 1
    nontarget = OneClass(unit[~label], score[~label], g)
    target = OneClass(unit[label], -score[label], g)
    fewest = min((each.sizes for each in (nontarget, target)), key=kish)
    found: dict[str, tuple[float, float]] = {}

    def rates(rejected: FloatArray) -> tuple[JointRate, JointRate]:
        return nontarget.joint(1 - rejected[~label]), target.joint(rejected[label])

    for at in (NEAR, RARE):
        both = rates((score < at).astype(np.float64))
        found[key("far", at)] = both[0].limits
        found[key("hter", at)] = add((0.5, 0.5), both)
        found[key(DCF, at)] = add((9.0, 1.0), both)
    cuts, rank = count_cuts(score, label)
    for name, best in ((MINDCF, least_cost(cuts.staircase, 9.0, 1.0)), (EER, equal_error(cuts.staircase))):
        both = rates(best.rejected[rank])
        held = math.sqrt(
            float(((best.weight[0] * both[0].moved + best.weight[1] * both[1].moved) ** 2).sum())
        )
        again = spread[name] * math.sqrt(factor(fewest))
        low, high = add(best.weight, both, max(1.0, again / held if held > 0 else 1.0))
        found[name] = low, min(best.most, high)
    share = np.bincount(unit, minlength=g) / len(unit)
    area = without["auc"]
    influence = (area[-1] - area[:-1]) * (1 - share)
    spreads = spread | {"auc": math.sqrt(float((influence**2).sum()))}
    for name in (key("f1", NEAR), "auc", AP, "cllr"):
        se = spreads[name] * math.sqrt(factor(fewest))
        found[name] = by_spread(name, float(without[name][-1]), se, freedom(fewest))
    return {key(*of): found[key(*of)] for of in ASKED}


def skewed(costs: Sequence[FloatArray], weights: Sequence[float]) -> tuple[float, float]:
    """Return limits of a weighted sum of mean costs of independent trials of each class, whose costs are skewed.

    Hall's cubic transformation of t = (V - v) / s: t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 is nearly symmetric, g
    the skewness of V by unbiased third moments; read against Student's t with the trials of the smaller class
    less one. Hall 1992, Journal of the Royal Statistical Society B 54, 221-228.
    """
    value, variance, third = 0.0, 0.0, 0.0
    for w, cost in zip(weights, costs, strict=True):
        n, off = len(cost), cost - cost.mean()
        value += w * float(cost.mean())
        variance += w**2 * float((off**2).sum()) / (n - 1) / n
        third += w**3 * float((off**3).sum()) / ((n - 1) * (n - 2)) / n
    se = math.sqrt(variance)
    g, q = third / se**3, float(stdtrit(min(map(len, costs)) - 1, (1 + LEVEL) / 2))

    def back(x: float) -> float:
        return 3 / g * (float(np.cbrt(1 + g * (x - g / 6))) - 1) if abs(g) > 1e-9 else x

    return max(0.0, value - back(q) * se), value - back(-q) * se


def of_costs(table: Scored) -> tuple[float, float]:
    """Return the limits that are proposed for Cllr of independent trials."""
    score, label = table.score[0], table.label
    costs = np.logaddexp(0, -score[label]), np.logaddexp(0, score[~label])
    return skewed(costs, (0.5 / math.log(2),) * 2)


class Crossed(NamedTuple):
    """Two pools whose members meet once each: shares of the variance that are the pools', and their quality.

    Labels are those of cells (a third of them targets, by chance), or of every third member of the second pool.
    """

    first: int
    second: int
    shares: tuple[float, float]
    labels: str = "cell"
    quality: float = 0.0

    def draw(self, rng: np.random.Generator, better: float = 0.0) -> tuple[BoolArray, FloatArray]:
        """Labels (shape (A, B)) and the scores of two models (2, A, B) that share half of every effect."""
        shape = self.first, self.second
        label = rng.random(shape) < 1 / 3
        if self.labels == "second":
            label = np.broadcast_to(np.arange(self.second) % 3 == 0, shape).copy()

        def effect(*size: int) -> FloatArray:
            return math.sqrt(0.5) * (rng.standard_normal(size) + rng.standard_normal((2, *size)))

        noise = math.sqrt(1 - sum(self.shares)) * effect(*shape)
        noise += math.sqrt(self.shares[0]) * effect(self.first, 1) + math.sqrt(self.shares[1]) * effect(
            1, self.second
        )
        d = D_PRIME + self.quality * effect(self.first, 1) + better * np.array([0.0, 1.0])[:, None, None]
        return label, (label - 0.5) * d + noise


def spread_of_pools(psi: FloatArray) -> tuple[float, float]:
    """Return the standard error of a sum of influences (shape (A, B)) over two crossed pools, and its df.

    V = S_A + S_B - S_AB of the sums over rows, over columns, and of what neither explains, each of them unbiased.
    A pool whose S is below S_AB has no variance of its own and is left out, with its degrees of freedom:
    Satterthwaite's of those that remain. Owen 2007, Annals of Applied Statistics 1, 386-411; Hillis 2007.
    """
    a, b = psi.shape
    rows, columns = psi.sum(axis=1), psi.sum(axis=0)
    rest = psi - rows[:, None] / b - columns / a + psi.sum() / (a * b)
    df = np.array([a - 1.0, b - 1.0, (a - 1.0) * (b - 1.0)])
    of = np.array([(rows**2).sum(), (columns**2).sum(), (rest**2).sum()])
    of *= np.array([a / (a - 1), b / (b - 1), a * b / df[2]])
    left_out = of[:2] <= of[2]
    if left_out.all():
        return math.sqrt(of[2]), df[2]
    sign = np.append(~left_out, ~left_out.any()) * np.array([1.0, 1.0, -1.0])
    variance = float((sign * of).sum())
    return math.sqrt(variance), variance**2 / float((sign**2 * of**2 / df).sum())


def influences(label: BoolArray, score: FloatArray) -> dict[str, tuple[float, FloatArray]]:
    """Return HTER at 0 and AUC of the cells (shape (A, B)), each with the influence of every cell."""
    n = np.where(label, label.sum(), (~label).sum())
    error = np.where(label, score < 0, score >= 0)
    rates = error[~label].mean(), error[label].mean()
    hter = float(sum(rates)) / 2, (error - np.where(label, rates[1], rates[0])) / n / 2
    rank, place = rankdata(score.ravel()).reshape(score.shape), np.empty(score.shape)
    place[label] = (rank[label] - rankdata(score[label])) / (~label).sum()
    place[~label] = 1 - (rank[~label] - rankdata(score[~label])) / label.sum()
    area = float(place[label].mean())
    return {"HTER": hter, "AUC": (area, (place - area) / n)}


POOLS = tuple(
    Crossed(a, b, *of)
    for a, b in ((12, 24), (30, 60), (100, 100))
    for of in (
        ((0.15, 0.15),),
        ((0.0, 0.0),),
        ((0.3, 0.0),),
        ((0.15, 0.15), "second"),
        ((0.15, 0.15), "second", 0.7),
    )
)
BETTER = {12: 0.4, 30: 0.2, 100: 0.1}
"""What the second model's d' is more where power is asked."""


def of_pools(cell: Crossed, tables: int) -> dict[str, tuple[float, ...]]:
    """Return size, power, the power of who knows the spread, and coverage, of HTER and AUC."""
    rejected: dict[str, list[tuple[float, ...]]] = {}
    for run in range(tables):
        rng = np.random.default_rng(
            [7, run, *cell[:2], int(100 * cell.shares[0]), len(cell.labels), int(10 * cell.quality)]
        )
        for name, better in (("size", 0.0), ("power", BETTER[cell.first])):
            label, scores = cell.draw(rng, better)
            both = [influences(label, score) for score in scores]
            for measure in ("HTER", "AUC"):
                (v, psi), (other, of_other) = (each[measure] for each in both)
                (se, df), (alone, own) = spread_of_pools(psi - of_other), spread_of_pools(psi)
                z, reach = math.log(v / (1 - v)), float(stdtrit(own, 0.975)) * alone / (v * (1 - v))
                found = abs(v - other) > stdtrit(df, 0.975) * se, v - other, z, reach
                rejected.setdefault(f"{measure} {name}", []).append(found)
    made = {}
    for measure in ("HTER", "AUC"):
        null, other = (np.array(rejected[f"{measure} {name}"], dtype=float) for name in ("size", "power"))
        known = np.mean(np.abs(other[:, 1]) > 1.96 * other[:, 1].std())
        spread = math.sqrt(1 + cell.quality**2 / 4)
        true = {"HTER": ndtr(-D_PRIME / 2 / spread), "AUC": ndtr(D_PRIME / spread / math.sqrt(2))}[measure]
        middle = math.log(true / (1 - true))
        covered = np.mean(np.abs(null[:, 2] - middle) <= null[:, 3])
        made[measure] = float(null[:, 0].mean()), float(other[:, 0].mean()), float(known), float(covered)
    return made


def draw(folder: Path, cells: Sequence[Cell], tables: int, replicates: int) -> None:
    """Keep the records of cells, each as arrays over its tables: limits, spread, values without one."""
    folder.mkdir(parents=True, exist_ok=True)
    for cell in cells:
        file = folder / f"{cell.name.replace('/', '_')}.npz"
        if file.exists():
            continue
        kept = list(drawn(cell, tables, replicates))
        arrays = {}
        for name in kept[0]:
            *three, without = zip(*(record[name] for record in kept), strict=True)
            arrays[name], arrays[f"{name} without"] = np.array(three).T, np.array(without)
        np.savez_compressed(file, **arrays)
        print(cell.name, flush=True)


class Seen(NamedTuple):
    """Coverage of the truth, and the mean width over that of a reader who knows the spread of the values."""

    covered: float
    width: float

    @classmethod
    def of(cls, limits: Any, truth: float, spread: float) -> Seen:
        """Summarise limits (shape (N, 2)); missing ones hold nothing and have no width."""
        low, high = np.asarray(limits, dtype=np.float64).T[:2]
        held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
        return cls(float(held.mean()), float(np.nanmean(high - low)) / (2 * 1.96 * spread))

    def __str__(self) -> str:
        return f"{self.covered:.3f} ({self.width:.2f})"


def compared(folder: Path, cell: Cell) -> dict[str, tuple[Seen, ...]]:
    """Return of every measure of a cell what the report's intervals did, and what the proposed ones do."""
    with np.load(folder / f"{cell.name.replace('/', '_')}.npz") as file:
        kept = {name: file[name] for name in file.files}
    true, made = {key(*of): value for of, value in truths(cell).items()}, []
    names = [key(*of) for of in ASKED]
    for run in range(len(kept["auc"])):
        table = cell.draw(np.random.default_rng([1, run, *map(ord, cell.name)]))
        if isinstance(cell, Clustered):
            without = {name: kept[f"{name} without"][run] for name in names}
            made.append(after(table, without, {name: float(kept[name][run, 2]) for name in names}))
        else:
            made.append({"cllr": of_costs(table)})
    found: dict[str, tuple[Seen, ...]] = {}
    for name in names:
        spread = float(kept[f"{name} without"][:, -1].std())
        asked: list[Any] = [kept[name]] + ([[of[name] for of in made]] if name in made[0] else [])
        found[name] = tuple(Seen.of(limits, true[name], spread) for limits in asked)
    return found


def show(folder: Path, tables: int) -> str:
    """Return the page of the study."""
    lines, every = (
        [PREFACE],
        {
            cell: compared(folder, cell)
            for cell in (*ALONE, *GRID)
            if (folder / f"{cell.name.replace('/', '_')}.npz").exists()
        },
    )
    clustered = {cell: of for cell, of in every.items() if isinstance(cell, Clustered)}
    lines += [
        "",
        "## In short",
        "",
        "| measure | cells | before: least, median, most | after: least, median, most | width before | width after |",
        "|---|---|---|---|---|---|",
    ]
    for name in (key(*of) for of in ASKED):
        both = [[of[name][at] for of in clustered.values()] for at in (0, 1)]
        shown = [
            ", ".join(f"{x:.3f}" for x in np.quantile([s.covered for s in side], (0, 0.5, 1)))
            for side in both
        ]
        widths = [f"{np.median([s.width for s in side]):.2f}" for side in both]
        lines.append(f"| {name} | {len(clustered)} | {' | '.join((*shown, *widths))} |")
    for sizes in SIZES:
        lines += [
            "",
            f"## Clusters: {sizes}",
            "",
            f"| | effective | {' | '.join(key(*of) for of in ASKED)} |",
            "|---" * (len(ASKED) + 2) + "|",
        ]
        for cell, of in clustered.items():
            if cell.sizes == sizes:
                shown = " | ".join(
                    f"{before} → {then}" for before, then in (of[key(*each)] for each in ASKED)
                )
                lines.append(f"| {cell.name} | {kish(cell.of_class[0]):.1f} | {shown} |")
    lines += [
        "",
        "## Independent trials",
        "",
        f"| | {' | '.join(key(*of) for of in ASKED)} |",
        "|---" * (len(ASKED) + 1) + "|",
    ]
    for cell, of in every.items():
        if isinstance(cell, Independent):
            shown = " | ".join(" → ".join(map(str, of[key(*each)])) for each in ASKED)
            lines.append(f"| {cell.name} | {shown} |")
    lines += [
        "",
        "## Two crossed pools",
        "",
        ABOUT_POOLS,
        "",
        "| pools | shares | labels of | quality | HTER: size | power | known | covers | AUC: size | power | known | covers |",
        "|---" * 12 + "|",
    ]
    for pools in POOLS:
        made = of_pools(pools, tables)
        figures = " | ".join(f"{x:.3f}" for measure in ("HTER", "AUC") for x in made[measure])
        lines.append(
            f"| {pools.first} x {pools.second} | {pools.shares[0]}, {pools.shares[1]} | {pools.labels} | {pools.quality} | {figures} |"
        )
    return "\n".join(lines) + "\n"


PREFACE = """# Clusters as they come

`python -m tests.studies.grid` makes all of it anew. Coverage of 95% intervals, and in brackets their mean width
over that of a reader who knows the spread of the values (3.92 standard deviations): before → after. A cell has
200 to 400 tables, with a Monte Carlo error of .011 to .015 where .95 is covered. Before: the report's intervals with 199
replicates. After: those that this study proposes; only where they differ. A cluster has 20 non-targets and 10
targets on average. Thresholds: near, 0; rare, log 9, which about 2% of non-targets pass."""

ABOUT_POOLS = """Size and power at .05 of the difference of two models by `spread_of_pools`, the power of a reader who knows the
spread, and coverage of one model's logit interval."""


def main() -> None:
    """Draw tables, or write what they show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("draw", "show"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cells", default="")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=199)
    asked = parser.parse_args()
    if asked.task == "draw":
        cells = [cell for cell in (*ALONE, *GRID) if re.search(asked.cells, cell.name)]
        draw(asked.folder, cells, asked.tables, asked.replicates)
    else:
        Path(__file__).with_suffix(".md").write_text(show(asked.folder, asked.tables))


if __name__ == "__main__":
    main()
