"""What executors share whose tasks run in other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from reporting.errors import OutputError
from reporting.executors.executor import Executor
from reporting.executors.here import ThreadExecutor
from reporting.executors.shelf import Damaged, Unseen

Tell = Callable[[str], None]


class Elsewhere(Executor):
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
def told(folder: Path) -> Iterator[None]:
    """Turn what goes wrong with the files between processes into one message."""
    try:
        yield
    except Unseen as error:
        raise OutputError(
            f"run.folder: a worker cannot read what the run has put into {folder} ({error});"
            " name a folder that this machine and every worker see under one path, as one user"
        ) from None
    except Damaged as error:
        raise OutputError(
            f"run.folder: {error} does not hold what was written there; is the file system of {folder}"
            " full, or does something else write to it?"
        ) from None
