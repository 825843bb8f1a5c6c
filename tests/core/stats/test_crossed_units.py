"""The spread of a mean over readers, over cases and over other readers."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, stdtrit
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.core.stats.crossed_units import (
    CrossedVariance,
    dyadic_se,
    over_pools,
    two_way_sum,
)
from reporting.core.stats.placements import clustered_se


def of_equal(influences, unit):
    """The standard error by clusters of one size."""
    return clustered_se(influences, unit, ClusterSizes.equal(len(np.unique(unit))).inflation)


# Few units, so that pairs return, in both orders, and units meet themselves; whole numbers, so that sums are exact.
UNIT, SMALL, COUNT = st.integers(0, 5), st.integers(-3, 3), st.integers(0, 3)
TRIALS = st.lists(st.tuples(UNIT, UNIT, SMALL), min_size=2, max_size=20)
COUNTS = st.lists(st.tuples(UNIT, UNIT, COUNT, COUNT), min_size=1, max_size=15)


def columns(trials):
    a, b, psi = (np.array(column) for column in zip(*trials, strict=True))
    return psi.astype(np.float64), a.astype(np.uint32), b.astype(np.uint32)


def root(variance):
    return np.sqrt(max(0.0, float(variance)))


def summed_where(psi, related):
    """Sum psi_i psi_j over the pairs of trials that are related, one by one."""
    n = range(len(psi))
    return sum(int(psi[i]) * int(psi[j]) for i in n for j in n if related(i, j))


def test_hand_case():
    """One pool: S = 7, 0, -7, -4 and pairs 3, -3, -4: 114 - 34. Two pools: 42 + 62 - 46."""
    a, b, psi = np.array([0, 1, 1, 0, 2]), np.array([1, 0, 2, 0, 3]), np.array([1.0, 2.0, -3.0, 4.0, -4.0])
    assert dyadic_se(psi, a, b) == pytest.approx(np.sqrt(80), rel=1e-15)
    assert two_way_sum(psi, a, b) == pytest.approx(58, rel=1e-15)


@given(TRIALS)
def test_one_pool_is_the_sum_over_trials_that_share_a_unit(trials):
    psi, a, b = columns(trials)
    variance = summed_where(psi, lambda i, j: bool({a[i], b[i]} & {a[j], b[j]}))
    expected = np.nan if len({*a, *b}) < 2 else root(variance)
    assert dyadic_se(psi, a, b) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(TRIALS)
def test_two_pools_are_the_sum_over_trials_of_one_row_or_column(trials):
    psi, a, b = columns(trials)
    products = summed_where(psi, lambda i, j: a[i] == a[j] or b[i] == b[j])
    assert two_way_sum(psi, a, b) == pytest.approx(max(0, products), abs=1e-9)


@given(TRIALS)
def test_sides_names_and_summed_rows_do_not_matter(trials):
    psi, a, b = columns(trials)
    named = np.array([7, 2, 90, 31, 5, 11])
    cell, at = np.unique(np.stack([a, b], axis=1), axis=0, return_inverse=True)
    total = np.bincount(at.ravel(), weights=psi)
    for se in (dyadic_se, two_way_sum):
        expected = pytest.approx(se(psi, a, b), abs=1e-9, nan_ok=True)
        assert se(psi, b, a) == expected
        assert se(psi, named[a], named[b]) == expected
        assert se(total, cell[:, 0], cell[:, 1]) == expected
    one_sided = dyadic_se(psi, np.minimum(a, b), np.maximum(a, b))
    assert one_sided == pytest.approx(dyadic_se(psi, a, b), abs=1e-12, nan_ok=True)


def test_pairs_whose_codes_agree_in_32_bits_stay_apart():
    a, b = np.array([0, 46_341, 1], dtype=np.uint32), np.array([80_000, 70_734, 92_681], dtype=np.uint32)
    assert (int(a[1]) * 92_682 + int(b[1])) % 2**32 == int(b[0])
    psi = np.array([2.0, -3.0, 1.0])
    assert dyadic_se(psi, a, b) == pytest.approx(np.sqrt(14))
    assert two_way_sum(psi, a, b) == pytest.approx(14)
    # Sums of squares are 14 of rows, columns and cells: each is one trial.
    assert over_pools(psi - psi.mean(), a, b, np.ones(3)).variance > 0


@given(st.lists(SMALL, min_size=2, max_size=12))
def test_every_trial_with_units_of_its_own_is_independent(values):
    """Methods, property P23: no factor is applied; one-way clusters have theirs."""
    x = np.array(values, dtype=np.float64)
    n, unit = len(x), np.arange(len(x))
    psi = (x - x.mean()) / n
    iid = root((psi**2).sum())
    two = np.sqrt(two_way_sum(psi, unit, unit))
    for se in (dyadic_se(psi, unit, n + unit), dyadic_se(psi, unit, unit), two):
        assert se == pytest.approx(iid, abs=1e-12)
    factor = np.sqrt(n / (n - 1))
    assert of_equal(psi, unit) == pytest.approx(iid * factor, abs=1e-12)
    if iid:
        assert (of_equal(psi, unit) / iid) ** 2 == pytest.approx(n / (n - 1))


@given(TRIALS)
def test_trials_of_units_with_themselves_are_one_way_clusters(trials):
    psi, a, _ = columns(trials)
    g = len(np.unique(a))
    expected = pytest.approx(of_equal(psi, a) * np.sqrt((g - 1) / g), abs=1e-12, nan_ok=True)
    assert dyadic_se(psi, a, a) == expected
    assert g < 2 or np.sqrt(two_way_sum(psi, a, a)) == expected


def test_one_way_anchor():
    """Methods 8.8: clusters of 10 with 2, 0, 1, 5, 0 errors; clusters one way have the factor."""
    errors = np.concatenate([[1] * e + [0] * (10 - e) for e in (2, 0, 1, 5, 0)])
    unit = np.repeat(np.arange(5), 10)
    psi = (errors - errors.mean()) / 50
    assert dyadic_se(psi, unit, unit) == pytest.approx(0.0829458, abs=5e-8)
    assert of_equal(psi, unit) == pytest.approx(0.09273618495495704, abs=1e-15)
    assert of_equal(psi, unit) ** 2 / (psi**2).sum() == pytest.approx(3.20, abs=5e-3)


@pytest.mark.parametrize("seed", range(5))
def test_two_pools_agree_with_statsmodels(seed):
    rng = np.random.default_rng(seed)
    n, a, b = 300, rng.integers(0, 12, 300), rng.integers(0, 17, 300)
    x = rng.integers(0, 3, n) + rng.normal(size=12)[a] + rng.normal(size=17)[b]
    fit = OLS(x, np.ones(n)).fit()
    theirs = cov_cluster_2groups(fit, a, b, use_correction=False)[0][0, 0]
    assert two_way_sum((x - x.mean()) / n, a, b) == pytest.approx(theirs, rel=1e-10)


def table(psi):
    """The variance of a table with one trial a cell (shape (A, B))."""
    psi = np.asarray(psi, dtype=np.float64)
    a, b = (codes.ravel() for codes in np.indices(psi.shape))
    return over_pools(psi.ravel(), a, b, np.ones(psi.size))


def test_a_pool_whose_squares_are_no_more_than_those_of_cells_is_left_out():
    """2 x 3: rows 3, -3, columns 1, 1, -2, cells -+(3/2, -1/2, -1): S_A = 2 18, S_B = 3/2 6, S_AB = 2 3/2 7."""
    psi = np.array([[3, 1, -1], [-2, 0, -1]])
    assert table(psi) == (pytest.approx(36, rel=1e-14), pytest.approx(1, rel=1e-14))
    assert table(psi.T) == (pytest.approx(36, rel=1e-14), pytest.approx(1, rel=1e-14))


def test_two_pools_with_variance_of_their_own():
    """3 x 3: rows 6, 0, -6, columns 3, 0, -3, four cells of -+1: 3/2 72 + 3/2 18 - 9/4 4 = 108 + 27 - 9."""
    variance, df = table([[4, 1, 1], [0, 1, -1], [-1, -2, -3]])
    assert variance == pytest.approx(126, rel=1e-14)
    assert df == pytest.approx(126**2 / (108**2 / 2 + 27**2 / 2 + 9**2 / 4), rel=1e-14)


def test_degrees_of_freedom_are_at_least_one():
    """Of 3 x 3 equal members S_A = S_B = 9/4, S_AB = 2.2275: V = 2.2725, and Satterthwaite's would be .82."""
    three = ClusterSizes.equal(3)
    variance, df = CrossedVariance.of_squares(1.5, 1.5, 0.99, (three, three))
    assert variance == pytest.approx(2.2725)
    assert df == 1


