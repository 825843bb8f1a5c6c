"""Other packages: questions that some answer, entry points ``trial_reporting.features``, and extras."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from reporting.errors import ConfigError, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP = "trial_reporting.features"
OURS = __name__.partition(".")[0]


@runtime_checkable
class Extension(Protocol):
    """What an entry point must be: a ``Feature`` of ``document/feature.py``."""

    key: str
    measures: Iterable[Any]
    curves: Iterable[Any]
    sections: Iterable[Any]
    frames: Iterable[str]


@cache
def extensions() -> tuple[Any, ...]:
    """Return the features of installed packages, in the order of their names.

    Raises ConfigError that names the package of one that cannot be loaded.
    """
    return tuple(map(_loaded, sorted(_entries(), key=lambda entry: entry.name)))


@cache
def _entries() -> EntryPoints:
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _loaded(entry: EntryPoint) -> Extension:
    package = entry.dist.name if entry.dist else entry.value
    why = f"{entry.value} is not a Feature"
    try:
        feature = entry.load()
        if isinstance(feature, Extension):
            return feature
    except ConfigError:  # of a feature that imports what needs the names of all features
        raise
    except Exception as error:
        why = f"{error}"
    raise ConfigError(
        f"the feature {quoted(entry.name)} of the package {package} cannot be loaded: {why}; update or"
        f" uninstall {package}"
    )


def contributed(kind: str) -> list[Any]:
    """Return all ``measures``, or all ``curves``, that extensions add."""
    return [value for feature in extensions() for value in getattr(feature, kind)]


def imported(place: str) -> Any:
    """Return what ``module:name`` is, as ``attribute``."""
    module, _, name = place.partition(":")
    return attribute(module, name)


def attribute(module: str, name: str) -> Any:
    """Return what a module calls by a name, importing it now.

    Raises ConfigError that names the module of another package that does not have it.
    """
    try:
        return getattr(import_module(module), name)
    except Exception as error:
        package = module.partition(".")[0]
        if package == OURS or isinstance(error, ConfigError):
            raise
        raise ConfigError(
            f"{module}:{name} cannot be loaded: {error}; update or uninstall the package that brings it"
        ) from error


def versions() -> tuple[tuple[str, str], ...]:
    """Return the name and version of every package that extends the program, in their order."""
    packages = (entry.dist for entry in _entries() if entry.dist)
    return tuple(sorted({(package.name, package.version) for package in packages}))


@contextmanager
def extra(name: str, who: str) -> Iterator[None]:
    """Say which extra brings a library that is not installed, and who needs it."""
    try:
        yield
    except ImportError as error:
        if not name:
            raise
        library = (error.name or "a library").partition(".")[0]
        raise ConfigError(
            f"{who} needs {library}, which is not installed; pip install 'trial-reporting[{name}]' brings it"
        ) from None
