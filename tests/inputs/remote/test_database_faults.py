"""Whatever can go wrong with a database is told in one message, without a secret."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest
from asking import fault_of, fetch, plan_of
from hypothesis import given
from hypothesis import strategies as st
from snapshot import snapshot

from reporting.errors import ConfigError
from reporting.inputs.remote import sqlite as of_sqlite
from reporting.inputs.remote.address import check_address, select, table_name
from reporting.inputs.spec import Remote

TABLE = ", table: scores"
PLACE = 'connection to server at "127.0.0.1", port {port} failed: '
ONE = "expected one SELECT"
PASSWORDS = "(a password is read from PGPASSWORD, ~/.pgpass or a service file)"


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ("table: score", '(table score): relation "score" does not exist; did you mean \'scores\'?'),
        ("table: Scores", '(table Scores): relation "Scores" does not exist; did you mean \'scores\'?'),
        ("table: public.score", '(table public.score): relation "public.score" does not exist; did you mean \'public.scores\'?'),
        ("table: hidden", "(table hidden): permission denied for table hidden"),
        ("query: SELEC 1", '(query): syntax error at or near "SELEC"'),
        ("query: SELECT nope FROM scores", '(query): column "nope" does not exist'),
        ("query: SELECT * FROM score", '(query): relation "score" does not exist; did you mean \'scores\'?'),
        ("query: SELECT 1; SELECT 2", f"(query): {ONE}, not several statements"),
        ("query: DELETE FROM scores", f"(query): the result has no columns; {ONE}"),
        ("query: WITH x AS (DELETE FROM scores RETURNING *) SELECT * FROM x", f"(query): cannot execute SELECT in a read-only transaction; {ONE}"),
        ("query: SHOW all", '(query): syntax error at or near "SHOW"'),
        ("query: SELECT 1) TO STDOUT; DELETE FROM scores; COPY (SELECT 1", '(query): syntax error at or near ")"'),
        ("query: SELECT model, split AS model FROM scores", "(query): column 'model' occurs more than once in the result"),
        ("query: SELECT 1/(score - score) AS score FROM scores", "(query): division by zero"),
        ("query: ;", "(query): expected a SELECT, found ''"),
    ],
)  # fmt: skip
def test_what_postgresql_refuses(tmp_path, lab, asked, fault):
    lab.ask("CREATE TABLE hidden (a int)")
    key, _, said = asked.partition(": ")
    assert (
        fault_of(tmp_path, lab.url, f", {key}: '{said}'") == f"postgresql://127.0.0.1:{lab.port}/lab {fault}"
    )
    assert len(fetch(plan_of(tmp_path, lab.url, TABLE), tmp_path / "again")) == 1


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("postgresql://127.0.0.1:9/lab", "/lab: connection to server at \"127.0.0.1\", port 9 failed: Connection refused"),
        ("postgresql://nohost.invalid/lab", "/lab: failed to resolve host 'nohost.invalid': "),
        ("postgresql://reader@127.0.0.1:{port}/lap", f"/lap: {PLACE}database \"lap\" does not exist; did you mean 'lab'?"),
        ("postgresql://raeder@127.0.0.1:{port}/lab", f"/lab: {PLACE}password authentication failed for user \"raeder\" {PASSWORDS}"),
        ("postgresql://reader@127.0.0.1:{port}/lab?sslmode=require", f"/lab: {PLACE}server does not support SSL, but SSL was required"),
        ("postgresql://reader@127.0.0.1:{port}/lab?sslmod=x", "/lab: invalid URI query parameter: \"sslmod\"; did you mean 'sslmode'?"),
        ("postgresql:///lab?service=nowhere", "/lab: definition of service \"nowhere\" not found"),
    ],
)  # fmt: skip
def test_why_postgresql_cannot_be_reached(tmp_path, lab, url, fault):
    found = fault_of(tmp_path, url.format(port=lab.port), TABLE)
    assert fault.format(port=lab.port) in found
    assert "reader@" not in found


@pytest.mark.parametrize("wrong", ["not-the-password", ""])
def test_a_wrong_password_is_not_repeated(tmp_path, lab, monkeypatch, wrong):
    monkeypatch.setenv("PGPASSWORD", wrong)
    found = fault_of(tmp_path, lab.url, TABLE)
    assert found.endswith(PASSWORDS)
    assert "not-the-password" not in found


def test_a_password_file_and_a_service_file_are_read(tmp_path, lab, monkeypatch):
    pgpass, services = tmp_path / "pgpass", tmp_path / "services"
    password = os.environ["PGPASSWORD"]
    pgpass.write_text(f"127.0.0.1:*:lab:reader:{password}\n")
    pgpass.chmod(0o600)
    services.write_text(f"[lab]\nhost=127.0.0.1\nport={lab.port}\nuser=reader\ndbname=lab\n")
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("PGPASSFILE", str(pgpass))
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    for number, url in enumerate((lab.url, "postgresql://?service=lab")):
        assert len(fetch(plan_of(tmp_path, url, TABLE), tmp_path / str(number))) == 1


@pytest.mark.parametrize("url", ["postgresql://u:hush@h/d", "postgresql://u:hu/sh@h/d", "postgresql://h/d?password=hush",
    "postgresql://h/d?sslmode=require&p%61ssword=hush", "postgresql://h/d?sslpassword=hush", "postgres://u:hush@h/d", "s3://key:hush@b/k",
    "https://u:hush@h/x.csv", "https://h/x.csv?X-Amz-Credential=hush"])  # fmt: skip
def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path, url):
    scheme = url.partition(":")[0]
    with pytest.raises(ConfigError) as caught:
        plan_of(tmp_path, url, TABLE if scheme == "postgresql" else "")
    (fault,) = caught.value.faults
    assert f"(report.yaml:1:18): an address {scheme}:// holds a password or key" in fault.replace(
        f"{tmp_path}/", ""
    )
    assert "hu" not in fault.replace(str(tmp_path), "")


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12))
def test_no_password_before_a_host_passes(password):
    if not set(password) & set("?#"):
        with pytest.raises(ConfigError):
            check_address(f"postgresql://user:{password}@host/lab")


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ("table: score", "(table score): no such table: score; did you mean 'scores'?"),
        ("query: SELECT * FROM score", "(query): no such table: score; did you mean 'scores'?"),
        ("query: SELEC", '(query): near "SELEC": syntax error'),
        ("query: SELECT nope FROM scores", "(query): no such column: nope"),
        ("query: SELECT 1; SELECT 2", f"(query): {ONE}, not several statements"),
        ("query: DELETE FROM scores", f"(query): {ONE}; nothing else is allowed"),
        ('query: ATTACH "other.db" AS other', f"(query): {ONE}; nothing else is allowed"),
        ("query: PRAGMA table_info(scores)", f"(query): {ONE}; nothing else is allowed"),
        ("query: SELECT 1 AS a, 2 AS a", "(query): column 'a' occurs more than once in the result"),
        ("query: SELECT zeroblob(2) AS a", "(query): column 'a' holds bytes; expected text or numbers"),
        ("query: -- nothing", f"(query): the result has no columns; {ONE}"),
    ],
)
def test_what_sqlite_refuses(tmp_path, sqlite, asked, fault):
    key, _, said = asked.partition(": ")
    before = sqlite.read_bytes()
    assert fault_of(tmp_path, "sqlite:///lab.db", f", {key}: '{said}'") == f"sqlite:///lab.db {fault}"
    assert sqlite.read_bytes() == before
    assert not (tmp_path / "other.db").exists()


def test_a_connection_that_breaks_while_rows_come(tmp_path, lab):
    query = "SELECT n, CASE WHEN n = 5000 THEN pg_terminate_backend(pg_backend_pid()) END FROM generate_series(1, 99999) n"
    fault = fault_of(tmp_path, lab.url, f", query: {query!r}")
    assert fault.endswith("/lab (query): terminating connection due to administrator command")


def test_sqlite_is_opened_for_reading(sqlite):
    with closing(of_sqlite._opened(sqlite)) as connection:
        connection.set_authorizer(None)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM scores")


def test_sqlite_files_that_cannot_be_read(tmp_path, sqlite, monkeypatch):
    (tmp_path / "notes.db").write_text("no database, though its name shows so " * 50)
    snapshot(
        "remote/database_faults_sqlite_files_that_cannot_be_read",
        fault_of(tmp_path, "sqlite:///lap.db", TABLE),
    )
    assert not (tmp_path / "lap.db").exists()
    assert fault_of(tmp_path / "a", "sqlite:///../notes.db", TABLE).endswith("file is not a database")
    monkeypatch.setattr(of_sqlite, "LONGEST_WAIT", 0.05)
    with closing(sqlite3.connect(sqlite)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert fault_of(tmp_path / "b", "sqlite:///../lab.db", TABLE).endswith("database is locked")


@pytest.mark.parametrize(
    ("said", "sql"),
    [
        ("scores", '"scores"'),
        ("lab.Scores of 2026", '"lab"."Scores of 2026"'),
        ('"a.b"."c""d"', '"a.b"."c""d"'),
        ('x"; DROP TABLE y; --', '"x""; DROP TABLE y; --"'),
        ("a..b", '"a..b"'),
    ],
)
def test_the_name_of_a_table_is_quoted(said, sql):
    assert table_name(said) == sql
    assert select(Remote("sqlite:///x", options=(("table", said),))) == f"SELECT * FROM {sql}"


def test_an_address_that_is_no_source_is_shown_without_its_user(tmp_path):
    with pytest.raises(
        ConfigError, match="'postgres://h/d' is not a source; .*; did you mean 'postgresql://'?"
    ):
        plan_of(tmp_path, "postgres://user@h/d?x=1")
