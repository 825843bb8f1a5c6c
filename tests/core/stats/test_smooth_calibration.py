import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reporting.core.stats import smooth_calibration as smooth
from reporting.core.stats.smooth_calibration import calibration_gaps, fit, smoothing_bias, table_of
from reporting.core.stats.special import expit, logit
from reporting.core.stats.staircase import group_ties

INDICES = {name: getattr(smooth, name) for name in ("ici", "e50", "e90", "emax", "eci")}
MEANS = ("ici", "e50", "e90", "emax")
GRADES = st.sampled_from([k / 16 for k in range(17)]) | st.integers(0, 1024).map(lambda k: k / 1024)
"""Probabilities with exact complements."""


@st.composite
def tables(draw, most=30):
    """Probabilities, tied more often than not, with trials of both classes."""
    score = draw(st.lists(GRADES, min_size=2, max_size=most))
    label = draw(st.lists(st.booleans(), min_size=len(score), max_size=len(score)))
    assume(any(label) and not all(label))
    return group_ties(np.array(score), np.array(label))[:3]


def indices(*table, **parameters):
    return {name: float(index(*table, **parameters)) for name, index in INDICES.items()}


def test_two_probabilities_by_hand():
    """Two distinct probabilities: the curve is the line through both observed frequencies.

    Of 5 trials at 1/5 two are targets, of 5 at 3/5 three: the gaps are 1/5, five times, and 0, five times.
    """
    found = indices([0.2, 0.6], [2, 3], [3, 2])
    mean = (5 * Fraction(1, 5) + 5 * 0) / 10
    assert found == {
        "ici": pytest.approx(float(mean), abs=1e-15),
        "e50": pytest.approx(float(Fraction(1, 5) / 2), abs=1e-15),  # between the fifth and the sixth of ten
        "e90": pytest.approx(0.2, abs=1e-15),
        "emax": pytest.approx(0.2, abs=1e-15),
        "eci": pytest.approx(float(100 * 5 * Fraction(1, 25) / 10), abs=1e-13),
    }


def loess_by_fractions(rows):
    """The curve of (probability, outcome) rows at every distinct probability, in exact arithmetic.

    Row by row, from the definition: vertices by halving at medians, windows of three quarters of the rows,
    tricube weights, weighted normal equations by Cramer's rule, cubics between vertices.
    """
    rows = sorted((Fraction(p), y) for p, y in rows)
    x = [p for p, _ in rows]
    n = len(rows)
    beyond = (x[-1] - x[0]) / 200
    vertices = {x[0] - beyond, x[-1] + beyond}
    cells = [(0, n - 1, x[0] - beyond, x[-1] + beyond)]
    while cells:
        first, last, left, right = cells.pop()
        if 20 * (last - first + 1) <= 3 * n:  # .75 times .2
            continue
        at = (first + last + 2) // 2 - 1  # the median, counted from 1, as (first + last) // 2
        assert x[at] != x[at + 1]
        if x[at] in (left, right):
            continue
        vertices.add(x[at])
        cells += [(first, at, left, x[at]), (at + 1, last, x[at], right)]
    vertices = sorted(vertices)
    local = {vertex: _local_fit(rows, vertex, 3 * n // 4) for vertex in vertices}

    def curve(p):
        right = next(i for i, vertex in enumerate(vertices) if vertex >= p)
        a, b = vertices[right - 1], vertices[right]
        u = (p - a) / (b - a)
        (value0, slope0), (value1, slope1) = local[a], local[b]
        return (
            (1 - u) ** 2 * (1 + 2 * u) * value0
            + u**2 * (3 - 2 * u) * value1
            + (b - a) * u * (1 - u) * ((1 - u) * slope0 - u * slope1)
        )

    return {p: min(max(curve(p), Fraction(0)), Fraction(1)) for p in x}


def _local_fit(rows, vertex, q):
    window = sorted(abs(p - vertex) for p, _ in rows)[q - 1]
    weighted = [
        ((1 - (abs(p - vertex) / window) ** 3) ** 3, p - vertex, y)
        for p, y in rows
        if abs(p - vertex) < window
    ]
    moment = [sum(w * u**k for w, u, _ in weighted) for k in range(5)]
    right = [sum(w * u**k * y for w, u, y in weighted) for k in range(3)]
    matrix = [[moment[i + j] for j in range(3)] for i in range(3)]
    whole = _determinant(matrix)
    replaced = [
        _determinant([[right[i] if j == column else matrix[i][j] for j in range(3)] for i in range(3)])
        for column in (0, 1)
    ]
    return replaced[0] / whole, replaced[1] / whole


def _determinant(m):
    return (
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    )


@pytest.mark.parametrize("n", [8, 12, 16, 25])
def test_the_curve_in_exact_fractions(n):
    """Dyadic probabilities, which floats hold exactly, and outcomes by an arithmetic rule."""
    rows = [(Fraction(k * k, 1024), int(k * 7 % 5 < 2)) for k in range(1, n + 1)]
    exact = loess_by_fractions(rows)
    p, y = np.array([float(p) for p, _ in rows]), np.array([y for _, y in rows])
    curve = fit(table_of(p, y, 1 - y)).at(p)[0]
    assert curve == pytest.approx([float(exact[Fraction(v)]) for v in p], abs=1e-12)
    gaps = sorted(abs(exact[p] - p) for p, _ in rows)
    found = indices(p, y, 1 - y)
    assert found["ici"] == pytest.approx(float(sum(gaps) / n), abs=1e-12)
    assert found["eci"] == pytest.approx(float(100 * sum(g * g for g in gaps) / n), abs=1e-10)
    assert found["emax"] == pytest.approx(float(gaps[-1]), abs=1e-12)
    for name, share in (("e50", Fraction(1, 2)), ("e90", Fraction(9, 10))):
        at = (n - 1) * share
        low, rest = at.numerator // at.denominator, at - at.numerator // at.denominator
        between = gaps[low] + rest * (gaps[min(low + 1, n - 1)] - gaps[low])
        assert found[name] == pytest.approx(float(between), abs=1e-12)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=12, unique=True), st.data())
