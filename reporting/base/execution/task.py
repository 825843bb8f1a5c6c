"""What a worker does with one task: read the shared value, work, and hand the result back."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any

from reporting.base.execution import Executor, Tell, ThreadExecutor
from reporting.base.execution.array_store import DamagedFile, StoredFile, UnseenFile, get, verified
from reporting.errors import OutputError

LARGE_RESULT = 2**20
"""Bytes from which a result is handed back as a file, not as a message."""

Result = bytes | StoredFile


def run_task(work: Callable[[Any, Any], Any], shared: StoredFile, item: Any) -> Result:
    """Work on a worker, and return the result pickled, or its place."""
    result = pickle.dumps(work(get(shared), item), protocol=5)
    if len(result) < LARGE_RESULT:
        return result
    # Not by its hash: two tasks may have equal results, and each file is taken away once.
    path = shared.path.parent / f"{token_hex(8)}.result"
    path.write_bytes(result)
    return StoredFile(path, hashlib.sha256(result).hexdigest())


def result_of(result: Result) -> Any:
    """Return what a worker handed back and remove its file; UnseenFile or DamagedFile where that fails."""
    if isinstance(result, bytes):
        return pickle.loads(result)
    with verified(result.path, result.digest) as file:
        value = pickle.load(file)
    result.path.unlink(missing_ok=True)
    return value


class RemoteExecutor(Executor):
    """Values reach the workers through a folder that they all see."""

    folder: Path

    def __init__(self, folder: Path, threads: int, tell: Tell) -> None:
        self.folder, self.tell = folder, tell
        self._threads = threads

    @cached_property
    def here(self) -> Executor:
        """Threads of this process."""
        return ThreadExecutor(self._threads)

    def close(self, *, failed: bool = False) -> None:
        """Let the threads go."""
        if "here" in vars(self):
            self.here.close(failed=failed)


@contextmanager
def folder_errors(folder: Path) -> Iterator[None]:
    """Turn what goes wrong with the files between processes into one message."""
    try:
        yield
    except UnseenFile as error:
        raise OutputError(
            f"run.folder: a worker cannot read what the run has put into {folder} ({error});"
            " name a folder that this machine and every worker see under one path, as one user"
        ) from None
    except DamagedFile as error:
        raise OutputError(
            f"run.folder: {error} does not hold what was written there; is the file system of {folder}"
            " full, or does something else write to it?"
        ) from None
