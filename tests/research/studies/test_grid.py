"""The grid of clusters as they come: its populations are those that it draws, and drawing can be stopped."""

import json

import numpy as np
import pytest

from reporting.core.measures.catalogue import read_measure
from tests.research.studies import grid
from tests.research.studies.grid import (
    ALONE,
    ASKED,
    GRID,
    Clustered,
    Independent,
    Judged,
    before,
    draw,
    drawn,
    key,
    kish,
    sizes_of,
    truths,
)


def test_sizes_keep_their_pattern():
    assert sizes_of("equal", 6, 10).tolist() == [10] * 6
    assert sizes_of("half", 6, 10).tolist() == [30, 6, 6, 6, 6, 6]
    assert sizes_of("zipf", 6, 10).tolist() == [24, 12, 8, 6, 5, 4]
    assert kish([30, 6, 6, 6, 6, 6]) == pytest.approx(10 / 3)
    assert kish([7] * 9) == pytest.approx(9)


def test_the_grid_is_the_whole_product():
    assert len(before()) == (len(GRID) + len(ALONE)) * len(ASKED)
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
    distinct, rank = np.unique(table.score[0], return_inverse=True)
    n1, n0 = (np.bincount(rank[of], minlength=len(distinct)) for of in (table.label, ~table.label))
    misses, alarms = (np.concatenate([[0], np.cumsum(of)]) for of in (n1, n0))
    alarms = alarms[-1] - alarms
    for name, at in ASKED:
        measure = read_measure(name)
        if at is not None:
            cut = int(np.searchsorted(distinct, at))
            found = measure.formula(misses[cut], alarms[cut], misses[-1], alarms[0], **measure.arguments)
        elif name == "cllr":
            found = measure.formula(distinct, n1, n0)
        else:
            found = measure.formula(misses, alarms, **measure.arguments)
        assert float(found) == pytest.approx(truths(cell)[name, at], rel=0.05), key(name, at)


@pytest.mark.parametrize("cell", [Clustered(2000, "equal", "both"), Independent(30_000, 30_000, "t3")])
def test_two_models_are_alike_and_share_half(cell):
    table = cell.draw(np.random.default_rng(2))
    targets = table.score[:, table.label]
    assert targets[0].mean() == pytest.approx(targets[1].mean(), abs=0.2)
    one, other = targets - targets.mean(axis=1, keepdims=True)
    assert one.std() == pytest.approx(other.std(), rel=0.06)
    assert (one * other).mean() / one.var() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("cell", [GRID[4], ALONE[0]], ids=lambda cell: cell.name)
def test_every_measure_of_a_table_has_limits_around_its_value(cell):
    for record in drawn(cell, range(2), 99, 3):
        assert set(record["limits"]) == {key(*of) for of in ASKED}
        for value, low, high in record["limits"].values():
            assert low <= value <= high
        assert all(0 < p <= 1 for p in record["p"].values())


def test_drawing_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    """Two tables and a third that was cut short are the first of four tables drawn at one time."""
    cell = ALONE[0]
    monkeypatch.setattr(grid, "GRID", (GRID[0],))
    monkeypatch.setattr(grid, "ALONE", (cell,))
    draw(tmp_path / "whole", [cell], 4, 99, 5)
    draw(tmp_path / "part", [cell], 2, 99, 5)
    (file,), (whole,) = ((tmp_path / name).glob("*.jsonl") for name in ("part", "whole"))
    file.write_text(file.read_text() + '{"run": 2, "lim')
    draw(tmp_path / "part", [cell], 4, 99, 5)
    assert file.read_text() == whole.read_text()
    draw(tmp_path / "part", [cell], 1, 99, 6)
    judged = Judged.of(tmp_path / "part", cell)
    assert judged.tables == 5
    records = [json.loads(line) for of in (tmp_path / "part").glob("15*.jsonl") for line in of.open()]
    low, high = np.array([record["limits"]["auc"][1:] for record in records]).T
    true = truths(cell)["auc", None]
    assert judged.seen["auc"].covered == np.mean((low <= true) & (true <= high))
    assert before()[cell.name, "cllr"] == (0.88, 0.96)
    draw(tmp_path / "part", [GRID[0]], 2, 99, 5)
    page = grid.show(tmp_path / "part")
    assert f"0.880 (0.96) → {judged.seen['cllr']}" in page
