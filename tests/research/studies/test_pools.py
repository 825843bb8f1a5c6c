"""The study of two crossed pools: its population is the one that it draws, and drawing can be stopped."""

import json

import numpy as np
import pytest

from tests.research.studies.pools import AUC, CELLS, HTER, Crossed, draw, judged, row


@pytest.mark.parametrize("cell", CELLS[:3], ids=lambda cell: cell.name)
def test_means_of_many_tables_are_the_truth(cell):
    rng, errors = np.random.default_rng(3), []
    for _ in range(300):
        table = cell.draw(rng)
        wrong = (table.score > 0) != table.label
        errors.append([(of[table.label].mean() + of[~table.label].mean()) / 2 for of in wrong])
    assert np.mean(errors, axis=0) == pytest.approx(cell.truth[HTER], abs=0.012)


def test_models_share_half_and_the_second_may_be_better():
    cell = Crossed(200, 300, (0.15, 0.15))
    table = cell.draw(np.random.default_rng(1), better=0.5)
    centred = [
        table.score[:, of] - table.score[:, of].mean(axis=1)[:, None] for of in (table.label, ~table.label)
    ]
    assert np.corrcoef(np.concatenate(centred, axis=1))[0, 1] == pytest.approx(0.5, abs=0.05)
    apart = (
        [of.mean() for of in table.score[:, table.label]],
        [of.mean() for of in table.score[:, ~table.label]],
    )
    assert np.subtract(*apart) == pytest.approx([2.0, 2.5], abs=0.02)


def test_drawing_goes_on_where_it_was_stopped(tmp_path):
    cell = Crossed(6, 8, (0.15, 0.15))
    draw(tmp_path, [cell], 2, 49, 1)
    draw(tmp_path, [cell], 3, 49, 1)
    records = [json.loads(line) for line in (tmp_path / f"{cell.name}.jsonl").read_text().splitlines()]
    assert [record["run"] for record in records] == [0, 1, 2]
    assert records[2] == json.loads(json.dumps(judged(cell, 2, 49)))
    low, high = records[0][AUC]
    assert 0 < low < high < 1
    shown = row(tmp_path, cell)
    assert shown is not None
    assert shown.startswith("| 6 x 8 | 0.15, 0.15 | cells | 0.0 | 3 |")
    assert row(tmp_path, Crossed(6, 9, (0.0, 0.0))) is None
