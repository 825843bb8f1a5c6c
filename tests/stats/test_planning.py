import json
import math
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import binom, chi, norm, t
from statsmodels.stats.power import NormalIndPower

from reporting.stats import planning
from reporting.stats.intervals import bound_without_errors, wilson

LEVEL = 0.95
Z = float(norm.ppf(0.975))

errors = st.integers(1, 40).map(lambda k: k / 16)
numbers = st.integers(-40, 40).map(lambda k: k / 16)
powers = st.sampled_from([0.06, 0.3, 0.5, 0.8, 0.9, 0.999])


def test_by_hand():
    assert planning.scaled_se(0.2, 100, 400) == 0.1
    assert planning.power(Z, 1.0, LEVEL) == pytest.approx(0.5 + norm.cdf(-2 * Z), rel=1e-12)
    assert planning.power(0.0, 2.0, LEVEL) == pytest.approx(0.05, rel=1e-12)
    assert planning.detectable(1.0, LEVEL) == pytest.approx(Z + norm.ppf(0.8), abs=2e-5)
    # Twice the difference needs a quarter of the trials.
    assert planning.times_needed(0.1, 1.0, LEVEL) == pytest.approx(4 * planning.times_needed(0.2, 1.0, LEVEL))
    assert planning.needed(200, 1.5) == 300
    assert planning.needed(3, 1.0 + 1e-12) == 3
    assert planning.needed(3, 1.1) == 4


@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.9])
def test_one_sample_as_by_statsmodels(effect, wanted):
    """One trial has a standard error of 1: the times are the trials."""
    theirs = NormalIndPower(ddof=0).solve_power(effect, alpha=0.05, power=wanted, ratio=0)
    assert planning.times_needed(effect, 1.0, LEVEL, wanted) == pytest.approx(theirs, rel=1e-6)
    at_40 = NormalIndPower(ddof=0).power(effect, 40, 0.05, ratio=0)
    assert planning.power(effect, 40**-0.5, LEVEL) == pytest.approx(at_40, rel=1e-9)


@given(errors, numbers, powers, st.none() | errors, st.sampled_from([0.9, 0.95, 0.99]))
def test_power_and_its_inverses_agree(se, d, wanted, null_se, level):
    within = planning.detectable(se, level, wanted, null_se)
    found = planning.power(within, se, level, null_se)
    assert found == pytest.approx(wanted, abs=1e-9) if within > 0 else found >= wanted
    assert planning.power(-d, se, level, null_se) == planning.power(d, se, level, null_se)
    times = planning.times_needed(d, se, level, wanted, null_se)
    assume(d != 0 and times > 0)
    later = [None if e is None else planning.scaled_se(e, 1, times) for e in (se, null_se)]
    assert planning.power(d, later[0], level, later[1]) == pytest.approx(wanted, abs=1e-8)


def test_power_is_the_share_of_samples_that_find_the_difference():
    rng = np.random.default_rng(1)
    d = rng.normal(0.25, 1, (4000, 64))
    z = d.mean(axis=1) * 8
    assert planning.power(0.25, 1 / 8, LEVEL) == pytest.approx((np.abs(z) > Z).mean(), abs=0.025)


def test_undefined_plans():
    for se in (0.0, -1.0, math.nan, math.inf):
        assert math.isnan(planning.power(0.1, se, LEVEL))
        assert math.isnan(planning.detectable(se, LEVEL))
        assert math.isnan(planning.times_needed(0.0, se, LEVEL))
        assert math.isnan(planning.power(0.1, 1.0, LEVEL, se))
    assert math.isnan(planning.detectable(1.0, LEVEL, 1.0))
    assert planning.times_needed(0.0, 1.0, LEVEL) == math.inf
    assert planning.needed(100, math.inf) is None
    assert planning.needed(100, math.nan) is None


