"""Questions that other packages answer: entry points of the group ``trial_reporting.features``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from reporting.errors import ConfigError, quoted

GROUP = "trial_reporting.features"


@cache
def extensions() -> tuple[Any, ...]:
    """Return the features of installed packages, in the order of their names.

    Raises ConfigError that names the package of one that cannot be loaded.
    """
    return tuple(map(_loaded, sorted(entry_points(group=GROUP), key=lambda entry: entry.name)))


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        package = entry.dist.name if entry.dist else entry.value
        raise ConfigError(
            f"the feature {quoted(entry.name)} of the package {package} cannot be loaded: {error}"
        ) from error


def contributed(kind: str) -> list[Any]:
    """Return all ``measures``, or all ``curves``, that extensions add."""
    return [value for feature in extensions() for value in getattr(feature, kind)]


def versions() -> tuple[str, ...]:
    """Return the name and version of every package that extends the program, in their order."""
    packages = (entry.dist for entry in entry_points(group=GROUP) if entry.dist)
    return tuple(sorted({f"{package.name} {package.version}" for package in packages}))
