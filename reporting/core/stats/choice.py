"""Which thresholds a criterion chooses, exactly: on the trials, on each of some folds, on resamples of them.

All are rows of counts, and alphas or targets are columns: one choice serves every one of them. It compares
integers, and breaks ties by the rules of methods 7.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.records import dataclass
from reporting.core.stats.solvers import first_where
from reporting.core.stats.staircase import Staircase, ThresholdAt, Ties, cumulate, hull_cuts, threshold_beside

TIE_TOLERANCE = 1e-12
CELLS = 2**20
"""Cells of all rows that are chosen on in the same array operations."""
LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Choice:
    """Chosen thresholds, and how many thresholds attained the optimum (more than 1: the tie rule decided).

    Both have shape (R, P). A threshold that has one error more than another of these, and the other error the
    same, is not counted: no rule would choose it.
    """

    cut: IntArray
    tied: IntArray


@dataclass(frozen=True, eq=False)
class Staircases:
    """Errors of R sets of trials at thresholds 0..n between n cells, ascending in score: shape (R, n + 1).

    Cells may be empty: thresholds between which no trial lies are one, and any of them may be chosen. A place
    is the number row (n + 1) + ``cut``.
    """

    misses: IntArray
    false_alarms: IntArray
    known_hull: IntArray | None = None
    """The vertices of the hull, where they are known: of one row, which has no empty cell."""

    @classmethod
    def of(cls, staircase: Staircase) -> Staircases:
        """Return one staircase as one row."""
        return cls(staircase.misses[None], staircase.false_alarms[None], staircase.hull)

    @classmethod
    def of_counts(cls, counts: IntArray) -> Staircases:
        """Return the rows of counts of shape (R, 2, n), non-targets first."""
        return cls(*cumulate(counts[:, 1], counts[:, 0]))

    @property
    def n(self) -> int:
        """The last threshold, which rejects all."""
        return int(self.misses.shape[1]) - 1

    @property
    def n_target(self) -> IntArray:
        """Targets of every row, shape (R, 1)."""
        return self.misses[:, -1:]

    @property
    def n_nontarget(self) -> IntArray:
        """Non-targets of every row, shape (R, 1)."""
        return self.false_alarms[:, :1]

    def errors(self, place: IntArray) -> tuple[Any, Any]:
        """Return misses and false alarms at places, as integers that hold twice N1 N0."""
        errors = self.misses.reshape(-1)[place], self.false_alarms.reshape(-1)[place]
        pairs = int(self.n_target.max(initial=0)) * int(self.n_nontarget.max(initial=0))
        return errors if 2 * pairs <= LARGEST else (errors[0].astype(object), errors[1].astype(object))

    def rates(self, place: IntArray) -> tuple[Any, Any]:
        """Return FAR and FRR at places, both times N1 N0."""
        row = place // (self.n + 1) if len(self.misses) > 1 else 0
        misses, false_alarms = self.errors(place)
        return false_alarms * self.n_target[row, 0], misses * self.n_nontarget[row, 0]

    @cached_property
    def corners(self) -> IntArray:
        """The places with a non-target just below and a target just above, and both ends of every row."""
        targets, nontargets = np.diff(self.misses) > 0, np.diff(self.false_alarms) < 0
        # The first cell above that holds a trial need not be the next one.
        held = np.where(targets | nontargets, np.arange(self.n), self.n)[:, :0:-1]
        above = np.minimum.accumulate(held, axis=1)[:, ::-1]
        inner = np.take_along_axis(np.pad(targets, ((0, 0), (0, 1))), above, axis=1) & nontargets[:, :-1]
        return np.flatnonzero(np.pad(inner, ((0, 0), (1, 1)), constant_values=True))

    @cached_property
    def hull(self) -> IntArray:
        """The places of the vertices of the lower-left hull of every row, both ends included."""
        if self.known_hull is not None:
            return self.known_hull.astype(np.int64)
        if len(self.misses) == 1:
            targets, nontargets = np.diff(self.misses[0]), -np.diff(self.false_alarms[0])
            held = np.flatnonzero(targets + nontargets)
            vertices = hull_cuts(targets[held], nontargets[held])[:-1]
            return np.append(np.append(0, held + 1)[vertices], self.n)
        vertex = self.corners
        row, (misses, false_alarms) = vertex // (self.n + 1), self.errors(vertex)
        while True:
            rise, fall = np.diff(misses), -np.diff(false_alarms)
            # No vertex lies on or above the line between its neighbours, whether these are vertices or not.
            kept = (rise[:-1] * fall[1:] < rise[1:] * fall[:-1]) | (row[2:] != row[:-2])
            if kept.all():
                return vertex
            kept = np.flatnonzero(np.concatenate(([True], kept, [True])))
            vertex, row, misses, false_alarms = (each[kept] for each in (vertex, row, misses, false_alarms))

    def beside(self, cut: IntArray) -> tuple[IntArray, IntArray]:
        """Return the cells that hold trials just below and above thresholds (R, P): from -1, and up to n."""
        # Rows one after the other ascend: each begins above the trials of those before.
        rejected = self.misses - self.false_alarms + self.n_nontarget
        rejected += (np.arange(len(cut)) * (int(rejected.max(initial=0)) + 1))[:, None]
        at, before = (
            np.take_along_axis(rejected, cut, axis=1),
            np.arange(len(cut))[:, None] * (self.n + 1) + 1,
        )
        below, above = (
            np.searchsorted(rejected.ravel(), at, side=side) - before for side in ("left", "right")
        )
        return below, above


def least_cost(rows: Staircases, ties: Ties, w_far: Any, w_frr: Any) -> Choice:
    """Choose the thresholds minimising w_far FAR + w_frr FRR, as ``weighted_error`` does."""
    return weighted_error(rows, ties, w_far / (w_far + w_frr))


def weighted_error(rows: Staircases, ties: Ties, alpha: Any = 0.5) -> Choice:
    """Choose the thresholds minimising alpha FAR + (1 - alpha) FRR, for one alpha or an array (eq. 10).

    Ties: ``balanced`` takes the smallest |alpha FAR - (1 - alpha) FRR|, then FAR, then FRR;
    ``high`` the smallest FAR, ``low`` the smallest FRR. Both classes must be there. Source: Bengio,
    Mariethoz, Keller, eq. (10).
    """
    alpha = np.ravel(np.asarray(alpha, dtype=np.float64))
    if len(alpha) == 1 and len(rows.misses) > 1:
        return _least_cost(rows, ties, float(alpha[0]))
    return _on_hulls(rows, ties, alpha)


def _least_cost(rows: Staircases, ties: Ties, alpha: float) -> Choice:
    """Choose for one alpha: only rows where other errors cost as little, or nearly, need their hulls.

    Both ends of an edge that a weight evens to the tolerance cost the same to 2e-12 N1 N0.
    """
    cost = rows.false_alarms * (alpha * rows.n_target) + rows.misses * ((1 - alpha) * rows.n_nontarget)
    apart = 4 * TIE_TOLERANCE * rows.n_target * rows.n_nontarget.astype(np.float64)
    near = cost <= cost.min(axis=1, keepdims=True) + apart
    ends = np.stack([near.argmax(axis=1), rows.n - near[:, ::-1].argmax(axis=1)], axis=1)
    differ = [np.diff(np.take_along_axis(of, ends, axis=1)) != 0 for of in (rows.misses, rows.false_alarms)]
    # Of thresholds with the same errors the hull has the first, or the last one.
    cut = np.where(ends[:, 1:] == rows.n, rows.n, ends[:, :1])
    tied = np.ones(cut.shape, dtype=np.int64)
    if len(several := np.flatnonzero(differ[0] | differ[1])):
        hulls = Staircases(rows.misses[several], rows.false_alarms[several])
        choice = _on_hulls(hulls, ties, np.array([alpha]))
        cut[several], tied[several] = choice.cut, choice.tied
    return Choice(cut, tied)


def _on_hulls(rows: Staircases, ties: Ties, alpha: FloatArray) -> Choice:
    n, row, (misses, false_alarms) = len(rows.misses), rows.hull // (rows.n + 1), rows.errors(rows.hull)
    rise = np.diff(misses).astype(np.float64) * rows.n_nontarget[row[1:], 0]
    fall = -np.diff(false_alarms).astype(np.float64) * rows.n_target[row[1:], 0]
    # Edges along which one error alone changes, at the ends of a hull, are none that a weight passes.
    edge = np.flatnonzero((row[1:] == row[:-1]) & (rise > 0) & (fall > 0))
    even = rise[edge] / (rise[edge] + fall[edge])
    order, width = np.argsort(alpha), len(alpha) + 1
    passing = row[edge] * width + np.searchsorted(alpha[order], even)
    passed = np.cumsum(np.bincount(passing, minlength=n * width).reshape(n, width)[:, :-1], axis=1)
    first = np.searchsorted(row, np.arange(n))
    first += rise[first] == 0
    place = np.empty(passed.shape, dtype=np.int64)
    place[:, order] = rows.hull[first[:, None] + passed]
    tied = np.ones(place.shape, dtype=np.int64)
    near, at = _even_weights(even, alpha, order)
    near = edge[near]
    # Of several edges that a weight evens to the tolerance the nearest, written last, decides.
    chosen = row[near], at
    place[chosen], tied[chosen] = _on_edge(rows, rows.hull[near], rows.hull[near + 1], ties)
    return Choice(place % (rows.n + 1), tied)


def _even_weights(even: FloatArray, alpha: FloatArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs of an edge and a weight which makes its ends cost the same, the nearest last."""
    near = [np.searchsorted(alpha[order], even + side * TIE_TOLERANCE) for side in (-2, 2)]
    times = near[1] - near[0]
    edge = np.repeat(np.arange(len(even)), times)
    at = order[np.arange(len(edge)) - np.repeat(np.cumsum(times) - times - near[0], times)]
    apart = np.abs(even[edge] - alpha[at])
    by_distance = np.lexsort((edge, -apart))
    by_distance = by_distance[apart[by_distance] <= TIE_TOLERANCE]
    return edge[by_distance], at[by_distance]


