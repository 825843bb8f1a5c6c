"""Where trials come from: a path, folder or pattern, relative to the config's folder -> files that exist."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

from reporting.errors import ConfigError, SourceError, did_you_mean, listed, quoted
from reporting.inputs.paths import (
    LOGS,
    READABLE,
    PathMatch,
    PathNaming,
    all_path_values,
    is_half_written,
    is_hidden,
    is_pattern,
    kind_of,
    lake_scheme,
    matching,
    split_pattern,
)
from reporting.inputs.remote.address import bare, check_address, scheme_guess
from reporting.inputs.spec import File, Remote

DATABASES = ("postgresql://", "sqlite:///", "duckdb:///", "spark://", "bigquery://", "snowflake://")
LOCAL = ("sqlite:///", "duckdb:///")
"""Databases in a file."""
SCHEMES = ("s3://", *DATABASES)


def find_sources(text: str, folder: Path, naming: PathNaming | None = None) -> tuple[File | Remote, ...]:
    """Return what a source of the config names: files, sorted by name, or a place that is not looked up here.

    What a path gives of its rows, by placeholders or by folders such as ``model=A``, comes with every file.
    ConfigError where no file is found, or one is found that cannot be a table.
    """
    if "://" in text:
        return (_remote(text, folder),)
    try:
        if scheme := lake_scheme(folder / text):
            return (
                Remote(f"{scheme}:///{on_any_machine(text, folder)}", options=(("folder", str(folder)),)),
            )
        return _local_files(text, folder, naming or PathNaming())
    except OSError as error:
        raise SourceError(f"{text!r} cannot be looked up ({error.strerror or error})") from None
    except ValueError as error:  # a NUL in the name
        raise SourceError(f"{text!r} cannot be looked up ({error})") from None


def on_any_machine(text: str, folder: Path) -> str:
    """Return a place as its way from the config's folder: reports say nothing of the machine's own folders.

    An address of another machine stays as it is.
    """
    scheme = next((scheme for scheme in LOCAL if text.startswith(scheme)), "")
    path = text.removeprefix(scheme)
    if "://" in path or not Path(path).is_absolute():
        return text
    return scheme + os.path.relpath(path, os.path.realpath(folder))


def _remote(text: str, folder: Path) -> Remote:
    check_address(text)
    if not text.startswith(SCHEMES):
        raise SourceError(
            f"{quoted(bare(text))} is not a source; allowed: a path, a folder, a pattern, {listed(SCHEMES)}"
            f"{scheme_guess(text, SCHEMES)}"
        )
    return Remote(
        on_any_machine(text, folder), options=(("folder", str(folder)),) if text.startswith(LOCAL) else ()
    )


def _local_files(text: str, folder: Path, naming: PathNaming) -> tuple[File, ...]:
    path = folder / text
    if path.is_dir():
        return _of_folder(text, path, naming)
    if path.exists():
        _check_kind(path, naming)
        return (File(path),)
    if path.is_symlink():
        raise _broken(path)
    _check_no_log(split_pattern(text, folder, naming)[0])
    every = list(matching(text, folder, naming))
    files = [match for match in every if not match.path.is_dir()]
    if files:
        return _files(files, naming)
    inside = f"{text.rstrip('/')}/*.parquet"
    hint = f"; folders match: name what is in them, such as {inside!r}" if every else ""
    if is_pattern(text):
        raise SourceError(f"no file matches {text!r} in {str(folder)!r}{hint}")
    raise SourceError(f"there is no file {text!r} in {str(folder)!r}{_neighbour(folder, text)}")


def _of_folder(text: str, folder: Path, naming: PathNaming) -> tuple[File, ...]:
    """Return all tables in a folder, however deep, but for what is hidden or put aside."""
    _check_no_log(folder)
    every = [match for match in matching("**", folder, naming) if not match.path.is_dir()]
    every = [match for match in every if not is_hidden(match.path.name)]
    half = sorted(match.path.name for match in every if is_half_written(match.path.name))
    if half:
        raise _half_written(f"{text!r} holds {half[0]!r}, which")
    tables = [match for match in every if naming.any_kind or kind_of(match.path.name)]
    if not tables:
        held = f"; it holds {listed(sorted({repr(match.path.name) for match in every}), 3)}" if every else ""
        raise SourceError(f"{text!r} is a folder without a file that is read{held} (read: {READABLE})")
    return _files(tables, naming)


def _check_no_log(folder: Path) -> None:
    for name, kind in LOGS.items():
        if (folder / name).is_dir():
            raise SourceError(
                f"{folder.name!r} is a {kind} table, some of whose files may have been replaced;"
                f" {LOGGED[kind]}"
            )


LOGGED = {
    "Delta": "name its folder alone as source",
    "Hudi": "export it to Parquet files first",
}
"""What to do about files of a table with a log."""


def _files(matches: Iterable[PathMatch], naming: PathNaming) -> tuple[File, ...]:
    """Return files in the order of their names' bytes, each once, with what their paths say."""
    by_path = {match.path: match for match in matches}
    files = []
    for match in sorted(by_path.values(), key=lambda match: os.fsencode("/".join(match.below))):
        if not match.path.exists():
            raise _broken(match.path)
        _check_kind(match.path, naming)
        below = "/".join(match.below) if len(match.below) > 1 else ""
        files.append(
            File(match.path, tuple(all_path_values(match.below, match.path_values).items()), below=below)
        )
    return tuple(files)


def _broken(path: Path) -> ConfigError:
    return SourceError(f"{path.name!r} is a link to {str(path.readlink())!r}, which does not exist")


def _neighbour(folder: Path, text: str) -> str:
    """Return the file that is meant, as the config would name it; a common ending is no hint."""
    path = folder / text
    if not path.parent.is_dir():
        return ""
    before, stem = text.removesuffix(path.name), path.stem.lower()
    files = sorted(file.name for file in path.parent.iterdir() if kind_of(file.name))
    alike = [name for name in files if difflib.get_close_matches(stem, [Path(name).stem.lower()])]
    return did_you_mean(text, [f"{before}{name}" for name in alike])


def _check_kind(path: Path, naming: PathNaming) -> None:
    if not path.is_file():
        raise SourceError(f"{path.name!r} is not a file of its own, but a device or a pipe")
    if is_half_written(path.name):
        raise _half_written(repr(path.name))
    if not (naming.any_kind or kind_of(path.name)):
        raise SourceError(f"{path.name!r} is not a kind of file that is read (read: {READABLE})")


def _half_written(what: str) -> ConfigError:
    return SourceError(f"{what} looks like an unfinished download; wait for it or remove it")
