"""The store in a bucket: the same runs, kept once, and none without its manifest."""

import logging
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from weeks import facts, filled, frames_of

from reporting.errors import ConfigError, DataError, OutputError
from reporting.features.history import objects
from reporting.features.history.store import open_store


@pytest.fixture(scope="module")
def server():
    moto = pytest.importorskip("moto.server", reason="moto is missing")
    pytest.importorskip("obstore", reason="obstore is missing")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    started = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    yield "http://{}:{}".format(*started.get_host_and_port())
    started.stop()


@pytest.fixture
def bucket(server, monkeypatch):
    """A client of an empty bucket ``runs``; the environment holds the way to it."""
    import boto3

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    said = {
        "AWS_ACCESS_KEY_ID": "AKIAWRITER",
        "AWS_SECRET_ACCESS_KEY": "s3cret/of+the-store",
        "AWS_ENDPOINT_URL": server,
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=server, region_name="us-east-1")
    client.create_bucket(Bucket="runs")
    yield client
    for key in keys(client):
        client.delete_object(Bucket="runs", Key=key)
    client.delete_bucket(Bucket="runs")


def keys(client):
    return [item["Key"] for item in client.list_objects_v2(Bucket="runs").get("Contents", [])]


def test_a_bucket_keeps_what_a_folder_keeps(bucket, tmp_path):
    here, there = (filled(open_store(where), 3) for where in (tmp_path, "s3://runs/weekly/"))
    assert [run.name for run in there.runs()] == [run.name for run in here.runs()]
    assert there.snapshot("2030-01-01", "h") == here.snapshot("2030-01-01", "h")
    assert there.runs()[0].frame("metrics").equals(here.runs()[0].frame("metrics"))
    files = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*.*")}
    got = {key: bucket.get_object(Bucket="runs", Key=key)["Body"].read() for key in keys(bucket)}
    assert got == {f"weekly/{name}": content for name, content in files.items()}


def test_of_many_writers_of_one_run_one_keeps_it(bucket):
    def write(number):
        return open_store("s3://runs").record(facts(0, version=str(number)), frames_of(0))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(8))) == 1
    (run,) = open_store("s3://runs").runs()
    assert run.frame("metrics").height == 12


def test_a_run_whose_writer_died_before_the_manifest_is_none_and_is_cleared_when_old(bucket, monkeypatch):
    filled(open_store("s3://runs"), 1)
    (manifest,) = [key for key in keys(bucket) if key.endswith("manifest.json")]
    bucket.delete_object(Bucket="runs", Key=manifest)
    assert open_store("s3://runs").runs() == ()
    open_store("s3://runs").record(facts(1), {})
    assert len(keys(bucket)) == 3  # it may still be at work
    monkeypatch.setattr(objects, "STALE", objects.timedelta(seconds=-60))
    open_store("s3://runs").record(facts(2), {})
    assert [key.rpartition("/")[2] for key in keys(bucket)] == ["manifest.json"] * 2


def test_damage_in_a_bucket_is_named(bucket):
    filled(open_store("s3://runs"), 2)
    last = sorted(key for key in keys(bucket) if key.endswith("manifest.json"))[-1]
    bucket.put_object(Bucket="runs", Key=last, Body=b"{}")
    store = open_store("s3://runs")
    assert len(store.runs()) == 1
    assert store.cautions == (
        f"s3://runs: run {last.split('/')[-2]} is left out: its manifest cannot be read",
    )


def test_what_a_store_refuses_is_told_without_a_secret(bucket):
    with pytest.raises(DataError, match="there is no bucket 'runz'"):
        open_store("s3://runz/x").runs()
    with pytest.raises((DataError, OutputError), match="there is no bucket 'runz'"):
        open_store("s3://runz/x").record(facts(0), {})
    with pytest.raises(DataError, match="expected s3://bucket/prefix"):
        open_store("s3:///x")
    with pytest.raises(ConfigError, match="holds a password or key") as told:
        open_store("s3://me:hush@runs/x")
    assert "hush" not in str(told.value)
