"""The folder of a cache: a marker that identifies it, entries by their keys, files still being written.

An entry ``ab/abcd….arrays`` is written as ``.new-…`` and moved to its name whole. Who writes holds a
lock on the file: what a killed run left has none, and the next run clears it.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO

from reporting.base.records import dataclass
from reporting.errors import OutputError, room_in

MARKER = "reporting-cache.json"
PROGRAM = {"program": "reporting", "holds": "cache"}
KIND = "arrays"
BESIDE = re.compile(r"\.new-[0-9a-f]{16}")
ENTRY = re.compile(rf"[0-9a-f]{{64}}\.{KIND}")


def open_folder(folder: Path) -> Path:
    """Make a folder a cache, or find that it is one; clear what killed runs left there.

    OutputError where the folder holds something else, or nothing can be written.
    """
    with _os_errors_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_foreign(folder)
        if not (folder / MARKER).exists():
            write_whole(folder, folder / MARKER, [json.dumps(PROGRAM).encode() + b"\n"])
        _clear_left(folder)
    return folder


def path_of(folder: Path, key: str) -> Path:
    """The path of a key's entry."""
    return folder / key[:2] / f"{key}.{KIND}"


def write_whole(folder: Path, path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a temporary file, and move it to its name: whoever sees it sees it whole."""
    beside, file = _claimed(folder)
    try:
        with file:
            file.writelines(pieces)
            file.flush()
            path.parent.mkdir(exist_ok=True)
            beside.rename(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _claimed(folder: Path) -> tuple[Path, IO[bytes]]:
    """Return a new file that no run clears while it is open."""
    while True:
        beside = folder / f".new-{token_hex(8)}"
        file = beside.open("xb")
        with suppress(OSError):  # a file system without locks: nothing is ever cleared there
            fcntl.flock(file, fcntl.LOCK_EX)
        if beside.exists():
            return beside, file
        file.close()  # cleared as left by a killed run, before it was locked


@dataclass(frozen=True)
class Held:
    """How many entries a cache holds, and their bytes."""

    entries: int
    size: int

    def __str__(self) -> str:
        noun = "entry" if self.entries == 1 else "entries"
        return f"{self.entries} {noun}, {self.size / 2**20:.1f} MB"


def held(folder: Path) -> Held:
    """Count what a cache holds."""
    with _os_errors_of(folder):
        _refuse_other(folder)
        sizes = [size for _, _, size in _last_used(folder)]
    return Held(len(sizes), sum(sizes))


def clear(folder: Path) -> Held:
    """Remove every entry, and nothing else; return what they were."""
    entries = size = 0
    with _os_errors_of(folder):
        _refuse_other(folder)
        for _, path, freed in _last_used(folder):
            with suppress(FileNotFoundError):  # another command clears too
                path.unlink()
                entries, size = entries + 1, size + freed
        for sub in _folders(folder):
            with suppress(OSError):  # it holds something else, or is just being put there
                sub.rmdir()
        _clear_left(folder)
    return Held(entries, size)


def trim(folder: Path, size: int) -> Held:
    """Take away the entries not used for longest until the rest has ``size`` bytes; return what they were.

    Several runs may do so concurrently: what another one has taken away is gone for this one too.
    """
    entries = taken = 0
    with _os_errors_of(folder):
        used = sorted(_last_used(folder))
        beyond = sum(of_entry for _, _, of_entry in used) - size
        for _, path, of_entry in used:
            if taken >= beyond:
                break
            path.unlink(missing_ok=True)
            entries, taken = entries + 1, taken + of_entry
    return Held(entries, taken)


def _last_used(folder: Path) -> Iterator[tuple[int, Path, int]]:
    """Yield when each entry was last used, where it is, and its bytes; others may delete it meanwhile."""
    for sub in _folders(folder):
        with suppress(FileNotFoundError), os.scandir(sub) as inside:
            for entry in inside:
                if ENTRY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    with suppress(FileNotFoundError):
                        about = entry.stat()
                        yield about.st_mtime_ns, Path(entry), about.st_size


def touch(path: Path) -> None:
    """Note that an entry is used."""
    with suppress(OSError):  # another run has taken it away, or may read the folder only
        os.utime(path)


def _folders(folder: Path) -> list[Path]:
    with os.scandir(folder) as inside:
        return sorted(
            Path(entry)
            for entry in inside
            if re.fullmatch("[0-9a-f]{2}", entry.name) and entry.is_dir(follow_symlinks=False)
        )


def _clear_left(folder: Path) -> None:
    for path in (path for path in folder.iterdir() if BESIDE.fullmatch(path.name)):
        with suppress(OSError), path.open("rb") as file:  # moved meanwhile, or its writer lives
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _refuse_foreign(folder: Path) -> None:
    foreign = [path.name for path in folder.iterdir() if not BESIDE.fullmatch(path.name)]
    if foreign and not _is_ours(folder):
        raise OutputError(
            f"{folder} is not empty and is not a cache folder ({MARKER} is missing); name another folder"
            " for the cache, or empty this one"
        )


def _refuse_other(folder: Path) -> None:
    if not folder.is_dir():
        raise OutputError(f"{folder}: no such folder; expected a cache folder (run.cache)")
    if not _is_ours(folder):
        raise OutputError(f"{folder} is not a cache folder ({MARKER} is missing); nothing was changed")


def _is_ours(folder: Path) -> bool:
    try:
        marker = json.loads((folder / MARKER).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return False
    return bool(marker == PROGRAM)


@contextmanager
def _os_errors_of(folder: Path) -> Iterator[None]:
    try:
        with room_in(f"run.cache: {folder}"):
            yield
    except OSError as error:
        raise OutputError(f"run.cache: {folder} cannot be used ({error.strerror or error})") from None
