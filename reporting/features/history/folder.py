"""Where runs are kept, and how a folder keeps them: each is written aside and renamed into place, whole."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from reporting.base.publish import claim, settle, sync
from reporting.errors import DataError, HistoryError, OutputError, quoted, room_in

MANIFEST = "manifest.json"
RUN_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-[0-9a-f]{16}")
"""The date of a run and the first digits of its id."""
TEMPORARY = re.compile(r"\.(?:new|lock)-([0-9a-f]+)")


class RunPlace(Protocol):
    """What keeps runs: each a set of files under one name, the manifest among them."""

    @property
    def where(self) -> str:
        """Its address, for messages."""

    def names(self) -> list[str]:
        """Return the names of all runs that are there whole, sorted."""

    def read(self, run: str, file: str) -> bytes | None:
        """Return a file of a run; None where it is missing."""

    def publish(self, run: str, files: Mapping[str, bytes]) -> bool:
        """Keep a run for good; False where its name is taken: what is there stays."""


class Folder:
    """A folder of this machine, or of one that it mounts."""

    def __init__(self, path: Path, *, may_be_new: bool = False) -> None:
        self.path, self.may_be_new = path, may_be_new
        self.runs = path / "runs"

    @property
    def where(self) -> str:
        """The path as it was given."""
        return str(self.path)

    def names(self) -> list[str]:
        """Return the names of the runs; DataError where there is no such folder, unless it may be new."""
        if self.may_be_new and not self.path.exists():
            return []
        if not self.path.is_dir():
            raise HistoryError(f"there is no history in {quoted(self.where)}: it is no folder")
        with self._os_errors_as(DataError, "read"):
            if not self.runs.is_dir():
                return []
            return sorted(entry.name for entry in os.scandir(self.runs) if RUN_NAME.fullmatch(entry.name))

    def read(self, run: str, file: str) -> bytes | None:
        """Return a file of a run; None where it is missing."""
        try:
            return (self.runs / run / file).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise HistoryError(f"{self.runs / run / file} cannot be read: {error.strerror}") from None

    def publish(self, run: str, files: Mapping[str, bytes]) -> bool:
        """Write the files to a neighbouring folder and rename it; False where the run is there already."""
        with self._os_errors_as(OutputError, "written"):
            self.runs.mkdir(parents=True, exist_ok=True)
            self._clean()
            if (self.runs / run).exists():
                return False
            token, lock = self._locked()
            try:
                return self._moved(self._filled(token, files), self.runs / run)
            finally:
                self._clear(token, lock)

    def _locked(self) -> tuple[str, int]:
        """Return a token of this writer alone and what holds its lock; a cleaner may be quicker."""
        while True:
            token = secrets.token_hex(8)
            lock = claim(self._beside("lock", token))
            if lock is not None:
                return token, lock

    def _filled(self, token: str, files: Mapping[str, bytes]) -> Path:
        new = self._beside("new", token)
        new.mkdir()
        for name, content in files.items():
            (new / name).write_bytes(content)
        return new

    def _moved(self, new: Path, target: Path) -> bool:
        """Rename to a name that is free; False where another writer has just taken it."""
        settle(new)
        try:
            new.rename(target)
            sync(self.runs)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                return False
            raise
        return True

    def _clean(self) -> None:
        """Remove what killed writers left; what a living one is writing stays."""
        matches = (TEMPORARY.fullmatch(entry.name) for entry in os.scandir(self.runs))
        for token in sorted({match[1] for match in matches if match}):
            lock = claim(self._beside("lock", token))
            if lock is not None:
                self._clear(token, lock)

    def _clear(self, token: str, lock: int) -> None:
        shutil.rmtree(self._beside("new", token), ignore_errors=True)
        self._beside("lock", token).unlink(missing_ok=True)
        os.close(lock)

    def _beside(self, kind: str, token: str) -> Path:
        return self.runs / f".{kind}-{token}"

    @contextmanager
    def _os_errors_as(self, kind: type[DataError | OutputError], verb: str) -> Iterator[None]:
        try:
            with room_in(f"the history {quoted(self.where)}"):
                yield
        except OSError as error:
            raise kind(f"the history {quoted(self.where)} cannot be {verb}: {error.strerror}") from None