def test_tables_that_come_true_have_no_gap(grades, data):
    """At every grade k / 20 of 20 m trials are 20 m k / 20 targets: any local fit reproduces the line."""
    assume(set(grades) - {0, 20})
    k = np.array(sorted(grades))
    size = 20 * np.array(data.draw(st.lists(st.integers(1, 40), min_size=len(k), max_size=len(k))))
    targets = size * k // 20
    assert max(indices(k / 20, targets, size - targets).values()) < 1e-9


@given(tables())
def test_the_order_of_the_indices(table):
    found = indices(*table)
    assert 0 <= found["e50"] <= found["e90"] + 1e-15 <= found["emax"] + 1e-14 <= 1 + 1e-14
    assert found["ici"] <= found["emax"] + 1e-15
    # Jensen: the mean square is at least the square of the mean.
    assert found["ici"] ** 2 <= found["eci"] / 100 + 1e-12 <= found["emax"] ** 2 + 2e-12


@given(tables(), st.integers(2, 5))
def test_rows_that_are_merged_count_as_rows(table, times):
    """Weights are repeated rows: split over equal probabilities, in any order, they count the same."""
    p, targets, nontargets = table
    once = indices(p, times * targets, times * nontargets)
    repeated = np.concatenate([p] * times)
    again = indices(repeated, np.tile(targets, times), np.tile(nontargets, times))
    assert again == once
    shuffled = np.random.default_rng(0).permutation(len(repeated))
    rows = (values[shuffled] for values in (repeated, np.tile(targets, times), np.tile(nontargets, times)))
    assert indices(*rows) == once


@given(tables())
def test_classes_turned_round_with_their_probabilities(table):
    """1 - p of the other class mirrors every local fit; medians are counted from below, so vertices differ."""
    p, targets, nontargets = table
    own, mirrored = table_of(p, targets, nontargets), table_of(1 - p, nontargets, targets)
    vertex = np.array([[float(p[0]) - 0.01, float(p[-1]) + 0.01]])
    value, slope = smooth.local_fits(own, vertex)
    value_of_mirrored, slope_of_mirrored = smooth.local_fits(mirrored, 1 - vertex)
    assert value_of_mirrored == pytest.approx(1 - value, abs=1e-6)
    assert slope_of_mirrored == pytest.approx(slope, rel=1e-5, abs=1e-5)


@given(tables())
def test_declaring_the_share_of_the_sample_changes_nothing(table):
    sample = float(table[1].sum() / (table[1].sum() + table[2].sum()))
    plain, declared = indices(*table), indices(*table, prevalence=sample)
    assert declared == {name: pytest.approx(value, abs=1e-7) for name, value in plain.items()}


