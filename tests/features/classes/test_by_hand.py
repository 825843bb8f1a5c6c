"""Eight trials of three classes by hand: ties in scores, and in the highest of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from reporting.features.classes import formulas
from reporting.features.classes.frame import CALIBRATION, CLASSES, CONFUSION
from tests.build import Built, build

TRIALS = """
    a .6 .3 .1
    a .4 .4 .2
    a .2 .5 .3
    b .3 .6 .1
    b .4 .2 .4
    c .1 .3 .6
    c .2 .2 .6
    c .5 .3 .2
"""
ROWS = [
    {"trial": f"t{at}", "label": label, **{f"m_{of}": float(p) for of, p in zip("abc", scores, strict=True)}}
    for at, (label, *scores) in enumerate(line.split() for line in TRIALS.strip().splitlines())
]
CONFIG = """
    trials:
      source: trials.parquet
      layout: wide
      scores: {m: m_a}
      values: {target: a, nontarget: rest}
    thresholds: {policy: none}
    primary: {measure: auc}
    measures: [auc]
    classes: {labels: [a, b, c], scores: "{model}_{class}", measures: [jaccard, npv, recall, kappa, brier, gini]}
"""
BY_CLASS = {
    "auc": (Fraction(2, 3), Fraction(13, 24), Fraction(5, 6)),
    "recall": (Fraction(2, 3), Fraction(1, 2), Fraction(2, 3)),
    "precision": (Fraction(1, 2), Fraction(1, 2), Fraction(1)),
    "specificity": (Fraction(3, 5), Fraction(5, 6), Fraction(1)),
    "f1": (Fraction(4, 7), Fraction(1, 2), Fraction(4, 5)),
    "jaccard": (Fraction(2, 5), Fraction(1, 3), Fraction(2, 3)),
    "npv": (Fraction(3, 4), Fraction(5, 6), Fraction(5, 6)),
    # Observed agreement 5/8, 3/4 and 7/8; by chance 1/2, 5/8 and 9/16.
    "kappa": (Fraction(1, 4), Fraction(1, 3), Fraction(5, 7)),
    "brier": (Fraction(171, 800), Fraction(19, 100), Fraction(127, 800)),
    "gini": (Fraction(1, 3), Fraction(1, 12), Fraction(2, 3)),
}
TOGETHER = {
    ("auc", "macro"): Fraction(49, 72),
    ("auc", "weighted"): Fraction(67, 96),
    ("auc", "micro"): Fraction(45, 64),
    ("accuracy", "micro"): Fraction(5, 8),
    ("recall", "macro"): Fraction(11, 18),
    ("recall", "weighted"): Fraction(5, 8),
    ("precision", "macro"): Fraction(2, 3),
    ("f1", "macro"): Fraction(131, 210),
    ("calibration_error", "top_label"): Fraction(7, 20),
    ("jaccard", "macro"): Fraction(7, 15),
    ("jaccard", "weighted"): Fraction(29, 60),
    ("npv", "macro"): Fraction(29, 36),
    # Micro: 5 trials right, 3 wrong, each a miss of one class and a false alarm of another, 13 right rejections.
    ("jaccard", "micro"): Fraction(5, 11),
    ("npv", "micro"): Fraction(13, 16),
    ("recall", "micro"): Fraction(5, 8),
    ("kappa", "micro"): Fraction(7, 16),
    ("brier", "macro"): Fraction(3, 16),
    ("brier", "micro"): Fraction(3, 16),
    ("gini", "micro"): Fraction(13, 32),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("classes"), ROWS, CONFIG)


def test_measures_of_every_class_and_their_means(built: Built) -> None:
    values = {(row.measure, row.average, row.label): row.value for row in built.rows(CLASSES)}
    for measure, of_classes in BY_CLASS.items():
        found = [values[measure, "class", label] for label in "abc"]
        assert found == pytest.approx([float(value) for value in of_classes], abs=1e-15), measure
    for (measure, average), value in TOGETHER.items():
        assert values[measure, average, None] == pytest.approx(float(value), abs=1e-15), (measure, average)
    assert values["ap_step", "class", "a"] == pytest.approx(9 / 14, abs=1e-15)
    assert values["calibration_error", "class", "a"] == pytest.approx(21 / 80, abs=1e-15)
    assert {row.ties for row in built.rows(CLASSES)} == {2}


def test_the_first_of_two_equally_high_scores_decides(built: Built) -> None:
    trials = {(row.label, row.predicted): row.trials for row in built.rows(CONFUSION)}
    assert [[trials[of, taken] for taken in "abc"] for of in "abc"] == [[2, 1, 0], [1, 1, 0], [1, 0, 2]]
    row = next(row for row in built.rows(CONFUSION) if (row.label, row.predicted) == ("a", "a"))
    # Wilson's limits of 2 of 3.
    z = 1.959963984540054
    middle, half = (2 / 3 + z * z / 6) / (1 + z * z / 3), z * (2 / 27 + z * z / 36) ** 0.5 / (1 + z * z / 3)
    assert (row.ci_low, row.ci_high) == pytest.approx((middle - half, middle + half))


def test_bins_of_the_highest_probability(built: Built) -> None:
    top = [row for row in built.rows(CALIBRATION) if row.label is None]
    bins = {row.low: (row.trials, row.probability, row.frequency) for row in top}
    assert bins == {
        0.4: (2, pytest.approx(0.4), 0.5),
        0.5: (2, pytest.approx(0.5), 0.0),
        0.6: (4, pytest.approx(0.6), 1.0),
    }


def test_any_order_of_rows_gives_the_same_bytes(built: Built, tmp_path: Path) -> None:
    turned = build(tmp_path, ROWS[::-1], CONFIG)
    for frame in (CLASSES, CONFUSION, CALIBRATION):
        assert turned.frames[frame.name].equals(built.frames[frame.name], null_equal=True)


def test_limits_of_a_calibration_error_by_hand() -> None:
    """Of 100 trials with probability .9, 75 are right: d = .15, and its variance .25 x .75 / 100.

    One bin errs by a half-normal number, whose 97.5% quantile is that of |z|, 2.2414; the gamma is near it.
    The skewness of .75 - .25 shares moves the upper limit by (2 z² + 1) / 6 of .5 / 100.
    """
    stated = [formulas.Forecasts(np.full(100, 0.9), np.arange(100) < 75)]
    se = (0.25 * 0.75 / 100) ** 0.5
    low, high = formulas.limits_of_errors(stated, np.arange(100), None, 1.959964, clustered=False)
    skewed = (2 * 1.959964**2 + 1) / 6 * (0.75 - 0.25) / 100
    assert high == pytest.approx(0.15 + 1.959964 * se + skewed, rel=1e-12)
    assert low == pytest.approx(0.15 - 2.2414 * se, abs=0.1 * se)
    # Four copies of each trial as clusters are one trial each, and so are weights of one.
    of_four = [formulas.Forecasts(np.full(400, 0.9), np.arange(400) < 300)]
    unit = np.arange(400) // 4
    assert formulas.limits_of_errors(of_four, unit, None, 1.959964, clustered=False) == pytest.approx(
        (low, high)
    )
    weight = np.full(100, 3)
    again = formulas.limits_of_errors(stated, np.arange(100), weight, 1.959964, clustered=False)
    assert again == pytest.approx((low, high))


def test_a_calibration_error_without_any_wrong_label_may_still_be_one() -> None:
    """All of 50 certain labels are right: a share 1 - .025^(1/50) may be wrong."""
    stated = [formulas.Forecasts(np.ones(50), np.ones(50, dtype=bool))]
    low, high = formulas.limits_of_errors(stated, np.arange(50), None, 1.959963984540054, clustered=False)
    assert (low, high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 50)))


def test_right_probabilities_without_a_wrong_label_may_be_right() -> None:
    """All of 50 labels of probability .98 are right, as .36 of such tables: the error may be 0."""
    stated = [formulas.Forecasts(np.full(50, 0.98), np.ones(50, dtype=bool))]
    low, _ = formulas.limits_of_errors(stated, np.arange(50), None, 1.959963984540054, clustered=False)
    assert low == 0
    # Of .5 none would be; Wilson's limit of 50 of 50 is 50 / (50 + z²), whose variance counts.
    stated = [formulas.Forecasts(np.full(50, 0.5), np.ones(50, dtype=bool))]
    low, _ = formulas.limits_of_errors(stated, np.arange(50), None, 1.959963984540054, clustered=False)
    share = 50 / (50 + 1.959963984540054**2)
    se = (share * (1 - share) / 50) ** 0.5
    assert low == pytest.approx(0.5 - 2.2414 * se, abs=0.1 * se)
