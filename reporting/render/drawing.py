"""The drawing library in a process of its own, so that the program computes and writes meanwhile.

It holds Python's lock while it draws, and takes as long to start as to draw some pictures. One process serves
all reports of a program, call by call, and ends with it; where there is none, this process answers. What
aborts in it does not end the program.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, TypeVar

from reporting.errors import OutputError
from reporting.render.pictures import svg_of

R = TypeVar("R")

READY = "ready"
PROGRAM = "import sys; sys.path[:] = {path}; import {home}; {home}.{name}()"


def submit(work: Callable[..., R], *args: Any) -> Future[R]:
    """Ask for ``work(*args)``, a function of a module that draws."""
    return drawer().submit(work, *args)


@cache
def drawer() -> Drawer:
    """Start to draw: the earlier, the sooner the first picture is there."""
    return Drawer()


class Awaited(Mapping[str, R]):
    """Answers by name: who looks one up waits for it."""

    def __init__(self, answers: Mapping[str, Future[R]]) -> None:
        self._answers = answers

    def __getitem__(self, name: str) -> R:
        return self._answers[name].result()

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


class Drawer:
    """Calls in the order in which they came, and the process that answers them."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = SimpleQueue()
        self._process = _started()
        Thread(target=self._run, name="drawing", daemon=True).start()

    def submit(self, work: Callable[..., R], *args: Any) -> Future[R]:
        """Put a call at the end of the line."""
        future: Future[R] = Future()
        self._calls.put((future, work, args))
        return future

    def _run(self) -> None:
        self._greet()
        while True:
            future, work, args = self._calls.get()
            try:
                future.set_result(self._answer(work, args))
            except BaseException as error:  # a panic of a compiled library is no Exception
                future.set_exception(error)

    def _greet(self) -> None:
        """Do without a process that does not come up; what aborts there would abort here."""
        if self._process is not None and _received(self._process) is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            if (self._process.returncode or 0) >= 0:  # else a signal has ended it
                self._process = None

    def _answer(self, work: Callable[..., R], args: tuple[Any, ...]) -> R:
        """Let the process answer, and another where it dies: the library aborts on what it cannot read.

        What a process has died of is never done here, where it would end the program.
        """
        for attempt in range(2):
            if self._process is None:
                if attempt:
                    break
                return work(*args)
            answer = _received(self._process, (work, args))
            if answer is not None:
                value, error = answer
                if error is not None:
                    raise error
                return value  # type: ignore[no-any-return]
            self._process = _started()
            self._greet()
        raise OutputError(
            "a figure cannot be drawn: the drawing library ended without a message; is there enough memory?"
            " (It reserves many gigabytes of addresses: ulimit -v.)"
        )


def _started() -> subprocess.Popen[bytes] | None:
    """Start the process, with our modules wherever they were found; None where none can be had."""
    program = PROGRAM.format(path=sys.path, home=__name__, name=answer_calls.__name__)
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, ValueError):
        return None
    atexit.register(_end, process)
    return process


def _received(process: subprocess.Popen[bytes], call: tuple[Any, ...] | None = None) -> Any:
    """Return what the process writes next, to a call where there is one; None where it is gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError, EOFError, pickle.UnpicklingError):
        if call is not None:
            pickle.dump(call, process.stdin)
            process.stdin.flush()
        return pickle.load(process.stdout)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def answer_calls() -> None:
    """Answer the calls of the program that started this process, until it has none or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints is no answer
    svg_of({"data": {"values": []}, "mark": "point"})
    _write(READY, answers)
    with suppress(EOFError):
        while True:
            work, args = pickle.load(calls)
            try:
                _write((work(*args), None), answers)
            except Exception as error:
                _write((None, error), answers)


def _write(answer: Any, answers: IO[bytes]) -> None:
    pickle.dump(answer, answers)
    answers.flush()
