"""Measures by the sentences of MEASURES.md, one trial at a time: slow, plain, and independent of the program.

A measure that is undefined is None. Scores are oriented (higher favours the target), weights are numbers of
trials. Choices that a sentence leaves open are named where they are made.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import beta

Parameters = Mapping[str, Any]
SAME = 1e-12

POINTS = {
    "SRE16": ((0.01, 1, 1), (0.005, 1, 1)),
    "SRE08": ((0.01, 10, 1),),
    "SRE10": ((0.001, 1, 1),),
    "SRE12": ((0.01, 1, 1), (0.001, 1, 1)),
    "SRE18": ((0.01, 1, 1), (0.005, 1, 1)),
    "SRE21": ((0.01, 1, 1), (0.05, 1, 1)),
    "VoxSRC": ((0.05, 1, 1),),
    "ASVspoof5": ((0.95, 1, 10),),
    "EVALITA": ((0.5, 10, 1),),
}


class UndefinedError(ArithmeticError):
    """A quotient of nothing."""


def over(a: float, b: float) -> float:
    """Return a / b, or refuse where b is 0."""
    if b == 0:
        raise UndefinedError
    return a / b


@dataclass(frozen=True)
class Trials:
    """Trials of one model: oriented scores, classes, weights; spoofs are non-targets of their own kind."""

    score: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    spoof: np.ndarray

    def only(self, which: np.ndarray) -> Trials:
        """Return some of the trials."""
        return Trials(self.score[which], self.target[which], self.weight[which], self.spoof[which])

    def decided(self, accepted: np.ndarray) -> Table:
        """Return what decisions come to."""
        right, wrong = accepted & self.target, accepted & ~self.target
        total = self.weight.sum
        return Table(
            float(total(where=right)),
            float(total(where=~accepted & self.target)),
            float(total(where=wrong)),
            float(total(where=~accepted & ~self.target)),
            float(total(where=wrong & ~self.spoof)),
            float(total(where=~self.target & ~self.spoof)),
            float(total(where=wrong & self.spoof)),
            float(total(where=self.spoof)),
            int(np.sum(~accepted & self.target)),
            int(np.sum(wrong)),
        )

    def at(self, threshold: float) -> Table:
        """Return what a threshold comes to: accepted are scores at or above it, none at +inf."""
        return self.decided(accepted(self.score, threshold))


def accepted(score: np.ndarray, threshold: float) -> np.ndarray:
    """Return which scores a threshold accepts."""
    return (score >= threshold) & (threshold != math.inf)


@dataclass(frozen=True)
class Table:
    """Weights of the four outcomes, the non-targets in two kinds, and numbers of trials decided wrong."""

    tp: float
    fn: float
    fp: float
    tn: float
    fp_zero: float = 0.0
    n_zero: float = 0.0
    fp_spoof: float = 0.0
    n_spoof: float = 0.0
    misses: int = 0
    false_alarms: int = 0

    @property
    def far(self) -> float:
        """False alarms / non-targets."""
        return over(self.fp, self.fp + self.tn)

    @property
    def frr(self) -> float:
        """Misses / targets."""
        return over(self.fn, self.tp + self.fn)

    @property
    def far_zero(self) -> float:
        """That of zero-effort trials."""
        return over(self.fp_zero, self.n_zero)

    @property
    def far_spoof(self) -> float:
        """That of spoofs."""
        return over(self.fp_spoof, self.n_spoof)

    def at_prevalence(self, prevalence: float | str) -> Table:
        """Return the table as if targets had a declared share of all trials."""
        if prevalence == "sample":
            return self
        p = float(prevalence)
        return Table(p * (1 - self.frr), p * self.frr, (1 - p) * self.far, (1 - p) * (1 - self.far))


# --- at a threshold ---------------------------------------------------------------------------------------


def part(weight: float, table: Table, rate: str) -> float:
    """Return a weighted rate; one of weight 0 has no part, though it be undefined."""
    return weight * getattr(table, rate) if weight else 0.0


def dcf_of(far: float, frr: float, p: Parameters) -> float:
    """Return the detection cost of two rates."""
    of_miss = p["c_miss"] * p["p_target"]
    of_alarm = p["c_fa"] * (1 - p["p_target"])
    cost = of_miss * frr + of_alarm * far
    if not p.get("normalised", True):
        return cost
    return over(cost, of_miss if p.get("norm") == "miss" else min(of_miss, of_alarm))


def adcf_of(table: Table, p: Parameters) -> float:
    """Return the architecture-agnostic cost."""
    p_target = 1 - p["p_nontarget"] - p["p_spoof"]
    miss, zero, spoof = p["c_miss"] * p_target, p["c_fa"] * p["p_nontarget"], p["c_spoof"] * p["p_spoof"]
    cost = miss * table.frr
    cost += zero * table.far_zero + spoof * table.far_spoof
    return over(cost, min(miss, zero + spoof)) if p["normalised"] else cost


def tdcf_of(table: Table, p: Parameters) -> float:
    """Return the tandem cost."""
    p_target = 1 - p["p_nontarget"] - p["p_spoof"]
    c0 = p_target * p["c_miss"] * p["asv_miss"] + p["p_nontarget"] * p["c_fa"] * p["asv_fa"]
    c1 = p_target * p["c_miss"] - c0
    c2 = p["p_spoof"] * p["c_spoof"] * p["asv_spoof_fa"]
    cost = c0 + c1 * table.frr + c2 * table.far
    return over(cost, c0 + min(c1, c2)) if p["normalised"] else cost


def mcc_of(t: Table) -> float:
    """Return the correlation of label and decision, 0 where a factor is 0."""
    factors = (t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn)
    return (t.tp * t.tn - t.fp * t.fn) / math.sqrt(factors) if factors else 0.0


def gilbert_of(t: Table) -> float:
    """Return the Gilbert skill score by its definition: hits beyond those by chance."""
    by_chance = over((t.tp + t.fn) * (t.tp + t.fp), size(t))
    return over(t.tp - by_chance, t.tp + t.fp + t.fn - by_chance)


def kappa_of(t: Table) -> float:
    """Return Cohen's kappa."""
    n = t.tp + t.fn + t.fp + t.tn
    right = over(t.tp + t.tn, n)
    chance = ((t.tp + t.fp) * (t.tp + t.fn) + (t.tn + t.fn) * (t.tn + t.fp)) / n**2
    return over(right - chance, 1 - chance)


