"""What a file holds, as the program reads it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from reporting.inputs.files import open_file
from reporting.inputs.formats.catalogue import Reading
from reporting.inputs.spec import File


def table(path: Path, **reading: object) -> dict[str, list[object]]:
    """Return the columns of a file."""
    return opened(path, **reading).to_dict(as_series=False)


def opened(path: Path, **reading: object) -> pl.DataFrame:
    return open_file(File(path), Reading(**reading)).collect()