def test_cells_alone_have_all_their_degrees_of_freedom():
    """2 x 3: rows and columns are 0, S_AB = 2 3/2 4, with 1 2 degrees of freedom; nothing has none."""
    assert table([[1, -1, 0], [-1, 1, 0]]) == (pytest.approx(12, rel=1e-14), pytest.approx(2, rel=1e-14))
    assert table(np.zeros((3, 4))).variance == 0
    assert np.isnan(table([[1, -1]]).variance)


@given(st.lists(st.tuples(UNIT, UNIT, SMALL, st.integers(1, 3)), min_size=2, max_size=20))
def test_names_of_pools_and_members_and_summed_cells_do_not_matter(trials):
    a, b, psi, weight = (np.array(column) for column in zip(*trials, strict=True))
    psi = psi - (weight * psi).sum() / weight.sum()
    psi = psi * weight
    named = np.array([7, 2, 90, 31, 5, 11])
    cell, at = np.unique(np.stack([a, b], axis=1), axis=0, return_inverse=True)
    total, held = (np.bincount(at.ravel(), weights=of) for of in (psi, weight))
    found = over_pools(psi, a, b, weight)
    parts = psi_parts(psi, a, b, weight)
    assert found.variance == pytest.approx(CrossedVariance.of_squares(*parts).variance, abs=1e-8, nan_ok=True)
    same = (
        over_pools(psi, b, a, weight),
        over_pools(psi, named[a], b, weight),
        over_pools(total, cell[:, 0], cell[:, 1], held),
        over_pools(-psi, a, b, weight),
        over_pools(psi, a, b, 5 * weight),
    )
    f, g = (each.factor for each in parts[3])
    if (
        f < np.inf
        and g < np.inf
        and min(abs(f * parts[0] - f * g * parts[2]), abs(g * parts[1] - f * g * parts[2])) > 1e-6
    ):
        for other in same:
            assert other == (pytest.approx(found.variance, abs=1e-8), pytest.approx(found.df, rel=1e-6))


