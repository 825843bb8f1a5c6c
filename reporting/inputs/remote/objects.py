"""Trials in objects of an S3-compatible store: which objects a source names, and how they are fetched.

Keys of objects say what paths of files say of their rows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from reporting.base.provenance import Digest, InputFile
from reporting.base.records import dataclass
from reporting.errors import ConfigError, DataError, RemoteError, did_you_mean, listed, quoted
from reporting.inputs import paths
from reporting.inputs.files import first_line
from reporting.inputs.formats.catalogue import format_of, is_half_written, is_table
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.address import WHERE_THEY_BELONG, is_endpoint, is_region
from reporting.inputs.spec import File, Remote


@dataclass(frozen=True)
class ObjectKey:
    """The key of an object, and what it gives of all its rows: columns of the table, and one text each."""

    text: str
    path_values: tuple[tuple[str, str], ...] = ()


class KeyTree(dict[str, "KeyTree"]):
    """The parts of keys below one another, as names of folders and files are."""

    def put(self, names: tuple[str, ...]) -> None:
        """Add the parts of a key."""
        if names:
            self.setdefault(names[0], KeyTree()).put(names[1:])

    def folder(self, below: tuple[str, ...]) -> KeyTree | None:
        """Return what is below a part, which is a tree of its own; None where nothing is."""
        at: KeyTree | None = self
        for name in below:
            at = None if at is None else at.get(name)
        return at or None

    def names(self, below: tuple[str, ...]) -> Iterable[str]:
        """Return the parts below one."""
        return self.folder(below) or ()

    def has(self, below: tuple[str, ...]) -> bool:
        """Return whether a key has this part."""
        return below[-1] in self.names(below[:-1])


def is_folder(text: str, naming: PathNaming) -> bool:
    """Return whether a text without stars names all that is below it."""
    return not text or text.endswith("/") or not (naming.any_kind or format_of(text))


def fixed_part(text: str, naming: PathNaming) -> str:
    """Return what all keys that are requested begin with, whole folders."""
    if not paths.is_pattern(text):
        return text.strip("/") if is_folder(text, naming) else text.rpartition("/")[0]
    return _path(paths.split_pattern(text, Path(), naming)[0])


def chosen(text: str, every: Iterable[str], naming: PathNaming) -> list[ObjectKey]:
    """Return the keys that a pattern matches, or all tables below a folder, in the order of their bytes.

    ConfigError where a key can be read in two ways, or one that matches is no
    whole table.
    """
    below = not paths.is_pattern(text)
    pattern = f"{text.strip('/')}/{paths.ANY_DEPTH}" if below else text
    start, steps = paths.split_pattern(pattern, Path(), naming)
    inside = f"{_path(start)}/" if _path(start) else ""
    tree, keys = KeyTree(), {}
    for key in sorted(every, key=str.encode):
        names = tuple(key.removeprefix(inside).split("/"))
        _check_no_log(names[:-1] if below else names[:-1][:1])
        if key.startswith(inside) and names[-1]:
            tree.put(names)
            keys[names] = key
    found = []
    for match in sorted(paths.walk(tree, steps), key=lambda match: "/".join(match.below).encode()):
        name = match.below[-1] if match.below in keys else ""
        is_aside = paths.is_hidden(name) or not (naming.any_kind or is_table(name) or is_half_written(name))
        if name and not (below and is_aside):
            if fault := naming.kind_fault(name, quoted(keys[match.below])):
                raise ConfigError(fault)
            found.append(ObjectKey(keys[match.below], match.every_value))
    return found


def _path(start: Path) -> str:
    return "" if start == Path() else start.as_posix().strip("/")


def _check_no_log(folders: tuple[str, ...]) -> None:
    for name, kind in paths.LOGS.items():
        if name in folders:
            raise ConfigError(
                f"{'/'.join(folders)!r} is of a {kind} table, some of whose objects may have been replaced;"
                " export it to Parquet files first"
            )


FAILURES = (BaseError, OSError, ValueError)
"""What the library raises."""
CHUNK = 4 << 20
"""Bytes per request."""
ATTEMPTS = 3
"""How often a transfer that breaks off is begun."""
CLIENT: Mapping[str, object] = {
    "connect_timeout": timedelta(seconds=2.5),
    "read_timeout": timedelta(seconds=8),
    "timeout": timedelta(hours=6),
}
RETRIES: Mapping[str, Any] = {"max_retries": 2, "retry_timeout": timedelta(seconds=8)}
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
SWITCHES = {
    "anonymous": "skip_signature",
    "requester_pays": "request_payer",
    "virtual_hosted_style": "virtual_hosted_style_request",
}
"""What switches of ``trials.storage`` are called in the library."""
BELONG = WHERE_THEY_BELONG["s3"]


@dataclass(frozen=True)
class Bucket:
    """A bucket that can be asked."""

    name: str
    store: S3Store
    server: str
    """Where it is, for messages."""

    def url(self, key: str) -> str:
        """The address of one of its objects."""
        return f"s3://{self.name}/{key}"


def fetch(remote: Remote, folder: Path, naming: PathNaming) -> list[File]:
    """Fetch an object, those that match a pattern, or all tables below a folder, one after the other.

    Credentials come from the environment.
    """
    name, _, key = remote.url.removeprefix("s3://").partition("/")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]", name):
        raise RemoteError(f"{remote.url}: {name!r} cannot be a bucket; expected s3://bucket/key")
    bucket = opened(name, dict(remote.options))
    return [
        _downloaded(bucket, object_key, folder / str(number))
        for number, object_key in enumerate(_keys(bucket, key, naming))
    ]


def opened(name: str, settings: Mapping[str, str]) -> Bucket:
    region = settings.get("region") or _from_environment(REGIONS) or "us-east-1"
    if not is_region(region):
        raise ConfigError(f"{listed(REGIONS)}: {region!r} cannot be a region")
    config: dict[str, bool | str] = {
        ours: settings[key] == "true" for key, ours in SWITCHES.items() if key in settings
    }
    config["region"] = region
    endpoint = settings.get("endpoint_url") or _from_environment(ENDPOINTS)
    if endpoint and not is_endpoint(endpoint):  # omitted: it may hold a password
        raise ConfigError(f"{ENDPOINTS[1]}: expected https://host or http://host")
    if endpoint:
        config["aws_endpoint_url_s3"] = endpoint.rstrip("/")
    allowed = settings.get("allow_http") or os.environ.get("AWS_ALLOW_HTTP", "")
    client = {**CLIENT, "allow_http": allowed.lower() == "true"}
    store = S3Store(name, config=config, client_options=client, retry_config=RETRIES)  # type: ignore[arg-type]
    return Bucket(name, store, endpoint or f"the S3 service of {region}")


def _from_environment(names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := os.environ.get(name))), "")


def _keys(bucket: Bucket, text: str, naming: PathNaming) -> list[ObjectKey]:
    if not (paths.is_pattern(text) or is_folder(text, naming)):
        return [ObjectKey(text)]
    try:
        pages = obstore.list(bucket.store, fixed_part(text, naming) or None)
        every = [item["path"] for page in pages for item in page]
    except FAILURES as error:
        raise fault_of(bucket, text, error) from None
    if text in every:
        return [ObjectKey(text)]
    beside = [] if paths.is_pattern(text) else _beside(bucket, text)
    try:
        keys = chosen(text, every, naming)
        fault = naming.kind_fault(text.rpartition("/")[2], quoted(text)) if text in beside else ""
        if fault:
            raise ConfigError(fault)
    except ConfigError as error:
        raise ConfigError(*(f"{bucket.url(text)}: {fault}" for fault in error.faults)) from None
    if not keys:
        what = "no object matches" if paths.is_pattern(text) else "there is no object, and no table below"
        raise RemoteError(f"{what} {bucket.url(text)}{did_you_mean(text, [*beside, *sorted(every)])}")
    return keys


def _downloaded(bucket: Bucket, object_key: ObjectKey, folder: Path) -> File:
    folder.mkdir()
    key = object_key.text
    path = folder / (key.rpartition("/")[2][-60:])
    fault = ""
    for _ in range(ATTEMPTS):
        try:
            result = obstore.get(bucket.store, key)
        except FAILURES as error:
            raise fault_of(bucket, key, error) from None
        expected = result.meta["size"]
        try:
            origin = _written(result, path, bucket.url(key))
        except BaseError as error:
            fault = first_line(error)
            continue
        if origin.size == expected:
            return File(path, object_key.path_values, origin)
        fault = f"{origin.size} of {expected} bytes came"
    path.unlink(missing_ok=True)
    raise RemoteError(f"{bucket.url(key)}: the transfer broke off {ATTEMPTS} times: {fault}")


def _written(result: obstore.GetResult, path: Path, name: str) -> InputFile:
    digest = Digest()
    with path.open("wb") as file:
        for chunk in result.stream(min_chunk_size=CHUNK):
            file.write(chunk)
            digest.write(chunk)
    return digest.of_input(name)


def fault_of(bucket: Bucket, key: str, error: Exception) -> DataError:
    """Say what a store refuses; nothing of its own message but a code is repeated."""
    url, text = bucket.url(key), str(error)
    code = re.search(r"<Code>(\w{1,60})</Code>", text)
    if code and code[1] == "NoSuchBucket":
        return RemoteError(f"{url}: there is no bucket {bucket.name!r} at {bucket.server}")
    if isinstance(error, ValueError):
        return RemoteError(f"{url}: expected a key without empty parts, '.' and '..'")
    if isinstance(error, FileNotFoundError):
        return RemoteError(f"there is no object {url}{did_you_mean(key, _beside(bucket, key))}")
    if re.search(r"http://(169\.254|\[fd00:ec2)", first_line(error)):
        return RemoteError(f"{url}: no credentials; set {BELONG}, or trials.storage.anonymous: true")
    if isinstance(error, PermissionDeniedError | UnauthenticatedError):
        return RemoteError(f"{url}: access is denied{f' ({code[1]})' if code else ''}; check {BELONG}")
    if "redirect" in first_line(error):
        return RemoteError(f"{url}: the bucket is in another region; name it as trials.storage.region")
    if "BadScheme" in text:
        return RemoteError(
            f"{url}: {bucket.server} is not encrypted; trials.storage.allow_http: true allows it"
        )
    if "HTTP error" in text:
        return RemoteError(f"{url}: {bucket.server} cannot be reached")
    return RemoteError(f"{url}: {f'refused ({code[1]})' if code else first_line(error)}")


def _beside(bucket: Bucket, key: str) -> list[str]:
    folder = key.rstrip("/").rpartition("/")[0]
    try:
        return sorted(
            item["path"] for item in obstore.list_with_delimiter(bucket.store, folder or None)["objects"]
        )
    except FAILURES:
        return []
