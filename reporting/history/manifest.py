"""What a run was about: the facts that are kept beside its frames, and the id that follows from them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from reporting.errors import ConfigError, DataError, quoted
from reporting.publish import PROGRAM
from reporting.report.provenance import InputFile
from reporting.trials.remote.address import CREDENTIAL

LAYOUT = 1
LEFT_OUT = ("run", "history", "report")
"""Keys of a config that change no number: where work runs, what is remembered, how the report looks."""
NAME_LENGTH = 16
FILE_NAME = r"[a-z_]+-[0-9a-f]{16}\.parquet"
TEXTS = ("as_of", "version", "title", "measure", "criterion", "pools")


@dataclass(frozen=True)
class Facts:
    """What tells one run from another, and how its numbers are read."""

    as_of: str
    version: str
    title: str
    measure: str
    """The primary measure, in its canonical form."""
    criterion: str
    """The criterion whose dev thresholds make the decisions that are kept."""
    models: tuple[tuple[str, str], ...]
    """Keys and printed names, in the report's order."""
    inputs: tuple[InputFile, ...]
    config: Mapping[str, Any] = field(default_factory=dict)
    """The resolved config, as ``stored_config`` leaves it."""
    seed: int = 1
    level: float = 0.95
    replicates: int = 10_000
    clustered: bool = False
    """Whether clusters are the resampling unit."""
    pools: str = "one"
    """Whether both clusters of pair trials are members of one population."""
    weighted: bool = False
    """Whether trials weigh differently: decisions alone then do not give a rate."""

    @property
    def id(self) -> str:
        """sha256 of the inputs' digests, the config and the date: what the numbers follow from."""
        said = {
            "as_of": self.as_of,
            "config": self.config,
            "inputs": sorted(source.sha256 for source in self.inputs),
        }
        return hashlib.sha256(_canonical(said)).hexdigest()

    @property
    def name(self) -> str:
        """What the run is called in a store: names sort by date."""
        return f"{self.as_of}-{self.id[:NAME_LENGTH]}"


@dataclass(frozen=True)
class Stored:
    """One file of a run: its name and the sha256 of its bytes."""

    file: str
    sha256: str


def stored_config(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run keeps of a resolved config: nothing that changes no number, and no credential."""
    return {key: _clean(value) for key, value in resolved.items() if key not in LEFT_OUT}


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: "(not stored)" if CREDENTIAL.search(str(key)) and isinstance(one, str) else _clean(one)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(one) for one in value]
    return without_user(value) if isinstance(value, str) else value


def without_user(text: str) -> str:
    """Return an address without user, password and parameters; other texts as they are."""
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        return text
    scheme, _, rest = text.partition("://")
    user, at, _ = rest.partition("/")[0].rpartition("@")
    bare = rest[len(user) + len(at) :] if at else rest
    return f"{scheme}://{bare if scheme in ('s3', 'sqlite') else re.split('[?#]', bare)[0]}"


def written(facts: Facts, files: Mapping[str, Stored]) -> bytes:
    """Return the manifest of a run; ``check`` is the sha256 of all the rest of it."""
    said = asdict(facts) | {
        "program": PROGRAM,
        "layout": LAYOUT,
        "id": facts.id,
        "inputs": [
            {"name": without_user(one.name), "sha256": one.sha256, "size": one.size} for one in facts.inputs
        ],
        "files": {frame: asdict(stored) for frame, stored in files.items()},
    }
    return _pretty(said | {"check": _check(said)})


def read(content: bytes, name: str) -> tuple[Facts, dict[str, Stored]]:
    """Read a manifest and check it against itself and the run's name; DataError where it is damaged."""
    try:
        said = json.loads(content)
        if said.get("layout", 0) > LAYOUT:
            raise DataError("it was written by a later version")
        if said["check"] != _check({key: value for key, value in said.items() if key != "check"}):
            raise DataError("its manifest does not agree with its own digest")
        facts, files = _facts(said), {key: _stored(one) for key, one in said["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError("its manifest cannot be read") from None
    if facts.name != name:
        raise DataError(f"its manifest belongs to {facts.name}")
    return facts, files


def _stored(said: dict[str, str]) -> Stored:
    if not re.fullmatch(FILE_NAME, said["file"]):
        raise ValueError("a name that leads elsewhere")
    return Stored(**said)


def _facts(said: dict[str, Any]) -> Facts:
    plain = {name: said[name] for name in Facts.__dataclass_fields__ if name not in ("models", "inputs")}
    if not all(isinstance(said[name], str) for name in TEXTS):
        raise TypeError("a text is expected")
    date.fromisoformat(said["as_of"])
    if not 0 < said["level"] < 1:
        raise ValueError("a level is expected")
    models = tuple((str(key), str(name)) for key, name in said["models"])
    return Facts(**plain, models=models, inputs=tuple(InputFile(**one) for one in said["inputs"]))


def as_date(text: str, key: str = "history.as_of") -> str:
    """Return an ISO date as it is; ConfigError naming the key otherwise."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ConfigError(f"{key}: a date such as 2026-11-20 is expected, found {quoted(text)}") from None


def _check(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(said)).hexdigest()


def _canonical(said: Mapping[str, Any]) -> bytes:
    return json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def _pretty(said: Mapping[str, Any]) -> bytes:
    return (json.dumps(said, sort_keys=True, ensure_ascii=True, indent=2) + "\n").encode()
