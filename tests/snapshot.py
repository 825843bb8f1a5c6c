"""Exact texts that tests hold on to, each in a file of its own.

To renew them after a change that is meant: REPORTING_RENEW=1 pytest <the tests>, and read the diff.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

SNAPSHOTS = Path(__file__).parent / "snapshots"
MOST_LINES = 60


def snapshot(name: str, text: str) -> None:
    """Compare a text with the file of that name, or write it there when snapshots are renewed."""
    path = SNAPSHOTS / f"{name}.txt"
    now = text.rstrip("\n") + "\n"
    if os.environ.get("REPORTING_RENEW") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    changes = list(
        difflib.unified_diff(before.splitlines(), now.splitlines(), "snapshot", "now", "", "", 1, "")
    )
    shown = "\n".join(changes[:MOST_LINES])
    assert not changes, (
        f"{shown}\nIf that is meant: REPORTING_RENEW=1 pytest, and read the diff of {path.name}"
    )
