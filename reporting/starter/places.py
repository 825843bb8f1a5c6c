"""Paths as a config says them: relative to its own folder."""

from __future__ import annotations

import glob
import os
from pathlib import Path


def at_config(text: str, folder: Path) -> str:
    """Say a path or pattern, relative to the working directory, relative to the config's folder.

    One that shares no folder with the config stays absolute. A path that exists is taken at its letters.
    """
    if Path(text).exists():
        return relative(absolute(text), folder)
    if Path(text).is_absolute():
        return text
    here = relative(str(Path.cwd()), folder)
    return text if here == "." else f"{as_pattern(here)}/{text}"


def absolute(path: str | Path) -> str:
    """Return a path from the root, without steps up and without following links."""
    return os.path.normpath(Path(path).absolute())


def relative(path: str, folder: Path) -> str:
    """Say an absolute path relative to a folder, through whose links one goes up as the system does."""
    start = os.path.realpath(folder)
    if os.path.commonpath([path, start]) == os.sep:
        return path
    return os.path.relpath(path, start)


def as_pattern(path: str) -> str:
    """Write a path as a pattern that matches nothing else."""
    return glob.escape(path).replace("{", "{{").replace("}", "}}")
