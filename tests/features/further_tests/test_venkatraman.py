import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_r import printed_by_r
from scipy.stats import rankdata
from tied import labelled, score_lists

from reporting.core.stats.staircase import group_ties
from reporting.features.further_tests.permutation import equal_curves

ASAH = """
suppressMessages(library(pROC)); data(aSAH); set.seed(1)
roc_of <- function(name) roc(aSAH$outcome, as.numeric(aSAH[[name]]),
                             levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
test <- roc.test(roc_of("s100b"), roc_of("ndka"), method = "venkatraman", boot.n = 300, progress = "none")
cat(as.integer(aSAH$outcome == "Poor"), "\\n", aSAH$s100b, "\\n", aSAH$ndka, "\\n")
cat(test$statistic, test$p.value, "\\n")
"""


def ranks(score, label):
    return group_ties(np.asarray(score, dtype=float), label)[3]


def distance(first, second, label):
    """The statistic from its definition: errors of either model at every cut."""
    n = len(label)

    def errors(rank, k):
        return (label & (rank <= k)).sum() + (~label & (rank > k)).sum()

    return sum(abs(int(errors(first, k)) - int(errors(second, k))) for k in range(1, n))


def exact_p(first, second, label, unit=None):
    """P(E* >= E) over all exchanges and all orders of the ties they make; ranks without ties."""
    n, observed, share = len(label), distance(first, second, label), 0.0
    unit = np.arange(n) if unit is None else np.asarray(unit)
    units = unit.max() + 1
    for which in itertools.product((False, True), repeat=units):
        exchanged = np.array(which)[unit]
        a = np.where(exchanged, second, first).astype(float)
        b = np.where(exchanged, first, second).astype(float)
        # A rank that one model has twice the other lacks: the two trials come in either order.
        twice = [(np.flatnonzero(x == k), x) for x in (a, b) for k in range(1, n + 1) if (x == k).sum() == 2]
        for sides in itertools.product((0, 1), repeat=len(twice)):
            for (at, x), side in zip(twice, sides, strict=True):
                x[at] = np.floor(x[at[0]]) + np.array([0.0, 0.5][:: 1 if side else -1])
            far = distance(rankdata(a, "ordinal"), rankdata(b, "ordinal"), label) >= observed
            share += far / 2 ** (units + len(twice))
    return share


def test_hand_case():
    """Labels by rank 0 1 against 1 0 differ in two errors at the one cut; every exchange keeps or mends that."""
    label = np.array([False, True])
    found = equal_curves(ranks([1, 2], label), ranks([2, 1], label), label, 4000, np.random.default_rng(1))
    assert found.statistic == 2
    # None or both exchanged: E* = 2. One exchanged: both trials have one rank in either model, in random
    # order, E* = 0 or 2 alike.
    assert exact_p(np.array([1, 2]), np.array([2, 1]), label) == 0.75
    assert found.p == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_p_is_that_of_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    label = np.array([True] * 3 + [False] * 3)
    first, second = rng.permutation(6), rng.permutation(6)
    found = equal_curves(first, second, label, 4000, rng)
    assert found.statistic == distance(first + 1, second + 1, label)
    assert found.p == pytest.approx(exact_p(first + 1, second + 1, label), abs=0.025)
    unit = np.array([0, 1, 0, 1, 0, 1])
    found = equal_curves(first, second, label, 4000, rng, unit)
    assert found.p == pytest.approx(exact_p(first + 1, second + 1, label, unit), abs=0.025)


@given(score_lists(), score_lists(), st.integers(0, 1000))
def test_laws(targets, nontargets, seed):
    score, label = labelled(targets, nontargets)
    rng = np.random.default_rng(seed)
    other = score + rng.integers(-2, 3, len(score))

    def test(a, b, y):
        return equal_curves(ranks(a, y), ranks(b, y), y, 19, np.random.default_rng(seed))

    found = test(score, other, label)
    assert found.statistic % 2 == 0
    assert 1 / 20 <= found.p <= 1
    assert test(other, score, label) == found
    assert test(np.exp(score), 3 * other - 1, label) == found
    assert test(score, other, ~label) == found
    assert test(score, score, label) == (0, 1)
    without_ties = np.arange(len(score)), rng.permutation(len(score))
    d = distance(without_ties[0] + 1, without_ties[1] + 1, label)
    assert equal_curves(*without_ties, label, 1, rng).statistic == d


def test_one_class_has_no_curve():
    label, rank = np.ones(4, dtype=bool), np.arange(4)
    for y in (label, ~label):
        assert np.isnan(equal_curves(rank, rank, y, 9, np.random.default_rng(0))).all()


def test_patients_as_by_proc():
    """The statistic to the count, p within Monte Carlo error; both break the ties of scores by row."""
    poor, s100b, ndka, (statistic, p) = (
        np.array(line.split(), dtype=float) for line in printed_by_r(ASAH).splitlines()
    )
    first, second = (rankdata(score, method="ordinal") for score in (s100b, ndka))
    found = equal_curves(first, second, poor == 1, 4000, np.random.default_rng(1))
    assert found.statistic == statistic
    assert found.p == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) * (1 / 300 + 1 / 4000)))


def test_crossing_curves_of_one_area_are_told_apart():
    """Targets of one mean difference in standard units but another spread: the areas agree, the curves do not."""
    rng = np.random.default_rng(3)
    label = np.arange(200) < 80
    noise = rng.normal(size=(2, 200))
    narrow = np.where(label, 1.0 + 0.3 * noise[0], noise[0])
    wide = np.where(label, 1.8 + 2.0 * noise[1], noise[1])
    areas = [(s[label][:, None] > s[~label]).mean() for s in (narrow, wide)]
    assert abs(areas[0] - areas[1]) < 0.05
    assert equal_curves(ranks(narrow, label), ranks(wide, label), label, 199, rng).p == 1 / 200


@pytest.mark.parametrize(("values", "units"), [(None, None), (4, None), (None, 20)])
def test_size_of_exchangeable_models(values, units):
    """Without and with tied scores, and with trials that hang together in units."""
    rng = np.random.default_rng(11)
    label, rejected, runs = np.arange(60) % 3 == 0, 0, 300
    for _ in range(runs):
        common = rng.normal(size=60) + 1.5 * label
        scores = common + rng.normal(size=(2, 60))
        unit = None
        if units:
            unit = rng.permutation(60) % units
            scores += 1.5 * rng.normal(size=(2, units))[:, unit]
        if values:
            scores = np.digitize(scores, np.linspace(-1, 2, values - 1)).astype(float)
        p = equal_curves(*(ranks(s, label) for s in scores), label, 39, rng, unit).p
        rejected += p <= 0.1
    assert rejected / runs == pytest.approx(0.1, abs=0.05)


def test_trials_of_a_unit_are_exchanged_together():
    """One unit: every exchange leaves the distance as it is."""
    rng = np.random.default_rng(4)
    label = np.arange(30) < 10
    unit = np.zeros(30, dtype=np.uint32)
    found = equal_curves(rng.permutation(30), rng.permutation(30), label, 50, rng, unit)
    assert found.p == 1
