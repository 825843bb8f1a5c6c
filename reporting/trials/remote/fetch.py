"""Remote trials become local files before they are read.

Every byte comes over once, into the work folder of the run, and is hashed as it arrives: what the digest
names is what was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from reporting.trials.spec import File, Remote, Source, TrialSpec

Fetch = Callable[[Remote, Path], list[File]]
"""Fetches one source into a folder; DataError in plain words where that fails."""

FETCHERS: Mapping[str, Fetch] = {}
"""By scheme."""


def fetched(spec: TrialSpec, folder: Path) -> TrialSpec:
    """Return the spec with all its sources in files, those from afar in ``folder``."""
    return replace(spec, sources=_all(spec.sources, folder), keys=_all(spec.keys, folder))


def _all(sources: tuple[Path | Source | Remote, ...], folder: Path) -> tuple[Path | Source, ...]:
    found: list[Path | Source] = []
    for one in sources:
        if isinstance(one, Remote):
            found += FETCHERS[one.scheme](one, folder)
        else:
            found.append(one)
    return tuple(found)
