import math

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import chi, norm, t

from reporting.core.stats import planning

LEVEL = 0.95
Z = float(norm.ppf(0.975))


def test_power_is_the_share_of_samples_that_find_the_difference():
    rng = np.random.default_rng(1)
    d = rng.normal(0.25, 1, (4000, 64))
    z = d.mean(axis=1) * 8
    assert planning.power(0.25, 1 / 8, LEVEL) == pytest.approx((np.abs(z) > Z).mean(), abs=0.025)


@pytest.mark.parametrize(
    ("df", "level", "away"), [(1, 0.9, 8.0), (1, 0.999, 64.0), (2, 0.99, 8.0), (5, 0.9, 16.0)]
)
def test_power_of_students_test_where_scipy_knows_no_other_side(df, level, away):
    """P(T <= t) is the mean of Phi(t sqrt(V / df) - away) over V, chi-squared with df degrees (Johnson et al.,
    1995, ch. 31): by quadrature. SciPy's noncentral t is NaN at -t here."""
    quantile = t.ppf((1 + level) / 2, df)

    def below(x):
        return integrate.quad(
            lambda s: norm.cdf(x * s / math.sqrt(df) - away) * chi.pdf(s, df), 0, 40, limit=400
        )[0]

    wanted = 1 - below(quantile) + below(-quantile)
    assert planning.power(away, 1.0, level, df=df) == pytest.approx(wanted, abs=1e-6)
    assert 0 < planning.detectable(1.0, level, 0.8, df=df) < math.inf
