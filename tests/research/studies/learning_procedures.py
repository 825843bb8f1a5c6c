"""Limits for learning procedures: coverage, and the level of a comparison, with training sets drawn anew.

    python -m tests.research.studies.learning_procedures [--runs N]

Gaussian classes with a common covariance are told apart by linear rules that learn from a table: linear discriminant
analysis (LDA) of all features or of half of them, the same with a strong ridge, and the single best feature. How good a rule is on
new trials is known exactly. The truth of a procedure is its mean over 5,000 training sets of the size in question;
of trainings with one training set and random halves of the features, the mean over all halves. Limits are those
of a report: ``resampled_t``, and readers' arithmetic for trainings that test the same trials.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.stats.intervals import normal, normal_p
from reporting.core.stats.readers import of_placements, reader_spread
from reporting.features.learning_procedures.formulas import resampled_t

LEVEL, FEATURES, TRUTH = 0.95, 8, 5_000
DELTA = np.array([0.7, 0.5, 0.4, 0.3, 0.7, 0.5, 0.4, 0.3])
"""The distance of the classes in each feature; both halves of the features are worth the same."""
HALVES = (slice(0, 4), slice(4, 8))


class Rule(NamedTuple):
    """A linear rule: weights, and the threshold."""

    w: FloatArray
    b: float

    def auc(self) -> float:
        """Its AUC on new trials, exactly: of a sum of normals."""
        return float(ndtr(self.w @ DELTA / (math.sqrt(2) * np.linalg.norm(self.w))))

    def accuracy(self) -> float:
        """Its share of right decisions on new trials of which half are targets."""
        size = np.linalg.norm(self.w)
        return float((ndtr(-self.b / size) + ndtr((self.w @ DELTA + self.b) / size)) / 2)


Learn = Callable[[FloatArray, BoolArray], Rule]


def lda(x: FloatArray, y: BoolArray, ridge: float = 0.0, of: Any = slice(None)) -> Rule:
    """Learn a linear discriminant of some features, with a ridge on their covariance."""
    own = x[:, of]
    one, other = own[y].mean(axis=0), own[~y].mean(axis=0)
    centred = own - np.where(y[:, None], one, other)
    covariance = centred.T @ centred / (len(y) - 2) + ridge * np.eye(own.shape[1])
    w = np.zeros(x.shape[1])
    w[of] = np.linalg.solve(covariance, one - other)
    return Rule(w, -float(w[of] @ (one + other)) / 2)


def best_feature(x: FloatArray, y: BoolArray, of: slice) -> Rule:
    """Learn which one of some features has the most distant means: another training set takes another."""
    distance = np.abs(x[y].mean(axis=0) - x[~y].mean(axis=0)) / x.std(axis=0)
    best = of.start + int(np.argmax(distance[of]))
    return lda(x, y, of=[best])


PAIRS: dict[str, tuple[Learn, Learn]] = {
    "equally good": (partial(lda, of=HALVES[0]), partial(lda, of=HALVES[1])),
    "equally good, one feature": (
        partial(best_feature, of=HALVES[0]),
        partial(best_feature, of=HALVES[1]),
    ),
    "ridge or plain": (partial(lda, ridge=10.0), lda),
}
"""Two procedures each; those that are equally good are exchangeable."""


DESIGNS = (100, 5), (100, 10), (400, 10)
"""Trials of a table, and folds."""


def drawn(random: np.random.Generator, n: int) -> tuple[FloatArray, BoolArray]:
    """Draw n trials, every second a target, in an order of their own."""
    y = random.permutation(n) % 2 == 0
    return random.normal(size=(n, FEATURES)) + y[:, None] * DELTA, y


def area(score: FloatArray, y: BoolArray) -> float:
    """The share of pairs in order; scores have no ties."""
    return float((score[y][:, None] > score[~y]).mean())


MEASURES: dict[str, tuple[Callable[[Rule], float], Callable[[Rule, FloatArray, BoolArray], float]]] = {
    "AUC": (Rule.auc, lambda rule, x, y: area(x @ rule.w, y)),
    "accuracy": (Rule.accuracy, lambda rule, x, y: float(((x @ rule.w + rule.b > 0) == y).mean())),
}


def partitions(random: np.random.Generator, y: BoolArray, k: int, repeats: int) -> Iterator[Any]:
    """Yield stratified partitions into k folds."""
    for _ in range(repeats):
        fold = np.empty(len(y), dtype=np.int64)
        for members in (np.flatnonzero(y), np.flatnonzero(~y)):
            fold[random.permutation(members)] = np.arange(len(members)) % k
        yield fold


def cross_validated(seed: int, n: int, k: int, repeats: int, pair: str) -> FloatArray:
    """Return estimates of both procedures by measure and fold, shape (2, measures, k * repeats)."""
    random = np.random.default_rng(seed)
    x, y = drawn(random, n)
    values = []
    for fold in partitions(random, y, k, repeats):
        for number in range(k):
            test = fold == number
            rules = [learn(x[~test], y[~test]) for learn in PAIRS[pair]]
            values.append([[of(rule, x[test], y[test]) for _, of in MEASURES.values()] for rule in rules])
    return np.moveaxis(np.array(values), 0, -1)


def truths(n: int, pair: str) -> FloatArray:
    """Return the mean of each procedure and measure over training sets of a size, shape (2, measures)."""
    random = np.random.default_rng(n)
    sums = np.zeros((2, len(MEASURES)))
    for _ in range(TRUTH):
        table = drawn(random, n)
        sums += [[exact(learn(*table)) for exact, _ in MEASURES.values()] for learn in PAIRS[pair]]
    return sums / TRUTH


def _held(values: FloatArray, ratio: float, truth: float) -> tuple[bool, bool]:
    """Return whether limits hold the truth, and whether p is at most .05."""
    mean = resampled_t(values, ratio, LEVEL)
    if mean is None:
        return False, False
    return mean.low <= truth <= mean.high, mean.p_value <= 1 - LEVEL


def over_folds(runs: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """Yield a row of the table for each design and measure."""
    for pair, (n, k), repeats in itertools.product(PAIRS, DESIGNS, (1, 10)):
        truth, ratio = truths(n * (k - 1) // k, pair), 1 / (k - 1)
        work = partial(cross_validated, n=n, k=k, repeats=repeats, pair=pair)
        tables = list(pool.map(work, range(runs), chunksize=20))
        for at, measure in enumerate(MEASURES):
            cells = [f"{pair}, {n} trials, {k} folds x {repeats}", measure]
            for rows, true in (
                ([of[0, at] for of in tables], truth[0, at]),
                ([of[0, at] - of[1, at] for of in tables], truth[0, at] - truth[1, at]),
            ):
                for by in (0.0, ratio):
                    cells.append(f"{np.mean([_held(row, by, true)[0] for row in rows]):.3f}")
            if pair.startswith("equally good"):
                differences = [of[0, at] - of[1, at] for of in tables]
                cells += [
                    f"{np.mean([_held(row, by, 0.0)[1] for row in differences]):.3f}" for by in (0.0, ratio)
                ]
            else:
                cells += ["", ""]
            yield f"| {' | '.join(cells)} |"


def placements(score: FloatArray, y: BoolArray) -> FloatArray:
    """Return for each trial the share of the other class that it is right against."""
    right = score[y][:, None] > score[~y]
    placed = np.empty(len(y))
    placed[y], placed[~y] = right.mean(axis=1), right.mean(axis=0)
    return placed


HALF = [list(of) for of in itertools.combinations(range(FEATURES), FEATURES // 2)]
"""Every half of the features that a training may draw."""


def trained(seed: int, n: int, tested: int, trainings: int) -> list[bool]:
    """Return whether limits hold the AUC of a procedure, and the difference of two: three kinds each.

    Kinds: by the spread of trainings alone, for new trials alone, for both. The last: whether both claim a difference
    of the two procedures, which is that of a procedure and itself.
    """
    random = np.random.default_rng(seed)
    (x, y), (new, label) = drawn(random, n), drawn(random, tested)
    every = [lda(x, y, of=of) for of in HALF]
    truth = float(np.mean([rule.auc() for rule in every]))
    variance, held = of_placements(label, 1.0), []
    both = [[every[at] for at in random.integers(len(every), size=trainings)] for _ in range(2)]
    placed = [[placements(new @ rule.w, label) for rule in rules] for rules in both]
    areas = [[np.array([of[label].mean()]) for of in each] for each in placed]
    differences = [a - b for a, b in zip(*areas, strict=True)]
    apart = [a - b for a, b in zip(*placed, strict=True)]
    p_values = []
    for values, noise, true in ((areas[0], placed[0], truth), (differences, apart, 0.0)):
        mean, of_runs = float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(trainings)
        of_trials = float(np.sqrt(variance(np.mean(noise, axis=0))[0]))
        spread = reader_spread(values, noise, variance)
        errors = ((of_runs, trainings - 1.0), (of_trials, None), (float(spread.se[0]), float(spread.df[0])))
        for se, df in errors:
            low, high = normal(mean, se, LEVEL, df)
            held.append(low <= true <= high)
        p_values = [normal_p(mean, se, df) for se, df in errors]
    return [*held, *(p <= 1 - LEVEL for p in p_values)]


def over_trainings(runs: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """Yield a row of the table for each number of trials and trainings."""
    for tested, trainings in itertools.product((100, 1000), (3, 5, 10)):
        work = partial(trained, n=200, tested=tested, trainings=trainings)
        shares = np.mean(list(pool.map(work, range(runs), chunksize=20)), axis=0)
        yield f"| {tested} trials, {trainings} trainings | {' | '.join(f'{share:.3f}' for share in shares)} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.workers) as pool:
        for row in over_folds(given.runs, pool):
            print(row, flush=True)
        for row in over_trainings(2 * given.runs, pool):
            print(row, flush=True)


if __name__ == "__main__":
    main()
