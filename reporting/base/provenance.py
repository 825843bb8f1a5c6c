"""Where the numbers come from: inputs, versions and the signature that travels with a report."""

from __future__ import annotations

import hashlib
import io
import os
import platform
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reporting.base.extensions import versions
from reporting.base.records import dataclass
from reporting.errors import ConfigError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


IN_MEMORY = "in memory"
"""The name of an input that was handed over as a table."""


@dataclass(frozen=True)
class InputFile:
    """One file that was read: its name as in the config, its sha256 and its size in bytes.

    Of a table in memory those of its content as text.
    """

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Provenance:
    """What a reader needs to make the report again."""

    version: str
    inputs: tuple[InputFile, ...]
    libraries: tuple[tuple[str, str], ...]
    seed: int
    as_of: str
    """The UTC date of the run as ISO text, or that of SOURCE_DATE_EPOCH."""

    def signature(self, *facts: str) -> str:
        """Return one line such as ``reporting 0.2.0 | seed 1 | ... | data 1f2e3d4c``."""
        digests = "+".join(source.sha256[:8] for source in self.inputs)
        return " | ".join((f"reporting {self.version}", f"seed {self.seed}", *facts, f"data {digests}"))


def input_file(path: Path, name: str) -> InputFile:
    """Return the digest of a file's bytes under the name the config gives it."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return InputFile(name, digest, path.stat().st_size)


class Digest(io.RawIOBase):
    """A file that keeps nothing of what is written but its sha256 and its size."""

    def __init__(self) -> None:
        super().__init__()
        self._sha256, self._size = hashlib.sha256(), 0

    def writable(self) -> bool:
        """It can be written."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Take bytes and return how many."""
        written = memoryview(data).nbytes
        self._sha256.update(data)
        self._size += written
        return written

    def of_input(self, name: str) -> InputFile:
        """Return the digest under the input's name."""
        return InputFile(name, self._sha256.hexdigest(), self._size)


@cache
def library_versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of the libraries that results can depend on, of Python, and of extensions."""
    from importlib.metadata import version

    names = ("numpy", "polars", "scipy", "altair", "vl-convert-python", "jinja2")
    return (("python", platform.python_version()), *((name, version(name)) for name in names), *versions())


def report_date() -> str:
    """Return the UTC date of the run as ISO text; SOURCE_DATE_EPOCH decides where it is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise ConfigError(f"SOURCE_DATE_EPOCH is {epoch!r}; expected seconds since 1970") from None
    return now.date().isoformat()
