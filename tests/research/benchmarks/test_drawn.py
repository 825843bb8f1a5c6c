"""The tables that benchmarks draw: the same rows however they are written, halves, keys, ties, correlation."""

import polars as pl
import pytest

import tests.research.benchmarks.drawn as drawn
from tests.research.benchmarks.drawn import SCHEMA, Shape, write_table


@pytest.fixture
def in_chunks(monkeypatch):
    monkeypatch.setattr(drawn, "CHUNK", 300)


def written(folder, shape, files):
    folder.mkdir()
    assert write_table(folder, shape, files) > 0
    paths = sorted((folder / "trials").iterdir())
    return [path.name for path in paths], pl.read_parquet(paths).sort("model", "trial")


def test_one_file_and_many_hold_the_same_rows(tmp_path, in_chunks):
    one, many = (written(tmp_path / files, Shape(3, 1000), files) for files in ("one", "many"))
    assert (one[0], many[0]) == (["trials.parquet"], ["m00.parquet", "m01.parquet", "m02.parquet"])
    assert one[1].equals(many[1])
    assert one[1].schema == SCHEMA


def test_a_model_is_the_same_whoever_stands_beside_it(tmp_path, in_chunks):
    alone, beside = (written(tmp_path / str(n), Shape(n, 700), "one")[1] for n in (1, 2))
    assert alone.equals(beside.filter(model="m00"))


def test_trials_are_keyed_halved_and_shared(tmp_path, in_chunks):
    _, rows = written(tmp_path / "one", Shape(2, 1000), "one")
    first, second = rows.partition_by("model")
    assert first["trial"].to_list() == [f"t{i:09d}" for i in range(1000)]
    assert first["split"].to_list() == ["dev"] * 500 + ["test"] * 500
    assert first["label"].equals(second["label"])
    assert 0.4 < first["label"].mean() < 0.6
    pair = pl.DataFrame({"one": first["score"], "other": second["score"]})
    assert 0.5 < pair.filter(first["label"]).select(pl.corr("one", "other")).item() < 0.9


def test_a_grid_ties_scores(tmp_path):
    _, rows = written(tmp_path / "one", Shape(1, 1000, grid=0.25), "one")
    assert rows["score"].n_unique() < 50
    assert (rows["score"] * 4 % 1 == 0).all()