def test_a_declared_share_by_hand():
    """2 and 3 of 5 targets, 3 and 2 of 5 non-targets, at 1/5 and 3/5; 1 of 10 of a population are targets.

    Of the trials at 1/5 (2/5)(1/10) / ((2/5)(1/10) + (3/5)(9/10)) = 4/58 are then targets, at 3/5 6/42, and
    58 and 42 of 100 trials are there.
    """
    gaps = [abs(Fraction(4, 58) - Fraction(1, 5)), abs(Fraction(6, 42) - Fraction(3, 5))]
    found = indices([0.2, 0.6], [2, 3], [3, 2], prevalence=0.1)
    assert found["ici"] == pytest.approx(float((58 * gaps[0] + 42 * gaps[1]) / 100), abs=1e-15)
    assert found["emax"] == pytest.approx(float(gaps[1]), abs=1e-15)


def test_replicates_are_tables_of_their_own():
    rng = np.random.default_rng(1)
    p = np.sort(rng.uniform(size=40)).round(2)
    targets = rng.binomial(3, p, size=(5, 40))
    nontargets = rng.binomial(2, 0.5, size=(5, 40))
    for name, index in INDICES.items():
        rows = [float(index(p, t, m)) for t, m in zip(targets, nontargets, strict=True)]
        assert index(p, targets, nontargets) == pytest.approx(rows, abs=1e-14), name
        stacked = index(p, targets.reshape(1, 5, 40), nontargets.reshape(1, 5, 40))
        assert stacked.shape == (1, 5)


def test_constant_and_extreme_probabilities():
    """One probability: the curve is the share of targets. Those of 0 and 1 are as good as any other."""
    assert indices([0.3], [4], [6])["ici"] == pytest.approx(0.1, abs=1e-15)
    assert indices([0.0], [4], [6])["emax"] == pytest.approx(0.4, abs=1e-15)
    assert indices([0.0, 1.0], [0, 6], [6, 0])["emax"] == pytest.approx(0, abs=1e-15)
    assert indices([0.0, 1.0], [6, 0], [0, 6])["ici"] == pytest.approx(1, abs=1e-15)


def test_an_empty_class_leaves_all_undefined():
    for index in INDICES.values():
        values = index([0.2, 0.6], [[1, 3], [0, 0], [0, 0]], [[2, 2], [1, 5], [0, 0]])
        assert np.isnan(values).tolist() == [False, True, True]
        assert np.isnan(index([], [], []))


def test_a_million_distinct_probabilities():
    """The cost grows with the trials: minutes or gigabytes would show here."""
    rng = np.random.default_rng(2)
    p = np.sort(rng.uniform(size=10**6))
    targets = (rng.uniform(size=p.shape) < p**1.2).astype(np.int64)
    found = indices(p, targets, 1 - targets)
    truth = np.abs(p**1.2 - p)
    assert found["ici"] == pytest.approx(truth.mean(), abs=2e-3)
    assert found["e90"] == pytest.approx(np.quantile(truth, 0.9), abs=4e-3)


LOESS = """
rows <- read.csv(file("stdin"))
for (case in unique(rows$case)) {
  d <- rows[rows$case == case, ]
  frequency <- pmin(pmax(fitted(suppressWarnings(loess(y ~ p, data = d))), 0), 1)
  gap <- abs(frequency - d$p)
  numbers <- c(mean(gap), median(gap), quantile(gap, .9), max(gap), 100 * mean((frequency - d$p)^2), frequency)
  cat(format(numbers, digits = 17, scientific = TRUE), "\\n")
}
"""


def outcomes(n, kind, rng):
    """Probabilities of one kind with outcomes that they overstate, in random order."""
    p = rng.beta(0.5, 3, size=n) if kind == "skewed" else rng.uniform(size=n)
    digits = {"hundredths": 2, "tenths": 1}.get(kind)
    p = p if digits is None else p.round(digits)
    y = (rng.uniform(size=n) < p**1.5).astype(int)
    y[:2] = 0, 1
    return p, y


