"""Files of office programs are ZIP archives: here they carry no time of the clock."""

from __future__ import annotations

import io
from datetime import datetime
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The earliest time that the format has."""


def without_times(archive: bytes) -> bytes:
    """Return the archive with the same files in the same order, all of the first day."""
    copy = io.BytesIO()
    with ZipFile(io.BytesIO(archive)) as old, ZipFile(copy, "w") as new:
        for name in old.namelist():
            new.writestr(ZipInfo(name, FIRST_DAY), old.read(name), ZIP_DEFLATED)
    return copy.getvalue()


def day_of(as_of: str) -> datetime:
    """Return the start of a report's day, the only time that its files carry."""
    return datetime.fromisoformat(as_of).replace(tzinfo=None)
