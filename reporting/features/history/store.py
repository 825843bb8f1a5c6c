"""The store of runs: each is kept once and never changed; what is damaged is named and passed over."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from reporting.base.extensions import extra
from reporting.base.provenance import InputFile
from reporting.base.publish import PROGRAM, parquet
from reporting.base.records import dataclass, field
from reporting.errors import ConfigError, DataError, HistoryError, did_you_mean, listed, quoted
from reporting.features.history.folder import MANIFEST, Folder, RunPlace
from reporting.inputs.remote.address import CREDENTIAL

KEPT = ("trials", "metrics", "comparisons", "epc", "gates", "outcomes")
"""The frames that are kept of a run; those it does not have are left out."""


class DamagedError(DataError):
    """A run does not hold what its manifest states."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a store."""

    facts: Facts
    files: Mapping[str, Stored]
    place: RunPlace

    @property
    def name(self) -> str:
        """Its name in the store."""
        return self.facts.name

    @property
    def short(self) -> str:
        """The first eight digits of its id."""
        return self.facts.id[:8]

    def frame(self, name: str) -> pl.DataFrame | None:
        """Return a frame, None where the run has none; DamagedError where the manifest states another."""
        if name not in self.files:
            return None
        stored = self.files[name]
        content = self.place.read(self.name, stored.file)
        if content is None:
            raise DamagedError(f"{self.place.where}: run {self.name}: {stored.file} is missing")
        if hashlib.sha256(content).hexdigest() != stored.sha256:
            raise DamagedError(f"{self.place.where}: run {self.name}: {stored.file} has another digest")
        frame = pl.read_parquet(io.BytesIO(content))
        today = [pl.col("criterion").replace(RENAMED)] if "criterion" in frame.columns else []
        return frame.with_columns(today)


@dataclass(frozen=True, eq=False)
class Store:
    """A place with runs in it."""

    place: RunPlace

    @cached_property
    def _read(self) -> tuple[tuple[Run, ...], tuple[str, ...]]:
        runs, cautions = [], []
        for name in self.place.names():
            content = self.place.read(name, MANIFEST)
            try:
                if content is None:
                    raise HistoryError("it has no manifest")
                runs.append(Run(*read_manifest(content, name), self.place))
            except DataError as error:
                cautions.append(f"{self.place.where}: run {name} is left out: {error.faults[0]}")
        return tuple(sorted(runs, key=lambda run: (run.facts.as_of, run.facts.id))), tuple(cautions)

    def runs(self) -> tuple[Run, ...]:
        """Return all runs by date, then id, as they were when the store was first asked."""
        return self._read[0]

    @property
    def salt(self) -> str:
        """What digests of keys are made with here; empty where no run has salted ones."""
        return next((run.facts.salt for run in self.runs() if run.facts.salt), "")

    @property
    def cautions(self) -> tuple[str, ...]:
        """Which runs are passed over, and why."""
        return self._read[1]

    def before(self, as_of: str) -> tuple[Run, ...]:
        """Return the runs of earlier dates: all that a report of a date depends on."""
        return tuple(run for run in self.runs() if run.facts.as_of < as_of)

    def latest(self, before: str, title: str | None = None, measure: str | None = None) -> Run | None:
        """Return the last run of an earlier date, of this title and primary measure where they are given."""
        runs = [
            run
            for run in self.before(before)
            if title in (None, run.facts.title) and measure in (None, run.facts.measure)
        ]
        return runs[-1] if runs else None

    def find(self, text: str) -> Run:
        """Return the run of an id, the beginning of one, a name, or a date that only one run has."""
        runs = [
            run
            for run in self.runs()
            if text in (run.name, run.facts.as_of)
            or (len(text) >= 4 and run.facts.id.startswith(text.lower()))
        ]
        if len(runs) == 1:
            return runs[0]
        where = self.place.where
        known = [run.short for run in self.runs()]
        if not runs:
            raise HistoryError(
                f"{where}: there is no run {quoted(text)}{did_you_mean(text, known)} (found: {listed(known)})"
            )
        named = listed([run.short for run in runs])
        raise HistoryError(f"{where}: {quoted(text)} means {len(runs)} runs; say one of {named}")

    def snapshot(self, before: str, address: str | None = None) -> InputFile:
        """Return what a report of a date depends on, as an input: names and digests of all earlier runs.

        ``address`` is the store as the config names it.
        """
        lines = [
            f"{run.name} {' '.join(run.files[name].sha256 for name in sorted(run.files))}\n"
            for run in self.before(before)
        ]
        content = "".join(lines).encode()
        name = f"history {address or self.place.where}"
        return InputFile(name, hashlib.sha256(content).hexdigest(), len(content))

    def record(self, facts: Facts, frames: Mapping[str, pl.DataFrame]) -> bool:
        """Keep a run; False where the same inputs, config and date are kept already."""
        stored, files = {}, {}
        for name in (name for name in KEPT if name in frames):
            content = parquet(frames[name])
            digest = hashlib.sha256(content).hexdigest()
            stored[name] = Stored(f"{name}-{digest[:16]}.parquet", digest)
            files[stored[name].file] = content
        return self.place.publish(facts.name, files | {MANIFEST: manifest_bytes(facts, stored)})