def mcnemar_power(p_10, p_01, n, *, mid):
    """Power of the exact and of the mid-p test, over all numbers of discordant trials."""
    q, total = p_10 + p_01, 0.0
    chance = binom.pmf(np.arange(n + 1), n, q)
    for m in np.flatnonzero(chance > 1e-10):
        b = np.arange(m + 1)
        fewer = np.minimum(b, m - b)
        p = 2 * binom.cdf(fewer, m, 0.5) - (binom.pmf(fewer, m, 0.5) if mid else 0)
        total += chance[m] * binom.pmf(b, m, p_10 / q)[np.minimum(p, 1) <= 0.05].sum()
    return total


@pytest.mark.parametrize(
    ("p_10", "p_01", "n"),
    [(0.2, 0.1, 234), (0.05, 0.02, 400), (0.1, 0.05, 300), (0.02, 0.005, 870), (0.02, 0.01, 400)],
)
def test_power_of_discordant_trials_lies_by_the_exact_one(p_10, p_01, n):
    ours = planning.discordant_power(p_10, p_01, n, LEVEL)
    mid, exact = (mcnemar_power(p_10, p_01, n, mid=m) for m in (True, False))
    assert exact < ours < mid + 0.025
    assert ours == pytest.approx(mid, abs=0.03)
    assert planning.discordant_power(p_01, p_10, n, LEVEL) == ours


@pytest.mark.parametrize(
    ("p_10", "p_01"), [(0.2, 0.1), (0.05, 0.02), (0.01, 0.001), (0.01, 0.0), (0.03, 0.002)]
)
def test_trials_for_discordant_trials_are_enough_for_the_mid_p_test(p_10, p_01):
    n = planning.discordant_trials(p_10, p_01, LEVEL)
    assert planning.discordant_power(p_10, p_01, n, LEVEL) >= 0.8
    assert planning.discordant_power(p_10, p_01, n - 1, LEVEL) < 0.8
    q, d = p_10 + p_01, p_10 - p_01
    connor = (Z * math.sqrt(q) + norm.ppf(0.8) * math.sqrt(q - d * d)) ** 2 / d**2
    assert n == math.ceil(connor)
    assert mcnemar_power(p_10, p_01, n, mid=True) >= 0.8
    assert mcnemar_power(p_10, p_01, n, mid=False) >= 0.77
    assert planning.discordant_detectable(q, n, LEVEL) == pytest.approx(d, rel=0.01)


def test_trials_of_published_tables():
    """Discordant 20 % and 10 %: 234 pairs (Connor's formula)."""
    assert planning.discordant_trials(0.2, 0.1, LEVEL) == 234


def test_discordant_shares_without_a_plan():
    assert planning.discordant_trials(0.1, 0.1, LEVEL) is None
    assert planning.discordant_trials(1.0, 0.0, LEVEL) is None
    assert planning.discordant_trials(0.7, 0.7, LEVEL) is None
    assert math.isnan(planning.discordant_power(-0.1, 0.2, 100, LEVEL))
    # Three discordant trials are never enough, thirty of fifty are.
    assert math.isnan(planning.discordant_detectable(0.01, 300, LEVEL))
    assert 0 < planning.discordant_detectable(0.6, 50, LEVEL) < 0.6


POWER = """
suppressMessages(library(pROC)); data(aSAH)
roc_of <- function(name) roc(aSAH$outcome, as.numeric(aSAH[[name]]),
                             levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
one <- power.roc.test(auc = 0.7, ncases = 41, ncontrols = 72)$power
cases <- power.roc.test(auc = 0.7, power = 0.9, kappa = 2)$ncases
se <- sqrt(pROC:::var.theta.obuchowski(0.8, 3) / 50)
cat(sprintf("%.17g", c(one, cases, se)), "\\n")
"""


def test_one_area_as_by_proc():
    """Its constants are rounded, 0.0099 for 1 / (32 pi) and 1.414 for the root of 2."""
    rscript = shutil.which("Rscript")
    ran = rscript and subprocess.run([rscript, "-e", POWER], capture_output=True, text=True, check=False)
    if not ran or ran.returncode:
        pytest.skip("pROC is missing")
    power, cases, se = (float(x) for x in ran.stdout.split())
    ours = planning.area_power(0.7, 41, 72, LEVEL, error="obuchowski")
    assert ours == pytest.approx(power, abs=2e-3)
    # Ours rounds up to whole trials.
    assert planning.area_trials(0.7, 2.0, LEVEL, 0.9, error="obuchowski")[0] == math.ceil(cases * 1.005)
    assert planning.area_se(0.8, 50, 150, "obuchowski") == pytest.approx(se, rel=4e-3)


