import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roc_replicates import ALARMS, GRID, MISSES, curve, drawn, run_cuts
from tied import score_lists, staircase_of

from reporting.core.stats import roc_bands


def test_tpr_by_hand():
    x = [-1, 0, 0.25, 0.5, 0.625, 0.75, 1, 2]
    assert roc_bands.tpr_at(MISSES, ALARMS, x).tolist() == [0.5, 0.5, 0.5, 0.5, 0.75, 1, 1, 1]
    assert roc_bands.tpr_at(MISSES, ALARMS, x, "lower").tolist() == [0, 0, 0.5, 0.5, 0.75, 1, 1, 1]
    rows = roc_bands.tpr_at(np.stack([MISSES, 0 * MISSES]), np.stack([ALARMS, ALARMS]), [0.5])
    assert rows[0].tolist() == [0.5]
    assert np.isnan(rows[1]).all()
    assert np.isnan(roc_bands.tpr_at(MISSES, 0 * ALARMS, x)).all()
    # 3 of 10 is what .1 + .2 is meant to be.
    assert roc_bands.tpr_at(np.array([0, 0, 1]), np.array([10, 3, 3]), [0.1 + 0.2]).tolist() == [1]
    assert roc_bands.tpr_at(np.array([0, 0, 1]), np.array([10, 3, 3]), [0.3 - 1e-16], "lower").shape == (1,)


def test_products_that_miss_a_whole_number_are_one():
    """.29 * 100 = 28.99..., .07 * 100 = 7.00...1: either FPR is on the vertical run from TPR 0 to 1."""
    for count, fpr in ((29, 0.29), (7, 0.07)):
        curve = np.array([0, 0, 2, 2]), np.array([100, count, count, 0])
        assert fpr * 100 != count
        assert roc_bands.tpr_at(*curve, [fpr]).tolist() == [1]
        assert roc_bands.tpr_at(*curve, [fpr], "lower").tolist() == [0]


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_ends_of_every_vertical_run(targets, nontargets):
    staircase = staircase_of(targets, nontargets)[1]
    fpr, tpr = curve(staircase)
    upper = roc_bands.tpr_at(staircase.misses, staircase.false_alarms, fpr)
    lower = roc_bands.tpr_at(staircase.misses, staircase.false_alarms, fpr, "lower")
    for x, high, low in zip(fpr, upper, lower, strict=True):
        assert (low, high) == pytest.approx((tpr[fpr == x].min(), tpr[fpr == x].max()), abs=1e-12)


@given(score_lists(), score_lists(), st.lists(st.floats(0, 1), min_size=1, max_size=9), st.integers(0, 99))
def test_tpr_between_the_vertices_is_interpolated_row_by_row(targets, nontargets, fpr, seed):
    misses, alarms = drawn(staircase_of(targets, nontargets)[1], 3, seed)
    for end in ("upper", "lower"):
        together = roc_bands.tpr_at(misses, alarms, fpr, end)
        alone = [roc_bands.tpr_at(m, a, fpr, end) for m, a in zip(misses, alarms, strict=True)]
        assert np.array_equal(together, alone)
        for row, m, a in zip(together, misses, alarms, strict=True):
            x, y = a[::-1] / a[0], 1 - m[::-1] / m[-1]
            inside = np.array([abs(x - at).min() > 1e-9 for at in fpr])
            assert row[inside] == pytest.approx(np.interp(fpr, x, y)[inside], abs=1e-9)


def test_fixed_width_by_hand():
    """Two non-targets, two targets, perfect against reversed: the corner (1, 0) is sqrt(2) from (0, 1)."""
    perfect, reverse = (np.array([0, 0, 2]), np.array([2, 0, 0])), (np.array([0, 2, 2]), np.array([2, 2, 0]))
    rows = np.stack([perfect[0], reverse[0]]), np.stack([perfect[1], reverse[1]])
    assert roc_bands.fwb_distances(*perfect, *rows) == pytest.approx([0, 2**0.5])
    # A replicate of other class sizes is still measured by the sizes of the curve.
    assert roc_bands.fwb_distances(*perfect, 3 * rows[0], 5 * rows[1]) == pytest.approx([0, 2**0.5])
    assert np.isnan(roc_bands.fwb_distances(*perfect, 0 * rows[0], rows[1])).all()


@given(score_lists(odd=True), score_lists(odd=True), st.integers(0, 99))
def test_nothing_is_lost_on_truth_state_runs(targets, nontargets, seed):
    """Replicates at the cuts of runs have the same TPR and distances as at all cuts."""
    staircase = staircase_of(targets, nontargets)[1]
    own = staircase.misses, staircase.false_alarms
    counts = np.diff(own[0]), -np.diff(own[1])
    at = run_cuts(*counts)
    all_cuts = drawn(staircase, 5, seed)
    on_runs = [count[:, at] for count in all_cuts]
    for end in ("upper", "lower"):
        whole = roc_bands.tpr_at(*all_cuts, GRID, end)
        assert roc_bands.tpr_at(*on_runs, GRID, end) == pytest.approx(whole, abs=1e-12)
    whole = roc_bands.fwb_distances(*own, *all_cuts)
    read = roc_bands.curve_readers("fixed_width", *counts)["distance"]
    assert read(*on_runs) == pytest.approx(whole, abs=1e-9)
    # Whatever else is held at the same time, a replicate has the same number.
    assert np.array_equal(read(*on_runs)[2:3], read(*[count[2:3] for count in on_runs]))