def _on_edge(rows: Staircases, low: IntArray, high: IntArray, ties: Ties) -> tuple[IntArray, IntArray]:
    """Return the place that the rule takes on edges of hulls, from ``low`` to ``high``, and of how many."""
    if not len(low):
        return low, low
    corners = None if rows.known_hull is not None else rows.corners  # else all thresholds: none is empty
    first, last = (end if corners is None else np.searchsorted(corners, end) for end in (low, high))
    many = last - first + 1
    of = np.repeat(np.arange(len(low)), many)
    place = np.arange(len(of)) - np.repeat(np.cumsum(many) - many - first, many)
    place = place if corners is None else corners[place]
    (misses, alarms), ends = rows.errors(place), [rows.errors(end) for end in (low, high)]
    rise, fall = (ends[1][0] - ends[0][0])[of], (ends[0][1] - ends[1][1])[of]
    # alpha_e : 1 - alpha_e = rise N0 : fall N1, hence alpha FAR : (1 - alpha) FRR = rise FP : fall FN.
    on_edge = (misses - ends[0][0][of]) * fall == (ends[0][1][of] - alarms) * rise
    balance = np.abs(rise * alarms - fall * misses)
    keys = {"high": (alarms, misses), "low": (misses, alarms), "balanced": (balance, alarms, misses)}[ties]
    return _settled(rows, place[on_edge], of[on_edge], *(key[on_edge] for key in keys))


