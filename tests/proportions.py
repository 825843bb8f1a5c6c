"""The exact interval of a proportion, as Clopper and Pearson have it."""

from scipy.special import betaincinv

from reporting.core.stats.intervals import Interval


def clopper_pearson(errors: int, n: int, level: float) -> Interval:
    """Exact interval of a proportion errors / n, n > 0; in [0, 1]."""
    tail = (1 - level) / 2
    low = 0.0 if errors == 0 else float(betaincinv(errors, n - errors + 1, tail))
    high = 1.0 if errors == n else float(betaincinv(errors + 1, n - errors, 1 - tail))
    return Interval(low, high)
