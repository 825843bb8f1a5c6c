"""The bins of the bootstrap differences: by hand, mirrored, complete, and of the replicates of the row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_parts import resampled

from reporting.core.engine.values import value_at
from reporting.core.stats.swap import Swaps
from reporting.document.frames.comparisons import DIFFERENCES
from reporting.features.comparisons.differences import MOST_BINS, bins_of, difference_rows

LATTICE = st.lists(st.integers(-30, 30), min_size=1, max_size=60).map(lambda v: np.array(v) / 40)
FINE = st.lists(st.floats(-1, 1).map(lambda v: round(v, 6)), min_size=1, max_size=60).map(np.array)


def test_bins_by_hand():
    """Eight values, IQR 4 - 1 = 3 by order statistics: 2 * 3 / 2 = 3 steps of 1, an odd number."""
    found = bins_of(np.array([0.0, 1, 1, 2, 3, 4, 4, 9]))
    assert found.low.tolist() == [-1.5, 1.5, 4.5, 7.5]
    assert found.high.tolist() == [1.5, 4.5, 7.5, 10.5]
    assert found.held.tolist() == [3, 4, 0, 1]


def test_an_even_width_goes_up_to_the_next_odd_one():
    """IQR 2 of eight values: a width of 2 would put edges on every second value."""
    found = bins_of(np.array([-3.0, -1, -1, 0, 0, 1, 1, 3]))
    assert found.held.tolist() == [1, 6, 1]
    assert found.low.tolist() == [-4.5, -1.5, 1.5]


def test_without_quartiles_apart_the_standard_deviation_decides():
    values = np.zeros(1000)
    values[:10], values[-10:] = -0.5, 0.5
    found = bins_of(values)
    assert found.held.sum() == 1000
    assert found.held.max() == 980
    assert len(found.held) > 1


@pytest.mark.parametrize("values", [np.zeros(5), np.full(3, 0.25), np.array([0.1 + 0.2, 0.3])])
def test_without_spread_one_bin_holds_all(values):
    found = bins_of(values)
    assert found.held.tolist() == [len(values)]
    assert found.low[0] == found.high[0] == values.min()


@given(LATTICE | FINE)
def test_every_value_is_counted_once_in_its_bin(values):
    low, high, count = bins_of(values)
    assert count.sum() == len(values)
    assert (count >= 0).all()
    assert count[0] > 0
    assert count[-1] > 0
    assert low[0] <= values.min()
    assert values.max() <= high[-1]
    np.testing.assert_array_equal(low[1:], high[:-1])
    inside = [((values > a - 1e-9) & (values < b + 1e-9)).sum() for a, b in zip(low, high, strict=True)]
    assert (count <= inside).all()


@given(LATTICE | FINE)
def test_swapping_the_models_mirrors_the_bins(values):
    one, other = bins_of(values), bins_of(-values)
    np.testing.assert_array_equal(one.low, -other.high[::-1])
    np.testing.assert_array_equal(one.high, -other.low[::-1])
    np.testing.assert_array_equal(one.held, other.held[::-1])


@given(st.integers(1, 40), st.integers(50, 400), st.integers(0, 99))
def test_a_lattice_falls_alike_into_all_bins(step, size, seed):
    """Bins of one width hold equally many points of the lattice: none stands empty between its like."""
    values = np.random.default_rng(seed).binomial(step, 0.5, size=size) / 64
    low, high, _ = bins_of(values)
    points = np.arange(step + 1) / 64
    inner = [((points > a) & (points < b)).sum() for a, b in zip(low[1:-1], high[1:-1], strict=True)]
    assert len(set(inner)) <= 1


def test_outliers_do_not_make_thousands_of_bins():
    values = np.append(np.random.default_rng(1).normal(size=999), 1e6)
    assert len(bins_of(values).held) <= 2 * MOST_BINS


CONFIG = "measures: [hter, auc, f1]\ncriteria: [min_hter]\nepc: none\n"


def rows_of(tmp_path, *overrides, config=CONFIG, **table):
    part, drawn, study = resampled(tmp_path, config, *overrides, **table)
    rows = list(difference_rows(part.models, drawn, study))
    return DIFFERENCES.build(rows), part, drawn, study


def test_every_pair_has_the_replicates_of_its_headline(tmp_path):
    frame, part, drawn, study = rows_of(tmp_path, models=("a", "b", "c"))
    assert frame.select("model", "baseline").unique(maintain_order=True).rows() == [
        ("b", "a"), ("c", "a"), ("c", "b"),
    ]  # fmt: skip
    assert set(frame["inference"]) == {"procedure"}
    assert set(frame["criterion"]) == {"min_hter"}
    assert frame.group_by("model", "baseline").agg(n=frame["count"].sum() // 3)["n"].to_list() == [99] * 3
    measure, name = study.primary.measure, str(study.primary.criterion)
    values = drawn.swapped[("a", "0", "c", "0"), name].values(measure)[:, 0]
    a, _, c = (
        value_at(measure, model.single[study.primary.criterion].test, 0, model.test) for model in part.models
    )
    swaps = Swaps.of(c - a, values[1::2] - values[::2], drawn.imbalance)
    expected = bins_of(c - a + swaps.centred)
    mine = frame.filter(model="c", baseline="a")
    assert mine["count"].to_list() == expected.held.tolist()
    np.testing.assert_allclose(mine["low"], expected.low)


def test_the_baseline_may_sort_behind(tmp_path):
    forth, *_ = rows_of(tmp_path / "forth", "baseline=a")
    back, *_ = rows_of(tmp_path / "back", "baseline=b")
    assert (back["model"][0], back["baseline"][0]) == ("a", "b")
    assert forth["count"].to_list() == back["count"].to_list()[::-1]
    np.testing.assert_allclose(forth["low"], -back["high"].to_numpy()[::-1])


@pytest.mark.parametrize(
    ("more", "inference", "criterion"),
    [
        (["significance.comparisons=given_thresholds"], "given_thresholds", "min_hter"),
        (["primary.criterion=fixed(threshold=0.5)"], "given_thresholds", "fixed(threshold=0.5)"),
        (["primary.measure=auc"], None, None),
    ],
)
def test_the_headline_follows_the_question(tmp_path, more, inference, criterion):
    frame, *_ = rows_of(tmp_path, *more)
    assert set(frame["inference"]) == {inference}
    assert set(frame["criterion"]) == {criterion}
    assert frame["count"].sum() == 99


def test_groups_and_tables_without_keys_have_none(tmp_path):
    part, drawn, study = resampled(tmp_path / "group", CONFIG + "by: [gender]\n", at=1)
    assert part.group
    assert list(difference_rows(part.models, drawn, study)) == []
    frame, *_ = rows_of(tmp_path / "keyless", keyed=False)
    assert frame.is_empty()


def test_equal_models_have_one_bin_at_zero(tmp_path):
    frame, *_ = rows_of(tmp_path, same=True)
    assert frame.select("low", "high", "count").rows() == [(0.0, 0.0, 99)]
