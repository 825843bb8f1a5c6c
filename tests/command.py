"""The command line without a process of its own: what it prints, and the code it exits with."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import NamedTuple

from typer import testing

from reporting.app.cli import app

# Each call would build all commands again, which takes as long as many a test.
testing._get_command = cache(testing._get_command)


class Ended(NamedTuple):
    """What is left of a command that ended."""

    returncode: int
    stdout: str
    stderr: str


def reporting(*arguments: object, cwd: Path | str = ".", env: Mapping[str, str] | None = None) -> Ended:
    """Return what ``reporting`` with these arguments does, run in a folder, with more in its environment.

    Its lines have 100 places, however wide the terminal is in which tests run.
    """
    with chdir(cwd):
        words = [str(one) for one in arguments]
        ended = testing.CliRunner().invoke(app, words, env={"COLUMNS": "100", **(env or {})})
    if not (ended.exception is None or isinstance(ended.exception, SystemExit)):
        raise ended.exception
    return Ended(ended.exit_code, ended.stdout, ended.stderr)
