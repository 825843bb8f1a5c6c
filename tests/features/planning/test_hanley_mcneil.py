import numpy as np
import pytest

from reporting.features.planning.planned_areas import hanley_mcneil_se


def test_hanley_mcneil():
    assert hanley_mcneil_se(0.731368563685637, 41, 72) == pytest.approx(0.0512480790, abs=1e-10)
    # At chance it is the error of the rank-sum test, (N1 + N0 + 1) / (12 N1 N0).
    assert hanley_mcneil_se(0.5, 7, 11) ** 2 == pytest.approx(19 / (12 * 77), rel=1e-14)
    assert hanley_mcneil_se(1.0, 5, 5) == 0
    assert np.isnan(hanley_mcneil_se(0.8, 0, 5))
    assert hanley_mcneil_se([0.6, 0.7], 10, [[20], [30]]).shape == (2, 2)


def test_hanley_mcneil_holds_for_exponential_scores():
    """Targets of mean 4, non-targets of mean 1: A = 4/5, and Q1 goes with the targets."""
    rng = np.random.default_rng(8)
    targets, nontargets = rng.exponential(4.0, (3000, 10)), rng.exponential(1.0, (3000, 40))
    areas = (targets[:, :, None] > nontargets[:, None, :]).mean(axis=(1, 2))
    assert areas.mean() == pytest.approx(0.8, abs=0.01)
    assert areas.std() == pytest.approx(float(hanley_mcneil_se(0.8, 10, 40)), rel=0.04)
    assert areas.std() != pytest.approx(float(hanley_mcneil_se(0.8, 40, 10)), rel=0.04)