def _settled(rows: Staircases, place: IntArray, of: IntArray, *keys: Any) -> tuple[IntArray, IntArray]:
    """Return of each set of places, numbered by ``of``, the first with the least keys, and how many tie."""
    start = _starts(of)
    left = np.ones(len(place), dtype=bool)
    for key in (*keys, place):
        key = np.where(left, key, LARGEST)
        left = key == _each(np.minimum.reduceat(key, start), of)
    # Places of one set ascend, so that misses rise and false alarms fall.
    misses, false_alarms = rows.errors(place)
    same = of[1:] == of[:-1], misses[1:] == misses[:-1], false_alarms[1:] == false_alarms[:-1]
    new = np.concatenate(([True], ~(same[0] & same[1] & same[2])))
    of, misses, false_alarms = of[new], misses[new], false_alarms[new]
    within = of[1:] == of[:-1]
    beaten = np.zeros(len(of), dtype=bool)
    beaten[:-1] = within & (misses[1:] == misses[:-1])  # the later one has fewer false alarms
    beaten[1:] |= within & (false_alarms[1:] == false_alarms[:-1])  # the earlier one has fewer misses
    return place[left], np.add.reduceat(~beaten, _starts(of), dtype=np.int64)


def _starts(of: IntArray) -> IntArray:
    """Return where each set begins of sets numbered from 0 in ascending order."""
    return np.flatnonzero(np.concatenate(([True], of[1:] != of[:-1])))


