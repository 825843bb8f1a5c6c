"""The commands ``cache show`` and ``cache clear``: what runs remember."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reporting.app.cli.app import app, command

caches = typer.Typer(help="Inspect or empty a cache (run.cache).", no_args_is_help=True)
app.add_typer(caches, name="cache")
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that run.cache names.")]


@command(group=caches)
def show(folder: Folder) -> str:
    """Show number and size of cached results."""
    from reporting.base.cache.place import held

    return f"{folder}: {held(folder)}"


@command(group=caches)
def clear(folder: Folder) -> str:
    """Delete cached results; leave other files alone."""
    from reporting.base.cache import place

    return f"{folder}: {place.clear(folder)} deleted"
