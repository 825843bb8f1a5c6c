"""The command ``verify``: whether a report is reproduced."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from reporting.app.cli.app import Logged, Quiet, app, guarded
from reporting.app.terminal import voice_for
from reporting.app.terminal.log import Log


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a report.")],
    against: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Config to use if it is not next to DIR or has another name."),
    ] = None,
    quiet: Quiet = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="List every file, and print stage timings.")
    ] = False,
    log: Logged = Log.TEXT,
) -> None:
    """Rebuild a report in a temporary folder and check that every file is reproduced."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)
    status: list[int] = []

    def work() -> str:
        from reporting.app.run.verify import verify

        verdict = verify(folder, against, voice)
        status.append(verdict.status)
        return verdict.text(verbose)

    guarded(work, voice, status)