def _each(of_set: Any, of: IntArray) -> Any:
    return of_set if len(of_set) == 1 else of_set[of]


def equal_error(rows: Staircases, ties: Ties = "balanced") -> Choice:
    """Choose the thresholds minimising (|FAR - FRR|, FAR + FRR, FAR), compared as integers (eq. 8).

    FAR - FRR falls from each threshold to the next, so that the least gap is next to its change of sign. Both
    classes must be there. ``ties`` decides nothing.
    """
    first: IntArray = (np.arange(len(rows.misses)) * (rows.n + 1))[:, None]

    def crossed(cut: IntArray) -> BoolArray:
        far, frr = rows.rates(first + cut)
        return np.asarray(far <= frr, dtype=bool)

    after = first_where(crossed, np.zeros_like(first), np.full_like(first, rows.n + 1))
    place, of = (first + np.hstack([after - 1, after])).ravel(), np.repeat(np.arange(len(first)), 2)
    far, frr = rows.rates(place)
    gap = np.abs(far - frr)
    least = gap == _each(np.minimum.reduceat(gap, _starts(of)), of)
    return _choice(rows, *_settled(rows, place[least], of[least], (far + frr)[least], far[least]))


def _choice(rows: Staircases, place: IntArray, tied: IntArray) -> Choice:
    return Choice((place % (rows.n + 1))[:, None], tied[:, None])


How = Literal["nearest", "at_most", "at_least"]
"""The level nearest to the target, or the nearest of those not above, or not below it."""
Better = Literal["lower", "higher"]


def choose_rate(rows: Staircases, rate: Literal["far", "frr"], target: Any, how: How = "nearest") -> Choice:
    """Choose the thresholds whose rate is nearest to each target: one, (P,), or (R, P) (eqs. 12, 13).

    ``at_most`` and ``at_least`` look only at levels on that side, as long as there is one. Of two equally
    near the lower; then the threshold with fewer errors of the other kind. A target is compared with a
    tolerance of 1e-12 of its size. The class must be there.
    """
    target = np.atleast_2d(np.asarray(target, dtype=np.float64))
    target = np.broadcast_to(target, (len(rows.misses), target.shape[1]))
    # FAR is read from the last threshold on, so that both rates rise.
    errors, total = (
        (rows.false_alarms[:, ::-1], rows.n_nontarget) if rate == "far" else (rows.misses, rows.n_target)
    )

    def value(step: IntArray) -> FloatArray:
        return np.take_along_axis(errors, step, axis=1) / total

    slack = TIE_TOLERANCE * np.abs(target)
    ends = np.zeros(target.shape, dtype=np.int64), np.full(target.shape, rows.n + 1)
    if how == "at_most":
        step = np.maximum(first_where(lambda k: value(k) > target + slack, *ends) - 1, 0)
        other = step
    elif how == "at_least":
        step = other = np.minimum(first_where(lambda k: value(k) >= target - slack, *ends), rows.n)
    else:
        above = np.clip(first_where(lambda k: value(k) >= target, *ends), 1, rows.n)
        middle = value(above - 1) / 2 + value(above) / 2
        even = np.abs(target - middle) <= TIE_TOLERANCE * value(above)
        step = np.where(~even & (target > middle), above, above - 1)
        other = np.where(even, above, step)
    steps = np.stack([step, other], axis=2).reshape(len(target), -1)
    level = np.take_along_axis(errors, steps, axis=1)
    ends = np.zeros(level.shape, dtype=np.int64), np.full(level.shape, rows.n + 1)
    last = first_where(lambda k: np.take_along_axis(errors, k, axis=1) > level, *ends) - 1
    cut = (rows.n - last if rate == "far" else last).reshape(*target.shape, 2)
    place = np.sort(cut + (np.arange(len(cut)) * (rows.n + 1))[:, None, None], axis=2).ravel()
    _, tied = _settled(rows, place, np.repeat(np.arange(target.size), 2))
    return Choice(cut[:, :, 0], tied.reshape(target.shape))


