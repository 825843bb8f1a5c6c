"""Where trials come from: a path, folder or pattern, relative to the config's folder -> files that exist."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

from reporting.errors import ConfigError, SourceError, did_you_mean, listed, quoted
from reporting.inputs import paths
from reporting.inputs.formats.catalogue import READABLE, format_of, is_half_written, is_table
from reporting.inputs.paths import LocalTree, PathMatch, PathNaming
from reporting.inputs.remote.address import LOCAL, bare, check_address, on_any_machine, scheme_guess
from reporting.inputs.spec import File, Remote

DATABASES = ("postgresql://", "sqlite:///", "duckdb:///", "spark://", "bigquery://", "snowflake://")
SCHEMES = ("s3://", *DATABASES)


def find_sources(text: str, folder: Path, naming: PathNaming | None = None) -> tuple[File | Remote, ...]:
    """Return what a source of the config names: files, sorted by name, or a place that is not looked up here.

    What a path gives of its rows, by placeholders or by folders such as ``model=A``, comes with every file.
    ConfigError where no file is found, or one is found that cannot be a table.
    """
    if "://" in text:
        return (_remote(text, folder),)
    try:
        is_iceberg = any((folder / text / "metadata").glob("*.metadata.json"))
        scheme = "delta" if (folder / text / "_delta_log").is_dir() else "iceberg" if is_iceberg else ""
        if scheme:
            return (
                Remote(f"{scheme}:///{on_any_machine(text, folder)}", options=(("folder", str(folder)),)),
            )
        return _local_files(text, folder, naming or PathNaming())
    except OSError as error:
        raise SourceError(f"{text!r} cannot be looked up ({error.strerror or error})") from None
    except ValueError as error:  # a NUL in the name
        raise SourceError(f"{text!r} cannot be looked up ({error})") from None


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
        _check_file(path, naming)
        return (File(path),)
    if path.is_symlink():
        raise _broken(path)
    start, steps = paths.split_pattern(text, folder, naming)
    _check_no_log(start)
    every = paths.walk(LocalTree(start), steps) if start.is_dir() else []
    files = [match for match in every if not start.joinpath(*match.below).is_dir()]
    if files:
        return _files(start, files, naming)
    inside = f"{text.rstrip('/')}/*.parquet"
    hint = f"; folders match: name what is in them, such as {inside!r}" if every else ""
    if paths.is_pattern(text):
        raise SourceError(f"no file matches {text!r} in {str(folder)!r}{hint}")
    raise SourceError(f"there is no file {text!r} in {str(folder)!r}{_neighbour(folder, text)}")


def _of_folder(text: str, folder: Path, naming: PathNaming) -> tuple[File, ...]:
    """Return all tables in a folder, however deep, but for what is hidden or put aside."""
    _check_no_log(folder)
    every = {
        match: match.below[-1]
        for match in paths.walk(LocalTree(folder), paths.split_pattern(paths.ANY_DEPTH, folder, naming)[1])
        if not (paths.is_hidden(match.below[-1]) or folder.joinpath(*match.below).is_dir())
    }
    half = sorted(filter(is_half_written, every.values()))
    if half:
        raise SourceError(f"{text!r} holds {half[0]!r}, which {paths.UNFINISHED}")
    tables = [match for match, name in every.items() if naming.any_kind or is_table(name)]
    if not tables:
        held = f"; it holds {listed(sorted({*map(repr, every.values())}), 3)}" if every else ""
        raise SourceError(f"{text!r} is a folder without a file that is read{held} (read: {READABLE})")
    return _files(folder, tables, naming)


def _check_no_log(folder: Path) -> None:
    for name, kind in paths.LOGS.items():
        if (folder / name).is_dir():
            raise SourceError(
                f"{folder.name!r} is a {kind} table, some of whose files may have been replaced;"
                f" {LOGGED[kind]}"
            )


LOGGED = {"Delta": "name its folder alone as source", "Hudi": "export it to Parquet files first"}
"""What to do about files of a table with a log."""


def _files(start: Path, matches: Iterable[PathMatch], naming: PathNaming) -> tuple[File, ...]:
    files = []
    for match in sorted(matches, key=lambda match: os.fsencode("/".join(match.below))):
        path = start.joinpath(*match.below)
        if not path.exists():
            raise _broken(path)
        _check_file(path, naming)
        below = "/".join(match.below) if len(match.below) > 1 else ""
        files.append(File(path, match.every_value, below=below))
    return tuple(files)


def _broken(path: Path) -> ConfigError:
    return SourceError(f"{path.name!r} is a link to {str(path.readlink())!r}, which does not exist")


def _neighbour(folder: Path, text: str) -> str:
    """Return the file that is meant, as the config would name it; a common ending is no hint."""
    path = folder / text
    if not path.parent.is_dir():
        return ""
    before, stem = text.removesuffix(path.name), path.stem.lower()
    files = sorted(file.name for file in path.parent.iterdir() if format_of(file.name))
    alike = [name for name in files if difflib.get_close_matches(stem, [Path(name).stem.lower()])]
    return did_you_mean(text, [f"{before}{name}" for name in alike])


def _check_file(path: Path, naming: PathNaming) -> None:
    if not path.is_file():
        raise SourceError(f"{path.name!r} is not a file of its own, but a device or a pipe")
    if fault := naming.kind_fault(path.name, repr(path.name)):
        raise SourceError(fault)