def information_of(t: Table) -> float:
    """Return the mutual information of decision and label in bits."""
    n = t.tp + t.fn + t.fp + t.tn
    yes, no, target, other = t.tp + t.fp, t.fn + t.tn, t.tp + t.fn, t.fp + t.tn
    cells = ((t.tp, yes, target), (t.fn, no, target), (t.fp, yes, other), (t.tn, no, other))
    return sum(c / n * math.log2(c * n / (a * b)) for c, a, b in cells if c)


def f_of(t: Table, b: float) -> float:
    """Return the F score of a beta squared."""
    return over((1 + b) * t.tp, (1 + b) * t.tp + b * t.fn + t.fp)


def p4_of(t: Table) -> float:
    """Return P4: 0 where TP TN is 0 and there are errors."""
    if t.tp * t.tn == 0 and t.fp + t.fn > 0:
        return 0.0
    return over(4 * t.tp * t.tn, 4 * t.tp * t.tn + (t.tp + t.tn) * (t.fp + t.fn))


def benefit_of(t: Table, at: float) -> float:
    """Return TP / N - FP / N p / (1 - p); undefined without both classes."""
    over(1, (t.tp + t.fn) * (t.fp + t.tn))
    return over(t.tp, size(t)) - over(t.fp, size(t)) * over(at, 1 - at)


def size(t: Table) -> float:
    """Return the weight of all trials."""
    return t.tp + t.fn + t.fp + t.tn