@dataclass(frozen=True, eq=False)
class Levels:
    """The values a measure takes, ascending (shape (L,)), and the thresholds at each.

    ``members[start[i] : start[i + 1]]`` are the thresholds at level i, the preferred one first. Those that
    another one beats in one error at equal others may be missing from a level.
    """

    value: FloatArray
    members: IntArray
    start: IntArray

    @property
    def cut(self) -> IntArray:
        """The preferred threshold of every level (shape (L,))."""
        return self.members[self.start[:-1]]


def levels_of(rows: Staircases, value: Any, row: int = 0) -> Levels:
    """Return the levels of any measure in a row, given at all thresholds (n + 1,); undefined is no level.

    Values nearer than 1e-12 of their size are one level. At least one must be defined.
    """
    value = np.asarray(value, dtype=np.float64)
    cuts = np.flatnonzero(np.isfinite(value))
    cuts = cuts[np.argsort(value[cuts], kind="stable")]
    ordered = value[cuts]
    new = np.concatenate(([True], np.diff(ordered) > TIE_TOLERANCE * np.abs(ordered[1:])))
    far, frr = rows.rates(row * (rows.n + 1) + cuts)
    within = np.lexsort((far, far + frr, np.cumsum(new)))
    start = np.flatnonzero(new)
    return Levels(ordered[start], cuts[within], np.append(start, len(cuts)))


def choose_level(
    rows: Staircases, value: FloatArray, target: Any, how: How = "nearest", better: Better = "lower"
) -> Choice:
    """Choose the thresholds at which a measure (R, n + 1) is nearest to one target, or to each of an array.

    As ``choose_rate``; of two levels equally near the better one is taken, then the smallest FAR + FRR, then
    FAR.
    """
    target = np.ravel(np.asarray(target, dtype=np.float64))
    cut, tied = (
        np.zeros((len(value), len(target)), dtype=np.int64),
        np.ones((len(value), len(target)), np.int64),
    )
    for row in np.flatnonzero(np.isfinite(value).any(axis=1)):
        levels = levels_of(rows, value[row], int(row))
        at, other = _levels_at(levels, target, how, better)
        cut[row] = levels.cut[at]
        for i in np.flatnonzero((levels.start[at + 1] - levels.start[at] > 1) | (other >= 0)):
            several = [
                levels.members[levels.start[k] : levels.start[k + 1]] for k in {at[i], other[i]} - {-1}
            ]
            place = np.sort(np.concatenate(several)) + row * (rows.n + 1)
            tied[row, i] = _settled(rows, place, np.zeros(len(place), dtype=np.int64))[1][0]
    return Choice(cut, tied)


def _levels_at(levels: Levels, target: FloatArray, how: How, better: Better) -> tuple[IntArray, IntArray]:
    """The level of each target, and the other one where two are equally near (else -1)."""
    value, none, last = levels.value, np.full(len(target), -1), len(levels.value) - 1
    slack = TIE_TOLERANCE * np.abs(target)
    if how == "at_most":
        return np.maximum(np.searchsorted(value, target + slack, side="right") - 1, 0), none
    if how == "at_least":
        return np.minimum(np.searchsorted(value, target - slack, side="left"), last), none
    if not last:
        return np.zeros(len(target), dtype=np.int64), none
    above = np.clip(np.searchsorted(value, target), 1, last)
    below = above - 1
    middle = value[below] / 2 + value[above] / 2
    size = np.maximum(np.abs(value[below]), np.abs(value[above]))
    even = np.abs(target - middle) <= TIE_TOLERANCE * size
    up = np.where(even, better == "higher", target > middle)
    return np.where(up, above, below), np.where(even, np.where(up, below, above), none)


