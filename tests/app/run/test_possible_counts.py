"""Counts with noise made whole: by hand, and by their laws."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reporting.app.run.noising import possible_counts

TABLES = st.integers(1, 3).flatmap(
    lambda tables: st.integers(2, 12).flatmap(
        lambda bins: st.lists(
            st.lists(st.integers(-30, 60), min_size=bins, max_size=bins), min_size=tables, max_size=tables
        )
    )
)


def test_whole_counts_by_hand():
    # From above: 3, 3 - 2 = 1, 1 + 4 = 5; 3 and 1 are pooled to 2, 2: differences 2, 0, 3.
    assert possible_counts(np.array([[4, -2, 3]])).tolist() == [[3, 0, 2]]
    # From above: -2, 4, 6: not below 0, differences 0, 4, 2.
    assert possible_counts(np.array([[2, 6, -2]])).tolist() == [[2, 4, 0]]
    # Totals 4 and 8 have the mean 6: a bin of the first gains 1, of the second loses 1.
    assert possible_counts(np.array([[1, 3], [4, 4]])).tolist() == [[2, 4], [3, 3]]
    assert possible_counts(np.array([[-4, 1]])).tolist() == [[0, 0]]


@given(TABLES)
def test_whole_counts_are_possible_and_keep_the_total(table):
    noisy = np.array(table)
    counts = possible_counts(noisy)
    assert counts.shape == noisy.shape
    assert counts.min() >= 0
    assert abs(counts.sum(axis=1) - max(0.0, noisy.sum(axis=1).mean())).max() <= 0.5
    assert len(set(counts.sum(axis=1))) == 1
    assert possible_counts(counts).tolist() == counts.tolist()


@given(TABLES)
def test_no_other_possible_sums_are_nearer(table):
    """Projection: moving the sums towards any possible ones brings them no nearer to the noisy ones."""
    noisy = np.array(table[:1])
    counts = possible_counts(noisy)
    total = int(counts.sum())
    sums = np.cumsum(counts[0, ::-1])[:-1]
    wanted = np.cumsum(noisy[0, ::-1] + (total - noisy.sum()) / noisy.shape[1])[:-1]
    rng = np.random.default_rng(total)
    for _ in range(20):
        other = np.sort(rng.integers(0, total + 1, len(sums)))
        # Rounding moves every sum by at most a half.
        slack = len(sums) * (0.75 + abs(sums - wanted).max())
        assert ((sums - wanted) ** 2).sum() <= ((other - wanted) ** 2).sum() + slack
