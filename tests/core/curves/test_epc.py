"""The grid of an Expected Performance Curve."""

import pytest

from reporting.core.curves.epc import alpha_grid


@pytest.mark.parametrize("n", [2, 5, 101])
def test_alphas_run_from_0_to_1_in_equal_steps_of_one_division_each(n):
    assert alpha_grid(n).tolist() == [k / (n - 1) for k in range(n)]
    assert alpha_grid(n)[[0, -1]].tolist() == [0.0, 1.0]