def psi_parts(psi, a, b, weight):
    """Squares of rows, columns and of what is left in each cell of the whole table, written out; and sizes."""
    grid, held = np.zeros((6, 6)), np.zeros((6, 6))
    np.add.at(grid, (a, b), psi)
    np.add.at(held, (a, b), weight)
    p, q = held.sum(axis=1) / held.sum(), held.sum(axis=0) / held.sum()
    rows, columns = grid.sum(axis=1), grid.sum(axis=0)
    rest = grid - rows[:, None] * q - p[:, None] * columns
    sizes = tuple(ClusterSizes.of(np.bincount(side, weight)) for side in (a, b))
    return (rows**2).sum(), (columns**2).sum(), (rest**2).sum(), sizes


def test_members_with_one_trial_each_leave_the_other_pool():
    """V = S_A n / (n - 1) with n members of one trial, and the degrees of freedom of A where they are many."""
    rng = np.random.default_rng(1)
    a = np.repeat(np.arange(10), 200)
    psi = rng.standard_normal(10)[a] + rng.standard_normal(2000)
    psi = (psi - psi.mean()) / 2000
    variance, df = over_pools(psi, a, np.arange(2000), np.ones(2000))
    assert variance == pytest.approx(of_equal(psi, a) ** 2 * 2000 / 1999, rel=1e-10)
    assert df == pytest.approx(9, rel=0.03)


