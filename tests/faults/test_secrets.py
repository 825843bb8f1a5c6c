"""Secrets are planted wherever a run may meet one; no byte that it writes or prints holds any of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from command import Ended, reporting
from faults.small import written

CANARY = "CANARY9f3c"
ENVIRONMENT = {
    name: f"{CANARY}-{name}"
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "PGPASSWORD",
        "REPORTING_SALT",
        "MY_OWN_SECRET",
    )
} | {"AWS_REGION": "eu-central-1"}
SERVICE = f"[prod]\nhost=127.0.0.1\nport=1\nuser=joe\npassword={CANARY}-service\ndbname=x\n"
KEYS = "significance: {replicates: 99, bands: none}\ncurves: []\nepc: none\n"
SHORT = "report: {formats: [json]}\n"


def from_source(text: str, more: str = "") -> str:
    """Return a config with a source."""
    return f"trials: {{source: '{text}'{more}}}\n{KEYS}{SHORT}"


def run(folder: Path, config: str, *more: object, command: str = "run") -> Ended:
    """Run a config with all secrets in the environment, as loudly as can be."""
    written(folder)
    (folder / "pg_service.conf").write_text(SERVICE)
    (folder / "report.yaml").write_text(config)
    service = {"PGSERVICEFILE": str(folder / "pg_service.conf")}
    words = (command, folder / "report.yaml", "-v", *more)
    return reporting(*words, cwd=folder, env=ENVIRONMENT | service)


def outputs(folder: Path) -> list[Path]:
    """Return all files but those that hold the secrets on purpose."""
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("report.yaml", "pg_service.conf")
    ]


def check(folder: Path, ended: Ended, secret: str = CANARY) -> None:
    """Fail where a secret is in anything that is printed or written, or the program itself failed."""
    assert ended.returncode != 3, ended.stderr
    assert "Traceback" not in ended.stderr
    assert secret not in ended.stdout + ended.stderr
    assert [path for path in outputs(folder) if secret.encode() in path.read_bytes()] == []


HTTP = ", storage: {endpoint_url: 'http://127.0.0.1:1', allow_http: 'true'}"
FAILING = {
    "a password": from_source(f"postgresql://joe:{CANARY}@127.0.0.1:1/db", ", table: t"),
    "a password with a slash": from_source(f"postgresql://joe:pa@{CANARY}/x@127.0.0.1:1/db", ", table: t"),
    "a password as parameter": from_source(f"postgresql://127.0.0.1:1/db?password={CANARY}", ", table: t"),
    "a password of a key": from_source(f"postgresql://127.0.0.1:1/db?sslpassword={CANARY}", ", table: t"),
    "the environment of a database": from_source("postgresql://joe@127.0.0.1:1/db", ", table: t"),
    "a service file": from_source("postgresql:///?service=prod", ", table: t"),
    "keys of a bucket": from_source(f"s3://{CANARY}:{CANARY}@bucket/x.parquet"),
    "a token": from_source(f"s3://bucket/x.parquet?token={CANARY}"),
    "a signature": from_source(f"s3://bucket/x.parquet?X-Amz-Signature={CANARY}"),
    "the environment of a bucket": from_source("s3://bucket/x.parquet", HTTP),
    "a setting": from_source("s3://bucket/x.parquet", f", storage: {{secret_access_key: {CANARY}}}"),
    "an endpoint": from_source("s3://b/x.parquet", f", storage: {{endpoint_url: 'https://u:{CANARY}@h'}}"),
    "a signed endpoint": from_source(
        "s3://b/x.parquet", f", storage: {{endpoint_url: 'https://h/?sig={CANARY}'}}"
    ),
    "a web address": from_source(f"https://u:{CANARY}@host/x.csv?sig={CANARY}"),
    "a signed web address": from_source(f"https://host/x.csv?sv=1&sig={CANARY}"),
    "another database": from_source(f"mysql://u:{CANARY}@host/db"),
    "a database that counts": from_source(
        f"postgresql://joe:{CANARY}@127.0.0.1:1/db", ", table: t, count: there, coarse: 20"
    ),
    "a warehouse": from_source(
        f"snowflake://joe:{CANARY}@account/db", ", table: t, count: there, coarse: 20"
    ),
    "another warehouse": from_source(f"bigquery://{CANARY}@project/db?token={CANARY}", ", table: t"),
    "a database file": from_source(
        f"duckdb:///x.duckdb?motherduck_token={CANARY}", ", table: t, count: there, coarse: 20"
    ),
    "a history": from_source("trials.csv") + f"history: {{store: 's3://{CANARY}:{CANARY}@b/p'}}\n",
    "a history elsewhere": from_source("trials.csv") + f"history: {{store: 'https://u:{CANARY}@b/p'}}\n",
    "a scheduler": from_source("trials.csv") + f"run: {{executor: dask, address: 'tcp://u:{CANARY}@h:1'}}\n",
    "an unknown key": from_source("trials.csv") + f"password: {CANARY}\n",
}


@pytest.mark.parametrize("config", FAILING.values(), ids=FAILING.keys())
def test_runs_that_fail_show_no_secret(tmp_path: Path, config: str) -> None:
    """Each log has its turn: both are written from the same events."""
    if "postgresql" in config:
        pytest.importorskip("psycopg")
    if "s3://" in config:
        pytest.importorskip("obstore")
    ended = run(tmp_path, config, "--log", "json" if "s3:" in config else "text")
    assert ended.returncode == 2
    check(tmp_path, ended)


def test_a_secret_on_the_command_line_is_not_repeated(tmp_path: Path) -> None:
    address = f"trials.source=postgresql://u:{CANARY}@h/db"
    ended = run(tmp_path, from_source("trials.csv"), "--set", address)
    assert ended.returncode == 2
    check(tmp_path, ended)


def test_a_report_history_and_cache_hold_no_secret_and_no_place_of_the_machine(tmp_path: Path) -> None:
    """Every path of the config is absolute; what is written tells them from the config's folder."""
    config = (
        f"trials: {{source: '{tmp_path}/trials.csv'}}\n{KEYS}"
        f"report: {{formats: [html, latex, json, markdown]}}\n"
        f"history: {{store: '{tmp_path}/store', as_of: 2026-01-02}}\n"
        f"run: {{cache: '{tmp_path}/cache', folder: '{tmp_path}'}}\n"
    )
    for day in ("2026-01-02", "2026-01-03"):
        ended = run(tmp_path, config, "-o", tmp_path / "out", "--set", f"history.as_of={day}")
        assert ended.returncode == 0, ended.stderr
        check(tmp_path, ended)
    within = [path for path in outputs(tmp_path) if str(tmp_path).encode() in path.read_bytes()]
    assert within == []
    verified = reporting("verify", tmp_path / "out", "--against", tmp_path / "report.yaml")
    assert verified.returncode == 0, verified.stdout


