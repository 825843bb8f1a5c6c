"""The commands ``cache show`` and ``cache clear``: what runs remember."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from reporting.app.cli.app import Verbose, app, guarded
from reporting.app.terminal.log import Voice

caches = typer.Typer(help="Inspect or empty a cache (run.cache).", no_args_is_help=True)
app.add_typer(caches, name="cache")
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that run.cache names.")]


@caches.command()
def show(folder: Folder, verbose: Verbose = False) -> None:
    """Show number and size of cached results."""

    def work() -> str:
        from reporting.base.cache.place import held

        return f"{folder}: {held(folder)}"

    guarded(work, Voice(sys.stderr, verbose=verbose))


@caches.command()
def clear(folder: Folder, verbose: Verbose = False) -> None:
    """Delete cached results; leave other files alone."""

    def work() -> str:
        from reporting.base.cache import place

        return f"{folder}: {place.clear(folder)} deleted"

    guarded(work, Voice(sys.stderr, verbose=verbose))