@given(score_lists(least=2, most=40), score_lists(least=2, most=40), st.integers(2, 9), st.integers(0, 99))
def test_few_cuts_measure_a_little_less(targets, nontargets, most, seed):
    staircase = staircase_of(targets, nontargets)[1]
    own = staircase.misses, staircase.false_alarms
    cuts = roc_bands.spread_cuts(*own, most)
    assert (cuts[0], cuts[-1]) == (0, len(own[0]) - 1)
    assert len(cuts) <= most or len(own[0]) <= most
    misses, alarms = drawn(staircase, 9, seed)
    whole, some = (roc_bands.fwb_distances(*own, misses, alarms, at) for at in (None, cuts))
    way = np.diff(misses[:, cuts]) / len(targets) ** 0.5 - np.diff(alarms[:, cuts]) / len(nontargets) ** 0.5
    assert (some <= whole + 1e-12).all()
    assert (whole <= some + way.max(axis=1) / 2 + 1e-12).all()


def test_cuts_are_spread_along_the_curve():
    """Ways of 10 times .1, then 9 and 5, of which no more than an eighth of 15 count: 1.875."""
    misses = np.array([*range(11), 100, 100])
    alarms = np.array([*([25] * 12), 0])
    assert roc_bands.spread_cuts(misses, alarms, 13).tolist() == list(range(13))
    assert roc_bands.spread_cuts(misses, alarms, 8).tolist() == [0, 7, 11, 12]
    even = np.arange(101), np.arange(100, -1, -1)
    assert roc_bands.spread_cuts(*even, 5).tolist() == [0, 25, 50, 75, 100]


@pytest.mark.parametrize(
    ("n_nontarget", "finest"), [(1, 0.01), (50, 0.01), (1000, 10**-3.3), (10**6, 10**-6.3)]
)
def test_the_grid_is_fine_where_errors_are_rare(n_nontarget, finest):
    grid = roc_bands.fpr_grid(n_nontarget)
    assert (np.diff(grid) > 1e-9).all()
    assert np.isin(np.arange(101) / 100, grid).all()
    assert grid[1] == pytest.approx(finest)
    assert len(grid) < 180
    assert (grid[2:] / grid[1:-1] < 2.001).all()


def test_what_is_read_off_replicates():
    """Targets {.5, 1.5}, non-targets {0, .5, 1, 1}: every distinct score is a run of its own."""
    counts = np.array([0, 1, 0, 1]), np.array([1, 1, 2, 0])
    assert roc_bands.threshold_cuts(*counts).tolist() == [0, 1, 2, 3, 4]
    read = {kind: roc_bands.curve_readers(kind, *counts) for kind in roc_bands.Kind.__args__}
    assert {kind: set(readers) for kind, readers in read.items()} == {
        "fixed_width": {"distance"},
        "sup_t": {"tpr"},
        "vertical": {"tpr"},
        "threshold": set(),
        "sjr": set(),
        "none": set(),
    }
    assert set(roc_bands.curve_readers("sjr", *counts, compared=True)) == {"tpr"}
    assert roc_bands.curve_readers("none", *counts, compared=True) == {}
    misses, alarms = (
        np.array([[0, 0, 2, 2, 4], [0, 0, 0, 0, 1]]),
        np.array([[3, 3, 2, 0, 0], [5, 0, 0, 0, 0]]),
    )
    assert read["vertical"]["tpr"](misses, alarms).shape == (2, len(roc_bands.fpr_grid(4)))
    nothing = np.zeros(4, dtype=np.int64)
    assert roc_bands.curve_readers("fixed_width", counts[0], nothing, compared=True) == {}
    assert roc_bands.curve_readers("fixed_width", nothing, counts[1], compared=True) == {}


def test_long_curves_are_measured_at_a_thousand_cuts():
    rng = np.random.default_rng(5)
    staircase = staircase_of(rng.normal(1.5, 1, 4000), rng.normal(0, 1, 4000))[1]
    own = staircase.misses, staircase.false_alarms
    counts = np.diff(own[0]), -np.diff(own[1])
    at = run_cuts(*counts)
    assert len(at) > roc_bands.MOST_CUTS
    again = drawn(staircase, 40, 3)
    read = roc_bands.curve_readers("fixed_width", *counts)["distance"](*[count[:, at] for count in again])
    whole = roc_bands.fwb_distances(*own, *again)
    assert (read <= whole + 1e-9).all()
    assert 0.97 * whole.mean() < read.mean() < whole.mean()


def test_the_least_error_by_hand():
    """16 targets, all or half of them accepted: p is 18 / 20 and 1 / 2."""
    found = roc_bands.least_errors(np.array([1.0, 0.5]), 16)
    assert found == pytest.approx([np.sqrt(0.9 * 0.1 / 20), np.sqrt(0.25 / 20)])
