"""Work on a Dask cluster that is there already, by the address of its scheduler."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from secrets import token_hex
from typing import Any

from reporting.base.execution import I, R, S, Tell, cores
from reporting.base.execution.array_store import forget, lent
from reporting.base.execution.task import RemoteExecutor, folder_errors, result_of, run_task
from reporting.errors import ConfigError, OutputError, listed, quoted

ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?[^\s/@]+:[0-9]{1,5}")

CONNECT = 8.0
"""Seconds to wait for the scheduler."""

WORKERS = 120.0
"""Seconds to wait for a worker, at the start or when the last one has left: a batch system takes its time."""

ASKED = 2.0
"""Seconds between two looks at the cluster while tasks run."""

RETRIES = 2
"""How often a task runs again where it failed, as a file system may for a moment."""

SAME = ("trial-reporting", "numpy", "scipy", "polars")
"""What must be of one version everywhere for results to be the same to the last bit."""


class DaskExecutor(RemoteExecutor):
    """Runs tasks on the workers of a cluster; what a worker leaves undone when it dies, Dask runs again."""

    def __init__(self, address: str, folder: Path, tell: Tell) -> None:
        super().__init__(folder, cores(), tell)
        self._address = address
        self._client = _connected(address)
        self._running: frozenset[str] = frozenset()
        try:
            self._wait_for_workers()
            self._look_at_workers()
            self._client.subscribe_topic("all", self._hear)
        except BaseException:
            self._client.close()
            raise

    def results(self, work: Callable[[S, I], R], shared: S, tasks: Sequence[I]) -> list[R]:
        """Run on the workers, wherever there is room."""
        name = f"reporting-{work.__name__.strip('_')}-{token_hex(6)}"
        by_key = {f"{name}-{number}": item for number, item in enumerate(tasks)}
        if not by_key:
            return []
        with folder_errors(self.folder), lent(shared, self.folder) as stored:
            self._running = frozenset(by_key)
            futures = [
                self._client.submit(run_task, work, stored, item, key=key, pure=False, retries=RETRIES)
                for key, item in by_key.items()
            ]
            try:
                return [result_of(self._result(future)) for future in futures]
            except BaseException:
                self._client.cancel(futures)
                raise
            finally:
                self._running = frozenset()

    def close(self, *, failed: bool = False) -> None:
        """Leave the cluster; workers let go of the files of the run."""
        super().close(failed=failed)
        with suppress(Exception):  # the cluster may have gone before; nothing of this run depends on it now
            self._client.run(forget, on_error="ignore")
        self._client.close()

    def _result(self, future: Any) -> Any:
        dask, since = _distributed(), time.monotonic()
        while True:
            failed = future.status == "error"
            try:
                return future.result(timeout=ASKED)
            except TimeoutError:
                if failed:  # the task's own error, not the end of this look
                    raise
                since = time.monotonic() if self._has_workers() else since
                if time.monotonic() - since > WORKERS:
                    raise OutputError(
                        f"run.address: all workers of {self._address} are gone, and none has come for"
                        f" {WORKERS:.0f} seconds"
                    ) from None
            except dask.KilledWorker as error:
                raise OutputError(
                    f"run.executor: workers died again and again over one task ({error.task});"
                    " is there enough memory on them?"
                ) from None
            except CancelledError:
                raise self._gone() from None

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.scheduler_info()["workers"])
        except OSError:
            raise self._gone() from None

    def _gone(self) -> OutputError:
        return OutputError(f"run.address: the scheduler at {self._address} has gone while tasks were running")

    def _hear(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """Report a worker that is lost, with what the scheduler gives to others."""
        _, message = event
        if message.get("action") != "remove-worker":
            return
        lost = {*message.get("processing-tasks", ()), *message.get("lost-computed-tasks", ())} & self._running
        if lost:
            self.tell(
                f"worker {message.get('worker')} is gone; {len(lost)} of {len(self._running)} tasks run again"
            )

    def _wait_for_workers(self) -> None:
        if not self._has_workers():
            self.tell(f"waiting for workers of {self._address}")
        try:
            self._client.wait_for_workers(1, timeout=WORKERS)
        except TimeoutError:
            raise ConfigError(
                f"run.address: the scheduler at {self._address} has no workers, and none has come for"
                f" {WORKERS:.0f} seconds"
            ) from None

    def _look_at_workers(self) -> None:
        """Refuse workers that lack the program or the folder; report other versions."""
        token = self.folder / f".{token_hex(8)}"
        token.touch()
        answers: Mapping[str, Any] = self._client.run(seen_by, str(token), on_error="return")
        token.unlink()
        ours, _ = seen_by(str(token))
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, BaseException):
                raise ConfigError(
                    f"run.address: worker {worker} cannot run this program ({_first_line(answer)});"
                    f" install trial-reporting {ours['trial-reporting']} there"
                )
            theirs, sees = answer
            if not sees:
                raise ConfigError(
                    f"run.folder: worker {worker} cannot see {self.folder}; name a folder that this machine"
                    " and every worker see under one path, as one user"
                )
            other = [
                f"{name} {theirs[name]}, not {ours[name]}" for name in SAME if theirs[name] != ours[name]
            ]
            if other:
                self.tell(f"worker {worker} has {listed(other)}: last digits may differ")


def seen_by(path: str) -> tuple[dict[str, str], bool]:
    """Return, of the process that asks, its versions and whether it sees a file."""
    return {name: _version(name) for name in SAME}, Path(path).exists()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _connected(address: str) -> Any:
    dask = _distributed()
    if not ADDRESS.fullmatch(address):
        raise ConfigError(
            f"run.address: {quoted(address.rpartition('@')[2])} is no address of a Dask scheduler;"
            " it looks like tcp://host:8786"
        )
    try:
        return dask.Client(address, timeout=CONNECT, set_as_default=False, name="reporting")
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(
            f"run.address: no Dask scheduler answers at {address} ({_first_line(error)})"
        ) from None


def _distributed() -> Any:
    """Import the library, slow to load and half typed."""
    try:
        return import_module("distributed")
    except ImportError:
        raise ConfigError("run.executor: dask needs the extra trial-reporting[dask]") from None


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().partition("\n")[0]
