"""Templates compiled once for all runs: their bytecode is kept where Python keeps its own, as trusted."""

from __future__ import annotations

import pickle
import sys
from contextlib import suppress
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class CompiledTemplates(FileSystemBytecodeCache):
    """The bytecode of the program's templates, for the environment that a module makes.

    A template is compiled again after its text, the module or Jinja changed. Nothing is kept where Python
    keeps no bytecode or cannot write it; what cannot be read is compiled.
    """

    def __init__(self, module: str) -> None:
        place = Path(cache_from_source(module))
        super().__init__(str(place.parent), f"{place.stem}.%s.template")
        self._made_by = f"{version('jinja2')} {Path(module).stat().st_mtime_ns}\n"

    def get_source_checksum(self, source: str) -> str:
        """Return what the bytecode of a template depends on, as a digest."""
        return super().get_source_checksum(self._made_by + source)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what is kept and whole."""
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)