def best(rows: Staircases, ties: Ties, value: FloatArray, better: Better) -> Choice:
    """Choose the thresholds with the best value (shape (R, n + 1)); the first of a row without a defined one.

    Ties: ``balanced`` takes the smallest |FAR - FRR|, then FAR, then FRR; ``high`` the smallest FAR, ``low``
    the smallest FRR. So the best HTER is that of methods 7.2.
    """
    cost = _sign(better) * value
    place, of = _optimal(cost, np.abs(cost))
    far, frr = rows.rates(place)
    balance = (np.abs(far - frr),) if ties == "balanced" else ()
    return _choice(rows, *_settled(rows, place, of, *balance, *((frr, far) if ties == "low" else (far, frr))))


def break_even(
    rows: Staircases, first: FloatArray, second: FloatArray, better: tuple[Better, Better]
) -> Choice:
    """Choose the thresholds at which two values (each of shape (R, n + 1)) differ least (eq. 8).

    Ties: the better sum of the two, then the smallest FAR + FRR, then FAR. Precision and recall are both 0
    above the highest target; that break-even is worse than any other and so taken last.
    """
    place, of = _optimal(np.abs(first - second), np.abs(first) + np.abs(second))
    first, second = first.reshape(-1)[place], second.reshape(-1)[place]
    total = _sign(better[0]) * first + _sign(better[1]) * second
    worse = ~_near_least(total, np.abs(first) + np.abs(second), of)
    far, frr = rows.rates(place)
    return _choice(rows, *_settled(rows, place, of, worse.astype(np.int64), far + frr, far))


def weighted(
    rows: Staircases,
    ties: Ties,
    first: FloatArray,
    second: FloatArray,
    better: tuple[Better, Better],
    alpha: Any,
) -> Choice:
    """Choose the thresholds with the best alpha V1 + (1 - alpha) V2, for one alpha or an array.

    What is better when higher enters with a minus. Ties: ``balanced`` takes the smallest
    |alpha V1 - (1 - alpha) V2|, then FAR, then FRR; ``high`` the smallest FAR, ``low`` the smallest
    FRR. One pass over the thresholds for each alpha; memory stays that of a few columns.
    """
    columns = []
    for share in np.ravel(alpha):
        v1, v2 = first * share, second * (1 - share)
        place, of = _optimal(_sign(better[0]) * v1 + _sign(better[1]) * v2, np.abs(v1) + np.abs(v2))
        far, frr = rows.rates(place)
        keys: tuple[Any, ...] = (frr, far) if ties == "low" else (far, frr)
        if ties == "balanced":
            v1, v2 = v1.reshape(-1)[place], v2.reshape(-1)[place]
            level = _near_least(np.abs(v1 - v2), np.abs(v1) + np.abs(v2), of)
            keys = ((~level).astype(np.int64), *keys)
        columns.append(_choice(rows, *_settled(rows, place, of, *keys)))
    return Choice(*(np.hstack([getattr(each, name) for each in columns]) for name in ("cut", "tied")))


def _sign(better: Better) -> int:
    """What turns a value into a cost."""
    return 1 if better == "lower" else -1


