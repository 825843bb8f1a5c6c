"""The compiled hull of a replicate is the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.significance import kernels
from reporting.stats.hull import hull_cuts

pytestmark = pytest.mark.skipif(not kernels.available(), reason="numba is missing")


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), max_size=30))
def test_it_has_the_same_vertices(counts):
    n_target, n_nontarget = np.array(counts, dtype=np.int64).reshape(-1, 2).T.copy()
    np.testing.assert_array_equal(kernels.hull(n_target, n_nontarget), hull_cuts(n_target, n_nontarget))


def test_counts_as_large_as_tables_are_compared_exactly():
    n_target = np.array([10**9, 10**9 + 1, 10**9 - 1, 10**9], dtype=np.int64)
    n_nontarget = np.array([10**9 + 1, 10**9, 10**9, 10**9 - 1], dtype=np.int64)
    np.testing.assert_array_equal(kernels.hull(n_target, n_nontarget), hull_cuts(n_target, n_nontarget))
