"""How unequal clusters are: by hand, against the expectation that the factor inverts, and as laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.cluster_sizes import NONE, ClusterSizes, decisive

SIZES = st.lists(st.integers(1, 50), min_size=2, max_size=30)


def test_two_clusters_of_three_to_one():
    """w = 3/4, 1/4: sum w^2 = 5/8, sum w^3 = 7/16, K = 8/5, f = 1 / (1 - 7/5 + 5/8) = 40/9; one degree."""
    found = ClusterSizes.of([3, 1])
    assert found == (2, 8 / 5, 3 / 4, 9 / 40, 40 / 9, 1)
    assert found.inflation == math.sqrt(40 / 9)


def test_one_of_half_and_five_of_a_tenth():
    """sum w^2 = 3/10, sum w^3 = 13/100, K = 10/3, f = 1 / (1 - 26/30 + 3/10) = 30/13, df = 10/3 - 13/30 10/7."""
    assert ClusterSizes.of([5, 1, 1, 1, 1, 1]) == (6, 10 / 3, 1 / 2, 13 / 30, 30 / 13, 19 / 7)


def test_crumbs_beside_two_equal_clusters_give_no_degree_of_freedom():
    """T = 101, sum n^2 = 5,001, sum n^3 = 250,001: K = 2.0398, df = K - h K / (K - 1) = 1.0583."""
    h = 1 - 2 * 250_001 / (5_001 * 101) + 5_001 / 101**2
    effective = 101**2 / 5_001
    found = ClusterSizes.of([50, 50, 1]).degrees_of_freedom
    assert found == pytest.approx(effective - h * effective / (effective - 1), rel=1e-12)
    assert found == pytest.approx(1.0583, abs=1e-4)


@given(st.integers(2, 5000), st.integers(1, 10**6))
def test_equal_clusters_have_the_factor_and_degrees_of_their_number(g, n):
    found = ClusterSizes.of(np.full(g, n))
    assert found == ClusterSizes.equal(g) == (g, g, 1 / g, (g - 1) / g, g / (g - 1), g - 1)
    assert found.inflation == math.sqrt(g / (g - 1))


@given(SIZES)
def test_the_factor_makes_up_for_what_squares_lack(sizes):
    """With m of variance 1: E sum (w (m - M))^2 = sum w^2 (1 - 2 w + sum w^2), and Var M = sum w^2."""
    w = [Fraction(n, sum(sizes)) for n in sizes]
    squares = sum(x * x for x in w)
    expected = sum(x * x * (1 - 2 * x + squares) for x in w)
    found = ClusterSizes.of(sizes)
    assert found.factor * float(expected) == pytest.approx(float(squares), rel=1e-12)
    assert found.lacking * found.factor == pytest.approx(1, rel=1e-12)
    assert found.effective == pytest.approx(float(1 / squares), rel=1e-12)


@given(SIZES, st.randoms(), st.integers(1, 9))
def test_order_names_and_scale_do_not_matter(sizes, seed, times):
    mixed = [*sizes, 0, 0]
    seed.shuffle(mixed)
    found = ClusterSizes.of(sizes)
    assert ClusterSizes.of(mixed) == found
    assert ClusterSizes.of(np.array(sizes) * times) == pytest.approx(found, rel=1e-14)
    assert ClusterSizes.of(np.array(mixed, dtype=float)) == found


@given(SIZES)
def test_unequal_clusters_are_worth_fewer(sizes):
    found = ClusterSizes.of(sizes)
    assert found.effective <= found.number * (1 + 1e-15)
    assert 1 <= found.degrees_of_freedom <= max(1, min(found.number - 1, found.effective) * (1 + 1e-15))
    assert found.inflation >= math.sqrt(found.number / (found.number - 1)) * (1 - 1e-12)
    assert 1 / found.number <= found.largest < 1


def test_one_cluster_has_no_factor_and_counts_as_two():
    assert ClusterSizes.of([7]) == ClusterSizes.equal(1) == (1, 1.0, 1.0, 0.0, math.inf, 1.0)
    assert ClusterSizes.of([7]).inflation == math.sqrt(2)
    assert ClusterSizes.of([0, 0]) == ClusterSizes.equal(0) == NONE


def test_the_class_with_fewer_effective_clusters_decides():
    many, few = ClusterSizes.of([97, 1, 1, 1]), ClusterSizes.equal(2)
    assert decisive([few, many]) is many
    assert decisive([NONE, few]) is few
    assert decisive([NONE, NONE]) is NONE
