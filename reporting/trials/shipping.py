"""A trial table that other processes can read: in files, under whole paths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from secrets import token_hex

from polars.exceptions import PolarsError

from reporting.errors import DataError
from reporting.trials.files import first_line
from reporting.trials.spec import File, Remote, Source, TrialSpec, readable
from reporting.trials.table import TrialTable


def with_whole_paths(spec: TrialSpec) -> TrialSpec:
    """Return the spec with whole paths: workers may stand in another folder. Names stay as they are."""
    return replace(spec, sources=_whole(spec.sources), keys=_whole(spec.keys))


def _whole(sources: tuple[Path | Source | Remote, ...]) -> tuple[Path | Source | Remote, ...]:
    found: list[Path | Source | Remote] = []
    for one in sources:
        if isinstance(one, File):
            found.append(replace(one, path=one.path.absolute()))
        else:
            found.append(one.absolute() if isinstance(one, Path) else one)
    return tuple(found)


def ready_to_ship(table: TrialTable, folder: Path | None) -> TrialTable:
    """Return the table with all its rows in files; those of a table in memory are written to ``folder``.

    ``folder`` None: the table stays in this process, as it is.
    """
    if folder is None:
        return table
    spec = table.spec
    sources, keys = (tuple(_in_file(one, folder) for one in readable(of)) for of in (spec.sources, spec.keys))
    return replace(table, spec=replace(spec, sources=sources, keys=keys))


def _in_file(source: Source, folder: Path) -> File:
    if isinstance(source, File):
        return source
    path = folder / f"trials-{token_hex(8)}.parquet"
    try:
        source.frame.write_parquet(path)
    except (PolarsError, OSError) as error:
        raise DataError(f"the trial table cannot be copied to {folder}: {first_line(error)}") from None
    return File(path)
