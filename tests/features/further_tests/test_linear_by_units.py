import numpy as np
import pytest

from reporting.features.further_tests.frame import linear_by_units


def test_clusters_of_the_class_without_trials_do_not_count():
    """Without them one degree of freedom was left, whatever the clusters of the other class."""
    label, unit = np.ones(12, dtype=bool), np.repeat(np.arange(6), 2)
    first, second = np.arange(12) % 3 > 0, np.arange(12) % 4 > 0
    made, *_ = linear_by_units(label, (first, second), unit, (0.0, 1.0))
    assert made.df == 6 - 1
    assert made.difference == pytest.approx(4 / 12 - 3 / 12)