AT_A_THRESHOLD: Mapping[str, Callable[[Table, Parameters], float]] = {
    "far": lambda t, p: t.far,
    "frr": lambda t, p: t.frr,
    "hter": lambda t, p: (t.far + t.frr) / 2,
    "weighted_error": lambda t, p: part(p["alpha"], t, "far") + part(1 - p["alpha"], t, "frr"),
    "dcf": lambda t, p: dcf_of(t.far, t.frr, p),
    "recall": lambda t, p: 1 - t.frr,
    "specificity": lambda t, p: 1 - t.far,
    "balanced_accuracy": lambda t, p: 1 - (t.far + t.frr) / 2,
    "g_mean": lambda t, p: math.sqrt((1 - t.far) * (1 - t.frr)),
    "youden": lambda t, p: 1 - t.far - t.frr,
    "corner_distance": lambda t, p: math.hypot(t.far, t.frr),
    "lr_positive": lambda t, p: over(1 - t.frr, t.far),
    "lr_negative": lambda t, p: over(t.frr, 1 - t.far),
    "odds_ratio": lambda t, p: over(t.tp * t.tn, t.fp * t.fn),
    "accuracy": lambda t, p: over(t.tp + t.tn, size(t)),
    "error_rate": lambda t, p: over(t.fp + t.fn, size(t)),
    "precision": lambda t, p: over(t.tp, t.tp + t.fp),
    "npv": lambda t, p: over(t.tn, t.tn + t.fn),
    "fdr": lambda t, p: over(t.fp, t.tp + t.fp),
    "false_omission_rate": lambda t, p: over(t.fn, t.tn + t.fn),
    "markedness": lambda t, p: over(t.tp, t.tp + t.fp) + over(t.tn, t.tn + t.fn) - 1,
    "lift": lambda t, p: over(over(t.tp, t.tp + t.fp), (t.tp + t.fn) / size(t)),
    "number_needed_to_evaluate": lambda t, p: over(t.tp + t.fp, t.tp),
    "acceptance_rate": lambda t, p: over(t.tp + t.fp, size(t)),
    "rejection_rate": lambda t, p: over(t.fn + t.tn, size(t)),
    "net_benefit": lambda t, p: benefit_of(t, p["p_threshold"]),
    "f1": lambda t, p: f_of(t, 1),
    "f_beta": lambda t, p: f_of(t, p["beta"] ** 2),
    "jaccard": lambda t, p: over(t.tp, t.tp + t.fp + t.fn),
    "gilbert_skill": lambda t, p: gilbert_of(t),
    "fowlkes_mallows": lambda t, p: math.sqrt(over(t.tp, t.tp + t.fp) * over(t.tp, t.tp + t.fn)),
    "p4": lambda t, p: p4_of(t),
    "mcc": lambda t, p: mcc_of(t),
    "kappa": lambda t, p: kappa_of(t),
    "chi_squared": lambda t, p: over(
        size(t) * (t.tp * t.tn - t.fp * t.fn) ** 2,
        (t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn),
    ),
    "mutual_information": lambda t, p: information_of(t),
    "adcf": adcf_of,
    "spoofing_error": lambda t, p: (
        part(p["alpha"] * (1 - p["spoof_share"]), t, "far_zero")
        + part(p["alpha"] * p["spoof_share"], t, "far_spoof")
        + part(1 - p["alpha"], t, "frr")
    ),
    "tdcf": tdcf_of,
}
HIGHER_IS_BETTER = frozenset(
    (
        "recall",
        "specificity",
        "balanced_accuracy",
        "g_mean",
        "youden",
        "lr_positive",
        "odds_ratio",
        "accuracy",
        "precision",
        "npv",
        "markedness",
        "lift",
        "rejection_rate",
        "net_benefit",
        "f1",
        "f_beta",
        "jaccard",
        "gilbert_skill",
        "fowlkes_mallows",
        "p4",
        "mcc",
        "kappa",
        "chi_squared",
        "mutual_information",
    )
)


def value_at(table: Table, name: str, p: Parameters) -> float | None:
    """Return a measure at a threshold, or None where it is undefined."""
    try:
        return AT_A_THRESHOLD[name](table.at_prevalence(p.get("prevalence", "sample")), p)
    except UndefinedError:
        return None


# --- thresholds -------------------------------------------------------------------------------------------


def cuts(trials: Trials, at: str = "midpoint") -> Iterator[tuple[float, Table]]:
    """Yield a threshold for every way to part the distinct scores, from accepting all to rejecting all."""
    distinct = np.unique(trials.score)
    yield -math.inf, trials.decided(np.ones(len(trials.score), bool))
    for low, high in itertools.pairwise(distinct):
        yield between(float(low), float(high), at), trials.decided(trials.score >= high)
    yield math.inf, trials.decided(np.zeros(len(trials.score), bool))


def between(low: float, high: float, at: str) -> float:
    """Return a threshold between two scores (methods 1.4)."""
    if at == "upper":
        return min(high, np.finfo(float).max)
    if at == "lower":
        return max(float(np.nextafter(low, math.inf)), -np.finfo(float).max)
    middle = low / 2 + high / 2
    if math.isfinite(middle) and low < middle <= high:
        return middle
    return min(high, np.finfo(float).max)


def least(cases: list[Any], *keys: Callable[[Any], float | None]) -> list[Any]:
    """Return the cases that are least by the first key, among them by the second, and so on."""
    for key in keys:
        values = [key(case) for case in cases]
        known = [v for v in values if v is not None]
        if not known:
            return []
        lowest = min(known)
        if math.isfinite(lowest):
            lowest += SAME * max(1.0, abs(lowest))
        cases = [case for case, v in zip(cases, values, strict=True) if v is not None and v <= lowest]
    return cases


# --- over the sweep ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sweep:
    """All thresholds of one set of trials."""

    trials: Trials

    @cached_property
    def tables(self) -> list[Table]:
        """What every threshold comes to, from accepting all to rejecting all."""
        return [table for _, table in cuts(self.trials)]

    @cached_property
    def points(self) -> list[tuple[float, float]]:
        """(FAR, FRR) of all thresholds, from (1, 0) to (0, 1)."""
        return [(table.far, table.frr) for table in self.tables]

    @property
    def prevalence(self) -> float:
        """Share of targets."""
        t = self.tables[0]
        return over(t.tp, t.tp + t.fp)


