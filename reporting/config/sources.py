"""Where trials come from: a path or a glob, relative to the config's folder -> files that exist."""

from __future__ import annotations

import glob
from pathlib import Path

from reporting.errors import ConfigError, did_you_mean, listed
from reporting.trials.spec import File, Remote

SUFFIXES = (".parquet", ".pq", ".csv")
SCHEMES = ("s3://", "postgresql://", "sqlite:///")


def find_sources(text: str, folder: Path) -> tuple[File | Remote, ...]:
    """Return what a source of the config names: files, sorted by name, or a place that is not looked up here.

    ConfigError where no file is found.
    """
    if "://" in text:
        return (_remote(text),)
    return tuple(File(path) for path in find_files(text, folder))


def _remote(text: str) -> Remote:
    if not text.startswith(SCHEMES):
        raise ConfigError(f"{text!r} is not a source; allowed: a path, a glob, {listed(SCHEMES)}")
    return Remote(text)


def find_files(text: str, folder: Path) -> tuple[Path, ...]:
    """Return the file a path names, or those a glob matches, sorted by name; ConfigError for none."""
    try:
        found = (folder / text,) if (folder / text).exists() else _matched(text, folder)
    except (OSError, ValueError) as error:  # too long, not permitted, a NUL in the name
        raise ConfigError(f"{text!r} cannot be looked up ({error})") from None
    for file in found:
        _check_kind(file)
    return found


def _matched(pattern: str, folder: Path) -> tuple[Path, ...]:
    # Unlike Path.glob, this takes absolute patterns and leaves hidden files alone.
    names = sorted(glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207
    files = tuple(folder / name for name in names if (folder / name).is_file())
    if not files and glob.has_magic(pattern):
        raise ConfigError(f"no file matches {pattern!r} in {str(folder)!r}")
    if not files:
        raise ConfigError(f"there is no file {pattern!r} in {str(folder)!r}{_neighbour(folder / pattern)}")
    return files


def _neighbour(path: Path) -> str:
    if not path.parent.is_dir():
        return ""
    return did_you_mean(path.name, sorted(file.name for file in path.parent.iterdir() if _is_table(file)))


def _is_table(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def _check_kind(path: Path) -> None:
    if path.is_dir():
        raise ConfigError(f"{path.name!r} is a folder; name its files, such as {path.name + '/*.parquet'!r}")
    if not _is_table(path):
        raise ConfigError(f"{path.name!r} is not a kind of file that is read (built: {listed(SUFFIXES)})")
