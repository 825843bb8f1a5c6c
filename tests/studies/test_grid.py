"""The grid of clusters as they come: its populations are those that it draws, and its limits hold them."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from tests.studies.grid import (
    ALONE,
    ASKED,
    GRID,
    Clustered,
    Crossed,
    Independent,
    after,
    drawn,
    factor,
    freedom,
    influences,
    key,
    kish,
    sizes_of,
    skewed,
    spread_of_pools,
    truths,
    without_one,
)
from tests.studies.models import Scored


def test_sizes_keep_their_pattern():
    assert sizes_of("equal", 6, 10).tolist() == [10] * 6
    assert sizes_of("half", 6, 10).tolist() == [30, 6, 6, 6, 6, 6]
    assert sizes_of("zipf", 6, 10).tolist() == [24, 12, 8, 6, 5, 4]
    assert kish([30, 6, 6, 6, 6, 6]) == pytest.approx(10 / 3)
    assert kish([7] * 9) == pytest.approx(9)


def test_the_factor_is_what_squares_lack_where_clusters_agree():
    """Of 3:1, 1 / (1 - 2 (28 / 64) / (10 / 16) + 10 / 16) = 40 / 9; of equal ones G / (G - 1)."""
    assert factor([3, 1]) == pytest.approx(40 / 9)
    assert factor([7] * 9) == pytest.approx(9 / 8)
    w = np.array([5, 3, 1, 1]) / 10
    means = np.random.default_rng(1).standard_normal((100_000, 4))
    values = means @ w
    plain = ((w * (means - values[:, None])) ** 2).sum(axis=1)
    assert factor(w) * plain.mean() == pytest.approx(values.var(), rel=0.02)
    assert freedom([3, 1]) == 1
    assert freedom([7] * 9) == 8
    assert freedom([30, 6, 6, 6, 6, 6]) == pytest.approx(10 / 3)


def test_the_grid_is_the_whole_product():
    assert len(GRID) == len(set(GRID)) == 4 * 3 * 4
    assert len({cell.name for cell in (*GRID, *ALONE)}) == len(GRID) + len(ALONE)


@pytest.mark.parametrize(
    "cell",
    [
        Clustered(3000, "equal", "both"),
        Clustered(3000, "equal", "quality 1"),
        Independent(60_000, 30_000, "grades"),
        Independent(60_000, 30_000, "t3"),
    ],
    ids=lambda cell: cell.name,
)
def test_truths_are_those_of_very_many_trials(cell):
    table = cell.draw(np.random.default_rng(1))
    whole = without_one(Scored(table.label, table.score, np.zeros(len(table.label), dtype=np.uint32)))
    for asked in ASKED:
        assert whole[asked][-1] == pytest.approx(truths(cell)[asked], rel=0.05), key(*asked)


def test_every_measure_gets_both_limits():
    """Values without one cluster surround the value, and proposed limits hold it; two tables of the report."""
    cell = GRID[4]
    for run, record in enumerate(drawn(cell, 2, 99)):
        table = cell.draw(np.random.default_rng([1, run, *map(ord, cell.name)]))
        without = {name: values for name, (*_, values) in record.items()}
        proposed = after(table, without, {name: kept[2] for name, kept in record.items()})
        assert proposed.keys() == record.keys()
        for name, (low, high, spread, values) in record.items():
            assert low <= values[-1] <= high
            assert len(values) == cell.clusters + 1
            assert spread >= 0
            assert proposed[name][0] - 1e-9 <= values[-1] <= proposed[name][1] + 1e-9 or name == "far @ rare"


def test_without_skewness_limits_are_students():
    cost = np.arange(11.0)
    se = math.sqrt(cost.var(ddof=1) / 11)
    assert skewed([cost], [1.0]) == pytest.approx(
        (max(0.0, 5 - stdtrit(10, 0.975) * se), 5 + stdtrit(10, 0.975) * se)
    )
    low, high = skewed([np.append(cost, 60.0)], [1.0])
    middle = np.append(cost, 60.0).mean()
    assert high - middle > middle - low


def test_two_pools_by_hand():
    """Rows alone differ: (2, -2) / 2 a column, so V is that of rows, 2 / 1 (2^2 + 2^2) with one degree of freedom."""
    se, df = spread_of_pools(np.array([[1.0, 1.0], [-1.0, -1.0]]))
    assert (se, df) == (pytest.approx(4.0), pytest.approx(1.0))
    se, df = spread_of_pools(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert (se, df) == (pytest.approx(4.0), pytest.approx(1.0))


def test_the_spread_of_pools_is_that_of_many_tables():
    cell, rng = Crossed(12, 24, (0.15, 0.15)), np.random.default_rng(3)
    made = []
    for _ in range(200):
        label, (score, _other) = cell.draw(rng)
        value, psi = influences(label, score)["AUC"]
        made.append((value, spread_of_pools(psi)[0] ** 2))
    values, variances = np.array(made).T
    assert math.sqrt(variances.mean()) == pytest.approx(values.std(), rel=0.15)
