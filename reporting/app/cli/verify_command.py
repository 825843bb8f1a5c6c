"""The command ``verify``: whether a report is reproduced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reporting.app.cli.app import command
from reporting.app.terminal.log import Voice
from reporting.document.commands import Verdict


@command(is_run=True)
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a report.")],
    against: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Config to use if it is not next to DIR or has another name."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="List every file, and print stage timings.")
    ] = False,
    *,
    voice: Voice,
) -> Verdict:
    """Rebuild a report in a temporary folder and check that every file is reproduced."""
    from reporting.app.run import verify

    verdict = verify.verify(folder, against, voice)
    return Verdict(verdict.text(verbose), verdict.status)
