"""What a run prints while it works.

- ``Voice`` (``log``): stages and faults on stderr, as lines for people or as JSON.
- ``bars``: the bars of progress on a terminal.
"""

from __future__ import annotations

import os
from typing import TextIO

from reporting.app.terminal.log import JsonLines, Log, Voice


def voice_for(log: Log, stream: TextIO, *, quiet: bool = False, verbose: bool = False) -> Voice:
    """Return the voice that suits a stream; a ``dumb`` or unknown terminal gets plain lines."""
    if log is Log.JSON:
        return JsonLines(stream, quiet=quiet, verbose=verbose)
    if not quiet and stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb", "unknown"):
        from reporting.app.terminal.bars import Bars  # rich takes its time to load

        return Bars(stream, verbose=verbose)
    return Voice(stream, quiet=quiet, verbose=verbose)