def test_patients_as_by_the_diagnostic_references(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["power_pROC"]
    ours = planning.area_power(0.8, 41, 72, LEVEL, error="obuchowski")
    assert ours == pytest.approx(known["one_roc_auc0.8_n41_72"], abs=1e-5)
    n1, n0 = planning.area_trials(0.731368563685637, 72 / 41, LEVEL, 0.9, error="obuchowski")
    assert n1 == math.ceil(known["one_roc_s100b_power0.9_ncases"])
    assert n0 == math.ceil(n1 * 72 / 41)


@pytest.mark.parametrize(("area", "n1", "n0"), [(0.6, 12, 40), (0.8, 50, 150), (0.95, 60, 30)])
def test_planned_errors_of_areas(area, n1, n0):
    """That of normal classes is the spread of areas; swapping the classes leaves it."""
    rng = np.random.default_rng(7)
    targets = rng.normal(math.sqrt(2) * norm.ppf(area), 1, (3000, n1))
    nontargets = np.sort(rng.normal(0, 1, (3000, n0)), axis=1)
    below = [np.searchsorted(row, one).mean() / n0 for one, row in zip(targets, nontargets, strict=True)]
    assert planning.area_se(area, n1, n0) == pytest.approx(np.std(below), rel=0.04)
    assert planning.area_se(area, n1, n0) == pytest.approx(planning.area_se(area, n0, n1), rel=1e-12)
    assert planning.area_se(area, n1, n0) == pytest.approx(planning.area_se(1 - area, n1, n0), rel=1e-9)


@pytest.mark.parametrize("error", ["normal", "hanley_mcneil"])
def test_error_at_chance_is_that_of_the_rank_sum(error):
    assert planning.area_se(0.5, 7, 11, error) ** 2 == pytest.approx(float(Fraction(19, 12 * 77)), rel=1e-12)


def test_what_obuchowski_leaves_out():
    """The covariance of the two parameters of the binormal curve, a^2 exp(-a^2 / 2) / (8 pi N1)."""
    area, n1, n0 = 0.85, 4_000, 9_000
    a2 = 2 * norm.ppf(area) ** 2
    left_out = a2 * math.exp(-a2 / 2) / (8 * math.pi * n1)
    full = math.exp(-a2 / 2) * (a2 + 8) * (1 / n1 + 1 / n0) / (32 * math.pi)
    assert planning.area_se(area, n1, n0, "obuchowski") ** 2 - left_out == pytest.approx(full, rel=1e-9)
    assert planning.area_se(area, n1, n0) ** 2 == pytest.approx(full, rel=0.03)


def test_errors_are_those_of_normal_scores_unless_named():
    assert planning.area_trials(0.65, 3.0, LEVEL) == planning.area_trials(0.65, 3.0, LEVEL, error="normal")
    assert planning.area_trials(0.65, 3.0, LEVEL) != planning.area_trials(
        0.65, 3.0, LEVEL, error="obuchowski"
    )
    for area in (planning.area_se(0.65, 40, 60), planning.area_se(0.65, 40, 60, "normal")):
        assert area != pytest.approx(planning.area_se(0.65, 40, 60, "obuchowski"), rel=1e-4)


@pytest.mark.parametrize("error", ["normal", "hanley_mcneil", "obuchowski"])
def test_fewest_trials_for_areas(error):
    one = planning.area_trials(0.65, 3.0, LEVEL, 0.9, error=error)
    assert planning.area_power(0.65, *one, LEVEL, error=error) >= 0.9
    assert planning.area_power(0.65, one[0] - 1, 3 * (one[0] - 1), LEVEL, error=error) < 0.9
    assert one.n_nontarget == 3 * one.n_target
    two = planning.areas_trials(0.9, 0.92, 0.6, 0.5, LEVEL, error=error)
    assert planning.areas_power(0.9, 0.92, 0.6, *two, LEVEL, error) >= 0.8
    assert two.n_nontarget == math.ceil(two.n_target / 2)
    width = planning.area_trials_for_width(0.9, 0.02, 5.0, LEVEL, error)
    assert Z * planning.area_se(0.9, *width, error) <= 0.02
    assert Z * planning.area_se(0.9, width[0] - 1, 5 * (width[0] - 1), error) > 0.02
    assert planning.area_trials(0.5, 1.0, LEVEL, error=error) is None
    assert planning.area_trials(1.0, 1.0, LEVEL, error=error) is None
    assert planning.areas_trials(0.8, 0.8, 0.5, 1.0, LEVEL, error=error) is None
    assert math.isnan(planning.area_se(0.8, 0, 10, error))


def test_power_of_two_areas_on_the_same_trials():
    """DeLong's z of two normal models with the correlation of areas found in the same samples."""
    rng = np.random.default_rng(9)
    n, runs = 60, 1500
    common = rng.normal(size=(runs, 2 * n))
    shifts = [math.sqrt(2) * norm.ppf(a) for a in (0.75, 0.85)]
    label = np.arange(2 * n) < n
    areas, placements = [], []
    for shift in shifts:
        score = (common + rng.normal(size=common.shape)) / math.sqrt(2) + shift * label
        wins = score[:, :n, None] > score[:, None, n:]
        placements.append((wins.mean(axis=2), wins.mean(axis=1)))
        areas.append(wins.mean(axis=(1, 2)))
    parts = [(a - b).var(axis=1, ddof=1) / n for a, b in zip(*placements, strict=True)]
    z = (areas[0] - areas[1]) / np.sqrt(sum(parts))
    r = np.corrcoef(areas)[0, 1]
    found = planning.areas_power(0.75, 0.85, r, n, n, LEVEL)
    assert found == pytest.approx((np.abs(z) > Z).mean(), abs=0.04)
    # Taking the areas as independent loses power.
    assert planning.areas_power(0.75, 0.85, 0.0, n, n, LEVEL) < found - 0.1


@given(
    st.integers(0, 50).map(lambda k: k / 50),
    st.sampled_from([0.001, 0.01, 0.05, 0.2]),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_trials_for_a_wilson_interval(rate, half_width, level):
    n = planning.wilson_trials(rate, half_width, level)

    def half(trials):
        z = norm.ppf((1 + level) / 2)
        return z * math.sqrt(rate * (1 - rate) / trials + z * z / 4 / trials**2) / (1 + z * z / trials)

    assert half(n) <= half_width * (1 + 1e-9)
    assert n == 1 or half(n - 1) > half_width


def test_wilson_interval_of_the_planned_trials():
    n = planning.wilson_trials(0.05, 0.01, LEVEL)
    low, high = wilson(round(0.05 * n), n, LEVEL)
    assert (high - low) / 2 == pytest.approx(0.01, rel=0.01)
    assert planning.wilson_trials(0.5, 0.0, LEVEL) is None
    assert planning.wilson_trials(1.5, 0.1, LEVEL) is None


def test_rules_of_30_and_of_3():
    assert planning.trials_for_errors(0.001) == 30_000
    assert planning.trials_for_errors(0.07, 10) == 143
    assert planning.trials_for_errors(0.0) is None
    assert planning.trials_without_errors(0.01, LEVEL) == 299
    assert planning.trials_without_errors(1.0, LEVEL) == 1
    assert planning.trials_without_errors(0.0, LEVEL) is None
    # With 30 errors the rate is within 30 % of its estimate, nine times in ten.
    k = np.arange(200)
    inside = np.abs(k / 30 - 1) <= 0.3
    assert binom.pmf(k, 30_000, 0.001)[inside].sum() == pytest.approx(0.9, abs=0.02)


@given(st.integers(1, 999).map(lambda k: k / 1000), st.sampled_from([0.9, 0.95, 0.99]))
def test_trials_without_errors_bound_the_rate(rate, level):
    n = planning.trials_without_errors(rate, level)
    assert bound_without_errors(n, level) <= rate * (1 + 1e-9)
    assert n == 1 or bound_without_errors(n - 1, level) > rate


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
