"""Remote trials become local files before they are read.

Every byte comes over once, into the work folder of the run, and is hashed as it arrives: what the digest
names is what was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from reporting.errors import ConfigError, DataError
from reporting.trials.paths import Naming
from reporting.trials.remote.address import bare
from reporting.trials.spec import TABLES, File, Remote, Source, TrialSpec

Fetch = Callable[[Remote, Path, Naming], list[File]]
"""Fetches one source into an empty folder; DataError in plain words where that fails."""


def fetched(spec: TrialSpec, folder: Path) -> TrialSpec:
    """Return the spec with all its sources in files, those from afar in ``folder``."""
    naming = Naming(spec.columns, (spec.values.dev, spec.values.test), spec.layout not in TABLES)
    sources = _all(spec.sources, folder / "sources", naming)
    return replace(spec, sources=sources, keys=_all(spec.keys, folder / "keys", naming))


def _all(
    sources: tuple[Path | Source | Remote, ...], folder: Path, naming: Naming
) -> tuple[Path | Source, ...]:
    found: list[Path | Source] = []
    for number, one in enumerate(sources):
        if isinstance(one, Remote):
            found += _fetched(one, folder / str(number), naming)
        else:
            found.append(one)
    return tuple(found)


def _fetched(remote: Remote, folder: Path, naming: Naming) -> list[File]:
    try:
        folder.mkdir(parents=True)
        return FETCHERS[remote.scheme](remote, folder, naming)
    except OSError as error:  # a full disk
        raise DataError(f"{bare(remote.url)}: cannot be kept in {folder}: {error.strerror}") from None


def _objects(remote: Remote, folder: Path, naming: Naming) -> list[File]:
    with extra("s3", "trials.source"):
        from reporting.trials.remote.objects import fetch_objects
    return fetch_objects(remote, folder, naming)


def _postgresql(remote: Remote, folder: Path, _: Naming) -> list[File]:
    with extra("postgres", "trials.source"):
        from reporting.trials.remote.postgresql import fetch_postgresql
    return fetch_postgresql(remote, folder)


def _sqlite(remote: Remote, folder: Path, _: Naming) -> list[File]:
    from reporting.trials.remote.sqlite import fetch_sqlite

    return fetch_sqlite(remote, folder)


@contextmanager
def extra(name: str, who: str) -> Iterator[None]:
    """Say what brings a library that is not installed, and who needs it."""
    try:
        yield
    except ImportError as error:
        library = (error.name or "a library").partition(".")[0]
        raise ConfigError(
            f"{who} needs {library}, which is not installed; pip install 'trial-reporting[{name}]' brings it"
        ) from None


FETCHERS: Mapping[str, Fetch] = {"s3": _objects, "postgresql": _postgresql, "sqlite": _sqlite}
"""By scheme."""
