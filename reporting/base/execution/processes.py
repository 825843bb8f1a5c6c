"""Work in processes of this machine, started afresh (spawn): a forked child of Polars may hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from reporting.base.execution import I, R, S, Tell, cores
from reporting.base.execution.array_store import StoredFile, lent
from reporting.base.execution.task import RemoteExecutor, Result, folder_errors, result_of, run_task
from reporting.errors import OutputError

MOST_DEATHS = 3
"""How often the tasks of one stage are taken up again after a worker died."""

THREADS = (
    "POLARS_MAX_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)
"""The variables that set how many threads a library starts; most are read once, on import."""


class ProcessExecutor(RemoteExecutor):
    """Runs tasks in processes, which start with the first task and stay for the whole run."""

    def __init__(self, workers: int, folder: Path, tell: Tell) -> None:
        super().__init__(folder, workers, tell)
        self._workers = workers
        self._started: _Started | None = None

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> list[R]:
        """Run side by side; what a worker leaves undone when it dies runs again."""
        done: dict[int, R] = {}
        with folder_errors(self.folder), lent(shared, self.folder) as stored:
            for deaths in range(MOST_DEATHS + 1):
                left = {number: task for number, task in enumerate(tasks) if number not in done}
                if not left:
                    break
                if deaths:
                    self.tell(f"a worker died; {len(left)} of {len(tasks)} tasks run again")
                done |= self._attempt(work, stored, left)
        if len(done) < len(tasks):
            raise OutputError(
                f"run.executor: worker processes died {MOST_DEATHS + 1} times over the same tasks; is there"
                " enough memory for run.workers of them? (A script that uses processes must do its work"
                " under `if __name__ == '__main__':`.)"
            )
        return [done[number] for number in range(len(tasks))]

    def _attempt(self, work: Callable[[S, I], R], shared: StoredFile, tasks: Mapping[int, I]) -> dict[int, R]:
        """Return the results by number; where a worker died, those that were there by then."""
        started = self._started = self._started or _Started(self._workers)
        done: dict[int, R] = {}
        futures = started.submit(work, shared, tasks)
        try:
            for number, future in futures.items():
                try:
                    done[number] = result_of(future.result())
                except BrokenProcessPool:
                    started.broken = True
        except BaseException:
            self._end(failed=True)
            raise
        if started.broken:
            self._end(failed=True)
        return done

    def close(self, *, failed: bool = False) -> None:
        """Let the workers go, immediately where the run failed."""
        super().close(failed=failed)
        self._end(failed=failed)

    def _end(self, *, failed: bool) -> None:
        started, self._started = self._started, None
        if started:
            started.close(failed=failed)


class _Started:
    """Processes, and the leash that ends them: a pipe whose other end only this process holds."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._end, self._leash = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_begin, initargs=(self._end,)
        )
        self._threads = max(1, cores() // workers)
        self.broken = False

    def submit(
        self, work: Callable[[S, I], R], shared: StoredFile, tasks: Mapping[int, I]
    ) -> dict[int, Future[Result]]:
        """Hand out tasks, which starts the processes; all that could be handed out."""
        futures: dict[int, Future[Result]] = {}
        with _environment(dict.fromkeys(THREADS, str(self._threads))), _no_interrupts():
            for number, task in tasks.items():
                try:
                    futures[number] = self._pool.submit(run_task, work, shared, task)
                except BrokenProcessPool:
                    self.broken = True
                    break
        return futures

    def close(self, *, failed: bool) -> None:
        """End the processes; where the run failed, without a word of farewell.

        Futures that still wait are left to the pool: had they been cancelled before the workers die, its
        thread would stop with an InvalidStateError and print it.
        """
        if failed:
            self._leash.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._leash.close()
        self._end.close()


def _begin(leash: Connection) -> None:
    """Prepare a worker: its parent alone decides when it ends, even by dying itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(leash,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    try:
        leash.recv()
    except (EOFError, OSError):
        os._exit(1)


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before: dict[str, str | None] = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Start processes that no Ctrl-C reaches before they ignore it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