def test_what_one_pool_adds_is_taken_off_in_unequal_tables():
    """Column effects alone: cells move by no more than columns say, however unequal rows and columns are."""
    n = np.outer([1, 2, 5], [3, 1, 1, 2])
    a, b = (codes.ravel() for codes in np.indices(n.shape))
    effect = np.array([1.0, -2.0, 0.5, 3.0])
    psi = (n * (effect - (n.sum(axis=0) * effect).sum() / n.sum())).ravel()
    variance, df = over_pools(psi, a, b, n.ravel())
    of_columns = ClusterSizes.of(n.sum(axis=0))
    assert variance == pytest.approx(of_columns.factor * (np.bincount(b, psi) ** 2).sum(), rel=1e-12)
    assert df == pytest.approx(of_columns.degrees_of_freedom, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_variance_is_made_of_what_statsmodels_has(seed):
    """Of a complete table S_A and S_B are clusters one way with G / (G - 1); S_AB is what both leave of HC0."""
    rng = np.random.default_rng(seed)
    a, b = (codes.ravel() for codes in np.indices((12, 17)))
    x = rng.normal(size=12)[a] + rng.normal(size=17)[b] + rng.normal(size=len(a))
    fit = OLS(x, np.ones(len(x))).fit()
    _, first, second = (each[0, 0] for each in cov_cluster_2groups(fit, a, b, use_correction=False))
    alone = float(fit.get_robustcov_results("HC0").cov_params()[0, 0])
    s_a, s_b = first * 12 / 11, second * 17 / 16
    s_ab = 12 / 11 * 17 / 16 * (alone - first / 17 - second / 12)
    assert min(s_a, s_b) > s_ab
    found = over_pools((x - x.mean()) / len(x), a, b, np.ones(len(x)))
    assert found.variance == pytest.approx(s_a + s_b - s_ab, rel=1e-10)


def test_the_variance_is_that_of_means_on_average():
    """Whether one pool varies, both or neither; a little large where a pool is left out of chance (tables 8 x 12)."""
    rng, a_b = np.random.default_rng(5), (8, 12)
    for of_a, of_b in ((1, 1), (1, 0)):
        made = []
        for _ in range(2000):
            x = of_a * rng.normal(size=(8, 1)) + of_b * rng.normal(size=(1, 12)) + rng.normal(size=a_b)
            made.append((x.mean(), table((x - x.mean()) / x.size).variance))
        values, variances = np.array(made).T
        assert variances.mean() == pytest.approx(values.var(), rel=0.1)


def all_pairs(g):
    return np.array(list(itertools.combinations(range(g), 2))).T


def mean_variance(effects, a, b):
    """The average of the dyadic variance of a mean of x = effects @ z, z of unit variance, over its variance."""
    psi = (effects - effects.mean(axis=0)).T / len(effects)
    related = (a[:, None] == a) | (a[:, None] == b) | (b[:, None] == a) | (b[:, None] == b)
    assert dyadic_se(psi[0], a, b) == pytest.approx(root(psi[0] @ related @ psi[0]), abs=1e-12)
    return np.trace(psi @ related @ psi.T) / (effects.mean(axis=0) ** 2).sum()


@pytest.mark.parametrize("g", range(3, 9))
def test_on_all_pairs_the_dyadic_variance_is_too_small_by_a_known_share(g):
    """Whether units or single trials vary; methods 8.8 gives no factor. For three units it is 0."""
    a, b = all_pairs(g)
    both_ways = np.concatenate([a, b]), np.concatenate([b, a])
    share = (g - 2) * (g - 3) / (g * (g - 1))
    of_units = (a[:, None] == np.arange(g)) | (b[:, None] == np.arange(g))
    assert mean_variance(of_units.astype(float), a, b) == pytest.approx(share, abs=1e-12)
    assert mean_variance(np.eye(len(a)), a, b) == pytest.approx(share, abs=1e-12)
    first = (both_ways[0][:, None] == np.arange(g)).astype(float)
    assert mean_variance(first, *both_ways) == pytest.approx(share, abs=1e-12)


def test_three_units_leave_nothing_and_rounding_is_no_spread():
    a, b = all_pairs(3)
    assert dyadic_se(np.array([0.1, 0.2, 0.1 + 0.2]) - 0.2, a, b) == 0
    between_two = np.array([0.1, 0.2, -0.3])
    assert between_two.sum() != 0
    assert dyadic_se(between_two, np.zeros(3, dtype=int), np.ones(3, dtype=int)) == 0
    assert np.isnan(dyadic_se(np.array([np.nan, 1.0]), np.array([0, 1]), np.array([1, 2])))


G, PER_CELL = 40, 3
A, B = (grid.ravel() for grid in np.indices((G, G)))
IS_TARGET = A == B


def accepted_trials(rng, runs, one_role):
    """Accepted trials of every ordered pair of speakers (shape (runs, G G)), three trials each.

    Score = .7 (model effect + segment effect) + noise, each standard normal, 3 more for targets (a speaker
    with itself); accepted from 1.5. A speaker's two effects are independent, or one and the same (one role).
    """
    model = rng.standard_normal((runs, G))
    segment = model if one_role else rng.standard_normal((runs, G))
    return rng.binomial(PER_CELL, ndtr(0.7 * (model[:, A] + segment[:, B]) + 3 * IS_TARGET - 1.5))


def error_rates(accepted):
    far = accepted[..., ~IS_TARGET].mean(axis=-1) / PER_CELL
    frr = 1 - accepted[..., IS_TARGET].mean(axis=-1) / PER_CELL
    return {"far": far, "hter": (far + frr) / 2}


def resampled(rng, accepted, two_pools):
    """Joint-speaker bootstrap, written out: w_i w_j for two speakers, w_i for one; or pigeonhole, w_i v_j."""
    w = rng.multinomial(G, np.full(G, 1 / G), size=150).astype(float)
    v = rng.multinomial(G, np.full(G, 1 / G), size=150).astype(float) if two_pools else w
    own = w * v if two_pools else w
    cells, off = accepted.reshape(G, G) / PER_CELL, ~np.eye(G, dtype=bool)
    far = ((w @ (cells * off)) * v).sum(1) / ((w @ off) * v).sum(1)
    frr = (own @ (1 - np.diag(cells))) / own.sum(1)
    return {"far": far.std(), "hter": ((far + frr) / 2).std()}


def standard_errors(rng, accepted):
    """Every standard error of FAR and of HTER for one data set."""
    psi, iid = {}, {}
    for name, where, wrong in (("far", ~IS_TARGET, accepted), ("frr", IS_TARGET, PER_CELL - accepted)):
        n, errors = PER_CELL * where, wrong * where
        rate = errors.sum() / n.sum()
        psi[name] = (errors - rate * n) / n.sum()
        iid[name] = np.sqrt(rate * (1 - rate) / n.sum())
    psi["hter"] = (psi["far"] + psi["frr"]) / 2
    iid["hter"] = np.hypot(iid["far"], iid["frr"]) / 2
    se = {"iid": iid, "joint": resampled(rng, accepted, False), "pigeonhole": resampled(rng, accepted, True)}
    se["subsets"] = {name: of_equal(one, A) * np.sqrt((G - 1) / G) for name, one in psi.items()}
    se["dyadic"] = {name: dyadic_se(one, A, B) for name, one in psi.items()}
    se["two_way"] = {name: np.sqrt(two_way_sum(one, A, B)) for name, one in psi.items()}
    return se


def study(runs, of_truth, *, one_role=False):
    """Mean standard error over the spread of the rate, and the share of 95 % intervals (t, G - 1) that cover."""
    rng = np.random.default_rng(11)
    drawn = error_rates(accepted_trials(rng, of_truth, one_role))
    accepted = accepted_trials(rng, runs, one_role)
    rates, found = error_rates(accepted), [standard_errors(rng, one) for one in accepted]
    q, ratios, coverage = stdtrit(G - 1, 0.975), {}, {}
    for name, truth in drawn.items():
        se = {kind: np.array([one[kind][name] for one in found]) for kind in found[0]}
        away = np.abs(rates[name] - truth.mean())
        ratios[name] = {kind: float(values.mean() / truth.std()) for kind, values in se.items()}
        coverage[name] = {kind: float((away <= q * values).mean()) for kind, values in se.items()}
    return ratios, coverage


FAR = {"iid": 0.18, "subsets": 0.69, "dyadic": 0.93, "two_way": 0.95, "joint": 0.97}
HTER = {"iid": 0.90, "subsets": 1.04, "joint": 0.99, "pigeonhole": 1.79}


def follows(ratios, within):
    """The order of methods 8.8 and its figures, roughly."""
    far, hter = ratios["far"], ratios["hter"]
    assert far["iid"] < far["subsets"] < far["dyadic"] < far["two_way"]
    assert far["dyadic"] < far["joint"]
    assert {kind: far[kind] for kind in FAR} == pytest.approx(FAR, abs=within)
    assert {kind: hter[kind] for kind in HTER} == pytest.approx(HTER, abs=2 * within)


def test_standard_errors_against_the_truth():
    follows(study(150, 4_000)[0], 0.05)


@pytest.mark.long
def test_standard_errors_and_coverage_at_length():
    ratios, coverage = study(2_000, 20_000)
    print(ratios, coverage)
    follows(ratios, 0.03)
    assert coverage["far"]["iid"] < 0.35
    assert coverage["far"]["subsets"] < 0.87
    for kind in ("dyadic", "two_way", "joint"):
        assert coverage["far"][kind] == pytest.approx(0.93, abs=0.025)


@pytest.mark.long
def test_two_way_fails_in_one_pool_where_both_roles_have_the_same_effects():
    """As with any score that does not ask who is the model: half the variance and less is seen."""
    ratios, coverage = study(2_000, 20_000, one_role=True)
    print(ratios, coverage)
    assert ratios["far"]["two_way"] == pytest.approx(0.67, abs=0.04)
    assert ratios["far"]["dyadic"] == pytest.approx(0.93, abs=0.03)
    assert coverage["far"]["two_way"] < 0.85 < coverage["far"]["dyadic"]
