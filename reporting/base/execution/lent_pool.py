"""Work on an executor that a Python program holds already: loky, MPI, Ray, a batch system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from pathlib import Path

from reporting.base.execution import Executor, I, Job, LentPool, R, S, Tell, cores
from reporting.base.execution.array_store import StoredFile, lent
from reporting.base.execution.task import RemoteExecutor, folder_errors, result_of, run_task
from reporting.errors import OutputError

RETRIES = 2
"""How often a task is handed out again after its worker was lost."""


class LentThreads(Executor):
    """Runs tasks in the threads of a pool, which is never closed here: their values need not be sent."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> list[R]:
        """Run side by side."""
        return list(self._pool.map(lambda item: work(shared, item), tasks))


class LentExecutor(RemoteExecutor):
    """Runs tasks wherever a pool runs them; every worker must see the folder."""

    def __init__(self, pool: LentPool, folder: Path, tell: Tell) -> None:
        super().__init__(folder, cores(), tell)
        self._pool = pool

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> list[R]:
        """Run side by side; a task whose worker is lost is handed out again while the pool takes it."""
        done: dict[int, R] = {}
        lost: BaseException | None = None
        with folder_errors(self.folder), lent(shared, self.folder) as stored:
            for attempt in range(RETRIES + 1):
                left = {number: task for number, task in enumerate(tasks) if number not in done}
                if attempt and left:
                    self.tell(f"a worker is lost; {len(left)} of {len(tasks)} tasks run again")
                jobs = self._handed_out(work, stored, left)
                try:
                    for number, job in jobs.items():
                        try:
                            done[number] = result_of(job.result())
                        except (BrokenExecutor, CancelledError) as error:
                            lost = error
                except BaseException:
                    for job in jobs.values():
                        job.cancel()
                    raise
                if len(done) == len(tasks):
                    return [done[number] for number in range(len(tasks))]
        raise _unusable(lost)

    def _handed_out(
        self, work: Callable[[S, I], R], shared: StoredFile, tasks: Mapping[int, I]
    ) -> dict[int, Job]:
        try:
            return {number: self._pool.submit(run_task, work, shared, task) for number, task in tasks.items()}
        except (BrokenExecutor, RuntimeError) as error:
            raise _unusable(error) from None


def _unusable(error: BaseException | None) -> OutputError:
    line = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
    return OutputError(f"executor (reporting.make_report): it takes no more tasks ({line})")