def _optimal(cost: FloatArray, size: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the places of the least costs (shape (R, n + 1)) with their rows; ``size``: see _near_least."""
    cost = np.where(np.isfinite(cost), cost, np.inf)
    least = np.argmin(cost, axis=1)[:, None]
    size = np.maximum(size, np.take_along_axis(size, least, axis=1))
    with np.errstate(invalid="ignore"):  # a row without any defined cost
        optimal = cost - np.take_along_axis(cost, least, axis=1) <= TIE_TOLERANCE * size
    optimal[~optimal.any(axis=1), 0] = True
    place = np.flatnonzero(optimal)
    return place, place // cost.shape[1]


def _near_least(cost: FloatArray, size: FloatArray, of: IntArray) -> BoolArray:
    """Mark the costs within the tie tolerance of the least of their set; ``size``: of the terms they sum."""
    start = _starts(of)
    least = _each(np.minimum.reduceat(cost, start), of)
    at_least = np.flatnonzero(cost == least)
    of_least = _each(size[at_least[np.searchsorted(at_least, start)]], of)
    return np.asarray(cost - least <= TIE_TOLERANCE * np.maximum(size, of_least))


def choose_thresholds(
    counts: IntArray,
    low: FloatArray,
    high: FloatArray,
    choose: Callable[[Staircases], IntArray],
    at: ThresholdAt = "midpoint",
    both: bool = True,
) -> FloatArray:
    """Return the thresholds that are chosen (R, P) on rows of counts (shape (R, 2, n)).

    ``low`` and ``high`` are the lowest and highest score of every cell; a threshold lies between the trials
    that are there. A row that lacks a class is NaN where the rule needs ``both``: nothing is chosen there.
    """
    n, parts = counts.shape[2], []
    step = max(1, CELLS // n)
    for some in (counts[first : first + step] for first in range(0, len(counts), step)):
        lacking = both & (some.sum(axis=2) == 0).any(axis=1)
        rows = Staircases.of_counts(np.where(lacking[:, None, None], 1, some) if lacking.any() else some)
        below, above = rows.beside(choose(rows))
        placed = threshold_beside(high[below], low[np.minimum(above, n - 1)], at)
        placed[below < 0], placed[above == n], placed[lacking] = -np.inf, np.inf, np.nan
        parts.append(placed)
    return np.concatenate(parts)


def cross_thresholds(
    score: FloatArray,
    n_target: IntArray,
    n_nontarget: IntArray,
    rank: RankArray,
    label: BoolArray,
    fold: IntArray | RankArray,
    choose: Callable[[Staircases], IntArray],
    at: ThresholdAt = "midpoint",
    weight: IntArray | None = None,
    both: bool = True,
) -> FloatArray:
    """Return the thresholds of every fold 0..F - 1 (shape (F, P)), chosen on the trials outside it.

    ``score``, ``n_target`` and ``n_nontarget`` (shape (H,)) are the distinct scores and the trials at each;
    ``rank`` and ``label`` (shape (N,)) are the place of each trial among them, and its class. ``fold`` has
    shape (N,), or (N, 2) for pair trials, which then touch both folds. ``weight`` (shape (N,)) is what a
    trial adds to the counts, where that is not 1. See ``choose_thresholds``.
    """
    added = np.ones(len(rank), dtype=np.int64) if weight is None else weight
    cell, whole = 2 * rank.astype(np.int64) + label, np.stack([n_nontarget, n_target], axis=1)
    step, folds, parts = max(1, CELLS // len(score)), list(_members(fold)), []
    for first in range(0, len(folds), step):
        some = folds[first : first + step]
        inside = np.zeros((len(some), whole.size), dtype=np.int64)
        for row, members in zip(inside, some, strict=True):
            np.add.at(row, cell[members], added[members])  # whole weights do not go through floats
        outside = (whole.ravel() - inside).reshape(len(some), -1, 2).transpose(0, 2, 1)
        parts.append(choose_thresholds(outside, score, score, choose, at, both))
    return np.concatenate(parts)


def _members(fold: IntArray | RankArray) -> Iterator[IntArray]:
    """Yield the trials that touch each fold."""
    columns = fold.reshape(len(fold), -1).astype(np.int64)
    trial = np.broadcast_to(np.arange(len(fold))[:, None], columns.shape)
    twice = (columns == columns[:, :1]) & (np.arange(columns.shape[1]) > 0)  # both sides are one fold
    of_trial, of_fold = trial[~twice], columns[~twice]
    order = np.argsort(of_fold, kind="stable")
    ends = np.searchsorted(of_fold[order], np.arange(int(columns.max(initial=-1)) + 2))
    for first, last in pairwise(ends):
        yield of_trial[order[first:last]]
