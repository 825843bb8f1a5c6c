"""Addresses of trials outside the file system: no credentials in them, and nothing private shown of them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from reporting.errors import ConfigError, did_you_mean, listed, quoted, refuse
from reporting.inputs.spec import Remote

CREDENTIAL = re.compile(
    r"password|secret|token|credential|access_?key|^key$|_key$|key_id|signature|^sig$", re.IGNORECASE
)
"""Names of settings that hold one."""
STORAGE = ("endpoint_url", "region", "allow_http", "anonymous", "requester_pays", "virtual_hosted_style")
"""What ``trials.storage`` may say."""
SWITCHES = STORAGE[2:]
FILES = ("sqlite", "duckdb", "delta", "iceberg")
"""Schemes of databases in a file or folder of this machine."""
LAKES = ("delta", "iceberg")
"""Schemes of tables with a log."""
LOCAL = ("sqlite:///", "duckdb:///")
"""Databases in a file."""
WHERE_THEY_BELONG = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
    "postgresql": "PGPASSWORD, ~/.pgpass or a service file",
}


def check_address(text: str) -> None:
    """Raise ConfigError where an address holds a credential; the message repeats nothing of it."""
    scheme, _, rest = text.partition("://")
    named = [name for name, _ in parse_qsl(rest.partition("?")[2], keep_blank_values=True)]
    # A password with a slash in it would look like a path.
    has_password = (
        "@" in rest.partition("/")[0] if scheme == "s3" else ":" in rest.partition("?")[0].rpartition("@")[0]
    )
    if scheme in FILES or not (has_password or any(map(CREDENTIAL.search, named))):
        return
    belongs = WHERE_THEY_BELONG.get(scheme, "the environment")
    raise ConfigError(f"an address {scheme}:// holds a password or key; it belongs in {belongs}")


def on_any_machine(text: str, folder: Path) -> str:
    """Return a place as its way from the config's folder: reports say nothing of the machine's own folders.

    An address of another machine stays as it is.
    """
    scheme = next((scheme for scheme in LOCAL if text.startswith(scheme)), "")
    path = text.removeprefix(scheme)
    if "://" in path or not Path(path).is_absolute():
        return text
    return scheme + os.path.relpath(path, os.path.realpath(folder))


def bare(text: str) -> str:
    """Return an address without its user and parameters, to be shown."""
    scheme, _, rest = text.partition("://")
    if scheme == "s3":
        return text
    if scheme in FILES:  # files have no parameters, but somebody may take them for a server
        return re.sub(r"\?[^/]*=.*", "", text)
    return f"{scheme}://{re.split('[?#]', rest)[0].rpartition('@')[2]}"


def shown(remote: Remote) -> str:
    """Name rows of a database for messages and the report."""
    table = dict(remote.options).get("table")
    return f"{bare(remote.url)} (table {table})" if table else f"{bare(remote.url)} (query)"


def as_configured(remote: Remote, table: str | None, query: str | None, storage: Mapping[str, str]) -> Remote:
    """Return a place with its keys in a config: a database's table or query, or the way to objects.

    ConfigError where the way holds a credential or a setting that does not exist.
    """
    if remote.scheme in LAKES:
        return remote
    if remote.scheme == "s3":
        check_storage(storage)
        return replace(remote, options=tuple(sorted(storage.items())))
    named = (("table", table),) if table else ()
    return replace(remote, query=query, options=(*remote.options, *named))


def check_storage(settings: Mapping[str, str]) -> None:
    """Raise ConfigError with every setting of ``trials.storage`` that is unknown, private or no value."""
    faults = [fault for name, value in settings.items() if (fault := _storage_fault(name, value))]
    endpoint = settings.get("endpoint_url", "")
    if not faults and endpoint.startswith("http://") and settings.get("allow_http") != "true":
        faults = ["trials.storage.endpoint_url: http:// is not encrypted; say allow_http: true to use it"]
    refuse(faults, ConfigError)


def _storage_fault(name: str, value: str) -> str:
    where = f"trials.storage.{quoted(name)[1:-1]}"
    if CREDENTIAL.search(name):
        return f"{where}: credentials do not belong in a config; they are read from {WHERE_THEY_BELONG['s3']}"
    if name not in STORAGE:
        return f"{where}: unknown key{did_you_mean(name, STORAGE)} (allowed: {listed(STORAGE)})"
    if name in SWITCHES and value not in ("true", "false"):
        return f"{where}: expected true or false, found {quoted(value)}"
    if name == "endpoint_url" and "@" in value:
        return (
            f"{where}: credentials do not belong in an address; they are read from {WHERE_THEY_BELONG['s3']}"
        )
    if name == "endpoint_url" and not is_endpoint(value):
        return f"{where}: expected https://host or http://host, found {quoted(value.partition('?')[0])}"
    if name == "region" and not is_region(value):
        return f"{where}: expected a name such as eu-central-1, found {quoted(value)}"
    return ""


def is_endpoint(text: str) -> bool:
    """Return whether a text is the address of a web server."""
    if not re.fullmatch(r"https?://[A-Za-z0-9\[][A-Za-z0-9.:\[\]_-]*(/[A-Za-z0-9._~/-]*)?", text):
        return False
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_region(text: str) -> bool:
    """Return whether a text can be the name of a region."""
    return bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,62}", text))


def scheme_guess(text: str, allowed: Sequence[str]) -> str:
    """Return ``; did you mean 'x://'?`` where the scheme of an address resembles an allowed one."""
    scheme, near = text.partition(":")[0], [scheme_text.partition(":")[0] for scheme_text in allowed]
    return did_you_mean(f"{scheme}://", allowed) if did_you_mean(scheme, near) else ""


def database_file(remote: Remote) -> Path:
    """Return the file of a database; relative ones start at the config's folder."""
    return Path(dict(remote.options).get("folder", "")) / remote.url.partition(":///")[2]


def table_name(text: str) -> str:
    """Quote a table's name for SQL, and its schema's before a dot; what is in double quotes is one name.

    >>> table_name('lab.Scores of 2026')
    '"lab"."Scores of 2026"'
    """
    name = r'"(?:[^"]|"")+"|[^".]+'
    parts = re.findall(name, text) if re.fullmatch(rf"(?:{name})(?:\.(?:{name}))*", text) else [text]
    bare_parts = (part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts)
    return ".".join('"' + part.replace('"', '""') + '"' for part in bare_parts)


def select(remote: Remote) -> str:
    """Return the SQL that a database is asked, without a semicolon at its end."""
    table = dict(remote.options).get("table")
    text = (
        f"SELECT * FROM {table_name(table)}" if table else (remote.query or "").strip().rstrip(";").rstrip()
    )
    if "\0" in text or not text:
        raise ConfigError(f"{shown(remote)}: expected a SELECT, found {quoted(text)}")
    return text
