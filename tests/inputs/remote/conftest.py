"""Places that trials come from: an object store and a database server on this machine, started for the tests."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # ``asking``, whatever the import mode

PASSWORD = "pa55-w0rd-of-a-reader"
SECRET = "s3cret/of+the-store"
ROWS = [
    {"model": model, "split": split, "trial": f"{n:03}", "label": n % 2 == 0, "score": score, "speaker": f"s{n % 3}"}
    for model, shift in (("A", 0), ("B", 1))
    for split in ("dev", "test")
    for n, score in enumerate([0.5, 0.1 + 0.2, 0.5, -1.0, 2.0 + shift, 0.5, 1e-300, 0.5])
]  # fmt: skip


@pytest.fixture(scope="session")
def trials() -> pl.DataFrame:
    """A small table with ties."""
    return pl.DataFrame(ROWS)


@pytest.fixture
def sqlite(tmp_path: Path, trials: pl.DataFrame) -> Path:
    """An SQLite database with the table ``scores``."""
    path = tmp_path / "lab.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "CREATE TABLE scores (model, split text, trial text, label bool, score real, speaker text)"
        )
        db.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?)", trials.rows())
    return path


@dataclass(frozen=True)
class Lake:
    """A bucket ``lake`` in a store."""

    client: Any
    endpoint: str

    def put(self, key: str, content: bytes) -> str:
        self.client.put_object(Bucket="lake", Key=key, Body=content)
        return f"s3://lake/{key}"

    @property
    def storage(self) -> str:
        return f"{{endpoint_url: '{self.endpoint}', allow_http: true}}"


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    server = pytest.importorskip("moto.server", reason="moto is missing")
    pytest.importorskip("obstore", reason="obstore is missing")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    yield "http://{}:{}".format(*started.get_host_and_port())
    started.stop()


@pytest.fixture
def lake(store: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    """An empty bucket, and credentials for it in the environment."""
    import boto3

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREADER")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    client = boto3.client("s3", endpoint_url=store, region_name="us-east-1")
    client.create_bucket(Bucket="lake")
    yield Lake(client, store)
    for item in client.list_objects_v2(Bucket="lake").get("Contents", []):
        client.delete_object(Bucket="lake", Key=item["Key"])
    client.delete_bucket(Bucket="lake")


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server; ``url`` is what a reader with a password sees of its database ``lab``."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://reader@127.0.0.1:{self.port}/lab"

    def ask(self, *statements: str, database: str = "lab") -> None:
        """Let the owner of the server do something."""
        import psycopg

        with psycopg.connect(
            host=str(self.folder), port=self.port, user="owner", dbname=database, autocommit=True
        ) as db:
            for statement in statements:
                db.execute(statement)

    def stop(self) -> None:
        _as_user(["pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop"])

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder} -c fsync=off"
        _as_user(
            [
                "pg_ctl",
                "-D",
                str(self.folder / "data"),
                "-l",
                str(self.folder / "log"),
                "-w",
                "-o",
                options,
                "start",
            ]
        )


def _as_user(command: list[str]) -> None:
    """Run a program of the server, which refuses to be run by root."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which(command[0], path=os.pathsep.join([*map(str, programs), os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"{command[0]} is missing")
    user: dict[str, Any] = (
        {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    )
    subprocess.run([found, *command[1:]], check=True, cwd="/", stdout=subprocess.DEVNULL, **user)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="psycopg is missing")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: the path of a socket may have 107 bytes
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    place = Server(folder, port)
    try:
        data = str(folder / "data")
        _as_user(
            ["initdb", "-D", data, "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        )
        (folder / "data" / "pg_hba.conf").write_text(
            "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        place.start()
        place.ask(
            f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'", "CREATE DATABASE lab", database="postgres"
        )
        yield place
        place.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def lab(server: Server, monkeypatch: pytest.MonkeyPatch, trials: pl.DataFrame) -> Server:
    """The database ``lab`` with the table ``scores``, and the reader's password in the environment."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.ask("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", "GRANT USAGE ON SCHEMA public TO reader")
    server.ask(
        "CREATE TABLE scores (model text, split text, trial text, label bool, score float8, speaker text)",
        *(f"INSERT INTO scores VALUES {tuple(row.values())}" for row in trials.iter_rows(named=True)),
        "GRANT SELECT ON scores TO reader",
    )
    return server
