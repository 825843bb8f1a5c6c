"""Whatever can go wrong with objects is told in one message, soon, and without a secret."""

from __future__ import annotations

import socket
import socketserver
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from asking import fault_of, fetch, plan_of

from reporting.inputs.remote.fetch import fetched

BELONG = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"


@pytest.fixture
def full(lake):
    for key in (
        "x/trials.csv",
        "d/_delta_log/0.json",
        "d/x.csv",
        "h/x.csv.part",
        "n/notes.md",
        "k/m=A/m=B/x.csv",
    ):
        lake.put(key, b"a\n1\n")
    return lake


def storage(endpoint: str, **more: str) -> str:
    said = {"endpoint_url": endpoint, "allow_http": "true"} | more
    return ", storage: {" + ", ".join(f"{key}: '{value}'" for key, value in said.items()) + "}"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("lake/x/trails.csv", "there is no object s3://lake/x/trails.csv; did you mean 'x/trials.csv'?"),
        ("lake/x/*.parquet", "no object matches s3://lake/x/*.parquet"),
        ("lake/y", "there is no object, and no table below s3://lake/y"),
        ("laek/x/trials.csv", "s3://laek/x/trials.csv: there is no bucket 'laek' at {store}"),
        ("laek/x/*.csv", "s3://laek/x/*.csv: there is no bucket 'laek' at {store}"),
        ("lake/d", "s3://lake/d: '_delta_log' is of a Delta table, some of whose objects may have been replaced; export it to Parquet files first"),
        ("lake/h/", "s3://lake/h/: 'h/x.csv.part' looks like an unfinished download; wait for it or remove it"),
        ("lake/n/notes.md", "s3://lake/n/notes.md: 'n/notes.md' is not a kind of file that is read (read: "),
        ("lake/k/", "s3://lake/k/: 'm=A/m=B/x.csv' gives column 'm' two values: 'A' and 'B'"),
        ("lake/x//trials.csv", "s3://lake/x//trials.csv: expected a key without empty parts, '.' and '..'"),
        ("Lake of 2026/x.csv", "s3://Lake of 2026/x.csv: 'Lake of 2026' cannot be a bucket; expected s3://bucket/key"),
    ],
)  # fmt: skip
def test_what_is_not_there(tmp_path, full, source, fault):
    assert fault_of(tmp_path, f"s3://{source}", storage(full.endpoint)).startswith(
        fault.format(store=full.endpoint)
    )


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"anonymous": "true"}, f"s3://lake/x/trials.csv: access is denied; check {BELONG}"),
        ({"endpoint_url": "http://127.0.0.1:9"}, "s3://lake/x/trials.csv: http://127.0.0.1:9 cannot be reached"),
        ({"endpoint_url": "http://nohost.invalid"}, "s3://lake/x/trials.csv: http://nohost.invalid cannot be reached"),
        ({"allow_http": "false"}, "trials.storage.endpoint_url: http:// is not encrypted; say allow_http: true to use it"),
        ({"endpoint_url": "host"}, "trials.storage.endpoint_url: expected https://host or http://host, found 'host'"),
        ({"endpoint_url": "http://u:hush@h"}, f"trials.storage.endpoint_url: credentials do not belong in an address; they are read from {BELONG}"),
        ({"secret_access_key": "hush"}, f"trials.storage.secret_access_key: credentials do not belong in a config; they are read from {BELONG}"),
        ({"regoin": "x"}, "trials.storage.regoin: unknown key; did you mean 'region'? (allowed: endpoint_url, region, allow_http, anonymous, requester_pays, virtual_hosted_style)"),
        ({"region": "a b"}, "trials.storage.region: expected a name such as eu-central-1, found 'a b'"),
        ({"anonymous": "maybe"}, "trials.storage.anonymous: expected true or false, found 'maybe'"),
    ],
)  # fmt: skip
def test_what_storage_says_wrongly(tmp_path, full, more, fault):
    assert fault_of(tmp_path, "s3://lake/x/trials.csv", storage(full.endpoint, **more)) == fault


def test_without_credentials(tmp_path, full, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    fault = fault_of(tmp_path, "s3://lake/x/trials.csv", storage(full.endpoint))
    assert fault == f"s3://lake/x/trials.csv: no credentials; set {BELONG}, or trials.storage.anonymous: true"


def test_the_environment_names_the_endpoint(tmp_path, full, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", full.endpoint)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    assert len(fetch(plan_of(tmp_path, "s3://lake/x/trials.csv"), tmp_path / "work")) == 1
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    assert "is not encrypted" in fault_of(tmp_path / "a", "s3://lake/x/trials.csv")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://user:hush@x y")
    assert (
        fault_of(tmp_path / "b", "s3://lake/x/trials.csv")
        == "AWS_ENDPOINT_URL: expected https://host or http://host"
    )


@contextmanager
def breaking(times: int, whole: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that breaks off in the middle of an object, so many times; then it is sent whole."""
    asked: list[bytes] = []

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline())
            while self.rfile.readline().strip():
                pass
            sent = whole if len(asked) > times else whole[: len(whole) // 2]
            head = f'HTTP/1.1 200 OK\r\nContent-Length: {len(whole)}\r\nETag: "x"\r\nLast-Modified: Sat, 21 Nov 2026 20:00:00 GMT\r\nConnection: close\r\n\r\n'
            self.wfile.write(head.encode() + sent)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()


def test_a_transfer_that_breaks_off_is_begun_again(tmp_path, lake):
    whole = b"model,score\n" + b"A,1\n" * 1000
    with breaking(1, whole) as (endpoint, asked):
        (file,) = fetched(
            plan_of(tmp_path, "s3://lake/x.csv", storage(endpoint)).trials, tmp_path / "work"
        ).sources
    assert file.path.read_bytes() == whole
    assert [path.name for path in file.path.parent.iterdir()] == ["x.csv"]
    assert file.origin.size == len(whole)
    assert len(asked) > 1


def test_a_transfer_that_always_breaks_off_is_an_error_and_leaves_no_file(tmp_path, lake):
    with breaking(99, b"model,score\n" * 100) as (endpoint, _):
        fault = fault_of(tmp_path, "s3://lake/x.csv", storage(endpoint))
    assert fault.startswith("s3://lake/x.csv: the transfer broke off 3 times: ")
    assert not list((tmp_path / "work").rglob("x.csv"))


def test_a_server_that_never_answers_is_left_soon(tmp_path, lake, monkeypatch):
    objects = pytest.importorskip("reporting.inputs.remote.objects", reason="obstore is missing")
    assert objects.CLIENT["read_timeout"] <= timedelta(seconds=10)
    monkeypatch.setitem(objects.CLIENT, "read_timeout", timedelta(seconds=0.2))
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert fault_of(tmp_path, "s3://lake/x.csv", storage(endpoint)).endswith(
            f"{endpoint} cannot be reached"
        )
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("source", "further", "library", "extra"),
    [("s3://lake/x.csv", "", "obstore", "s3"), ("postgresql://h/d", ", table: x", "psycopg", "postgres")],
)
def test_without_the_extra(tmp_path, monkeypatch, source, further, library, extra):
    for module in ("reporting.inputs.remote.objects", "reporting.inputs.remote.postgresql"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    assert fault_of(tmp_path, source, further) == (
        f"trials.source needs {library}, which is not installed; pip install 'trial-reporting[{extra}]' brings it"
    )