def open_store(where: str | Path, *, may_be_new: bool = False) -> Store:
    """Open the store at a folder or at ``s3://bucket/prefix``.

    A folder that is not there has no runs where it ``may_be_new``, and is made by the first that is kept.
    """
    text = str(where)
    if text.startswith("s3://"):
        with extra("s3", quoted(text)):
            from reporting.features.history.objects import Objects
        return Store(Objects(text))
    if "://" in text:
        raise HistoryError(f"history.store: expected a folder or s3://bucket/prefix, found {quoted(text)}")
    return Store(Folder(Path(where), may_be_new=may_be_new))


LAYOUT = 2
"""What a manifest holds; from 2 on, digests of keys are salted."""
LEFT_OUT = ("run", "history", "report")
"""Keys of a config that change no number: where work runs, what is remembered, how the report looks."""
NAME_LENGTH = 16
RENAMED = {"best": "best(measure=f1)", "oracle(best)": "oracle(best(measure=f1))"}
"""Names of criteria that runs of earlier versions hold, and their names today."""
FILE_NAME = r"[a-z_]+-[0-9a-f]{16}\.parquet"
TEXTS = ("as_of", "version", "title", "measure", "criterion", "pools", "salt")


@dataclass(frozen=True)
class Facts:
    """What distinguishes one run from another, and how its numbers are read."""

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
    salt: str = ""
    """What the digests of keys were made with, one for a store; runs of earlier versions have none."""

    @property
    def id(self) -> str:
        """sha256 of the inputs' digests, the config and the date: what the numbers follow from."""
        content = {
            "as_of": self.as_of,
            "config": self.config,
            "inputs": sorted(source.sha256 for source in self.inputs),
        }
        return hashlib.sha256(_canonical(content)).hexdigest()

    @property
    def averaged(self) -> str:
        """The group of the means over a column that answer the first question; empty where all trials do."""
        column = self.config.get("averaged_over")
        return f"mean({column})" if column else ""

    @property
    def baseline(self) -> str | None:
        """The model that the others were compared with, where the config named one."""
        return self.config.get("baseline")

    @property
    def name(self) -> str:
        """What the run is called in a store: names sort by date."""
        return f"{self.as_of}-{self.id[:NAME_LENGTH]}"


@dataclass(frozen=True)
class Stored:
    """One file of a run: its name and the sha256 of its bytes."""

    file: str
    sha256: str


def stored_config(resolved: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a run keeps of a resolved config: nothing that changes no number, and no credential."""
    return {key: _clean(value) for key, value in resolved.items() if key not in LEFT_OUT}


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: "(not stored)" if CREDENTIAL.search(str(key)) and isinstance(item, str) else _clean(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return without_user(value) if isinstance(value, str) else value


def without_user(text: str) -> str:
    """Return an address without user, password and parameters; other texts unchanged."""
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        return text
    scheme, _, rest = text.partition("://")
    user, at, _ = rest.partition("/")[0].rpartition("@")
    bare = rest[len(user) + len(at) :] if at else rest
    return f"{scheme}://{bare if scheme in ('s3', 'sqlite') else re.split('[?#]', bare)[0]}"


def manifest_bytes(facts: Facts, files: Mapping[str, Stored]) -> bytes:
    """Return the manifest of a run; ``check`` is the sha256 of everything else in it."""
    manifest = asdict(facts) | {
        "program": PROGRAM,
        "layout": LAYOUT,
        "id": facts.id,
        "inputs": [
            {"name": without_user(source.name), "sha256": source.sha256, "size": source.size}
            for source in facts.inputs
        ],
        "files": {frame: asdict(stored) for frame, stored in files.items()},
    }
    checked = manifest | {"check": _check(manifest)}
    return (json.dumps(checked, sort_keys=True, ensure_ascii=True, indent=2) + "\n").encode()


def read_manifest(content: bytes, name: str) -> tuple[Facts, dict[str, Stored]]:
    """Read a manifest and check it against itself and the run's name; DataError where it is damaged."""
    try:
        manifest = json.loads(content)
        if manifest.get("layout", 0) > LAYOUT:
            raise HistoryError("it was written by a later version")
        if manifest["check"] != _check({key: value for key, value in manifest.items() if key != "check"}):
            raise HistoryError("its manifest does not agree with its own digest")
        facts, files = _facts(manifest), {key: _stored(file) for key, file in manifest["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise HistoryError("its manifest cannot be read") from None
    if facts.name != name:
        raise HistoryError(f"its manifest belongs to {facts.name}")
    return facts, files


def _stored(manifest: dict[str, str]) -> Stored:
    if not re.fullmatch(FILE_NAME, manifest["file"]):
        raise ValueError("a name that leads elsewhere")
    return Stored(**manifest)


def _facts(manifest: Mapping[str, Any]) -> Facts:
    manifest = {"salt": "", **manifest}
    plain = {name: manifest[name] for name in Facts.__dataclass_fields__ if name not in ("models", "inputs")}
    if not all(isinstance(manifest[name], str) for name in TEXTS):
        raise TypeError("expected a text")
    date.fromisoformat(manifest["as_of"])
    if not 0 < manifest["level"] < 1:
        raise ValueError("expected a level")
    models = tuple((str(key), str(name)) for key, name in manifest["models"])
    plain["criterion"] = RENAMED.get(plain["criterion"], plain["criterion"])
    return Facts(**plain, models=models, inputs=tuple(InputFile(**source) for source in manifest["inputs"]))


def as_date(text: str, key: str = "history.as_of") -> str:
    """Return an ISO date as it is; ConfigError naming the key otherwise."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ConfigError(f"{key}: expected a date such as 2026-11-20, found {quoted(text)}") from None


def _check(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(manifest)).hexdigest()


def _canonical(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()