def test_every_index_as_by_loess_of_r():
    """``loess(y ~ p)`` with its defaults, from which Austin and Steyerberg, and CalibrationCurves, take them."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is missing")
    rng = np.random.default_rng(4)
    cases = [
        outcomes(n, kind, rng)
        for n in (10, 13, 37, 100, 501, 1500)
        for kind in ("plain", "hundredths", "tenths", "skewed")
    ]
    text = "case,p,y\n" + "".join(
        f"{k},{float(p)!r},{y}\n" for k, case in enumerate(cases) for p, y in zip(*case, strict=True)
    )
    ran = subprocess.run([rscript, "-e", LOESS], input=text, capture_output=True, text=True, check=True)
    for line, (p, y) in zip(ran.stdout.splitlines(), cases, strict=True):
        numbers = np.array(line.split(), dtype=float)
        table = group_ties(p, y.astype(bool))[:3]
        assert list(indices(*table).values()) == pytest.approx(numbers[:5], abs=1e-9)
        assert fit(table_of(*table)).at(p)[0] == pytest.approx(numbers[5:], abs=1e-9)


def test_gaps_have_the_size_of_the_table():
    gaps = calibration_gaps([0.6, 0.2, 0.2], [3, 1, 1], [2, 2, 1])
    assert gaps.size.shape == (1, 2)
    assert gaps.weight.tolist() == [[5, 5]]


def test_calibrated_probabilities_have_no_smoothing_bias():
    """Targets at p = k/10 that are exactly k of 10: the line is the diagonal, which the curve repeats."""
    p = np.arange(1, 10) / 10
    table = table_of(p, np.arange(1, 10), 10 - np.arange(1, 10))
    assert smoothing_bias(table, np.linspace(0.1, 0.9, 17)) == pytest.approx(0, abs=1e-9)


def test_the_smoothing_bias_is_that_of_frequencies_on_the_line():
    """Of logits that are stated 1.5 times too far the frequencies are known, and so is what smoothing makes."""
    p = np.arange(1, 60) / 60
    true = expit(logit(p) / 1.5)
    targets = (10**7 * true).round().astype(np.int64)
    table, grid = table_of(p, targets, 10**7 - targets), np.linspace(1 / 60, 59 / 60, 30)
    bias = smoothing_bias(table, grid)
    assert bias == pytest.approx(fit(table).unbounded(grid)[0] - expit(logit(grid) / 1.5), abs=1e-6)
    assert bias[0] > 0.02  # the frequency falls to 0 faster than a parabola
    assert bias[-1] < -0.02


@pytest.mark.parametrize(
    ("p", "n_target", "n_nontarget"),
    [([0.2, 0.7], [0, 5], [5, 0]), ([0.4], [3], [2]), ([0.0, 1.0], [1, 2], [2, 1])],
)
def test_no_smoothing_bias_without_a_line(p, n_target, n_nontarget):
    assert smoothing_bias(table_of(p, n_target, n_nontarget), np.array([0.1, 0.5])).tolist() == [0, 0]


@given(tables(), st.integers(0, 2**32 - 1))
def test_what_calibrated_probabilities_would_have_does_not_depend_on_the_order_of_cells(table, seed):
    """A map that falls states the probabilities of ascending scores in descending order."""
    p, targets, nontargets = table
    again = np.random.default_rng(seed).integers(1, 3, size=(3, len(p)))
    read = []
    for order in (slice(None), slice(None, None, -1)):
        reader = smooth.CalibratedReader(p[order], None, table_of(p, targets, nontargets).curve)
        misses = np.pad(np.cumsum((again * targets)[:, order], axis=1), ((0, 0), (1, 0)))
        kept = np.pad(np.cumsum((again * nontargets)[:, order], axis=1), ((0, 0), (1, 0)))
        read.append(reader(misses, kept[:, -1:] - kept))
    np.testing.assert_array_equal(*read)


def test_cells_that_a_map_makes_one_probability_are_read_as_one():
    own = table_of([0.25, 0.5], [1, 1], [2, 1]).curve
    reader = smooth.CalibratedReader(np.array([0.5, 0.25, 0.25]), None, own)
    merged = smooth.CalibratedReader(np.array([0.25, 0.5]), None, own)
    misses, alarms = np.array([[0, 1, 2, 2]]), np.array([[3, 2, 1, 0]])
    np.testing.assert_array_equal(
        reader(misses, alarms), merged(np.array([[0, 1, 2]]), np.array([[3, 1, 0]]))
    )
