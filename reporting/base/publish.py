"""Files written under temporary names, then moved: an output directory is the old report or the new one.

A run writes to ``.DIR.new-<run id>`` and swaps it with DIR. While it lives it holds a lock on
``.DIR.lock-<run id>``, so that the next command can distinguish what a killed run left from what a living
run is still writing.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from reporting.errors import OutputError, room_in, unwritable

PROGRAM = "reporting"
MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
"""Written in every frame, the manifest and report.json; it rises where a column or key is renamed or goes."""

Exchange = Callable[[Path, Path], bool]
"""Swaps two names in one step, or returns False where that cannot be done."""


def exchange_names(new: Path, target: Path) -> bool:
    """Swap two names by ``renameat2(RENAME_EXCHANGE)``; False where the system does not offer it."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    here, rename_exchange = -100, 2
    if renameat2(here, os.fsencode(new), here, os.fsencode(target), rename_exchange) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOENT):
        return False
    raise OSError(code, os.strerror(code), str(target))


@contextmanager
def publishing(target: Path, run_id: str, exchange: Exchange = exchange_names) -> Iterator[Path]:
    """Yield a new folder that replaces ``target`` when the block ends well, and vanishes when it fails.

    Heals first what a killed run left. OutputError for a target that the program may not replace or that
    cannot be written. ``run_id`` is letters, digits, ``-`` and ``_``; two living runs never share one.
    """
    if not re.fullmatch(RUN_ID, run_id):
        raise ValueError(f"run id {run_id!r}: letters, digits, - and _ are allowed")
    target = _real(target)
    heal(target)
    _refuse_foreign(target)
    new, old, lock_file = (_beside(target, kind, run_id) for kind in KINDS)
    parents = [folder for folder in target.parents if not folder.exists()]
    with _os_errors_of(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = claim(lock_file)
    if lock is None:
        raise OutputError(f"{target}: a run with the id {run_id!r} is writing it now")
    try:
        with _os_errors_of(target):
            new.mkdir()
        with room_in(target):
            yield new
        _refuse_foreign(target)
        with _os_errors_of(target):
            settle(new)
            _swap_in(new, target, old, exchange)
            for folder in (target, *parents):
                sync(folder.parent)
    finally:
        try:
            with _os_errors_of(target):
                _clear(target, run_id, lock)
        except KeyboardInterrupt:
            heal(target)  # it came as this was clearing
            raise
        for folder in parents:  # a failed run leaves no parents that it made behind either
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def replacing(path: Path, *, over: bool = True) -> Iterator[Path]:
    """Yield the name of a file that takes the place of ``path`` when the block ends well, whole.

    FileExistsError where one exists and must not be written ``over``; OSError as the system has it.
    """
    _clear_left(path)
    run_id = f"{os.getpid()}-{secrets.token_hex(4)}"
    new, lock = _beside(path, "new", run_id), claim(_beside(path, "lock", run_id))
    assert lock is not None  # no other run draws this id
    try:
        yield new
        sync(new)
        if over:
            new.replace(path)
        else:
            os.link(new, path)
        sync(path.parent)
    finally:
        with suppress(OSError):
            _clear(path, run_id, lock)


def write_in_place(file: Path, content: bytes) -> None:
    """Write a file whole, in place of one there; OutputError where that fails."""
    try:
        with replacing(file) as new:
            new.write_bytes(content)
    except OSError as error:
        raise unwritable(file, error) from None


def parquet(frame: Any, metadata: Mapping[str, str] | None = None) -> bytes:
    """Return a Polars frame as a Parquet file.

    Written to the disk by Polars, a full one would be an error without the system's number.
    """
    file = io.BytesIO()
    # In one piece, so that the bytes are the same however many parts a frame was made of.
    frame.rechunk().write_parquet(file, compression="zstd", statistics=True, metadata=dict(metadata or {}))
    return file.getvalue()


def heal(target: Path) -> None:
    """Clear what killed runs left next to ``target``; put the last report back where it is missing."""
    target = _real(target)
    with _os_errors_of(target):
        _clear_left(target)


def _clear_left(target: Path) -> None:
    for run_id in _left_by(target):
        lock = claim(_beside(target, "lock", run_id))
        if lock is not None:  # else the run lives
            _clear(target, run_id, lock)


RUN_ID = "[A-Za-z0-9_-]+"
KINDS = ("new", "old", "lock")


def _clear(target: Path, run_id: str, lock: int) -> None:
    """Remove what a run has next to ``target``, its lock last; put its old report back where none is."""
    new, old, lock_file = (_beside(target, kind, run_id) for kind in KINDS)
    try:
        if old.exists() and not _moved(old, target):
            _remove(old)
        _remove(new)
        lock_file.unlink()
    finally:
        os.close(lock)


def _left_by(target: Path) -> list[str]:
    if not target.parent.is_dir():
        return []
    name = re.compile(rf"\.{re.escape(target.name)}\.(?:{'|'.join(KINDS)})-({RUN_ID})")
    matches = (name.fullmatch(path.name) for path in target.parent.iterdir())
    return sorted({match[1] for match in matches if match})


def _beside(target: Path, kind: str, run_id: str) -> Path:
    return target.with_name(f".{target.name}.{kind}-{run_id}")


def _real(target: Path) -> Path:
    """Follow links, so that the new folder is next to the real one and the link stays."""
    with _os_errors_of(target):
        return Path(os.path.realpath(target))


def _refuse_foreign(target: Path) -> None:
    with _os_errors_of(target):
        if not target.exists():
            return
        if not target.is_dir():
            raise OutputError(f"{target} is a file; the output directory must be a folder or not exist yet")
        if target.is_mount():
            raise OutputError(
                f"{target} is a mount point, and a report replaces its folder;"
                " name a folder inside it with -o"
            )
        if any(target.iterdir()) and not is_report(target):
            raise OutputError(
                f"{target} is not empty and is not a report folder (no {MANIFEST} with"
                f' "program": "{PROGRAM}"); name another folder with -o, or empty this one'
            )


def is_report(folder: Path) -> bool:
    """Return whether a folder holds a report, by its manifest."""
    try:
        manifest_of = json.loads((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return False
    return isinstance(manifest_of, dict) and manifest_of.get("program") == PROGRAM


def settle(folder: Path) -> None:
    """Have the disk hold all files of a folder, then its folders, before it gets its final name."""
    for inner, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync(Path(inner, name))
        sync(Path(inner))


def sync(path: Path) -> None:
    """Wait until the disk holds a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems sync no folders
            raise
    finally:
        os.close(descriptor)


def _swap_in(new: Path, target: Path, old: Path, exchange: Exchange) -> None:
    """Put ``new`` in the place of ``target``; another run may publish between any two steps."""
    while not _moved(new, target):
        if exchange(new, target):
            return
        _remove(old)
        with suppress(FileNotFoundError):  # another run has just set it aside
            target.rename(old)


def _moved(source: Path, target: Path) -> bool:
    """Rename to a place that is free or an empty folder; False where something else is there."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def claim(lock_file: Path) -> int | None:
    """Return a descriptor that holds the lock, or None while a living run holds it."""
    while True:
        lock = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        if _is_still_there(lock, lock_file):
            return lock
        os.close(lock)


def _is_still_there(lock: int, lock_file: Path) -> bool:
    """Return whether the locked file still has its name: its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(lock), lock_file.stat())
    except FileNotFoundError:
        return False


@contextmanager
def _os_errors_of(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(target, error) from error