def test_a_database_is_named_from_the_configs_folder(tmp_path: Path) -> None:
    written(tmp_path)
    rows = pl.read_csv(tmp_path / "trials.csv")
    with closing(sqlite3.connect(tmp_path / "trials.db")) as database:
        database.execute(f"CREATE TABLE t ({', '.join(rows.columns)})")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows.rows())
        database.commit()
    ended = run(
        tmp_path, from_source(f"sqlite:///{tmp_path}/trials.db", ", table: t"), "-o", tmp_path / "out"
    )
    assert ended.returncode == 0, ended.stderr
    check(tmp_path, ended, str(tmp_path).encode().decode() + "/trials.db")
    assert "sqlite:///trials.db (table t)" in (tmp_path / "out" / "report.json").read_text()


def test_the_salt_of_counts_comes_from_the_environment(tmp_path: Path) -> None:
    """What stands on a command line, every user of the machine can read."""
    config = from_source("trials.csv", ", coarse: 24, columns: {cluster: trial}")
    ended = run(tmp_path, config, "-o", tmp_path / "salted.parquet", command="counts")
    assert (ended.returncode, "salt: none" in ended.stderr) == (0, False)
    check(tmp_path, ended)
    said = run(
        tmp_path,
        config,
        "-o",
        tmp_path / "said.parquet",
        "--salt",
        ENVIRONMENT["REPORTING_SALT"],
        command="counts",
    )
    assert said.returncode == 0
    assert (tmp_path / "said.parquet").read_bytes() == (tmp_path / "salted.parquet").read_bytes()
