"""The same trials give the same frames, byte for byte, wherever they come from; no secret leaves."""

from __future__ import annotations

import io
import os
import sys

import polars as pl
import pytest
from asking import FAST, config_of, fetch, frames_of, plan_of

from reporting.app.cli import main
from reporting.app.run.report import make_report
from reporting.errors import DataError

TABLE = ", table: scores"


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory, trials: pl.DataFrame) -> dict[str, bytes]:
    """The frames of the trials in a local Parquet file."""
    folder = tmp_path_factory.mktemp("local")
    trials.write_parquet(folder / "trials.parquet")
    return frames_of(plan_of(folder, "trials.parquet"))


def parquet(frame: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def test_a_table_of_sqlite_beside_the_config(tmp_path, sqlite, expected):
    plan = plan_of(sqlite.parent, f"sqlite:///{sqlite.name}", TABLE)
    assert frames_of(plan) == expected
    assert [one.name for one in fetch(plan, tmp_path)] == ["sqlite:///lab.db (table scores)"]


def test_a_query_of_sqlite_by_its_whole_path(tmp_path, sqlite, expected):
    query = ', query: "SELECT * FROM scores ORDER BY score -- all\\n;"'
    assert frames_of(plan_of(tmp_path / "here", f"sqlite:///{sqlite}", query)) == expected


def test_a_table_of_postgresql(tmp_path, lab, expected):
    plan = plan_of(tmp_path, lab.url, TABLE)
    assert frames_of(plan) == expected
    assert [one.name for one in fetch(plan, tmp_path)] == [
        f"postgresql://127.0.0.1:{lab.port}/lab (table scores)"
    ]


def test_a_query_of_postgresql(tmp_path, lab, expected):
    query = ", query: 'WITH every AS (TABLE scores) SELECT *, 1 AS more FROM every -- all'"
    plan = plan_of(tmp_path, f"{lab.url}?sslmode=prefer", query)
    assert frames_of(plan) == expected
    assert [one.name for one in fetch(plan, tmp_path)] == [f"postgresql://127.0.0.1:{lab.port}/lab (query)"]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_an_object(tmp_path, lake, trials, expected, kind):
    content = parquet(trials) if kind == "parquet" else trials.write_csv().encode()
    url = lake.put(f"scores of 2026/trials.{kind}", content)
    plan = plan_of(tmp_path, url, f", storage: {lake.storage}")
    assert frames_of(plan) == expected
    assert [(one.name, one.size) for one in fetch(plan, tmp_path)] == [(url, len(content))]


@pytest.mark.parametrize("source", ["lake/model=*/*.parquet", "lake/**/{split}.parquet", "lake/", "lake"])
def test_many_objects_whose_keys_speak(tmp_path, lake, trials, expected, source):
    lake.put("lake/_SUCCESS", b"")
    for (model, split), rows in trials.group_by("model", "split"):
        dropped = ["model", *["split"] * ("{" in source)]
        lake.put(f"lake/model={model}/{split}.parquet", parquet(rows.drop(dropped)))
    plan = plan_of(tmp_path, f"s3://lake/{source}", f", storage: {lake.storage}")
    assert frames_of(plan) == expected
    assert len(fetch(plan, tmp_path)) == 4


def test_no_secret_is_written_or_told(tmp_path, lake, lab, trials, monkeypatch, capfd):
    lake.put("trials.csv", trials.filter(model="A").write_csv().encode())
    lab.ask("DELETE FROM scores WHERE model = 'A'")
    for folder, objects, table, status in (
        ("good", "trials.csv", "scores", 0),
        ("no-object", "trails.csv", "scores", 2),
        ("no-table", "trials.csv", "score", 2),
    ):
        both = f"s3://lake/{objects}', '{lab.url}"
        config = config_of(tmp_path / folder, both, f", storage: {lake.storage}, table: {table}")
        config.write_text(config.read_text().replace(f"'{both}'", f"['{both}']"))
        sets = [part for text in FAST for part in ("--set", text)]
        monkeypatch.setattr(sys, "argv", ["reporting", "run", "-v", str(config), *sets])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == status
    told = "".join(capfd.readouterr()).encode()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"did you mean 'trials.csv'" in told
    assert b"did you mean 'scores'" in told
    assert b'"name": "s3://lake/trials.csv"' in written
    for name in ("PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"):
        assert os.environ[name].encode() not in told + written


@pytest.mark.parametrize("place", ["postgresql", "sqlite"])
def test_a_database_has_one_digest_whatever_the_order_of_its_rows(tmp_path, lab, sqlite, place):
    url = lab.url if place == "postgresql" else f"sqlite:///{sqlite}"
    orders = ("trial, model, split", "score, model, trial DESC, split", "trial LIMIT 31")
    queries = [f", query: 'SELECT * FROM scores ORDER BY {order}'" for order in orders]
    one, same, other = (fetch(plan_of(tmp_path, url, query), tmp_path / query[-9:-1]) for query in queries)
    assert one == same != other


def test_a_database_that_goes_away_leaves_the_last_good_report(tmp_path, lab):
    config = config_of(tmp_path, lab.url, TABLE)
    report = make_report(config, overrides=FAST)
    before = {path: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    lab.stop()
    try:
        with pytest.raises(DataError, match="Connection refused"):
            make_report(config, overrides=FAST)
    finally:
        lab.start()
    assert {
        path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != config
    } == before
