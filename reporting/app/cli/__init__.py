"""argv in, exit code out: the only place that prints or exits.

0 done; 1 a gate failed, or ``verify`` found a difference; 2 bad usage, config or data; 3 the program
itself failed; 130 interrupted, by SIGINT, SIGTERM or SIGHUP.
Reports go to stdout, messages and progress to stderr. Heavy rooms are imported inside the command
that needs them, so that ``--help`` answers fast.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

# Commands enter the list of --help in this order.
# isort: off
from reporting.app.cli.app import app

# fmt: off
from reporting.app.cli import report_commands, setup_commands, plan_commands  # noqa: F401
from reporting.app.cli import question_commands, verify_command, cache_commands  # noqa: F401
# fmt: on
# isort: on

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed by the caller; nothing else may take its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a path that the terminal cannot show
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores one
            signal.signal(number, _end)
    # Nearly all that a command makes stays to its end: looking for garbage took a twelfth of a report, and at
    # the end, where all of it goes anyway, a fifth of a check.
    gc.set_threshold(1_000_000, 20, 100)
    atexit.register(gc.freeze)
    app()


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """End as Ctrl-C does: everything that is open is closed, and nothing is left half written."""
    raise KeyboardInterrupt(f" by {signal.Signals(number).name}")
