"""Where the packaged folders are: beside the modules in a wheel, at the top of a checkout otherwise."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return the folder ``templates`` or ``configs``; FileNotFoundError when the installation lost it."""
    for candidate in (PACKAGE / name, PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder {name!r} is missing from this installation of reporting")