def crossing(p: tuple[float, float], q: tuple[float, float]) -> float | None:
    """Return the rate at which the line from p to q has FAR = FRR."""
    before, after = p[0] - p[1], q[0] - q[1]
    if before < 0 or after > 0:
        return None
    if before == after:
        return p[0]
    return p[0] + before / (before - after) * (q[0] - p[0])


def eer_rocch(s: Sweep) -> float:
    """The hull is below every chord, and on the line FAR = FRR it is the lowest of them."""
    found = [crossing(p, q) for p in s.points for q in s.points]
    return min(v for v in found if v is not None)


def eer_interp(s: Sweep) -> float:
    """Where the line through neighbouring thresholds crosses FAR = FRR."""
    pairs = zip(s.points[:-1], s.points[1:], strict=True)
    return next(v for v in (crossing(p, q) for p, q in pairs) if v is not None)


def eer_discrete(s: Sweep) -> float:
    """Half the sum where the rates differ least, then the smaller sum."""
    chosen = least(s.points, lambda p: abs(p[0] - p[1]), lambda p: p[0] + p[1], lambda p: p[0])
    return sum(chosen[0]) / 2


def frr_at_far(points: list[tuple[float, float]], far: float, how: str) -> float:
    """The smallest FRR within a bound of FAR; nearest to it; or on the line at it."""
    if how == "at_most":
        return min(frr for x, frr in points if x <= far + SAME)
    if how == "nearest":
        return least(points, lambda p: abs(p[0] - far), lambda p: p[0], lambda p: p[1])[0][1]
    found = []
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if x2 - SAME <= far <= x1 + SAME:
            found.append(min(y1, y2) if x1 == x2 else y1 + (x1 - far) / (x1 - x2) * (y2 - y1))
    return min(found)


