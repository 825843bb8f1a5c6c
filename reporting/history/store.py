"""The store of runs: each is kept once and never changed; what is damaged is named and passed over."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from reporting.errors import DataError, did_you_mean, listed, quoted
from reporting.history import manifest
from reporting.history.manifest import Facts, Stored
from reporting.history.place import MANIFEST, Folder, Place
from reporting.report.provenance import InputFile
from reporting.trials.remote.fetch import extra

KEPT = ("trials", "metrics", "comparisons", "epc", "gates", "outcomes")
"""The frames that are kept of a run; those it does not have are left out."""


class DamagedError(DataError):
    """A run does not hold what its manifest says."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a store."""

    facts: Facts
    files: Mapping[str, Stored]
    place: Place

    @property
    def name(self) -> str:
        """Its name in the store."""
        return self.facts.name

    @property
    def short(self) -> str:
        """The first eight digits of its id."""
        return self.facts.id[:8]

    def frame(self, name: str) -> pl.DataFrame | None:
        """Return a frame, None where the run has none; DamagedError where the manifest says another."""
        if name not in self.files:
            return None
        stored = self.files[name]
        content = self.place.read(self.name, stored.file)
        if content is None:
            raise DamagedError(f"{self.place.where}: run {self.name}: {stored.file} is missing")
        if hashlib.sha256(content).hexdigest() != stored.sha256:
            raise DamagedError(f"{self.place.where}: run {self.name}: {stored.file} has another digest")
        return pl.read_parquet(io.BytesIO(content))


@dataclass(frozen=True, eq=False)
class Store:
    """A place with runs in it."""

    place: Place

    @cached_property
    def _found(self) -> tuple[tuple[Run, ...], tuple[str, ...]]:
        runs, cautions = [], []
        for name in self.place.names():
            content = self.place.read(name, MANIFEST)
            try:
                if content is None:
                    raise DataError("it has no manifest")
                runs.append(Run(*manifest.read(content, name), self.place))
            except DataError as error:
                cautions.append(f"{self.place.where}: run {name} is left out: {error.faults[0]}")
        return tuple(sorted(runs, key=lambda run: (run.facts.as_of, run.facts.id))), tuple(cautions)

    def runs(self) -> tuple[Run, ...]:
        """Return all runs by date, then id, as they were when the store was first asked."""
        return self._found[0]

    @property
    def cautions(self) -> tuple[str, ...]:
        """Which runs are passed over, and why."""
        return self._found[1]

    def before(self, as_of: str) -> tuple[Run, ...]:
        """Return the runs of earlier dates: all that a report of a date depends on."""
        return tuple(run for run in self.runs() if run.facts.as_of < as_of)

    def latest(self, before: str, title: str | None = None, measure: str | None = None) -> Run | None:
        """Return the last run of an earlier date, of this title and primary measure where they are said."""
        found = [
            run
            for run in self.before(before)
            if title in (None, run.facts.title) and measure in (None, run.facts.measure)
        ]
        return found[-1] if found else None

    def find(self, text: str) -> Run:
        """Return the run of an id, the beginning of one, a name, or a date that only one run has."""
        found = [run for run in self.runs() if _is_called(run, text)]
        if len(found) == 1:
            return found[0]
        where = self.place.where
        known = [run.short for run in self.runs()]
        if not found:
            raise DataError(
                f"{where}: there is no run {quoted(text)}{did_you_mean(text, known)} (found: {listed(known)})"
            )
        named = listed([run.short for run in found])
        raise DataError(f"{where}: {quoted(text)} means {len(found)} runs; say one of {named}")

    def snapshot(self, before: str, said: str | None = None) -> InputFile:
        """Return what a report of a date depends on, as an input: names and digests of all earlier runs.

        ``said`` is the store as the config names it.
        """
        lines = [
            f"{run.name} {' '.join(run.files[name].sha256 for name in sorted(run.files))}\n"
            for run in self.before(before)
        ]
        content = "".join(lines).encode()
        name = f"history {said or self.place.where}"
        return InputFile(name, hashlib.sha256(content).hexdigest(), len(content))

    def record(self, facts: Facts, frames: Mapping[str, pl.DataFrame]) -> bool:
        """Keep a run; False where the same inputs, config and date are kept already."""
        contents = {name: _parquet(frames[name]) for name in KEPT if name in frames}
        stored = {name: _stored(name, content) for name, content in contents.items()}
        files = {stored[name].file: content for name, content in contents.items()}
        return self.place.publish(facts.name, files | {MANIFEST: manifest.written(facts, stored)})


def open_store(
    where: str | Path, options: Mapping[str, str] | None = None, *, may_be_new: bool = False
) -> Store:
    """Open the store at a folder or at ``s3://bucket/prefix``; ``options`` as in ``trials.storage``.

    A folder that is not there has no runs where it ``may_be_new``, and is made by the first that is kept.
    """
    text = str(where)
    if text.startswith("s3://"):
        with extra("s3", quoted(text)):
            from reporting.history.objects import Objects
        return Store(Objects(text, options or {}))
    if "://" in text:
        raise DataError(f"history.store: a folder or s3://bucket/prefix is expected, found {quoted(text)}")
    return Store(Folder(Path(where), may_be_new=may_be_new))


def _is_called(run: Run, text: str) -> bool:
    by_id = len(text) >= 4 and run.facts.id.startswith(text.lower())
    return by_id or text in (run.name, run.facts.as_of)


def _parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", statistics=True)
    return file.getvalue()


def _stored(name: str, content: bytes) -> Stored:
    digest = hashlib.sha256(content).hexdigest()
    return Stored(f"{name}-{digest[:16]}.parquet", digest)