def swapped(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same with the two rates exchanged, again from FAR 1 to FAR 0."""
    return [(y, x) for x, y in reversed(points)]


def area(points: list[tuple[float, float]], low: float, high: float) -> float:
    """Integral of 1 - FRR over FAR from low to high along the line through all thresholds."""
    total = 0.0
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        left, right = max(x2, low), min(x1, high)
        if x1 > x2 and right > left:
            ends = [1 - (y1 + (x1 - x) / (x1 - x2) * (y2 - y1)) for x in (left, right)]
            total += (right - left) * sum(ends) / 2
    return total


def partial_area(points: list[tuple[float, float]], low: float, high: float, mcclish: bool) -> float:
    """The area, or its share between chance and the best (McClish)."""
    value = area(points, low, high)
    if not mcclish:
        return value
    chance = (high**2 - low**2) / 2
    return (1 + over(value - chance, (high - low) - chance)) / 2


def auc(s: Sweep) -> float:
    """P(target score > non-target score) + P(equal) / 2, over all pairs."""
    t = s.trials
    x, y = t.score[t.target], t.score[~t.target]
    w = t.weight[t.target][:, None] * t.weight[~t.target][None, :]
    return over(float((w * ((x[:, None] > y) + (x[:, None] == y) / 2)).sum()), float(w.sum()))


def lower_hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Vertices of the lower-left hull from FAR 1 to 0: points that no chord of others is below or on."""
    hull: list[tuple[float, float]] = []
    for p in sorted(set(points), key=lambda p: (-p[0], p[1])):
        while len(hull) > 1:
            (x1, y1), (x2, y2) = hull[-2:]
            if (x1 - x2) * (p[1] - y1) <= (x1 - p[0]) * (y2 - y1) + SAME:
                hull.pop()
            else:
                break
        hull.append(p)
    return [p for p in hull if p[1] == min(q[1] for q in hull if q[0] <= p[0]) or p == hull[0]]


def auch(s: Sweep) -> float:
    """Area above the hull of errors."""
    hull = lower_hull([*s.points, (1.0, 0.0), (0.0, 1.0)])
    return 1 - sum((x1 - x2) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in itertools.pairwise(hull))


def h_measure(s: Sweep, p: Parameters) -> float:
    """1 - expected least loss / that of ignoring the scores, the cost of a false alarm beta-distributed."""
    share = s.prevalence
    if p["severity_ratio"] == "hand2014":
        a, b = 1 + share, 2 - share
    else:
        ratio = over(share, 1 - share) if p["severity_ratio"] == "sample" else float(p["severity_ratio"])
        a, b = 2.0, 1 + 1 / ratio
    lines = [(share * frr, (1 - share) * far) for far, frr in s.points]
    return 1 - over(least_loss(lines, a, b), least_loss([(share, 0.0), (0.0, 1 - share)], a, b))


def least_loss(lines: list[tuple[float, float]], a: float, b: float) -> float:
    """Mean over c ~ beta(a, b) of the least (1 - c) m + c f over lines (m, f), between all crossings."""
    ends = {0.0, 1.0}
    for m1, f1 in lines:
        for m2, f2 in lines:
            if (d := (m1 - m2) - (f1 - f2)) and 0 < (m1 - m2) / d < 1:
                ends.add((m1 - m2) / d)
    grid = np.array(sorted(ends))
    middle = (grid[:-1] + grid[1:]) / 2
    m, f = np.array(lines).T
    best = np.argmin((1 - middle)[:, None] * m + middle[:, None] * f, axis=1)
    mass = np.diff(beta.cdf(grid, a, b))
    mean = np.diff(beta.cdf(grid, a + 1, b)) * a / (a + b)
    return float(np.sum(m[best] * (mass - mean) + f[best] * mean))


def hits(s: Sweep, p: Parameters) -> list[tuple[float, float]]:
    """(TP, FP) of all thresholds from the strictest on, at a declared prevalence where there is one."""
    tables = [table.at_prevalence(p.get("prevalence", "sample")) for table in reversed(s.tables)]
    return [(t.tp, t.fp) for t in tables]


def ap_step(s: Sweep, p: Parameters) -> float:
    """Sum over thresholds of precision times the recall gained there."""
    points = hits(s, p)
    n = points[-1][0]
    steps = itertools.pairwise(points)
    return sum(over(b[0] - a[0], n) * over(*(b[0], b[0] + b[1])) for a, b in steps if b[0] > a[0])


def ap_dg(s: Sweep, p: Parameters) -> float:
    """Area where false alarms and hits grow in proportion between two thresholds (methods 6.4)."""
    points = hits(s, p)
    n = points[-1][0]
    total = 0.0
    for (tp, fp), (tp2, fp2) in itertools.pairwise(points):
        d = tp2 - tp
        if d > 0:
            g, c = 1 + (fp2 - fp) / d, tp + fp
            total += d / g if c == 0 else d / g + (tp - c / g) / g * math.log((c + g * d) / c)
    return over(total, n)


def ap_trapezoid(s: Sweep, p: Parameters) -> float:
    """Straight lines between (recall, precision), from (0, 1) on."""
    points = hits(s, p)
    n = points[-1][0]
    known = [(0.0, 1.0)] + [(over(tp, n), tp / (tp + fp)) for tp, fp in points if tp + fp > 0]
    return sum((r2 - r1) * (p1 + p2) / 2 for (r1, p1), (r2, p2) in itertools.pairwise(known))


def ap_11pt(s: Sweep, p: Parameters) -> float:
    """Mean over eleven recalls of the best precision at that recall or more."""
    points = [(tp, fp) for tp, fp in hits(s, p) if tp + fp > 0]
    n = over(points[-1][0], 1)
    over(n, n)
    best = [max(tp / (tp + fp) for tp, fp in points if tp >= j / 10 * n - SAME * n) for j in range(11)]
    return sum(best) / 11


def break_even(s: Sweep, p: Parameters) -> float:
    """Precision among as many of the highest scores as there are targets, ties shared out."""
    points = hits(s, p)
    n = points[-1][0]
    return over(taken(points, n), n)


def taken(points: list[tuple[float, float]], k: float) -> float:
    """Targets among the k highest scores, ties in random order."""
    for (tp, fp), (tp2, fp2) in itertools.pairwise(points):
        if tp2 + fp2 >= k - SAME * max(1, k):
            return tp + over((k - tp - fp) * (tp2 - tp), tp2 + fp2 - tp - fp)
    raise UndefinedError


def prg_area(s: Sweep, p: Parameters) -> float:
    """Area over recall gains 0 to 1 under precision gains, straight between thresholds."""
    share = s.prevalence if p["prevalence"] == "sample" else float(p["prevalence"])
    odds = over(share, 1 - share)
    points = [(1 - frr, far) for far, frr in reversed(s.points)]
    # Between two thresholds TPR and FAR grow in proportion, so that the gains run straight in 1 / TPR.
    total = 0.0
    for (t1, f1), (t2, f2) in itertools.pairwise(points):
        for x1, y1, x2, y2 in gains(t1, f1, t2, f2, odds):
            total += (x2 - x1) * (y1 + y2) / 2
    return total


def gains(t1: float, f1: float, t2: float, f2: float, odds: float) -> Iterator[tuple[float, ...]]:
    """Yield the stretch of recall gains within [0, 1] between two thresholds."""
    # recall gain 1 - odds (1 - t) / t; it is 0 at t = odds / (1 + odds), the share of targets
    start = odds / (1 + odds)
    if t2 <= start or t2 <= t1:
        return
    if t1 < start:
        f1 += (f2 - f1) * (start - t1) / (t2 - t1)
        t1 = start
    yield 1 - odds * (1 - t1) / t1, 1 - f1 / t1, 1 - odds * (1 - t2) / t2, 1 - f2 / t2


def recall_at(s: Sweep, p: Parameters) -> float:
    """Largest recall whose precision is not below a bound."""
    points = hits(s, p)
    n = points[-1][0]
    found = [over(tp, n) for tp, fp in points if tp + fp > 0 and tp / (tp + fp) >= p["precision"] - SAME]
    if not found:
        raise UndefinedError
    return max(found)


def best_of(s: Sweep, name: str, p: Parameters, better: Callable[..., float]) -> float:
    """Return the best value of a measure over all thresholds."""
    found = [value_at(table, name, p) for table in s.tables]
    known = [v for v in found if v is not None]
    if not known:
        raise UndefinedError
    return better(known)


def isotonic(s: Trials, laplace: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    """Return log likelihood ratios that keep the order: per distinct score, with weights of both classes.

    The isotonic regression of y is max over i <= k of min over j >= k of the mean of y from i to j.
    """
    distinct = np.unique(s.score)
    p = np.array([s.weight[(s.score == u) & s.target].sum() for u in distinct])
    n = np.array([s.weight[(s.score == u) & ~s.target].sum() for u in distinct])
    total_p, total_n = float(p.sum()), float(n.sum())
    if laplace:
        p, n = np.r_[1, 0, p, 1, 0], np.r_[0, 1, n, 0, 1]
    fitted = []
    for k in range(len(p)):
        lowest = []
        for i in range(k + 1):
            up, down = np.cumsum(p[i:])[k - i :], np.cumsum(n[i:])[k - i :]
            lowest.append(np.min(up / (up + down)))
        fitted.append(max(lowest))
    share = np.array(fitted)
    if laplace:
        p, n, share = p[2:-2], n[2:-2], share[2:-2]
    with np.errstate(divide="ignore"):
        llr = np.log(share) - np.log1p(-share) - math.log(over(total_p, 1) or 1) + math.log(total_n or 1)
    return llr, p, n, total_p, total_n


def softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + exp(x))."""
    return np.logaddexp(0, x)


def cross_entropy(llr: np.ndarray, p: np.ndarray, n: np.ndarray, prior: float) -> float:
    """ECE in bits; what has no weight does not count, however wrong."""
    shift = math.log(over(prior, 1 - prior))
    of_targets = float(np.sum(p[p > 0] * softplus(-llr[p > 0] - shift)))
    of_others = float(np.sum(n[n > 0] * softplus(llr[n > 0] + shift)))
    value = prior * over(of_targets, float(p.sum())) + (1 - prior) * over(of_others, float(n.sum()))
    if not math.isfinite(value):
        raise UndefinedError
    return value / math.log(2)


def mincllr(s: Sweep, prior: float = 0.5, laplace: bool = False) -> float:
    """Cross-entropy of the best likelihood ratios that keep the order."""
    llr, p, n, _, _ = isotonic(s.trials, laplace)
    return cross_entropy(llr, p, n, prior)


def mincprimary(s: Sweep, points: str) -> float:
    """Mean of the normalised minimum costs of an evaluation."""
    costs = [
        best_of(s, "dcf", {"p_target": a, "c_miss": b, "c_fa": c, "normalised": True, "norm": "trivial"}, min)
        for a, b, c in POINTS[points]
    ]
    return sum(costs) / len(costs)


def both(s: Sweep) -> Sweep:
    """Refuse a set that lacks a class."""
    over(1, float(s.trials.target.any()))
    over(1, float((~s.trials.target).any()))
    return s


OVER_THE_SWEEP: Mapping[str, Callable[[Sweep, Parameters], float]] = {
    "eer_rocch": lambda s, p: eer_rocch(s),
    "eer_interp": lambda s, p: eer_interp(s),
    "eer_discrete": lambda s, p: eer_discrete(s),
    "dprime": lambda s, p: -2 * finite(ndtri(eer_rocch(s))),
    "ks": lambda s, p: max(1 - frr - far for far, frr in s.points),
    "min_corner": lambda s, p: min(math.hypot(far, frr) for far, frr in s.points),
    "frr_at_far": lambda s, p: frr_at_far(s.points, p["far"], p["how"]),
    "zero_fmr": lambda s, p: frr_at_far(s.points, 0.0, "at_most"),
    "far_at_frr": lambda s, p: frr_at_far(swapped(s.points), p["frr"], p["how"]),
    "sensitivity_at": lambda s, p: 1 - frr_at_far(s.points, 1 - p["specificity"], p["how"]),
    "specificity_at": lambda s, p: 1 - frr_at_far(swapped(s.points), 1 - p["sensitivity"], p["how"]),
    "auc": lambda s, p: auc(s),
    "error_area": lambda s, p: 1 - auc(s),
    "gini": lambda s, p: 2 * auc(s) - 1,
    "pauc": lambda s, p: partial_area(s.points, p["far_min"], p["far_max"], p["mcclish"]),
    "pauc_tpr": lambda s, p: partial_area(
        swapped(s.points), 1 - p["tpr_max"], 1 - p["tpr_min"], p["mcclish"]
    ),
    "auch": lambda s, p: auch(s),
    "h_measure": h_measure,
    "ap_step": ap_step,
    "ap_dg": ap_dg,
    "ap_trapezoid": ap_trapezoid,
    "ap_11pt": ap_11pt,
    "break_even": break_even,
    "prg_area": prg_area,
    "max_f1": lambda s, p: best_of(s, "f1", p, max),
    "max_mcc": lambda s, p: best_of(s, "mcc", p, max),
    "precision_at": lambda s, p: over(taken(hits(s, {}), p["k"]), p["k"]),
    "precision_at_share": lambda s, p: of_share(s, p["share"]),
    "lift_at": lambda s, p: over(of_share(s, p["share"]), s.prevalence),
    "recall_at": recall_at,
    "mindcf": lambda s, p: best_of(s, "dcf", p, min),
    "mincprimary": lambda s, p: mincprimary(s, p["points"]),
    "minadcf": lambda s, p: best_of(s, "adcf", p, min),
    "mintdcf": lambda s, p: best_of(s, "tdcf", p, min),
    "mincllr": lambda s, p: mincllr(s, laplace=p["laplace"]),
    "minece": lambda s, p: mincllr(s, p["p_target"]),
}


def finite(value: float) -> float:
    """Refuse what is infinite."""
    if not math.isfinite(value):
        raise UndefinedError
    return float(value)


def of_share(s: Sweep, share: float) -> float:
    """Targets among the highest scores of a share of all trials / that share."""
    points = hits(s, {})
    k = share * sum(points[-1])
    return over(taken(points, k), k)


def value_over(sweep: Sweep, name: str, p: Parameters) -> float | None:
    """Return a measure over the sweep, or None where it is undefined; what is at the top needs no non-targets."""
    try:
        at_the_top = name.startswith(("precision_at", "lift_at"))
        return OVER_THE_SWEEP[name](sweep if at_the_top else both(sweep), p)
    except UndefinedError:
        return None


# --- of the scores themselves -----------------------------------------------------------------------------


def cllr(llr: np.ndarray, t: Trials, prior: float = 0.5) -> float:
    """Cross-entropy of stated likelihood ratios."""
    return cross_entropy(llr, t.weight * t.target, t.weight * ~t.target, prior)


def act(llr: np.ndarray, t: Trials, p: Parameters) -> float:
    """Cost of accepting log likelihood ratios from the Bayes threshold on."""
    table = t.decided(accepted(llr, bayes_threshold(p)))
    return dcf_of(table.far, table.frr, p)


def bayes_threshold(p: Parameters) -> float:
    """Return log[c_fa (1 - p_target) / (c_miss p_target)]."""
    if p["p_target"] in (0, 1):
        return math.inf if p["p_target"] == 0 else -math.inf
    return math.log(p["c_fa"] * (1 - p["p_target"])) - math.log(p["c_miss"] * p["p_target"])


OF_RATIOS: Mapping[str, Callable[[np.ndarray, Trials, Parameters], float]] = {
    "cllr": lambda llr, t, p: cllr(llr, t),
    "ece": lambda llr, t, p: cllr(llr, t, p["p_target"]),
    "calibration_loss": lambda llr, t, p: cllr(llr, t) - mincllr(both(Sweep(t))),
    "actdcf": act,
    "cprimary": lambda llr, t, p: float(
        np.mean([act(llr, t, {"p_target": a, "c_miss": b, "c_fa": c}) for a, b, c in POINTS[p["points"]]])
    ),
    "bayes_error": lambda llr, t, p: bayes_error(llr, t, p["prior_log_odds"]),
}


def bayes_error(llr: np.ndarray, t: Trials, log_odds: float) -> float:
    """p FRR + (1 - p) FAR where log likelihood ratios are accepted from -log odds on."""
    table, prior = t.decided(accepted(llr, -log_odds)), 1 / (1 + math.exp(-log_odds))
    return prior * table.frr + (1 - prior) * table.far


def shares(t: Trials, prevalence: float | str) -> np.ndarray:
    """Return weights that sum to 1, with a declared share for the targets where there is one."""
    if prevalence == "sample":
        return t.weight / over(float(t.weight.sum()), 1)
    p = float(prevalence)
    of_targets = over(p, float(t.weight.sum(where=t.target)))
    of_others = over(1 - p, float(t.weight.sum(where=~t.target)))
    return t.weight * np.where(t.target, of_targets, of_others)


def logistic(odds: np.ndarray, t: Trials, w: np.ndarray, slope: bool) -> float:
    """Return a, or b, of P(target) = 1 / (1 + exp(-(a + b logit p))), by Newton's method."""
    use = w > 0
    x, y, w = odds[use], t.target[use].astype(float), w[use]
    certain = np.isinf(x) & ((x > 0) == (y == 1))  # their likelihood is 1 at any a and b > 0, and 0 at b < 0
    upwards = bool(certain.any())
    x, y, w = x[~certain], y[~certain], w[~certain]
    if not np.isfinite(x).all() or not len(y) or y.min() == y.max():
        raise UndefinedError
    if slope and separable(x, y):
        raise UndefinedError
    design = np.stack([np.ones_like(x), x] if slope else [np.ones_like(x)], axis=1)
    fit = np.zeros(design.shape[1])
    offset = np.zeros_like(x) if slope else x
    for _ in range(500):
        eta = design @ fit + offset
        prob = 1 / (1 + np.exp(-eta))
        gradient = design.T @ (w * (y - prob))
        curvature = (design * (w * prob * (1 - prob))[:, None]).T @ design
        step = np.linalg.solve(curvature, gradient)
        before = likelihood(design @ fit + offset, y, w)
        while (
            likelihood(design @ (fit + step) + offset, y, w) < before - 1e-15 and np.abs(step).max() > 1e-14
        ):
            step = step / 2
        fit = fit + step
        if np.abs(step).max() < 1e-13:
            break
    if slope and upwards and fit[-1] <= 0:
        raise UndefinedError
    return float(fit[-1])


def likelihood(eta: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """Log likelihood of a logistic model."""
    return -float(np.sum(w * (y * softplus(-eta) + (1 - y) * softplus(eta))))


def separable(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether a slope would grow for ever, or x does not vary."""
    a, b = x[y == 1], x[y == 0]
    return a.min() >= b.max() or b.min() >= a.max() or x.min() == x.max()


def log_loss(odds: np.ndarray, t: Trials, w: np.ndarray) -> float:
    """Mean of -ln p over targets and -ln(1 - p) over non-targets."""
    loss = softplus(np.where(t.target, -odds, odds))
    return finite(float(np.sum(loss[w > 0] * w[w > 0])))


def binned_error(prob: np.ndarray, t: Trials, w: np.ndarray, bins: int) -> float:
    """Sum over equal bins of the share of trials times |mean p - frequency|; 1 is in the last bin."""
    at = np.minimum(np.floor(prob * bins), bins - 1)
    return float(sum(abs(np.sum((w * (prob - t.target))[at == b])) for b in range(bins)))


def brier(prob: np.ndarray, t: Trials, w: np.ndarray) -> float:
    """Mean of (p - y)^2."""
    return float(np.sum(w * (prob - t.target) ** 2))


OF_PROBABILITIES: Mapping[str, Callable[[np.ndarray, Trials, np.ndarray, Parameters], float]] = {
    "brier": lambda odds, t, w, p: brier(expit(odds), t, w),
    "brier_skill": lambda odds, t, w, p: (
        1 - over(brier(expit(odds), t, w), float(np.sum(w * t.target)) * float(np.sum(w * ~t.target)))
    ),
    "rmse": lambda odds, t, w, p: math.sqrt(brier(expit(odds), t, w)),
    "log_loss": lambda odds, t, w, p: log_loss(odds, t, w),
    "oe_ratio": lambda odds, t, w, p: over(float(np.sum(w * t.target)), float(np.sum(w * expit(odds)))),
    "calibration_intercept": lambda odds, t, w, p: logistic(odds, t, w, slope=False),
    "calibration_slope": lambda odds, t, w, p: logistic(odds, t, w, slope=True),
    "calibration_error": lambda odds, t, w, p: binned_error(expit(odds), t, w, int(p["bins"])),
}


def expit(odds: np.ndarray) -> np.ndarray:
    """Probability of log odds."""
    return np.exp(-softplus(-odds))


def det_slope(t: Trials) -> float:
    """Standard deviation of the non-target scores / that of the target scores."""
    return over(deviation(t, ~t.target), deviation(t, t.target))


def deviation(t: Trials, which: np.ndarray) -> float:
    """Standard deviation of a class."""
    x, w = t.score[which], t.weight[which]
    if not np.isfinite(x).all():
        raise UndefinedError
    mean = over(float(np.sum(w * x)), float(w.sum()))
    return math.sqrt(float(np.sum(w * (x - mean) ** 2)) / float(w.sum()))
